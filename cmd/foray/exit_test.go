package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/tools"
)

// Every command says what its exit codes mean, in the table and in its help, and only those that find something end
// with 1.
func TestExitCodesOfCommands(t *testing.T) {
	seen := map[string]bool{}
	var check func(*cobra.Command)
	check = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			check(sub)
		}
		name := strings.TrimPrefix(c.CommandPath(), "foray ")
		if c.HasSubCommands() || !c.IsAvailableCommand() || strings.HasPrefix(name, "completion") {
			return
		}
		for _, row := range cli.CommandExits {
			if name != row.Command && !strings.HasPrefix(name, row.Command+" ") {
				continue
			}
			seen[row.Command] = true
			_, codes, told := strings.Cut(c.Long, "Exit codes: ")
			if told && strings.Contains(codes, " 1 ") != (row.Nothing != "") {
				t.Errorf("the help of %s and the table differ on 1: %s", name, codes)
			}
			return
		}
		t.Errorf("%s is not in the table", name)
	}
	check(newRoot())
	page, err := os.ReadFile("../../docs/exit-codes.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range cli.CommandExits {
		if !seen[row.Command] {
			t.Errorf("no command is %s", row.Command)
		}
		nothing := row.Nothing
		if nothing == "" {
			nothing = "–"
		}
		want := "| `" + row.Command + "` | " + row.Done + " | " + nothing + " | " + row.Partial + " |"
		if !strings.Contains(string(page), want) {
			t.Errorf("docs/exit-codes.md lacks the line\n%s", want)
		}
	}
}

// Each code of a problem that a tool may return has an exit code.
func TestExitCodesOfProblems(t *testing.T) {
	codes := regexp.MustCompile(`Problemf\("([a-z_]+)"|\bCode: +"([a-z_]+)"|&readError\{[^}]*?, "([a-z_]+)"`)
	found := 0
	for _, dir := range []string{"../../tools", "../../toollimit", "../../agent/explore"} {
		err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
				return err
			}
			source, err := os.ReadFile(p)
			for _, m := range codes.FindAllSubmatch(source, -1) {
				code := string(m[1]) + string(m[2]) + string(m[3])
				if _, known := cli.ProblemExits[code]; !known {
					t.Errorf("%s: problem %q has no exit code", p, code)
				}
				found++
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 40 {
		t.Errorf("only %d problems were found in the sources", found)
	}
	for _, c := range []struct {
		err  error
		want int
	}{
		{tools.Problemf("not_found", "", "x"), cli.ExitNothing},
		{tools.Problemf("partial_clone", "", "x"), cli.ExitPartial},
		{tools.Problemf("bad_pattern", "", "x"), cli.ExitUsage},
		{tools.Problemf("of another tool", "", "x"), cli.ExitPartial},
		{context.Canceled, cli.ExitPartial},
		{context.DeadlineExceeded, cli.ExitPartial},
		{errors.New("listing a tree: EOF"), cli.ExitPartial},
	} {
		if got := cli.PrintError(io.Discard, cli.Refused(c.err)); got != c.want {
			t.Errorf("%v: exit code %d, want %d", c.err, got, c.want)
		}
	}
}

// Commands end with the code of the table, whatever ends them.
func TestAttackExitCodes(t *testing.T) {
	repo := t.TempDir()
	if err := os.WriteFile(filepath.Join(repo, "a.go"), []byte("package a\n\nfunc Retry() {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		args []string
		want int
	}{
		{t.Context(), []string{"explore", "-q", "--repo", repo, "what retries?"}, cli.ExitFound},
		{t.Context(), []string{"explore", "-q", "--repo", repo, "where is the kubernetes autoscaler?"}, cli.ExitNothing},
		{t.Context(), []string{"explore", "-q", "--repo", t.TempDir(), "what?"}, cli.ExitNothing},
		{t.Context(), []string{"explore", "-q", "--repo", repo + "/none", "what?"}, cli.ExitUsage},
		{t.Context(), []string{"explore", "-q", "--repo", repo, "--rev", "HEAD", "what?"}, cli.ExitUsage},
		{cancelled, []string{"explore", "-q", "--repo", repo, "what retries?"}, cli.ExitPartial},
		{t.Context(), []string{"tools", "call", "search", `{"pattern":"zzz"}`, "--repo", repo}, cli.ExitFound},
		{t.Context(), []string{"tools", "call", "read_file", `{"path":"none.go"}`, "--repo", repo}, cli.ExitNothing},
		{t.Context(), []string{"tools", "call", "read_file", `{"path":"../x"}`, "--repo", repo}, cli.ExitUsage},
		{t.Context(), []string{"tools", "call", "search", `{"pattern":"("}`, "--repo", repo}, cli.ExitUsage},
		{t.Context(), []string{"tools", "call", "search", `{"pattern":"` + strings.Repeat("a", 9<<10) + `"}`, "--repo", repo}, cli.ExitUsage},
		{t.Context(), []string{"tools", "call", "git_log", "--repo", repo}, cli.ExitUsage},
		{cancelled, []string{"tools", "call", "search", `{"pattern":"a"}`, "--repo", repo}, cli.ExitPartial},
		{t.Context(), []string{"version"}, cli.ExitFound},
		{t.Context(), []string{"nonesuch"}, cli.ExitUsage},
		{t.Context(), []string{"eval", "fuzz", "--ops", "no"}, cli.ExitUsage},
	} {
		root := newRoot()
		root.SetArgs(c.args)
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		err := root.ExecuteContext(c.ctx)
		if got := cli.PrintError(io.Discard, err); got != c.want {
			t.Errorf("foray %.80q: exit code %d (%v), want %d", c.args, got, err, c.want)
		}
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full")
	}
	defer full.Close()
	root := newRoot()
	root.SetArgs([]string{"tools", "list"})
	root.SetOut(full)
	if got := cli.PrintError(io.Discard, root.ExecuteContext(t.Context())); got != cli.ExitPartial {
		t.Errorf("a full disk: exit code %d, want %d", got, cli.ExitPartial)
	}
}

// runForExit runs a command in this process and returns its exit code and what it printed.
func runForExit(ctx context.Context, args ...string) (code int, out, errs string) {
	var stdout, stderr strings.Builder
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(strings.NewReader(""))
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	code = cli.PrintError(&stderr, root.ExecuteContext(ctx))
	return code, stdout.String(), stderr.String()
}

// What a signal ended says so in a person's word, not in that of the library.
func TestInterrupted(t *testing.T) {
	t.Setenv(cacheVariable, cacheOff)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{
		{"tools", "call", "search", `{"pattern":"func"}`}, {"eval", "run", "smoke", "--out", t.TempDir()},
		{"eval", "fuzz"}, {"doctor"},
	} {
		code, _, errs := runForExit(ctx, args...)
		if code != cli.ExitPartial || !strings.Contains(errs, "interrupted") || strings.Contains(errs, "context canceled") {
			t.Errorf("%q: exit code %d: %s", args, code, errs)
		}
	}
}

// No command ends with 1 for an argument that it cannot use.
func TestAttackExitCodesOfArguments(t *testing.T) {
	t.Setenv(cacheVariable, cacheOff)
	dir := t.TempDir()
	bad := [][]string{{"--nonesuch"}, {"--db", dir}, {"--repo", dir + "/none"}, {"--rev", "--"}, {"--output", dir + "/none/x"},
		{"--format", "zzz"}, {"--timeout", "-1s"}, {"--model", "nonesuch/x"}, {"--data", dir + "/none"}, {"--jobs", "-1"}}
	ran := 0
	var check func(*cobra.Command)
	check = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			check(sub)
		}
		path := strings.Fields(c.CommandPath())[1:]
		if c.HasSubCommands() || !c.Runnable() || len(path) == 0 || path[0] == "completion" || path[0] == "help" {
			return
		}
		for _, args := range bad {
			if name := args[0][2:]; name != "nonesuch" && c.Flags().Lookup(name) == nil {
				continue
			}
			ran++
			if code, _, errs := runForExit(t.Context(), append(slices.Clone(path), args...)...); code != cli.ExitUsage && code != cli.ExitPartial {
				t.Errorf("foray %q %q: exit code %d: %s", path, args, code, errs)
			}
		}
	}
	check(newRoot())
	if ran < 60 {
		t.Errorf("only %d calls were made", ran)
	}
}

// Repositories that lack objects, or are broken, end with 3 and a word on what to do, never with "nothing relevant".
func TestAttackExitCodesOfRepositories(t *testing.T) {
	ostest.SkipRaced(t)
	t.Setenv(cacheVariable, cacheOff)
	dir := t.TempDir()
	git := func(in string, args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", filepath.Join(dir, in), "-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	write := func(p, text string) {
		t.Helper()
		p = filepath.Join(dir, p)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o777), os.WriteFile(p, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	write("src/pay/retry.go", "package pay\n\nfunc Retry() {}\n")
	write("src/a/a.go", "package a\n")
	git("src", "init", "-q")
	for _, allowed := range []string{"allowFilter", "allowAnySHA1InWant"} {
		git("src", "config", "uploadpack."+allowed, "true")
	}
	git("src", "add", ".")
	git("src", "commit", "-qm", "first")
	clone := func(to string, options ...string) string {
		git("", append(append([]string{"clone", "-q"}, options...), "file://"+filepath.Join(dir, "src"), to)...)
		return filepath.Join(dir, to)
	}
	blobs := clone("blobs", "--no-checkout", "--filter=blob:none")
	trees := clone("trees", "--no-checkout", "--filter=tree:0")
	half := clone("half", "--no-checkout", "--filter=tree:1")
	shallow := clone("shallow", "--depth=1", "--bare", "--filter=blob:none")
	whole := clone("whole", "--depth=1")
	noPack, noHead, borrowed := clone("nopack"), clone("nohead"), clone("borrowed")
	packs, err := filepath.Glob(filepath.Join(noPack, ".git/objects/pack/*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatalf("packs %v, error %v", packs, err)
	}
	corrupt := clone("corrupt")
	text, err := os.ReadFile(packs[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := range text[20:] {
		text[20+i] ^= 0x5a
	}
	damaged := filepath.Join(corrupt, ".git/objects/pack", filepath.Base(packs[0]))
	err = errors.Join(os.Remove(damaged), os.WriteFile(damaged, text, 0o666), os.Remove(packs[0]),
		os.RemoveAll(filepath.Join(borrowed, ".git/objects/pack")))
	if err != nil {
		t.Fatal(err)
	}
	write("borrowed/.git/objects/info/alternates", "/nonesuch/objects\n")
	write("nohead/.git/HEAD", "ref: refs/heads/nonesuch\n")
	write("gitfile/pay.go", "package pay\n\nfunc Retry() {}\n")
	write("gitfile/.git", "gitdir: /nonesuch/repository\n")
	const refetch, fsck = "foray: hint: git fetch --refetch --no-filter", "foray: hint: git fsck"
	for _, c := range []struct {
		dir, rev   string
		want       int
		said, hint string
	}{
		{whole, "HEAD", cli.ExitFound, "", ""},
		{blobs, "HEAD", cli.ExitPartial, "the partial clone lacks the contents of 2 of 2 files (a/a.go, pay/retry.go)", refetch},
		{shallow, "", cli.ExitPartial, "the partial clone lacks the contents of 2 of 2 files", refetch},
		{trees, "HEAD", cli.ExitPartial, "the partial clone lacks the tree of the revision", refetch},
		{half, "HEAD", cli.ExitPartial, "the directory a is absent from the partial clone", refetch},
		{whole, "HEAD~1", cli.ExitUsage, "shallow clone without its older history", ""},
		{blobs, "", cli.ExitNothing, "has no files except .git", "foray: hint: --rev HEAD"},
		{noPack, "HEAD", cli.ExitPartial, "the repository lacks the object that HEAD names, or it is damaged", fsck},
		{corrupt, "HEAD", cli.ExitPartial, "the repository lacks the object that HEAD names, or it is damaged", fsck},
		{borrowed, "HEAD", cli.ExitPartial, "the repository lacks the object that HEAD names, or it is damaged", fsck},
		{noHead, "HEAD", cli.ExitUsage, "unknown revision HEAD", ""},
		{filepath.Join(dir, "gitfile"), "HEAD", cli.ExitPartial, "names a repository that does not exist", "git worktree repair"},
		{noPack, "", cli.ExitFound, "", ""}, {corrupt, "", cli.ExitFound, "", ""}, {borrowed, "", cli.ExitFound, "", ""},
		{noHead, "", cli.ExitFound, "", ""}, {filepath.Join(dir, "gitfile"), "", cli.ExitFound, "", ""},
	} {
		for _, command := range []string{"explore", "insight", "tools"} {
			args := []string{command, "-q", "--repo", c.dir}
			want := c.want
			switch {
			case command == "explore":
				args = append(args, "what retries?")
			case want == cli.ExitFound: // what insight finds, and how tools count hits, is not the point
				continue
			case command == "tools" && c.rev == "":
				continue
			case command == "tools":
				args = []string{"tools", "call", "search", `{"pattern":"Retry"}`, "--repo", c.dir}
			}
			if c.rev != "" {
				args = append(args, "--rev", c.rev)
			}
			code, out, errs := runForExit(t.Context(), args...)
			if code != want || !strings.Contains(errs, c.said) || !strings.Contains(errs, c.hint) || want == cli.ExitPartial && strings.Contains(out, "Nothing relevant") {
				t.Errorf("foray %q: exit code %d, want %d with %q and %q\n%s\n%s", args, code, want, c.said, c.hint, errs, out)
			}
		}
	}
	for tool, want := range map[string]int{"git_log": cli.ExitFound, "git_show": cli.ExitPartial, "list_dir": cli.ExitFound} {
		if code, _, errs := runForExit(t.Context(), "tools", "call", tool, "--repo", blobs, "--rev", "HEAD"); code != want {
			t.Errorf("%s of a clone without contents: exit code %d, want %d: %s", tool, code, want, errs)
		}
	}
}

// A truncated database cannot be opened, and the hint names no command that would have to open it.
func TestHalfDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "half.db")
	s, err := store.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 3*4096); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("foray", "threads", "ls", "--db", path).CombinedOutput()
	if ended := (*exec.ExitError)(nil); !errors.As(err, &ended) || ended.ExitCode() != cli.ExitPartial ||
		!strings.Contains(string(out), "the database is damaged") || !strings.Contains(string(out), "hint: restore a backup of it") {
		t.Errorf("%v: %s", err, out)
	}
}
