package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

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
		for _, row := range commandExits {
			if name != row.command && !strings.HasPrefix(name, row.command+" ") {
				continue
			}
			seen[row.command] = true
			_, codes, told := strings.Cut(c.Long, "Exit codes: ")
			if told && strings.Contains(codes, " 1 ") != (row.nothing != "") {
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
	for _, row := range commandExits {
		if !seen[row.command] {
			t.Errorf("no command is %s", row.command)
		}
		nothing := row.nothing
		if nothing == "" {
			nothing = "–"
		}
		want := "| `" + row.command + "` | " + row.done + " | " + nothing + " | " + row.partial + " |"
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
				if _, known := problemExits[code]; !known {
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
		{tools.Problemf("not_found", "", "x"), exitNothing},
		{tools.Problemf("partial_clone", "", "x"), exitPartial},
		{tools.Problemf("bad_pattern", "", "x"), exitUsage},
		{tools.Problemf("of another tool", "", "x"), exitPartial},
		{context.Canceled, exitPartial},
		{context.DeadlineExceeded, exitPartial},
		{errors.New("listing a tree: EOF"), exitPartial},
	} {
		if got := printError(io.Discard, refused(c.err)); got != c.want {
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
		{t.Context(), []string{"explore", "-q", "--repo", repo, "what retries?"}, exitFound},
		{t.Context(), []string{"explore", "-q", "--repo", repo, "where is the kubernetes autoscaler?"}, exitNothing},
		{t.Context(), []string{"explore", "-q", "--repo", t.TempDir(), "what?"}, exitNothing},
		{t.Context(), []string{"explore", "-q", "--repo", repo + "/none", "what?"}, exitUsage},
		{t.Context(), []string{"explore", "-q", "--repo", repo, "--rev", "HEAD", "what?"}, exitUsage},
		{cancelled, []string{"explore", "-q", "--repo", repo, "what retries?"}, exitPartial},
		{t.Context(), []string{"tools", "call", "search", `{"pattern":"zzz"}`, "--repo", repo}, exitFound},
		{t.Context(), []string{"tools", "call", "read_file", `{"path":"none.go"}`, "--repo", repo}, exitNothing},
		{t.Context(), []string{"tools", "call", "read_file", `{"path":"../x"}`, "--repo", repo}, exitUsage},
		{t.Context(), []string{"tools", "call", "search", `{"pattern":"("}`, "--repo", repo}, exitUsage},
		{t.Context(), []string{"tools", "call", "search", `{"pattern":"` + strings.Repeat("a", 9<<10) + `"}`, "--repo", repo}, exitUsage},
		{t.Context(), []string{"tools", "call", "git_log", "--repo", repo}, exitUsage},
		{cancelled, []string{"tools", "call", "search", `{"pattern":"a"}`, "--repo", repo}, exitPartial},
		{t.Context(), []string{"version"}, exitFound},
		{t.Context(), []string{"nonesuch"}, exitUsage},
		{t.Context(), []string{"eval", "fuzz", "--ops", "no"}, exitUsage},
	} {
		root := newRoot()
		root.SetArgs(c.args)
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		err := root.ExecuteContext(c.ctx)
		if got := printError(io.Discard, err); got != c.want {
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
	if got := printError(io.Discard, root.ExecuteContext(t.Context())); got != exitPartial {
		t.Errorf("a full disk: exit code %d, want %d", got, exitPartial)
	}
}
