package task

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/forayhq/foray/evals/check"
)

// Bounds of a set.
const (
	maxTasks = 100_000
	maxLine  = 64 << 20 // bytes
	maxRead  = 2 << 30  // bytes of all files together, decompressed
)

// Load reads the tasks at a path: a file of JSON lines, compressed if its name ends in .gz; a folder with tasks.jsonl,
// or else with *.jsonl files; or a folder in the form of Harbor, or of such folders. The checks get the options, with
// the folder as their files. A path without a single task is an error that says what it looks like instead, and so are
// sets of more than 100,000 tasks or 2 GiB.
func Load(ctx context.Context, path string, o *check.Options) (*Set, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("loading tasks: %w", err)
	}
	folder, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("loading tasks: %w", err)
	}
	name, at := filepath.Base(folder), "."
	if !info.IsDir() {
		folder, at = filepath.Dir(folder), name
		name, _, _ = strings.Cut(strings.TrimLeft(name, "."), ".") // .tasks.jsonl has the name tasks
	}
	return read(ctx, &Set{Name: name, folder: folder, files: os.DirFS(folder)}, at, o)
}

// LoadFS is [Load] of a file or folder in a file system, under the name of the set.
func LoadFS(ctx context.Context, files fs.FS, at, name string, o *check.Options) (*Set, error) {
	return read(ctx, &Set{Name: name, files: files}, at, o)
}

// A reader reads one set.
type reader struct {
	*Set
	options check.Options
	hash    hash.Hash
	left    int64             // bytes that may still be read
	ids     map[string]string // where each was read
	foreign string            // what the first line that is not a task looks like
}

// errTooMuch means that the set is larger than a set may be.
var errTooMuch = fmt.Errorf("more than %d tasks or %d bytes: split the set", maxTasks, int64(maxRead))

func read(ctx context.Context, s *Set, at string, o *check.Options) (*Set, error) {
	r := &reader{Set: s, hash: sha256.New(), left: maxRead, ids: make(map[string]string)}
	if o != nil {
		r.options = *o
	}
	r.options.Files = s.files
	from := s.Name
	info, err := fs.Stat(s.files, at)
	switch {
	case err != nil:
	case info.IsDir():
		err = r.folder(ctx, at)
	default:
		from = at
		err = r.file(ctx, at)
	}
	if err == nil && len(s.Tasks) == 0 {
		err = r.empty()
	}
	if err == nil {
		err = r.folders(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("loading tasks from %s: %w", from, err)
	}
	s.Hash = fmt.Sprintf("%x", r.hash.Sum(nil))
	return s, nil
}

// folders adds the folders that tasks copy to the hash of the set. One that cannot be read fails the trials that need
// it, not the set.
func (r *reader) folders(ctx context.Context) error {
	seen := make(map[string]bool)
	for i := range r.Tasks {
		dir := r.Tasks[i].Dir
		if dir == "" || seen[dir] {
			continue
		}
		seen[dir] = true
		fmt.Fprintf(r.hash, "%s\n", dir)
		if from, err := r.source(dir); err == nil {
			sumTree(ctx, r.hash, from)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// folder reads the files of JSON lines of a folder, or else its tasks in the form of Harbor.
func (r *reader) folder(ctx context.Context, at string) error {
	if _, err := fs.Stat(r.files, path.Join(at, "run.json")); err == nil {
		return errors.New("this is a folder of results; look at it with: foray eval show DIR")
	}
	for _, patterns := range [][]string{{"tasks.jsonl", "tasks.jsonl.gz"}, {"*.jsonl", "*.jsonl.gz"}} {
		var names []string
		for _, p := range patterns {
			found, err := fs.Glob(r.files, path.Join(at, p))
			if err != nil {
				return err
			}
			names = append(names, found...)
		}
		for _, name := range names {
			if err := r.file(ctx, name); err != nil {
				return err
			}
		}
		if len(names) > 0 {
			return nil
		}
	}
	return r.harbor(ctx, at)
}

// file reads a file of JSON lines.
func (r *reader) file(ctx context.Context, name string) error {
	f, err := r.files.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	var from io.Reader = f
	switch path.Ext(name) {
	case ".gz":
		z, err := gzip.NewReader(bufio.NewReader(f))
		if err != nil {
			return fmt.Errorf("decompressing %s: %w", name, err)
		}
		defer z.Close()
		from = z
	case ".zst":
		return fmt.Errorf("%s is compressed with zstd; decompress it first: zstd -d %s", name, name)
	}
	fmt.Fprintf(r.hash, "%s\n", name)
	lines := bufio.NewScanner(io.TeeReader(from, r.hash))
	lines.Buffer(nil, maxLine)
	n := 1
	for ; lines.Scan(); n++ {
		if err := cmp.Or(ctx.Err(), r.take(len(lines.Bytes()))); err != nil {
			return err
		}
		line := lines.Bytes()
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		if len(bytes.TrimSpace(line)) > 0 {
			r.line(name, n, line)
		}
	}
	err = lines.Err()
	if system := (*fs.PathError)(nil); err == nil || errors.As(err, &system) {
		return err
	}
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("longer than %d bytes; nothing after it is read", maxLine)
	}
	r.problem(name, n, 0, err.Error()) // torn
	return nil
}

// take counts what was read of a set, and returns an error once it is too large.
func (r *reader) take(bytes int) error {
	if r.left -= int64(bytes) + 1; r.left < 0 || len(r.Tasks) >= maxTasks {
		return errTooMuch
	}
	return nil
}

func (r *reader) problem(file string, line, column int, reason string) {
	const most = 1_000 // that anyone reads
	if len(r.Problems) < most {
		r.Problems = append(r.Problems, Problem{file, line, column, reason})
	}
}
