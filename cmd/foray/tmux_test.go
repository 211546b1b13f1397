//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A tmux is a program in a terminal that others wrote.
type tmux struct {
	t      *testing.T
	socket string
}

// startTmux starts foray in a terminal of so many columns.
func startTmux(t *testing.T, columns int, args ...string) *tmux {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("no tmux: apt-get install tmux")
	}
	x := &tmux{t, filepath.Join(t.TempDir(), "s")}
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = "'" + a + "'"
	}
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", x.socket, "kill-server").Run() }) // unless it has ended
	x.do("-f", os.DevNull, "new-session", "-d", "-x", fmt.Sprint(columns), "-y", "24", "-e", "FORAY_MODEL=", "-e", "LANG=C.UTF-8",
		"foray "+strings.Join(quoted, " ")+"; echo ended with $?; sleep 600")
	return x
}

func (x *tmux) do(args ...string) string {
	x.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-u", "-S", x.socket}, args...)...).CombinedOutput()
	if err != nil {
		x.t.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return string(out)
}

// keys presses keys, which tmux names: Enter, C-c, M-Enter.
func (x *tmux) keys(keys ...string) { x.t.Helper(); x.do(append([]string{"send-keys"}, keys...)...) }

func (x *tmux) types(text string) { x.t.Helper(); x.do("send-keys", "-l", text) }

// paste pastes text as a terminal does: within brackets, if the program asked for them.
func (x *tmux) paste(text string) {
	x.t.Helper()
	cmd := exec.Command("tmux", "-S", x.socket, "load-buffer", "-")
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		x.t.Fatalf("%v: %s", err, out)
	}
	x.do("paste-buffer", "-p")
}

// sees waits until the screen shows a text, and returns the screen.
func (x *tmux) sees(text string) string {
	x.t.Helper()
	screen := ""
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if screen = x.do("capture-pane", "-p"); strings.Contains(screen, text) {
			return screen
		}
	}
	x.t.Fatalf("the screen does not show %q:\n%s", text, screen)
	return ""
}

// In tmux, at three widths: an answer, a paste of several lines, a resize, an answer that is cancelled, and the end.
func TestChatInTmux(t *testing.T) {
	for _, columns := range []int{60, 110, 200} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			t.Parallel()
			model := newSlowModel(t)
			db, repo := filepath.Join(t.TempDir(), "c.db"), smallRepo(t)
			x := startTmux(t, columns, "chat", "--db", db, "--repo", repo, "--thread", "plans", "--model", "vllm/m",
				"--base-url", model.url, "--window", "32768")
			x.sees("thread plans")
			x.types("How does it end?")
			x.keys("Enter")
			<-model.begun
			x.sees("The first half")
			model.more <- struct{}{}
			x.sees("The first half and the second.")
			x.sees("of 23.6k tokens")

			pasted := strings.Repeat("a line of a log\n", 212)
			x.paste(pasted)
			x.sees("[212 lines pasted]")
			x.types(" What is it?")
			screen := x.sees("What is it?")
			if strings.Contains(screen, "a line of a log") {
				t.Errorf("the paste is written out:\n%s", screen)
			}
			x.do("resize-window", "-x", "80", "-y", "20")
			for _, l := range strings.Split(x.sees("What is it?"), "\n") {
				if n := len([]rune(l)); n > 80 {
					t.Errorf("%d columns after a resize: %q", n, l)
				}
			}
			x.keys("Enter")
			<-model.begun
			x.sees("Ctrl-C cancels")
			x.keys("C-c")
			x.sees("cancelled")
			x.keys("C-d")
			x.sees("ended with 3")
			out, err := exec.Command("foray", "threads", "show", "--db", db, "plans").CombinedOutput()
			if err != nil || strings.Count(string(out), "a line of a log") != 212 || strings.Count(string(out), "How does it end?") == 0 {
				t.Errorf("%v: %.2000s", err, out)
			}
		})
	}
}
