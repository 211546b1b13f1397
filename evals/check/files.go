package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// maxFile is how much of a file is compared, in bytes. Longer files have no text that is wanted.
const maxFile = 64 << 20

// A files check looks at the working copy after the run.
type files struct {
	head
	Exists    texts             `json:"exists"`
	Missing   texts             `json:"missing"`
	Contains  map[string]texts  `json:"contains"`
	Equals    map[string]string `json:"equals"`
	Unchanged texts             `json:"unchanged"` // files, or folders with all that is in them
	Except    texts             `json:"except"`    // of these
}

func (f *files) prepare(*Options) error {
	if len(f.Exists)+len(f.Missing)+len(f.Contains)+len(f.Equals)+len(f.Unchanged) == 0 {
		return errors.New("nothing to look for: give exists, missing, contains, equals or unchanged")
	}
	all := slices.Concat(f.Exists, f.Missing, f.Unchanged, f.Except, slices.Collect(maps.Keys(f.Contains)),
		slices.Collect(maps.Keys(f.Equals)))
	for _, name := range all {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return fmt.Errorf("the path %q is not in the working copy", name)
		}
	}
	for name, wanted := range f.Contains {
		if len(wanted) == 0 || slices.Contains(wanted, "") {
			return fmt.Errorf("contains: nothing to look for in %s: give texts that are not empty, or use exists", name)
		}
	}
	for _, names := range []texts{f.Unchanged, f.Except} {
		for i, name := range names {
			names[i] = path.Clean(name) // as walking names it
		}
	}
	return nil
}

// A tally counts what holds.
type tally struct {
	looked, held int
	missing      []string
}

func (t *tally) count(holds bool, format string, args ...any) {
	t.looked++
	if holds {
		t.held++
	} else if len(t.missing) < 10 {
		t.missing = append(t.missing, fmt.Sprintf(format, args...))
	}
}

// judge scores the share of wishes that hold.
func (f *files) judge(ctx context.Context, o *Outcome) (Verdict, error) {
	if err := o.checkCopy(); err != nil {
		return Verdict{}, err
	}
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return Verdict{}, fmt.Errorf("opening the working copy: %w", err)
	}
	defer root.Close()
	var t tally
	for _, name := range f.Exists {
		_, err := root.Stat(name)
		t.count(err == nil, "%s does not exist", name)
	}
	for _, name := range f.Missing {
		_, err := root.Lstat(name)
		t.count(errors.Is(err, fs.ErrNotExist), "%s exists", name)
	}
	f.texts(root, &t)
	if len(f.Unchanged) > 0 {
		if err := f.unchanged(ctx, o, root, &t); err != nil {
			return Verdict{}, err
		}
	}
	return share(t.held, t.looked, "", t.missing), nil
}

// texts compares the contents of files. One that cannot be read has none.
func (f *files) texts(root *os.Root, t *tally) {
	for _, name := range slices.Sorted(maps.Keys(f.Contains)) {
		data, err := readFile(root.FS(), name)
		for _, text := range f.Contains[name] {
			t.count(err == nil && bytes.Contains(data, []byte(text)), "%s lacks %s", name, shown(text))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Equals)) {
		data, err := readFile(root.FS(), name)
		t.count(err == nil && string(data) == f.Equals[name], "%s is %s, not %s", name, shown(string(data)),
			shown(f.Equals[name]))
	}
}

// readFile reads a regular file: opening a pipe would wait for its writer.
func readFile(from fs.FS, name string) ([]byte, error) {
	name = path.Clean(name)
	info, err := fs.Stat(from, name)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", name)
	}
	if err != nil {
		return nil, err
	}
	file, err := from.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s has more than %d bytes", name, maxFile)
	}
	return data, err
}

// unchanged compares the copy with a fresh one, but for the folder of git.
func (f *files) unchanged(ctx context.Context, o *Outcome, root *os.Root, t *tally) error {
	if o.Fresh == nil {
		return errors.New("unchanged: the harness gives no original to compare with")
	}
	dir, err := os.MkdirTemp("", "foray-original-")
	if err != nil {
		return fmt.Errorf("making the original: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := o.Fresh(ctx, dir); err != nil {
		return fmt.Errorf("making the original: %w", err)
	}
	original, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("making the original: %w", err)
	}
	defer original.Close()
	var names []string
	for _, top := range f.Unchanged {
		_, errBefore := original.Lstat(top)
		now, errNow := root.Lstat(top)
		if errors.Is(errBefore, fs.ErrNotExist) && errors.Is(errNow, fs.ErrNotExist) {
			return fmt.Errorf("unchanged: the working copy never had %s: correct the path", top)
		}
		if errNow == nil && now.Mode()&fs.ModeSymlink != 0 && !slices.Contains(f.Except, top) {
			names = append(names, top) // walking would follow it
		}
	}
	for _, tree := range []*os.Root{original, root} {
		more, err := f.watched(tree.FS())
		if err != nil {
			return err
		}
		names = append(names, more...)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		t.count(same(original, root, name), "%s was changed, made or removed", name)
	}
	return nil
}

// same compares a file or a link of two trees. A link is not followed.
func same(before, after *os.Root, name string) bool {
	a, errA := before.Lstat(name)
	b, errB := after.Lstat(name)
	if errA != nil || errB != nil || a.Mode().Type() != b.Mode().Type() {
		return false
	}
	switch {
	case a.Mode()&fs.ModeSymlink != 0:
		to, errA := before.Readlink(name)
		now, errB := after.Readlink(name)
		return errA == nil && errB == nil && to == now
	case !a.Mode().IsRegular():
		return true // reading a pipe would wait for its writer
	}
	was, errA := readFile(before.FS(), name)
	is, errB := readFile(after.FS(), name)
	return errA == nil && errB == nil && bytes.Equal(was, is)
}

func isLink(tree fs.FS, name string) bool {
	info, err := fs.Lstat(tree, name)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// watched returns what must not change in a tree: files, links and the like.
func (f *files) watched(tree fs.FS) (names []string, err error) {
	for _, top := range f.Unchanged {
		err := fs.WalkDir(tree, top, func(name string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil // then it is gone from this tree, or new in the other
			case err != nil && name == top && isLink(tree, top):
				return nil // out of the tree: unchanged compares the link itself
			case err != nil:
				return err
			case d.IsDir() && d.Name() == ".git", slices.Contains(f.Except, name) && d.IsDir():
				return fs.SkipDir
			case !d.IsDir() && !slices.Contains(f.Except, name):
				names = append(names, name)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}
