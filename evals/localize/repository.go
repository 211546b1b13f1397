package localize

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/forayhq/foray/tools/locate"
)

// A repository is read by one git process, and keeps the statistics of the contents it has seen.
type repository struct {
	dir     string
	mu      sync.Mutex // guards all below, and the process
	in      io.WriteCloser
	out     *bufio.Reader
	stats   map[string]*locate.Stats // by the blob's and the file's name
	commits map[string]*commit
}

type commit struct {
	parents []string
	time    int64
	change  locate.Change
}

// find returns the folder of a repository below dir: owner+name/repo, bare or with a work tree.
func find(dir, name string) (string, error) {
	base := filepath.Join(dir, strings.ReplaceAll(name, "/", "+"), "repo")
	for _, at := range []string{base, filepath.Join(base, ".git")} {
		if _, err := os.Stat(filepath.Join(at, "HEAD")); err == nil {
			return at, nil
		}
	}
	return "", fmt.Errorf("no repository %s in %s: %w", name, dir, fs.ErrNotExist)
}

func openRepository(dir string) (*repository, error) {
	cmd := exec.Command("git", "--git-dir="+dir, "cat-file", "--batch")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting git: %w", err)
	}
	return &repository{dir: dir, in: in, out: bufio.NewReaderSize(out, 1<<20), stats: map[string]*locate.Stats{}}, nil
}

func (r *repository) close() error { return r.in.Close() }

var errMissing = errors.New("missing")

func (r *repository) blob(id string) ([]byte, error) {
	if _, err := io.WriteString(r.in, id+"\n"); err != nil {
		return nil, err
	}
	head, err := r.out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(head)
	if len(fields) != 3 {
		return nil, errMissing
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil {
		return nil, err
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(r.out, data); err != nil {
		return nil, err
	}
	return data[:size], nil
}

// index makes the index of a commit.
func (r *repository) index(ctx context.Context, rev string) (*locate.Index, map[string]string, error) {
	listing, err := exec.CommandContext(ctx, "git", "--git-dir="+r.dir, "ls-tree", "-r", "-z", "-l", rev).Output()
	if err != nil {
		return nil, nil, errMissing
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var files []locate.File
	ids := map[string]string{}
	for entry := range strings.SplitSeq(string(listing), "\x00") {
		meta, name, ok := strings.Cut(entry, "\t")
		f := strings.Fields(meta)
		if !ok || len(f) != 4 || f[1] != "blob" || f[0] == "120000" || strings.HasPrefix(name, ".") || strings.Contains(name, "/.") || !locate.Indexed(name) {
			continue
		}
		size, err := strconv.Atoi(f[3])
		if err != nil || size > 1<<20 {
			continue
		}
		s, err := r.measure(name, f[2])
		if err != nil {
			return nil, nil, err
		}
		ids[name] = f[2]
		if s != nil {
			files = append(files, locate.File{Path: name, Stats: s})
		}
	}
	return locate.NewIndex(files, r.history(rev)), ids, nil
}

func (r *repository) measure(name, id string) (*locate.Stats, error) {
	key := id + path.Ext(name)
	if s, ok := r.stats[key]; ok {
		return s, nil
	}
	text, err := r.blob(id)
	if err != nil {
		return nil, err
	}
	var s *locate.Stats
	if bytes.IndexByte(text, 0) < 0 {
		s = locate.Measure(name, text)
	}
	r.stats[key] = s
	return s, nil
}

// maxCommits are looked at of a history.
const maxCommits = 10000

// history returns the changes before a commit, and the commit's own.
func (r *repository) history(rev string) []locate.Change {
	if r.commits == nil {
		r.load()
	}
	var out []locate.Change
	seen := map[string]bool{rev: true}
	queue := []string{rev}
	for len(queue) > 0 && len(out) < maxCommits {
		best := 0
		for i := range queue {
			if a, b := r.commits[queue[i]], r.commits[queue[best]]; a != nil && b != nil && a.time > b.time {
				best = i
			}
		}
		id := queue[best]
		queue[best] = queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		c := r.commits[id]
		if c == nil {
			continue
		}
		if len(c.parents) < 2 {
			out = append(out, c.change)
		}
		for _, p := range c.parents {
			if !seen[p] {
				seen[p] = true
				queue = append(queue, p)
			}
		}
	}
	return out
}

func (r *repository) load() {
	r.commits = map[string]*commit{}
	out, err := exec.Command("git", "--git-dir="+r.dir, "log", "--all", "--name-only", "--format=%x01%H%x00%P%x00%ct%x00%B%x00").Output()
	if err != nil {
		return
	}
	for rec := range strings.SplitSeq(string(out), "\x01") {
		f := strings.SplitN(rec, "\x00", 5)
		if len(f) != 5 {
			continue
		}
		t, _ := strconv.ParseInt(f[2], 10, 64)
		r.commits[f[0]] = &commit{parents: strings.Fields(f[1]), time: t, change: locate.NewChange(f[3], strings.Fields(f[4]))}
	}
}
