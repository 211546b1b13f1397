package localize

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/gitrepo"
	"github.com/forayhq/foray/tools/locate"
	sourcetree "github.com/forayhq/foray/tools/tree"
)

// errMissing means that an instance lacks its repository or its commit.
var errMissing = errors.New("missing")

// A repository keeps statistics of contents, since its commits share most of them.
type repository struct {
	git *gitrepo.Repo

	mu      sync.Mutex               // guards the fields below
	stats   map[string]*locate.Stats // by hash and file extension; nil: not indexed
	commits map[string]*commit
}

type commit struct {
	gitrepo.Commit
	words locate.Commit
}

// openRepository opens owner+name/repo below dir, bare or not.
func openRepository(ctx context.Context, dir, name string) (*repository, error) {
	at := filepath.Join(dir, strings.ReplaceAll(name, "/", "+"), "repo")
	if _, err := os.Stat(at); errors.Is(err, fs.ErrNotExist) {
		return nil, errMissing
	} else if err != nil {
		return nil, fmt.Errorf("finding %s: %w", name, err)
	}
	git, err := gitrepo.Open(ctx, at)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", name, err)
	}
	return &repository{git: git, stats: make(map[string]*locate.Stats), commits: make(map[string]*commit)}, nil
}

// checkout returns the tree and the index of an instance's commit. The caller closes the tree.
func (r *repository) checkout(ctx context.Context, in *Instance) (*gitrepo.Tree, *locate.Index, error) {
	tree, err := r.git.Tree(ctx, in.Commit)
	var problem *tools.Problem
	if errors.As(err, &problem) && problem.Code == "unknown_revision" {
		return nil, nil, errMissing
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s at %s: %w", in.Repo, in.Commit, err)
	}
	if lack := tree.Partial(); lack != nil { // its figures would not be those of the commit
		return nil, nil, errors.Join(lack, tree.Close())
	}
	ix, err := r.index(ctx, tree)
	if err != nil {
		return nil, nil, errors.Join(err, tree.Close())
	}
	return tree, ix, nil
}

func (r *repository) index(ctx context.Context, tree *gitrepo.Tree) (*locate.Index, error) {
	source := sourcetree.Open(tree, nil)
	files := make(map[string]*locate.Stats)
	for f, err := range source.Files(ctx, ".") {
		if err != nil {
			return nil, err
		}
		if f.Skip != "" {
			continue
		}
		s, err := r.measure(tree, source, f.Path)
		if err != nil {
			return nil, err
		}
		if s != nil {
			files[f.Path] = s
		}
	}
	var err error
	ix := locate.NewIndex(files, func(commits, changed int) (all []locate.Commit) {
		all, err = r.history(ctx, tree.Commit(), commits, changed)
		return all
	})
	return ix, err
}

func (r *repository) measure(tree *gitrepo.Tree, source *sourcetree.Tree, name string) (*locate.Stats, error) {
	hash, _ := tree.Hash(name)
	key := hash + path.Ext(name)
	r.mu.Lock()
	s, known := r.stats[key]
	r.mu.Unlock()
	if known {
		return s, nil
	}
	s, err := locate.Measure(name, func() ([]byte, error) { return source.Read(name) })
	if err != nil && !errors.Is(err, sourcetree.ErrSkipped) {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats[key] = s
	return s, nil
}

// history returns the commits reachable from rev, including itself, newest first, as git log does for the tool. It
// reads each commit once.
func (r *repository) history(ctx context.Context, rev string, most, files int) ([]locate.Commit, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.commits[rev] == nil {
		if err := r.log(ctx, rev, files); err != nil {
			return nil, err
		}
	}
	var out []locate.Commit
	seen := map[string]bool{rev: true}
	for next := []string{rev}; len(next) > 0 && len(out) < most; {
		newest := 0
		for i := range next {
			if r.commits[next[i]].Time.After(r.commits[next[newest]].Time) {
				newest = i
			}
		}
		c := r.commits[next[newest]]
		next = append(next[:newest], next[newest+1:]...)
		out = append(out, c.words)
		for _, p := range c.Parents {
			if !seen[p] && r.commits[p] != nil {
				seen[p] = true
				next = append(next, p)
			}
		}
	}
	return out, nil
}

func (r *repository) log(ctx context.Context, rev string, files int) error {
	for c, err := range r.git.Log(ctx, rev, &gitrepo.LogOptions{Bodies: true, MaxFiles: files}) {
		if err != nil {
			return fmt.Errorf("reading the history of %s: %w", rev, err)
		}
		if r.commits[c.Hash] == nil {
			r.commits[c.Hash] = &commit{c, locate.NewCommit(c.Hash, c.Subject+"\n"+c.Body, c.Files)}
		}
	}
	return nil
}
