package tree

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"

	"github.com/forayhq/foray/internal/attacktable"
)

// hostileNames is a directory of 300 names and an ignore file of 100 lines, each of which almost matches every name in
// very many ways.
func hostileNames() fstest.MapFS {
	fsys := fstest.MapFS{}
	var rules strings.Builder
	for i := range 100 {
		fmt.Fprintf(&rules, "%s*b%d\n", strings.Repeat("*a", 12), i)
	}
	fsys[".gitignore"] = &fstest.MapFile{Data: []byte(rules.String())}
	for i := range 300 {
		fsys[fmt.Sprintf("%s%03d.go", strings.Repeat("a", 200), i)] = &fstest.MapFile{Data: []byte("package a\n")}
	}
	return fsys
}

// Ignore rules that match in very many ways do not slow down a walk: backtracking took minutes for this one.
func TestAttackIgnoreRules(t *testing.T) {
	attacktable.Watch(t, "tools/tree", "no backtracking")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	files := 0
	_, err := Open(hostileNames(), nil).Walk(ctx, ".", Scope{}, func(Node) error { files++; return nil })
	if err != nil || files != 300 {
		t.Errorf("%d files, error %v; want 300, nil", files, err)
	}
}

// A walk ends at the next name after its context did, however many names its directory has.
func TestAttackIgnoreRulesCancelled(t *testing.T) {
	attacktable.Watch(t, "tools/tree", "the end of the context")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := 0
	_, err := Open(hostileNames(), nil).Walk(ctx, ".", Scope{}, func(Node) error {
		cancel()
		seen++
		return nil
	})
	if !errors.Is(err, context.Canceled) || seen != 1 {
		t.Errorf("%d names after the end, error %v; want none, context canceled", seen-1, err)
	}
}

// Within one name, a long ignore file ends with the context too.
func TestAttackLongIgnoreFile(t *testing.T) {
	attacktable.Watch(t, "tools/tree", "the end of the context")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := parseIgnore("", []byte("x\n"+strings.Repeat("*y*\n", 2*checkEvery)))
	if v := f.verdict(ctx, "x", false); v != undecided {
		t.Errorf("verdict %v after the end of the context, want none", v)
	}
	if v := f.verdict(t.Context(), "x", false); v != leaveOut {
		t.Errorf("verdict %v, want leaveOut", v)
	}
}

// Ignore files that apply together are bounded, and those beyond the bound are counted.
func TestAttackManyIgnoreRules(t *testing.T) {
	attacktable.Watch(t, "tools/tree", "rules that apply together")
	fsys := fstest.MapFS{}
	rules := []byte(strings.Repeat("a\n", maxRules/8))
	dir := ""
	for i := range 10 {
		fsys[dir+".gitignore"] = &fstest.MapFile{Data: rules}
		fsys[dir+"b.go"] = &fstest.MapFile{}
		dir += fmt.Sprintf("d%d/", i)
	}
	fsys["d0/huge/.ignore"] = &fstest.MapFile{Data: []byte(strings.Repeat("a\n", defaultMaxFile/2+1))}
	files := 0
	skipped, err := Open(fsys, nil).Walk(t.Context(), ".", Scope{Hidden: true}, func(n Node) error {
		if path.Base(n.Path) == "b.go" {
			files++
		}
		return nil
	})
	if err != nil || files != 10 || skipped.TooLarge != 6+1 {
		t.Errorf("%d files, skipped %+v, error %v; want 10 files and 7 too large", files, skipped, err)
	}
}

// A deep tree ends where paths become too long to read.
func TestAttackDeepTree(t *testing.T) {
	attacktable.Watch(t, "tools/tree", "the length of a path")
	fsys := fstest.MapFS{strings.Repeat("d/", maxPath) + "f": &fstest.MapFile{}}
	deepest := 0
	skipped, err := Open(fsys, nil).Walk(t.Context(), ".", Scope{}, func(n Node) error {
		deepest = max(deepest, len(n.Path))
		return nil
	})
	if err != nil || deepest > maxPath || skipped.Unreadable != 1 {
		t.Errorf("a path of %d bytes, skipped %+v, error %v; want at most %d and 1 unreadable", deepest, skipped, err, maxPath)
	}
}

// wildmatch decides like plain backtracking, which tries every way to divide the name.
func TestWildmatchLikeBacktracking(t *testing.T) {
	pattern := rapid.SliceOfN(rapid.SampledFrom([]string{
		"a", "b", "*", "**", "***", "?", "/", "/", "**/", "/**", `**\/`, `\/`, "[ab]", "[!a]", "[/a]", "[a/]**", "[", `\`, `\*`, "[a-",
	}), 0, 8)
	name := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "/", "*", "["}), 0, 9)
	rapid.Check(t, func(r *rapid.T) {
		p, s := strings.Join(pattern.Draw(r, "pattern"), ""), strings.Join(name.Draw(r, "name"), "")
		if got, want := wildmatch(p, s), backtrack(p, s, true); got != want {
			r.Errorf("wildmatch(%q, %q) = %v, want %v", p, s, got, want)
		}
	})
}

// backtrack is wildmatch by its definition. start: at the beginning of the pattern or after a slash.
func backtrack(p, s string, start bool) bool {
	if p == "" || p[0] != '*' {
		if p == "" || s == "" {
			return p == s
		}
		rest, ok := one(p, s[0])
		return ok && backtrack(rest, s[1:], p[0] == '/' || strings.HasPrefix(p, `\/`))
	}
	rest := strings.TrimLeft(p, "*")
	wide := len(p)-len(rest) >= 2 && start && (rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`))
	if wide && (rest == "" || rest[0] == '/' && backtrack(rest[1:], s, true)) {
		return true
	}
	for i := 0; ; i++ {
		switch {
		case backtrack(rest, s[i:], false):
			return true
		case i == len(s) || !wide && s[i] == '/':
			return false
		}
	}
}
