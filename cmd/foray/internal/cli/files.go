package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/forayhq/foray/internal/line"
)

// An Output takes what a command prints: standard output, or a file that is replaced atomically.
type Output struct {
	Path string // "" and "-": standard output
	Std  io.Writer
	Flag string // that hints put before a file; "": -o
	Name string // of a file that hints suggest; "": report.md
}

// try returns a hint that names a file.
func (o Output) try(file string) string { return cmp.Or(o.Flag, "-o") + " " + file }

func (o Output) tryWritable() string { return o.try("FILE in a writable directory") }

// Check finds out before the work starts whether the file can be written.
func (o Output) Check() error {
	if o.Path == "" || o.Path == "-" {
		return nil
	}
	folder, name := filepath.Dir(o.Path), cmp.Or(o.Name, "report.md")
	dir, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Usage("mkdir -p "+Quote(folder), "no directory %q for the output", folder)
	case err != nil || !dir.IsDir():
		return Usage(o.try(name), "%q is not a usable directory", folder)
	}
	info, err := os.Stat(o.Path)
	switch {
	case err == nil && info.IsDir():
		return Usage(o.try(Quote(filepath.Join(o.Path, name))), "%q is a directory", o.Path)
	case err == nil && !info.Mode().IsRegular():
		return nil
	}
	return o.probe()
}

// probe creates the temporary file of replace and removes it, because permissions alone do not tell.
func (o Output) probe() error {
	name := o.realPath()
	f, err := os.OpenFile(temporary(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		return Usage(o.tryWritable(), "the directory %q is not writable", filepath.Dir(name))
	}
	return nil
}

// realPath is the file that path names, through links.
func (o Output) realPath() string {
	if real, err := filepath.EvalSymlinks(o.Path); err == nil {
		return real
	}
	return o.Path
}

// temporary is the file that is renamed to path when it is complete.
func temporary(path string) string {
	return filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d", filepath.Base(path), os.Getpid()))
}

// Write writes a text whose control characters are escaped or replaced. It replaces a regular file, and writes to a
// device or a pipe.
func (o Output) Write(text string) error {
	text = line.Printable(text)
	if o.Path == "" || o.Path == "-" {
		if _, err := io.WriteString(o.Std, text); err != nil {
			return &Exit{Code: ExitPartial, Err: fmt.Errorf("writing the output: %w", err), Hint: o.try("FILE")}
		}
		return nil
	}
	path := o.realPath()
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		err = os.WriteFile(path, []byte(text), 0)
	case err == nil:
		err = Replace(path, text, info.Mode().Perm())
	default:
		err = Replace(path, text, 0o666)
	}
	if err != nil {
		return &Exit{Code: ExitPartial, Err: fmt.Errorf("writing the output: %w", err), Hint: o.tryWritable()}
	}
	return nil
}

// Replace writes a temporary file and renames it to path, so that no reader sees half of it.
func Replace(path, text string, perm fs.FileMode) (err error) {
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

// A SideFile is a file that a flag names besides the output: a trace, a recording.
type SideFile struct {
	Flag, Path string
	What       string // it holds
	Suggested  string // name
}

// Open creates the file before the work starts, so that an error shows at once. Only the owner may read the file,
// because it holds whatever the run reads. Without a path it returns nil.
func (s SideFile) Open() (*os.File, error) {
	switch s.Path {
	case "":
		return nil, nil
	case "-":
		return nil, Usage("--"+s.Flag+" "+s.Suggested, "--%s needs a file", s.Flag)
	}
	f, err := os.OpenFile(s.Path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	info, statErr := os.Stat(s.Path)
	switch {
	case err == nil:
		return f, nil
	case statErr == nil && info.IsDir():
		return nil, Usage("--"+s.Flag+" "+Quote(filepath.Join(s.Path, s.Suggested)), "%q is a directory", s.Path)
	case errors.Is(err, fs.ErrNotExist):
		return nil, Usage("mkdir -p "+Quote(filepath.Dir(s.Path)), "no directory %q for the %s", filepath.Dir(s.Path), s.What)
	}
	return nil, Usage("--"+s.Flag+" FILE in a writable directory", "opening the %s: %v", s.What, err)
}

// DistinctFiles refuses two flags that name the same file.
func DistinctFiles(files ...SideFile) error {
	for i, a := range files {
		for _, b := range files[i+1:] {
			if a.Path != "" && b.Path != "" && sameFile(a.Path, b.Path) {
				return Usage("--"+a.Flag+" "+Quote(a.Path+".jsonl"), "--%s and --%s name the same file", a.Flag, b.Flag)
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
