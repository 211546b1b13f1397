package tree

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/toollimit/line"
	"github.com/forayhq/foray/tools"
)

// maxCandidates is how many paths are compared with one that does not exist.
const maxCandidates = 50_000

// missing names the three paths that are closest to p: same base name first, then the closest base names.
func (t *Tree) missing(ctx context.Context, p string) error {
	problem := &tools.Problem{Code: "not_found", Message: "there is no " + line.Path(p), Try: "list_dir or glob"}
	if near := t.nearestPaths(ctx, p, 3); len(near) > 0 {
		problem.Try = strings.Join(near, ", ")
	}
	return problem
}

func (t *Tree) nearestPaths(ctx context.Context, p string, n int) []string {
	byBase := map[string][]string{}
	var bases []string
	seen := 0
	// A walk that ends early leaves fewer candidates, which is good enough for a hint.
	_, _ = t.Walk(ctx, ".", Scope{Hidden: strings.Contains("/"+p, "/.")}, func(e Node) error {
		if seen++; seen > maxCandidates {
			return fs.SkipAll
		}
		if byBase[e.name] == nil {
			bases = append(bases, e.name)
		}
		byBase[e.name] = append(byBase[e.name], e.Path)
		return nil
	})
	var near []string
	for _, base := range line.Closest(path.Base(p), bases, n) {
		same := byBase[base]
		slices.SortStableFunc(same, func(a, b string) int { return shared(b, p) - shared(a, p) })
		near = append(near, same...)
	}
	near = near[:min(n, len(near))]
	for i := range near {
		near[i] = line.Path(near[i])
	}
	return near
}

// shared counts the directories that two paths have in common.
func shared(a, b string) int {
	n := 0
	have := strings.Split(path.Dir(b), "/")
	for part := range strings.SplitSeq(path.Dir(a), "/") {
		if slices.Contains(have, part) {
			n++
		}
	}
	return n
}

// isDirectory answers a directory that was given for a file with its listing.
func (t *Tree) isDirectory(ctx context.Context, p string) error {
	const most = 30
	var names []string
	total, first := 0, ""
	_, err := t.Walk(ctx, p, Scope{}, func(e Node) error {
		name := e.name
		if e.IsDir() {
			name += "/"
		} else if first == "" {
			first = e.Path
		}
		if total++; total <= most {
			names = append(names, line.Path(name))
		}
		if e.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil && Expired(ctx) == nil {
		return t.Problem(ctx, p, err)
	}
	list := strings.Join(names, ", ")
	if total > most {
		list += fmt.Sprintf(" and %d more", total-most)
	}
	problem := &tools.Problem{Code: "is_directory", Message: fmt.Sprintf("%s is a directory with %d entries: %s", line.Path(p), total, list), Try: "list_dir with path=" + line.Path(p)}
	if total == 0 {
		problem.Message = line.Path(p) + " is an empty directory"
	}
	if first != "" {
		problem.Try = "path=" + line.Path(first)
	}
	return problem
}
