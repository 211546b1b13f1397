package tree

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools"
)

// A Place is an existing path, after links to files were followed.
type Place struct {
	Path string
	Info fs.FileInfo
}

// maxLinks is how many links in a row are followed.
const maxLinks = 8

// File resolves p, the path of a text file, and loads it with [Tree.Open]. Its errors are those of [Tree.Resolve].
func (t *Tree) File(ctx context.Context, p string) (Place, Content, error) {
	if strings.TrimSpace(p) == "" {
		return Place{}, Content{}, tools.Problemf("bad_arguments", "the path of a file, as list_dir prints it",
			"path is blank")
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

// Bytes returns what is in a file of t, at most limit bytes of it. Its errors are those of [Tree.Open].
func Bytes(t *Tree, at Place, limit int64) ([]byte, error) {
	switch {
	case !at.Info.Mode().IsRegular():
		return nil, fs.ErrInvalid
	case t.o.AllowSecret.IsSecret(at.Path):
		return nil, errSecret
	}
	f, err := t.fsys.Open(at.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

// Open loads the text of a file, redacted.
func (t *Tree) Open(at Place) (Content, error) {
	if !at.Info.Mode().IsRegular() {
		return Content{}, fs.ErrInvalid
	}
	return loadShown(t, at.Path)
}

func loadShown(t *Tree, p string) (Content, error) {
	if t.o.AllowSecret.IsSecret(p) {
		return Content{}, errSecret
	}
	c, err := t.Load(p)
	if err != nil {
		return Content{}, err
	}
	c.Data = t.Shown(c)
	return c, nil
}

// Directory resolves the directory p; "" is the root. Its errors are those of [Tree.Resolve].
func (t *Tree) Directory(ctx context.Context, p string) (Place, error) {
	at, err := t.Resolve(ctx, cmp.Or(p, "."))
	if shown := line.Path(at.Path); err == nil && !at.Info.IsDir() {
		err = tools.Problemf("not_a_directory", "read_file or outline with path="+shown, "%s is a file", shown)
	}
	return at, err
}

// Target resolves p, a directory or file to search. It refuses a file that is secret by its name.
func (t *Tree) Target(ctx context.Context, p string) (Place, error) {
	at, err := t.Resolve(ctx, p)
	if err == nil && !at.Info.IsDir() && t.o.AllowSecret.IsSecret(at.Path) {
		err = t.Problem(ctx, at.Path, errSecret)
	}
	return at, err
}

// Resolve finds p, a path from a model. It follows links to files inside the root, and refuses links to directories and
// out of the root. The error is a [tools.Problem] or the error of ctx.
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
	return Place{}, tools.Problemf("link_loop", "list_dir", "%s is a link in a loop, or the first of more than %d links", line.Path(given), maxLinks)
}

// Clean checks the form of p, a path from a model, and returns it in the form of [fs.FS]: relative to the root, "." for
// the root. It refuses NUL bytes, "..", "~", version control directories, and absolute paths outside the root.
func (t *Tree) Clean(p string) (string, error) {
	switch {
	case strings.ContainsRune(p, 0) || !utf8.ValidString(p):
		return "", tools.Problemf("bad_path", fromRoot, "the path contains a NUL byte or is not UTF-8")
	case len(p) > maxPath:
		return "", tools.Problemf("bad_path", fromRoot, "the path is longer than %d bytes", maxPath)
	}
	p = filepath.ToSlash(p)
	if dir := filepath.ToSlash(t.o.Dir); dir != "" && (p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/")) {
		p = strings.TrimLeft(p[len(dir):], "/")
	}
	windows := len(p) > 2 && alpha(p[0]) && p[1:3] == `:\`
	if windows || path.IsAbs(p) || filepath.IsAbs(p) || strings.HasPrefix(p, "~") {
		const message = "the path leads out of the root: absolute paths and ~ are not allowed"
		return "", tools.Problemf("outside", fromRoot, message)
	}
	for part := range strings.SplitSeq(p, "/") {
		if part == ".." {
			return "", tools.Problemf("outside", fromRoot, `the path leads out of the root: ".." is not allowed`)
		}
		if isRepository(part) {
			return "", tools.Problemf("refused", "a path of the sources", "directories of version control are not read")
		}
		if runtime.GOOS == "windows" && aliased(part) {
			return "", tools.Problemf("bad_path", fromRoot, "the path names a stream, uses a short name, or ends in a dot or space")
		}
	}
	return path.Clean(p), nil
}

// shortName matches the second name that Windows gives a file: GIT~1 for .git.
var shortName = regexp.MustCompile(`~\d`)

// aliased reports whether Windows may take a name for a file of another name, past the rules for secret files: it
// drops dots and blanks at the end, and a:b is a part of a.
func aliased(name string) bool {
	return strings.Contains(name, ":") || shortName.MatchString(name) ||
		name != "." && name != ".." && strings.TrimRight(name, ". ") != name
}

const (
	maxPath  = 4096 // bytes
	fromRoot = "a path from the root, as list_dir prints it"
)

// follow checks each directory on the way to p, and returns the place p, or if p is a link, its target instead.
func (t *Tree) follow(ctx context.Context, p string) (found Place, target string, err error) {
	for _, dir := range append(ancestors(p), p) {
		info, err := fs.Lstat(t.fsys, dir)
		if err != nil {
			return Place{}, "", t.Problem(ctx, p, err)
		}
		isLink := info.Mode()&fs.ModeSymlink != 0
		switch {
		case dir == p && isLink:
			target, err := t.target(p)
			return Place{}, target, err
		case dir == p:
			return Place{p, info}, "", nil
		case isLink:
			return Place{}, "", tools.Problemf("link", "list_dir to see its target",
				"%s is a link; links to directories are not followed", line.Path(dir))
		case !info.IsDir():
			return Place{}, "", tools.Problemf("not_found", "read_file with path="+line.Path(dir),
				"%s is a file, so it does not contain %s", line.Path(dir), line.Path(p[len(dir)+1:]))
		}
	}
	return Place{}, "", t.Problem(ctx, p, fs.ErrNotExist)
}

// ancestors returns the directories above p, the root first; none for the root itself.
func ancestors(p string) []string {
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

// target returns where the link p leads, which must be a file inside the root.
func (t *Tree) target(p string) (string, error) {
	to, ok := t.LinkTarget(p)
	shown := line.Path(p)
	if !ok {
		return "", tools.Problemf("outside", "another path", "%s is a link that leads out of the root", shown)
	}
	info, err := fs.Stat(t.fsys, p)
	switch {
	case err != nil:
		return "", tools.Problemf("broken_link", "another path", "%s is a link that leads nowhere or out of the root", shown)
	case info.IsDir():
		return "", tools.Problemf("link", "path="+line.Path(to), "%s is a link to a directory; such links are not followed", shown)
	}
	return to, nil
}

// LinkTarget returns where the link p leads, as a path from the root. It reports false if that is outside the root.
func (t *Tree) LinkTarget(p string) (string, bool) {
	to, err := fs.ReadLink(t.fsys, p)
	if err != nil || path.IsAbs(to) {
		return "", false
	}
	to = path.Join(path.Dir(p), to)
	return to, to != ".." && !strings.HasPrefix(to, "../")
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

// Problem explains err, an error at the path p, to a model. It hides the text of system errors, which name paths of the
// host. If ctx was cancelled, it returns the error of ctx instead.
func (t *Tree) Problem(ctx context.Context, p string, err error) error {
	shown, another := line.Path(p), "another path"
	if late := Expired(ctx); late != nil && !errors.Is(late, context.DeadlineExceeded) {
		return ctx.Err()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return t.missing(ctx, p)
	case errors.Is(err, ErrAbsent):
		try := another
		if lack := t.Partial(); lack != nil {
			try = lack.Try
		}
		return tools.Problemf(absentContent, try, "the repository lacks the content of %s", shown)
	case errors.Is(err, fs.ErrPermission):
		return tools.Problemf("unreadable", another, "reading %s is not permitted", shown)
	case errors.Is(err, errBinary):
		return tools.Problemf("binary", "a text file", "%s is a binary file", shown)
	case errors.Is(err, errTooLarge):
		return tools.Problemf("too_large", "another file", "%s is larger than %s", shown, line.Bytes(t.o.MaxFile))
	case errors.Is(err, errSecret):
		return Allowed(nil).Refuse(p)
	case errors.Is(err, fs.ErrInvalid):
		return tools.Problemf("not_a_file", another, "%s is neither a file nor a directory", shown)
	}
	return tools.Problemf("unreadable", another, "%s cannot be read", shown)
}
