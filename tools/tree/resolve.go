package tree

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/forayhq/foray/toollimit/line"
	"github.com/forayhq/foray/tools"
)

// maxLinks is how many file links in a row are followed.
const maxLinks = 8

// Clean checks a path from a model and writes it as fs.FS wants it: from the root, "." for the root. The path of a
// parent, of a home, with a NUL, or absolute outside the root is refused, and so is the repository's own folder.
func (t *Tree) Clean(p string) (string, error) {
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
type Place struct {
	Path string
	Info fs.FileInfo
}

// Resolve finds the path p, which a model gave. Links to files inside the root are followed, links to directories and
// out of the root are refused. Its errors are of type *tools.Problem, but for ctx's own.
func (t *Tree) Resolve(ctx context.Context, p string) (Place, error) {
	given, err := t.Clean(p)
	if err != nil {
		return Place{}, err
	}
	at := given
	for range maxLinks {
		found, target, err := t.follow(ctx, at)
		if err != nil || target == "" {
			return found, err
		}
		if at, err = t.Clean(target); err != nil {
			return Place{}, err
		}
	}
	return Place{}, &tools.Problem{Code: "link_loop", Message: line.Path(given) + " is a link that does not end", Try: "list_dir"}
}

// follow walks down p. It returns a target instead of a place when p is a link.
func (t *Tree) follow(ctx context.Context, p string) (found Place, target string, err error) {
	for _, dir := range append(above(p), p) {
		info, err := fs.Lstat(t.fsys, dir)
		if err != nil {
			return Place{}, "", t.Problem(ctx, p, err)
		}
		isLink := info.Mode()&fs.ModeSymlink != 0
		switch {
		case dir == p && isLink:
			return t.target(p)
		case dir == p:
			return Place{p, info}, "", nil
		case isLink:
			return Place{}, "", &tools.Problem{Code: "link", Message: line.Path(dir) + " is a link; links to directories are not followed", Try: "list_dir to see where it leads"}
		case !info.IsDir():
			return Place{}, "", &tools.Problem{Code: "not_found", Message: line.Path(dir) + " is a file, so it holds no " + line.Path(p[len(dir)+1:]), Try: "read_file with path=" + line.Path(dir)}
		}
	}
	return Place{}, "", t.Problem(ctx, p, fs.ErrNotExist)
}

func (t *Tree) target(p string) (Place, string, error) {
	to, ok := t.LinkTarget(p)
	if !ok {
		return Place{}, "", &tools.Problem{Code: "outside", Message: line.Path(p) + " is a link that leads out of the root", Try: "another path"}
	}
	info, err := fs.Stat(t.fsys, p)
	switch {
	case err != nil:
		return Place{}, "", &tools.Problem{Code: "broken_link", Message: line.Path(p) + " is a link that leads nowhere or out of the root", Try: "another path"}
	case info.IsDir():
		return Place{}, "", &tools.Problem{Code: "link", Message: line.Path(p) + " is a link to a directory; such links are not followed", Try: "path=" + line.Path(to)}
	}
	return Place{}, to, nil
}

// LinkTarget is where the link p leads, from the root; false when it leads out.
func (t *Tree) LinkTarget(p string) (string, bool) {
	to, err := fs.ReadLink(t.fsys, p)
	if err != nil || path.IsAbs(to) {
		return "", false
	}
	to = path.Join(path.Dir(p), to)
	return to, to != ".." && !strings.HasPrefix(to, "../")
}

// Problem says what went wrong at p in a sentence of our own: an error of the system names host paths.
func (t *Tree) Problem(ctx context.Context, p string, err error) error {
	switch {
	case Expired(ctx) != nil && !errors.Is(Expired(ctx), context.DeadlineExceeded):
		return ctx.Err()
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return t.missing(ctx, p)
	case errors.Is(err, fs.ErrPermission):
		return &tools.Problem{Code: "unreadable", Message: line.Path(p) + " may not be read", Try: "another path"}
	case errors.Is(err, errBinary):
		return &tools.Problem{Code: "binary", Message: line.Path(p) + " is a binary file", Try: "a text file"}
	case errors.Is(err, errTooLarge):
		return &tools.Problem{Code: "too_large", Message: line.Path(p) + " is larger than " + line.Bytes(t.o.MaxFile), Try: "another file"}
	case errors.Is(err, errSecret):
		return &tools.Problem{Code: "secret", Message: line.Path(p) + " has the name of a file with credentials and is not read", Try: "an example file, or the code that reads it"}
	case errors.Is(err, fs.ErrInvalid):
		return &tools.Problem{Code: "not_a_file", Message: line.Path(p) + " is neither a file nor a directory", Try: "another path"}
	default:
		return &tools.Problem{Code: "unreadable", Message: line.Path(p) + " cannot be read", Try: "another path"}
	}
}

// File resolves p, which must be a text file that may be shown, and loads it.
func (t *Tree) File(ctx context.Context, p string) (Place, Content, error) {
	if strings.TrimSpace(p) == "" {
		return Place{}, Content{}, &tools.Problem{Code: "bad_arguments", Message: "path is blank", Try: "the path of a file, as list_dir prints it"}
	}
	at, err := t.Resolve(ctx, p)
	if err != nil {
		return Place{}, Content{}, err
	}
	if at.Info.IsDir() {
		return Place{}, Content{}, t.isDirectory(ctx, at.Path)
	}
	c, err := t.Open(at)
	if err != nil {
		return Place{}, Content{}, t.Problem(ctx, at.Path, err)
	}
	return at, c, nil
}

// Open loads a resolved file, redacted.
func (t *Tree) Open(at Place) (Content, error) {
	if !at.Info.Mode().IsRegular() {
		return Content{}, fs.ErrInvalid
	}
	if !t.o.AllowSecrets && IsSecret(at.Path) {
		return Content{}, errSecret
	}
	c, err := t.Load(at.Path)
	if err != nil {
		return Content{}, err
	}
	c.Data = t.Shown(c)
	return c, nil
}

// Directory resolves p, which must be a directory; "" is the root.
func (t *Tree) Directory(ctx context.Context, p string) (Place, error) {
	at, err := t.Resolve(ctx, cmp.Or(p, "."))
	if err == nil && !at.Info.IsDir() {
		err = &tools.Problem{Code: "not_a_directory", Message: line.Path(at.Path) + " is a file", Try: "read_file or outline with path=" + line.Path(at.Path)}
	}
	return at, err
}

// Target resolves p, a directory or file to search. It refuses a file that is secret by its name.
func (t *Tree) Target(ctx context.Context, p string) (Place, error) {
	base, err := t.Resolve(ctx, p)
	if err == nil && !base.Info.IsDir() && !t.o.AllowSecrets && IsSecret(base.Path) {
		err = t.Problem(ctx, base.Path, errSecret)
	}
	return base, err
}

// LinksToFile reports whether the link p leads to a regular file in the tree.
func (t *Tree) LinksToFile(p string) bool {
	to, ok := t.LinkTarget(p)
	if !ok || slices.ContainsFunc(strings.Split(path.Clean(to), "/"), isRepository) {
		return false
	}
	info, err := fs.Stat(t.fsys, p)
	return err == nil && info.Mode().IsRegular()
}

// above lists the directories above p, the root first; none for the root itself.
func above(p string) []string {
	if p == "." {
		return nil
	}
	dirs := []string{"."}
	for i, c := range p {
		if c == '/' {
			dirs = append(dirs, p[:i])
		}
	}
	return dirs
}
