package codebase

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/forayhq/foray/tools"
)

// maxLinks is how many file links in a row are followed.
const maxLinks = 8

// clean checks a path from a model and writes it as fs.FS wants it: from the root, "." for the root. The path of a
// parent, of a home, with a NUL, or absolute outside the root is refused, and so is the repository's own folder.
func (t *tree) clean(p string) (string, error) {
	if strings.ContainsRune(p, 0) || !utf8.ValidString(p) {
		return "", &tools.Problem{Code: "bad_path", Message: "the path holds a NUL byte or is not UTF-8", Try: "a path from the root, as list_dir prints it"}
	}
	if len(p) > 4096 {
		return "", &tools.Problem{Code: "bad_path", Message: "the path has more than 4096 bytes", Try: "a path from the root, as list_dir prints it"}
	}
	if t.o.Dir != "" && (p == t.o.Dir || strings.HasPrefix(p, strings.TrimSuffix(t.o.Dir, "/")+"/")) {
		p = strings.TrimLeft(p[len(t.o.Dir):], "/")
	}
	if path.IsAbs(p) || strings.HasPrefix(p, "~") || windowsAbs(p) {
		return "", outside("an absolute path or a home")
	}
	for part := range strings.SplitSeq(p, "/") {
		if part == ".." {
			return "", outside(`".."`)
		}
		if isRepository(part) {
			return "", &tools.Problem{Code: "refused", Message: "the folder of version control is not read", Try: "a path of the sources"}
		}
	}
	return path.Clean(p), nil
}

func windowsAbs(p string) bool { return len(p) > 2 && alpha(p[0]) && p[1] == ':' && p[2] == '\\' }

func outside(what string) error {
	return &tools.Problem{Code: "outside", Message: "the path leads out of the root: " + what + " is not allowed", Try: "a path from the root, as list_dir prints it"}
}

// A place is a path that was found: its name with file links followed.
type place struct {
	path string
	info fs.FileInfo
}

// resolve finds the path p, which a model gave. Links to files inside the root are followed, links to directories and
// out of the root are refused. Its errors are of type *tools.Problem, but for ctx's own.
func (t *tree) resolve(ctx context.Context, p string) (place, error) {
	given, err := t.clean(p)
	if err != nil {
		return place{}, err
	}
	at := given
	for range maxLinks {
		found, target, err := t.follow(ctx, at)
		if err != nil || target == "" {
			return found, err
		}
		if at, err = t.clean(target); err != nil {
			return place{}, err
		}
	}
	return place{}, &tools.Problem{Code: "link_loop", Message: showPath(given) + " is a link that does not end", Try: "list_dir"}
}

// follow walks down p. It returns a target instead of a place when p is a link.
func (t *tree) follow(ctx context.Context, p string) (found place, target string, err error) {
	for _, dir := range append(above(p), p) {
		info, err := fs.Lstat(t.fsys, dir)
		if err != nil {
			return place{}, "", t.fault(ctx, p, err)
		}
		isLink := info.Mode()&fs.ModeSymlink != 0
		switch {
		case dir == p && isLink:
			return t.target(p)
		case dir == p:
			return place{p, info}, "", nil
		case isLink:
			return place{}, "", &tools.Problem{Code: "link", Message: showPath(dir) + " is a link; links to directories are not followed", Try: "list_dir to see where it leads"}
		case !info.IsDir():
			return place{}, "", &tools.Problem{Code: "not_found", Message: showPath(dir) + " is a file, so it holds no " + showPath(p[len(dir)+1:]), Try: "read_file with path=" + showPath(dir)}
		}
	}
	return place{}, "", t.fault(ctx, p, fs.ErrNotExist)
}

func (t *tree) target(p string) (place, string, error) {
	to, ok := t.linkTarget(p)
	if !ok {
		return place{}, "", &tools.Problem{Code: "outside", Message: showPath(p) + " is a link that leads out of the root", Try: "another path"}
	}
	info, err := fs.Stat(t.fsys, p)
	switch {
	case err != nil:
		return place{}, "", &tools.Problem{Code: "broken_link", Message: showPath(p) + " is a link that leads nowhere or out of the root", Try: "another path"}
	case info.IsDir():
		return place{}, "", &tools.Problem{Code: "link", Message: showPath(p) + " is a link to a directory; such links are not followed", Try: "path=" + showPath(to)}
	}
	return place{}, to, nil
}

// linkTarget is where the link p leads, from the root; false when it leads out.
func (t *tree) linkTarget(p string) (string, bool) {
	to, err := fs.ReadLink(t.fsys, p)
	if err != nil || path.IsAbs(to) {
		return "", false
	}
	to = path.Join(path.Dir(p), to)
	return to, to != ".." && !strings.HasPrefix(to, "../")
}

// fault says what went wrong at p in a sentence of our own: an error of the system names host paths.
func (t *tree) fault(ctx context.Context, p string, err error) error {
	switch {
	case expired(ctx) != nil && !errors.Is(expired(ctx), errDeadline):
		return ctx.Err()
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return t.missing(ctx, p)
	case errors.Is(err, fs.ErrPermission):
		return &tools.Problem{Code: "unreadable", Message: showPath(p) + " may not be read", Try: "another path"}
	case errors.Is(err, errBinary):
		return &tools.Problem{Code: "binary", Message: showPath(p) + " is a binary file", Try: "a text file"}
	case errors.Is(err, errTooLarge):
		return &tools.Problem{Code: "too_large", Message: showPath(p) + " is larger than " + size(t.o.MaxFile), Try: "another file"}
	case errors.Is(err, errSecret):
		return &tools.Problem{Code: "secret", Message: showPath(p) + " has the name of a file with credentials and is not read", Try: "an example file, or the code that reads it"}
	case errors.Is(err, fs.ErrInvalid):
		return &tools.Problem{Code: "not_a_file", Message: showPath(p) + " is neither a file nor a directory", Try: "another path"}
	default:
		return &tools.Problem{Code: "unreadable", Message: showPath(p) + " cannot be read", Try: "another path"}
	}
}

// file resolves p, which must be a text file that may be shown, and loads it.
func (t *tree) file(ctx context.Context, p string) (place, content, error) {
	if strings.TrimSpace(p) == "" {
		return place{}, content{}, &tools.Problem{Code: "bad_arguments", Message: "path is blank", Try: "the path of a file, as list_dir prints it"}
	}
	at, err := t.resolve(ctx, p)
	if err != nil {
		return place{}, content{}, err
	}
	if at.info.IsDir() {
		return place{}, content{}, t.isDirectory(ctx, at.path)
	}
	c, err := t.open(at)
	if err != nil {
		return place{}, content{}, t.fault(ctx, at.path, err)
	}
	return at, c, nil
}

// open loads a resolved file, redacted.
func (t *tree) open(at place) (content, error) {
	if !at.info.Mode().IsRegular() {
		return content{}, fs.ErrInvalid
	}
	if !t.o.AllowSecrets && isSecret(at.path) {
		return content{}, errSecret
	}
	c, err := t.load(at.path)
	if err != nil {
		return content{}, err
	}
	c.data = t.shown(c)
	return c, nil
}

// directory resolves p, which must be a directory; "" is the root.
func (t *tree) directory(ctx context.Context, p string) (place, error) {
	at, err := t.resolve(ctx, orElse(p, "."))
	if err == nil && !at.info.IsDir() {
		err = &tools.Problem{Code: "not_a_directory", Message: showPath(at.path) + " is a file", Try: "read_file or outline with path=" + showPath(at.path)}
	}
	return at, err
}
