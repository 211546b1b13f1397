package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A sink takes the report: standard output, or a file that is there whole or not at all.
type sink struct {
	path string // "" and "-": standard output
	std  io.Writer
}

// check finds, before anything is explored, that the file cannot be written.
func (s sink) check() error {
	if s.path == "" || s.path == "-" {
		return nil
	}
	dir, err := os.Stat(filepath.Dir(s.path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return usage("mkdir -p "+quote(filepath.Dir(s.path)), "there is no directory %q for the report", filepath.Dir(s.path))
	case err != nil || !dir.IsDir():
		return usage("-o report.md", "%q cannot hold the report", filepath.Dir(s.path))
	}
	info, err := os.Stat(s.path)
	switch {
	case err == nil && info.IsDir():
		return usage("-o "+quote(filepath.Join(s.path, "report.md")), "%q is a directory", s.path)
	case err == nil && !info.Mode().IsRegular():
		return nil
	}
	return s.probe()
}

// probe makes the file that replace would write, and removes it: permissions alone do not say whether that can be.
func (s sink) probe() error {
	name := s.target()
	f, err := os.OpenFile(beside(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		return usage("-o FILE in a directory that can be written", "%q cannot hold the report", filepath.Dir(name))
	}
	return nil
}

// target is the file itself, where path is a link to it.
func (s sink) target() string {
	if real, err := filepath.EvalSymlinks(s.path); err == nil {
		return real
	}
	return s.path
}

// beside is the file that becomes path when it is whole.
func beside(path string) string {
	return filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d", filepath.Base(path), os.Getpid()))
}

// write writes the report. A file that is a device or a pipe is written to, any other is replaced.
func (s sink) write(text string) error {
	if s.path == "" || s.path == "-" {
		if _, err := io.WriteString(s.std, text); err != nil {
			return &exit{code: exitPartial, err: fmt.Errorf("writing the report: %w", err), hint: "-o FILE"}
		}
		return nil
	}
	path := s.target()
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
		return &exit{code: exitPartial, err: fmt.Errorf("writing the report: %w", err), hint: "-o FILE in a directory that can be written"}
	}
	return nil
}

// replace writes a file beside path and renames it, so that nobody sees a part of it. New files get the permissions
// that the process gives to files.
func replace(path, text string, perm fs.FileMode) (err error) {
	name := beside(path)
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
