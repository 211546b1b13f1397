//go:build unix

package process_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/forayhq/foray/internal/process"
)

func sh(text string) []string { return []string{"/bin/sh", "-c", text} }

func TestRun(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SOME_API_KEY", "visible")
	for name, c := range map[string]struct {
		command process.Command
		want    process.Result
	}{
		"exit code":  {process.Command{Args: sh("echo out; echo err >&2; exit 3")}, process.Result{Exit: 3, Output: "out\nerr\n"}},
		"directory":  {process.Command{Args: sh("pwd"), Dir: dir}, process.Result{Output: dir + "\n"}},
		"variable":   {process.Command{Args: sh("echo $X"), Env: []string{"X=1"}}, process.Result{Output: "1\n"}},
		"credential": {process.Command{Args: sh("echo _${SOME_API_KEY}_")}, process.Result{Output: "__\n"}},
		"hangs": {process.Command{Args: sh("echo a; sleep 600"), Limit: 3 * time.Second},
			process.Result{Exit: -1, Output: "a\n", Late: true}},
		"killed": {process.Command{Args: sh("kill -9 $$")}, process.Result{Exit: -1}},
	} {
		c.command.Keep = 100
		got, err := process.Run(t.Context(), c.command)
		if err != nil || got != c.want {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, c.want)
		}
	}
}

func TestRunKeepsTheEndOfAFlood(t *testing.T) {
	got, err := process.Run(t.Context(), process.Command{Args: sh("yes | head -c 3000000; echo end"), Keep: 10})
	if err != nil || len(got.Output) != 10 || !strings.HasSuffix(got.Output, "end\n") {
		t.Errorf("%q, %v", got.Output, err)
	}
}

// A child in the background would write its file later; its group must be dead by then.
func TestRunKillsChildren(t *testing.T) {
	at := filepath.Join(t.TempDir(), "pid")
	_, err := process.Run(t.Context(), process.Command{Args: sh("sleep 600 & echo $! > " + at), Limit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	pid := 0
	for _, c := range strings.TrimSpace(string(text)) {
		pid = pid*10 + int(c-'0')
	}
	alive := func() bool {
		stat, err := os.ReadFile(filepath.Join("/proc", strings.TrimSpace(string(text)), "stat"))
		if errors.Is(err, os.ErrNotExist) {
			return syscall.Kill(pid, 0) == nil && !isDir("/proc/self")
		}
		return err == nil && !strings.Contains(string(stat), ") Z ")
	}
	for deadline := time.Now().Add(10 * time.Second); alive(); { // a signal takes a moment
		if time.Now().After(deadline) {
			t.Fatalf("process %d survived", pid)
		}
	}
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func TestEnvironment(t *testing.T) {
	for _, name := range []string{"DB_PASS", "MYSQL_PWD", "GH_PAT", "PAT", "PGPASSFILE", "db_passphrase"} {
		t.Setenv(name, "visible")
	}
	t.Setenv("PATH_OF_PATTERNS", "harmless")
	env := strings.Join(process.Environment(), "\n")
	if n := strings.Count(env, "=visible"); n > 0 {
		t.Errorf("the environment has %d credentials", n)
	}
	for _, name := range []string{"\nPATH=", "PATH_OF_PATTERNS=", "PWD="} {
		if !strings.Contains("\n"+env, name) {
			t.Errorf("the environment lacks %s", name)
		}
	}
}

// A program dies with a process that is killed and cannot end it.
func TestRunDiesWithItsParent(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux can")
	}
	const variable = "FORAY_TEST_PARENT"
	if at := os.Getenv(variable); at != "" {
		_, err := process.Run(t.Context(), process.Command{Args: sh("echo $$ > " + at + "; exec sleep 600")})
		t.Fatal(err)
	}
	at := filepath.Join(t.TempDir(), "pid")
	parent := exec.Command(os.Args[0], "-test.run=^TestRunDiesWithItsParent$")
	parent.Env = append(os.Environ(), variable+"="+at)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var text []byte
	for deadline := time.Now().Add(time.Minute); !strings.HasSuffix(string(text), "\n"); {
		if text, _ = os.ReadFile(at); time.Now().After(deadline) {
			t.Fatal("the program did not start")
		}
	}
	_ = parent.Process.Kill()
	_ = parent.Wait() // it was killed
	for deadline := time.Now().Add(time.Minute); ; {
		stat, err := os.ReadFile(filepath.Join("/proc", strings.TrimSpace(string(text)), "stat"))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %s survived", text)
		}
	}
}

func TestRunErrors(t *testing.T) {
	if _, err := process.Run(t.Context(), process.Command{Args: []string{"/no/such/program"}}); err == nil {
		t.Error("ran a program that does not exist")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := process.Run(ctx, process.Command{Args: sh("exit 0")}); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that is done: %v", err)
	}
}
