package tree

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/tools"

	"github.com/forayhq/foray/internal/line"
)

// maxCandidates is how many paths are compared with a missing one.
const maxCandidates = 50_000

// missing returns the problem of a path that does not exist, with the three nearest paths as a hint. Of a tree whose
// names are not all known, it does not claim that.
func (t *Tree) missing(ctx context.Context, p string) error {
	if lack := t.Partial(); lack != nil && lack.Code != absentContent {
		return tools.Problemf(lack.Code, lack.Try, "%s is not in the part of the tree that is known: %s", line.Path(p),
			lack.Message)
	}
	try := "list_dir or glob"
	if near := t.nearestPaths(ctx, p, 3); len(near) > 0 {
		try = strings.Join(near, ", ")
	}
	return tools.Problemf("not_found", try, "%s does not exist", line.Path(p))
}

// nearestPaths returns up to n paths with base names close to that of p. Of equal names, those come first that share
// more directories with p.
func (t *Tree) nearestPaths(ctx context.Context, p string, n int) []string {
	byBase := map[string][]string{}
	var bases []string
	seen := 0
	// A walk that ends early finds fewer candidates, which is good enough for a hint.
	_, _ = t.Walk(ctx, ".", Scope{Hidden: strings.Contains("/"+p, "/.")}, func(e Node) error {
		if seen++; seen > maxCandidates {
			return fs.SkipAll
		}
		base := path.Base(e.Path)
		if byBase[base] == nil {
			bases = append(bases, base)
		}
		byBase[base] = append(byBase[base], e.Path)
		return nil
	})
	var near []string
	for _, base := range line.Closest(path.Base(p), bases, n) {
		same := byBase[base]
		slices.SortStableFunc(same, func(a, b string) int { return sharedDirs(b, p) - sharedDirs(a, p) })
		near = append(near, same...)
	}
	near = near[:min(n, len(near))]
	for i := range near {
		near[i] = line.Path(near[i])
	}
	return near
}

// sharedDirs counts the directory names that two paths have in common.
func sharedDirs(a, b string) int {
	n, have := 0, strings.Split(path.Dir(b), "/")
	for part := range strings.SplitSeq(path.Dir(a), "/") {
		if slices.Contains(have, part) {
			n++
		}
	}
	return n
}

// maxNames is how many names [Tree.isDirectory] lists.
const maxNames = 30

// isDirectory returns the problem of a directory where a file is expected. It lists the directory.
func (t *Tree) isDirectory(ctx context.Context, p string) error {
	var names []string
	total, first := 0, ""
	_, err := t.Walk(ctx, p, Scope{}, func(e Node) error {
		name := path.Base(e.Path)
		if e.IsDir() {
			name += "/"
		} else if first == "" {
			first = e.Path
		}
		if total++; total <= maxNames {
			names = append(names, line.Path(name))
		}
		if e.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	shown := line.Path(p)
	switch {
	case err != nil && Expired(ctx) == nil:
		return t.Problem(ctx, p, err)
	case total == 0:
		return tools.Problemf("is_directory", "list_dir with path="+shown, "%s is an empty directory", shown)
	}
	list, try := strings.Join(names, ", "), "list_dir with path="+shown
	if total > maxNames {
		list += fmt.Sprintf(" and %d more", total-maxNames)
	}
	entries := line.Number(total) + " entries"
	if total == 1 {
		entries = "1 entry"
	}
	if first != "" {
		try = "path=" + line.Path(first)
	}
	return tools.Problemf("is_directory", try, "%s is a directory with %s: %s", shown, entries, list)
}
