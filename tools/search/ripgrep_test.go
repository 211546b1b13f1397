package search

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/tools/tree"
)

// TestSearchLikeRipgrep compares searches with those of ripgrep over trees that every machine with Go has: this
// repository, parts of the standard library, modules that the project uses. With FORAY_RIPGREP=1 it takes all of the
// standard library, every module, the directories in FORAY_TREES, and more patterns: that is an hour.
func TestSearchLikeRipgrep(t *testing.T) {
	if _, err := exec.LookPath("rg"); err != nil {
		t.Skip("ripgrep is not installed: nothing to compare with")
	}
	for _, one := range comparedTrees(t) {
		t.Run(filepath.Base(one.dir), func(t *testing.T) {
			c := newComparison(t, one.dir)
			n, hits := 0, 0
			for _, in := range append(slices.Clone(fixedSearches), c.sample(one.rounds)...) {
				n++
				hits += c.compare(t, in)
			}
			t.Logf("%d files, %d searches, %d lines", len(c.files), n, hits)
			if hits == 0 && len(c.files) > 1 {
				t.Error("nothing was found")
			}
		})
	}
}

// A comparedTree is a directory and how many samples of each kind are searched in it.
type comparedTree struct {
	dir    string
	rounds int
}

func comparedTrees(t *testing.T) []comparedTree {
	src, long := goSources(t), os.Getenv("FORAY_RIPGREP") != ""
	args := []string{
		"list",
		"-m",
		"-f",
		"{{if not .Main}}{{.Dir}}{{end}}",
		"github.com/google/go-cmp",
		"github.com/bmatcuk/doublestar/v4",
	}
	all := []comparedTree{{snapshot(t), 2}, {filepath.Join(src, "encoding"), 2}, {filepath.Join(src, "mime"), 2}}
	if ostest.RaceDetector {
		return all[2:] // trees of any size are searched by the same goroutines
	}
	if long {
		args = append(args[:4], "all")
		all = []comparedTree{{snapshot(t), 16}, {src, 16}}
		for _, dir := range filepath.SplitList(os.Getenv("FORAY_TREES")) {
			all = append(all, comparedTree{dir, 16})
		}
	}
	modules, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range strings.Fields(string(modules)) {
		all = append(all, comparedTree{dir, 2})
	}
	return all
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

// snapshot is a copy of this repository's files, which stay as they are while they are searched twice.
func snapshot(t *testing.T) string {
	from, to := os.DirFS("../.."), filepath.Join(t.TempDir(), "repository")
	err := fs.WalkDir(from, ".", func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // gone since its directory was read
		case e.IsDir() && e.Name() == ".git":
			return fs.SkipDir
		case e.IsDir():
			return os.MkdirAll(filepath.Join(to, p), 0o755)
		case !e.Type().IsRegular():
			return nil
		}
		data, err := fs.ReadFile(from, p)
		if err != nil || len(data) > 1<<20 {
			return nil
		}
		return os.WriteFile(filepath.Join(to, p), data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// A comparison is one tree, searched by both.
type comparison struct {
	dir    string
	tree   *tree.Tree
	files  map[string]bool // that ripgrep searches
	ignore string          // an ignore file that tells ripgrep what is built in here
}

func newComparison(t *testing.T, dir string) *comparison {
	r, err := tree.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	c := &comparison{
		dir:    dir,
		tree:   tree.Open(r.FS(), &tree.Options{AllowSecret: tree.Allowed{"**"}}),
		ignore: filepath.Join(t.TempDir(), "ignore"),
	}
	var builtIn strings.Builder
	for _, name := range []string{"node_modules", "bower_components", "jspm_packages", "__pycache__", "__pypackages__", "*.egg-info", ".DS_Store"} {
		fmt.Fprintln(&builtIn, name)
	}
	err = fs.WalkDir(r.FS(), ".", func(p string, _ fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		for _, marker := range []string{"/vendor/modules.txt", "/venv/pyvenv.cfg", "/env/pyvenv.cfg"} {
			if strings.HasSuffix("/"+p, marker) {
				fmt.Fprintln(&builtIn, "/"+filepath.Dir(p)+"/")
			}
		}
		return nil
	})
	if err := cmp.Or(err, os.WriteFile(c.ignore, []byte(builtIn.String()), 0o644)); err != nil {
		t.Fatal(err)
	}
	c.files = map[string]bool{}
	for line := range strings.Lines(c.rg(t, "--files")) {
		c.files[strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "./")] = true
	}
	return c
}

func (c *comparison) rg(t *testing.T, args ...string) string {
	cmd := exec.Command(
		"rg",
		append(
			strings.Fields(
				"--no-config --no-ignore-global --no-ignore-parent --no-ignore-exclude --no-require-git --color=never --max-filesize=10M --ignore-file "+c.ignore,
			),
			args...)...)
	cmd.Dir = c.dir
	out, err := cmd.Output()
	if err != nil && (cmd.ProcessState.ExitCode() != 1 || len(out) > 0) {
		t.Fatalf("rg %q: %v", args, err)
	}
	return string(out)
}

// compare runs one search and returns how many lines it found.
func (c *comparison) compare(t *testing.T, in searchArgs) int {
	want, got := c.ripgrep(t, in), c.ours(t, in)
	one := func(a, b []string) string {
		for _, line := range a {
			if _, found := slices.BinarySearch(b, line); !found && c.comparable(line, in) {
				return line
			}
		}
		return ""
	}
	if line := one(want, got); line != "" {
		t.Errorf("%s: only ripgrep finds %s %.200q (%d lines, %d here)", told(in), line, c.line(line), len(want), len(got))
	}
	if line := one(got, want); line != "" {
		t.Errorf("%s: ripgrep does not find %s %.200q (%d lines, %d here)", told(in), line, c.line(line), len(want), len(got))
	}
	return len(got)
}

func told(in searchArgs) string {
	s, _ := json.Marshal(in)
	return string(s)
}

// comparable is false where doc.go says that a search differs from ripgrep's.
func (c *comparison) comparable(at string, in searchArgs) bool {
	p, _, _ := strings.Cut(at, ":")
	data, err := os.ReadFile(filepath.Join(c.dir, p))
	switch {
	case err != nil, bytes.IndexByte(data, 0) >= 0:
		return false // ripgrep shows what it found before the NUL byte
	case !in.Literal && !utf8.Valid(data):
		return false // in ripgrep "." is no byte of an invalid sequence
	case in.Multiline && bytes.Contains(data, []byte("\r")):
		return false // ripgrep has CR in the text
	case in.Multiline && len(data)*c.cost(in) > maxSteps:
		return false // too large for the pattern
	case !in.Literal && bytes.Count(data, []byte("\r")) > bytes.Count(data, []byte("\r\n")):
		return false // with CRLF allowed, in ripgrep "." is no CR
	default:
		return true
	}
}

// searchArgs are a search as it is written down for both.
type searchArgs struct {
	Pattern                  string
	Literal, Word, Multiline bool
	Case                     string
	Include, Exclude         []string
}

func (in searchArgs) search() (*Search, error) {
	return New(Query{
		Patterns: []string{in.Pattern}, Literal: in.Literal, Word: in.Word, Lines: in.Multiline, Case: in.Case,
		Include: in.Include, Exclude: in.Exclude, PerFile: 1 << 30, Most: 1 << 30,
	})
}

// cost is that of the pattern, in instructions.
func (c *comparison) cost(in searchArgs) int {
	s, err := in.search()
	if err != nil {
		return 0
	}
	return s.patterns[0].cost
}

func (c *comparison) line(at string) string {
	p, n, _ := strings.Cut(at, ":")
	data, _ := os.ReadFile(filepath.Join(c.dir, p))
	for i, line := range strings.Split(string(data), "\n") {
		if fmt.Sprint(i+1) == n {
			return line
		}
	}
	return ""
}

func (c *comparison) ours(t *testing.T, in searchArgs) []string {
	q, err := in.search()
	if err != nil {
		t.Fatalf("%+v: %v", in, err)
	}
	at, err := c.tree.Resolve(context.Background(), ".")
	if err != nil {
		t.Fatal(err)
	}
	found, _, err := q.Run(t.Context(), c.tree, at)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range found.Items {
		for _, m := range f.Matches {
			for n := m.Line; n <= max(m.Line, m.EndLine); n++ {
				lines = append(lines, fmt.Sprintf("%s:%d", f.Path, n))
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// perlClasses are ASCII in RE2 and Unicode in ripgrep.
var perlClasses = strings.NewReplacer(`\w`, `[0-9A-Za-z_]`, `\W`, `[^0-9A-Za-z_]`, `\d`, `[0-9]`, `\D`, `[^0-9]`,
	`\s`, `[\t\n\f\r ]`, `\S`, `[^\t\n\f\r ]`, `\b`, `(?-u:\b)`, `\B`, `(?-u:\B)`, `\\`, `\\`)

func (c *comparison) ripgrep(t *testing.T, in searchArgs) []string {
	args := strings.Fields("-n -H -0 --no-heading --crlf")
	pattern := in.Pattern
	for flag, on := range map[string]bool{"-F": in.Literal, "-w": in.Word, "-i": in.Case == "insensitive", "-S": in.Case == "smart", "-U": in.Multiline} {
		if on {
			args = append(args, flag)
		}
	}
	if !in.Literal {
		pattern = perlClasses.Replace(pattern)
	}
	for _, g := range in.Include {
		args = append(args, "-g", g)
	}
	for _, g := range in.Exclude {
		args = append(args, "-g", "!"+g)
	}
	var lines []string
	for line := range strings.Lines(c.rg(t, append(args, "-e", pattern, ".")...)) {
		p, rest, ok := strings.Cut(strings.TrimPrefix(line, "./"), "\x00")
		n, _, numbered := strings.Cut(rest, ":")
		if ok && numbered && c.files[p] { // a glob makes ripgrep search what is ignored, too
			lines = append(lines, p+":"+n)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}
