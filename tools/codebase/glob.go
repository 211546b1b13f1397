package codebase

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/forayhq/foray/tools"
)

type globArgs struct {
	Pattern string `json:"pattern" jsonschema_description:"doublestar pattern: * and ? within a name, ** across directories, {a,b}, [a-z]; as **/*.go"`
	Path    string `json:"path,omitempty" jsonschema_description:"directory that the pattern starts from; default \".\""`
	Sort    string `json:"sort,omitempty" jsonschema:"enum=path,enum=mtime" jsonschema_description:"path, or mtime for newest first; default path"`
	Limit   *int   `json:"limit,omitempty" jsonschema:"minimum=1" jsonschema_description:"paths to return; 1 to 2000, default 200"`
	Offset  *int   `json:"offset,omitempty" jsonschema:"minimum=0" jsonschema_description:"paths to leave out at the beginning; default 0"`
}

func (t *tree) glob(ctx context.Context, in globArgs) (*GlobResult, error) {
	out := &GlobResult{Items: []string{}, Page: Page{asJSON: t.o.JSON}}
	limit, err1 := bound{"limit", 200, 1, 2000}.of(in.Limit, &out.Page)
	offset, err2 := offsetBound.of(in.Offset, &out.Page)
	pattern, err3 := globPattern("pattern", in.Pattern)
	err4 := oneOf("sort", in.Sort, "", "path", "mtime")
	if err := cmp.Or(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	ctx, stop := t.clock(ctx)
	defer stop()
	base, err := t.directory(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	w := walker{t: t, ctx: ctx, hidden: dotted(pattern)}
	found, total, deeper := []string{}, 0, 0
	err = w.walk(base.path, func(n node) error {
		switch {
		case n.kind != fileNode && !(n.kind == linkNode && t.leadsToFile(n.path)):
		case matchGlob(pattern, n.path, base.path):
			if in.Sort == "mtime" || total >= offset && total < offset+limit {
				found = append(found, n.path)
			}
			total++
		case doublestar.MatchUnvalidated("**/"+pattern, n.path):
			deeper++
		}
		return nil
	})
	if err := out.finish(ctx, err, &w); err != nil {
		return nil, err
	}
	if in.Sort == "mtime" {
		t.newestFirst(found)
		from, to := window(total, offset, limit)
		found = found[from:to]
	}
	if total == 0 && deeper > 0 {
		out.note("nothing here matches, but %s would match **/%s", plural(deeper, "file"), pattern)
	}
	out.Items = append(out.Items, found...)
	out.cut(total, min(offset, total), len(found))
	out.pastEnd(offset, total, "files")
	return out, nil
}

// Bounds of a pattern, which keep its matching from backtracking for long. No glob that a person writes comes near.
const (
	maxGlob       = 512 // bytes
	maxGlobStars  = 6   // "**"
	maxGlobBraces = 8
)

// globPattern checks a pattern of the field name.
func globPattern(name, p string) (string, error) {
	p = strings.TrimPrefix(p, "./")
	try := "a pattern like **/*.go or src/{a,b}/*.ts"
	switch {
	case strings.TrimSpace(p) == "":
		return "", blank(name, try)
	case strings.HasPrefix(p, "/"), slices.Contains(strings.Split(p, "/"), ".."):
		return "", &tools.Problem{Code: "outside", Message: name + " leads out of the root", Try: try}
	case len(p) > maxGlob || strings.Count(p, "**") > maxGlobStars || strings.Count(p, "{") > maxGlobBraces:
		return "", &tools.Problem{Code: "bad_pattern", Message: fmt.Sprintf("%s is too long: at most %d bytes, %d times ** and %d times {", name, maxGlob, maxGlobStars, maxGlobBraces), Try: try}
	case !doublestar.ValidatePattern(p):
		return "", &tools.Problem{Code: "bad_pattern", Message: name + " is not a valid glob: a bracket or brace is not closed, or a backslash ends it", Try: try}
	}
	return p, nil
}

// matchGlob matches a path from the root, or relative to the directory base.
func matchGlob(pattern, p, base string) bool {
	if base != "." && doublestar.MatchUnvalidated(pattern, strings.TrimPrefix(p, base+"/")) {
		return true
	}
	return doublestar.MatchUnvalidated(pattern, p)
}

// dotted reports whether a pattern asks for hidden names.
func dotted(pattern string) bool {
	return strings.HasPrefix(pattern, ".") || strings.Contains(pattern, "/.") || strings.Contains(pattern, "{.") || strings.Contains(pattern, ",.")
}

func oneOf(field, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	var names []string
	for _, a := range allowed {
		if a != "" {
			names = append(names, a)
		}
	}
	return &tools.Problem{Code: "bad_arguments", Message: field + " has an unknown value", Try: field + " = " + strings.Join(names, " or ")}
}

func (t *tree) leadsToFile(p string) bool {
	if to, ok := t.linkTarget(p); !ok || slices.ContainsFunc(strings.Split(path.Clean(to), "/"), isRepository) {
		return false
	}
	info, err := fs.Stat(t.fsys, p)
	return err == nil && info.Mode().IsRegular()
}

func (t *tree) newestFirst(paths []string) {
	times := make(map[string]time.Time, len(paths))
	for _, p := range paths {
		if info, err := fs.Lstat(t.fsys, p); err == nil {
			times[p] = info.ModTime()
		}
	}
	slices.SortStableFunc(paths, func(a, b string) int { return times[b].Compare(times[a]) })
}
