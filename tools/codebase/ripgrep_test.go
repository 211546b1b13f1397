package codebase

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// patterns exercise every way through the matcher: a literal, folded, words, alternation, classes, anchors, no literal.
var patterns = []searchArgs{
	{Pattern: "func "},
	{Pattern: "a.b[0]", Literal: true},
	{Pattern: "TODO", Case: "insensitive"},
	{Pattern: "ask", Case: "insensitive"},
	{Pattern: "err", Word: true},
	{Pattern: "err|nil", Word: true},
	{Pattern: "readFrom|WriteTo|closeAll"},
	{Pattern: "[Ff]oo(bar|baz)?"},
	{Pattern: `^func \(\w+ \*?\w+\) [A-Z]`},
	{Pattern: `\berr\w*\s*:=`},
	{Pattern: `[a-z]+[0-9]{4}$`},
	{Pattern: `^$`},
	{Pattern: `^\s*\}\s*$`},
	{Pattern: `[^\x00-\x7f]`},
	{Pattern: `x*`},
	{Pattern: `(?i)unicode|日本`},
	{Pattern: "Context", Case: "smart"},
	{Pattern: "context", Case: "smart"},
	{Pattern: `if err != nil \{\s+return`, Multiline: true},
}

// Every search finds the lines that ripgrep finds in the same files.
func TestSearchLikeRipgrep(t *testing.T) {
	if _, err := exec.LookPath("rg"); err != nil {
		t.Skip("ripgrep is not installed: nothing to compare with")
	}
	for _, dir := range []string{"encoding/json", "encoding/xml", "net/textproto"} {
		dir := filepath.Join(goSources(t), dir)
		for _, in := range patterns {
			t.Run(filepath.Base(dir)+"/"+in.Pattern, func(t *testing.T) {
				want, got := ripgrep(t, dir, in), ours(t, dir, in)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%d lines, ripgrep %d (-rg +ours):\n%.3000s", len(got), len(want), diff)
				}
			})
		}
	}
}

// goSources is the directory of the standard library's sources.
func goSources(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	dir := filepath.Join(strings.TrimSpace(string(out)), "src")
	if _, statErr := os.Stat(dir); err != nil || statErr != nil {
		t.Skip("the Go sources are not installed: nothing to search in")
	}
	return dir
}

func ours(t *testing.T, dir string, in searchArgs) []string {
	t.Helper()
	tree := newTree(os.DirFS(dir), nil)
	q, err := in.query(&Page{})
	if err != nil {
		t.Fatal(err)
	}
	q.perFile = 1 << 30
	at, err := tree.resolve(context.Background(), ".")
	if err != nil {
		t.Fatal(err)
	}
	q.limit = 1 << 30
	out := &SearchResult{}
	found, err := tree.find(t.Context(), q, at, out)
	if err != nil || out.TimedOut {
		t.Fatal(err, out.TimedOut)
	}
	var lines []string
	for _, f := range found {
		for _, m := range f.matches {
			for n := m.Line; n <= max(m.Line, m.EndLine); n++ {
				lines = append(lines, fmt.Sprintf("%s:%d", f.path, n))
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

func ripgrep(t *testing.T, dir string, in searchArgs) []string {
	t.Helper()
	args := []string{"-n", "-H", "--no-heading", "--color=never", "--no-config", "--no-ignore-global", "--no-ignore-parent", "--no-require-git", "--crlf", "--max-filesize=10M"}
	for flag, on := range map[string]bool{"-F": in.Literal, "-w": in.Word, "-i": in.Case == "insensitive", "-S": in.Case == "smart", "-U": in.Multiline} {
		if on {
			args = append(args, flag)
		}
	}
	for _, s := range secrets {
		if !strings.Contains(s, "/") {
			args = append(args, "-g", "!"+s)
		}
	}
	cmd := exec.Command("rg", append(args, "-e", in.Pattern, ".")...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil && len(out) > 0 {
		t.Fatal(err)
	}
	var lines []string
	for line := range bytes.Lines(out) {
		p, rest, _ := strings.Cut(strings.TrimPrefix(string(line), "./"), ":")
		n, _, numbered := strings.Cut(rest, ":")
		if numbered && !strings.HasPrefix(rest, " binary file matches") {
			lines = append(lines, p+":"+n)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}
