package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/forayhq/foray/internal/line"
)

// An output takes what a command prints: standard output, or a file that is replaced atomically.
type output struct {
	path string // "" and "-": standard output
	std  io.Writer
}

const writableHint = "-o FILE in a writable directory"

// check finds out before the work starts whether the file can be written.
func (o output) check() error {
	if o.path == "" || o.path == "-" {
		return nil
	}
	folder := filepath.Dir(o.path)
	dir, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return usage("mkdir -p "+quote(folder), "no directory %q for the output", folder)
	case err != nil || !dir.IsDir():
		return usage("-o report.md", "%q is not a usable directory", folder)
	}
	info, err := os.Stat(o.path)
	switch {
	case err == nil && info.IsDir():
		return usage("-o "+quote(filepath.Join(o.path, "report.md")), "%q is a directory", o.path)
	case err == nil && !info.Mode().IsRegular():
		return nil
	}
	return o.probe()
}

// probe creates the temporary file of replace and removes it, because permissions alone do not tell.
func (o output) probe() error {
	name := o.realPath()
	f, err := os.OpenFile(temporary(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		return usage(writableHint, "the directory %q is not writable", filepath.Dir(name))
	}
	return nil
}

// realPath is the file that path names, through links.
func (o output) realPath() string {
	if real, err := filepath.EvalSymlinks(o.path); err == nil {
		return real
	}
	return o.path
}

// temporary is the file that is renamed to path when it is complete.
func temporary(path string) string {
	return filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d", filepath.Base(path), os.Getpid()))
}

// write writes a text whose control characters are escaped or replaced. It replaces a regular file, and writes to a
// device or a pipe.
func (o output) write(text string) error {
	text = line.Printable(text)
	if o.path == "" || o.path == "-" {
		if _, err := io.WriteString(o.std, text); err != nil {
			return &exit{code: exitPartial, err: fmt.Errorf("writing the output: %w", err), hint: "-o FILE"}
		}
		return nil
	}
	path := o.realPath()
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		err = os.WriteFile(path, []byte(text), 0)
	case err == nil:
		err = replace(path, text, info.Mode().Perm())
	default:
		err = replace(path, text, 0o666)
	}
	if err != nil {
		return &exit{code: exitPartial, err: fmt.Errorf("writing the output: %w", err), hint: writableHint}
	}
	return nil
}

// replace writes a temporary file and renames it to path, so that no reader sees half of it.
func replace(path, text string, perm fs.FileMode) (err error) {
	name := temporary(path)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(name))
		}
	}()
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(name, path)
}

// A sideFile is a file that a flag names besides the output: a trace, a recording.
type sideFile struct {
	flag, path string
	what       string // it holds
	suggested  string // name
}

// open creates the file before the work starts, so that an error shows at once. Only the owner may read the file,
// because it holds whatever the run reads. Without a path it returns nil.
func (s sideFile) open() (*os.File, error) {
	switch s.path {
	case "":
		return nil, nil
	case "-":
		return nil, usage("--"+s.flag+" "+s.suggested, "--%s needs a file", s.flag)
	}
	f, err := os.OpenFile(s.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	info, statErr := os.Stat(s.path)
	switch {
	case err == nil:
		return f, nil
	case statErr == nil && info.IsDir():
		return nil, usage("--"+s.flag+" "+quote(filepath.Join(s.path, s.suggested)), "%q is a directory", s.path)
	case errors.Is(err, fs.ErrNotExist):
		return nil, usage("mkdir -p "+quote(filepath.Dir(s.path)), "no directory %q for the %s", filepath.Dir(s.path), s.what)
	}
	return nil, usage("--"+s.flag+" FILE in a writable directory", "opening the %s: %v", s.what, err)
}

// distinctFiles refuses two flags that name the same file.
func distinctFiles(files ...sideFile) error {
	for i, a := range files {
		for _, b := range files[i+1:] {
			if a.path != "" && b.path != "" && sameFile(a.path, b.path) {
				return usage("--"+a.flag+" "+quote(a.path+".jsonl"), "--%s and --%s name the same file", a.flag, b.flag)
			}
		}
	}
	return nil
}

// sameFile reports whether two paths name the same file, which need not exist yet.
func sameFile(a, b string) bool {
	left, leftErr := os.Stat(a)
	right, rightErr := os.Stat(b)
	if leftErr == nil && rightErr == nil {
		return os.SameFile(left, right) && left.Mode().IsRegular()
	}
	a, leftErr = filepath.Abs(a)
	b, rightErr = filepath.Abs(b)
	return leftErr == nil && rightErr == nil && a == b
}
