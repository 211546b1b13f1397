//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forayhq/foray/internal/ostest"
)

// A tmux is a program in a terminal that others wrote.
type tmux struct {
	t      *testing.T
	socket string
}

// startTmux starts foray in a terminal of so many columns.
func startTmux(t *testing.T, columns int, args ...string) *tmux {
	t.Helper()
	return startTmuxTo(t, columns, "", args...)
}

// startTmuxTo starts foray with standard output where redirect says, as a shell does. An argument env:NAME=VALUE is a
// variable.
func startTmuxTo(t *testing.T, columns int, redirect string, args ...string) *tmux {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("no tmux: apt-get install tmux")
	}
	x := &tmux{t, filepath.Join(t.TempDir(), "s")}
	command := "foray"
	for _, a := range args {
		if variable, ok := strings.CutPrefix(a, "env:"); ok {
			command = variable + " " + command
		} else {
			command += " '" + a + "'"
		}
	}
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", x.socket, "kill-server").Run() }) // unless it has ended
	x.do("-f", os.DevNull, "new-session", "-d", "-x", fmt.Sprint(columns), "-y", "24", "-e", "FORAY_MODEL=", "-e", "LANG=C.UTF-8",
		command+" "+redirect+"; echo ended with $?; sleep 600")
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
			x.sees("1 step")

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

// A scout is a model's server that calls two tools, and then streams an answer in two halves: the second when the test
// says so.
type scout struct {
	url      string
	requests atomic.Int32
	half     chan struct{} // gets a value when the first half is out
	more     chan struct{} // a value lets the second go
}

func newScout(t *testing.T) *scout {
	t.Helper()
	m := &scout{half: make(chan struct{}, 9), more: make(chan struct{}, 9)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.Method == http.MethodGet {
			listModels(w, nil)
			return
		}
		say := func(delta object, finish any) {
			events(w, marshalled(object{"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}}}))
		}
		call := func(i int, name, args string) object {
			return object{"index": i, "id": fmt.Sprint("c", i), "type": "function", "function": object{"name": name, "arguments": args}}
		}
		if m.requests.Add(1) == 1 {
			say(object{"content": "I look \x1b]0;evil\x07 at **the file** first."}, nil)
			say(object{"tool_calls": []object{call(0, "search", `{"pattern":"Retry"}`), call(1, "read_file", `{"path":"retry.go"}`)}}, "tool_calls")
			events(w, "[DONE]")
			return
		}
		say(object{"content": "`Retry` is in [retry.go:4]"}, nil)
		m.half <- struct{}{}
		select {
		case <-m.more:
		case <-r.Context().Done():
			return
		}
		say(object{"content": ", and does nothing."}, "stop")
		events(w, "[DONE]")
	}))
	t.Cleanup(server.Close)
	m.url = server.URL + "/v1"
	return m
}

// startExplore explores in tmux, with standard output where redirect says.
func startExplore(t *testing.T, columns int, m *scout, redirect string, more ...string) *tmux {
	t.Helper()
	return startTmuxTo(t, columns, redirect, append([]string{"explore", "--repo", smallRepo(t), "--no-session", "--model", "vllm/m",
		"--base-url", m.url, "--window", "32768", "where is Retry defined?"}, more...)...)
}

// In tmux, at four widths: a run is drawn while it is in progress, folds out, takes a message and a new size, and ends
// with the report, which is the one that is printed elsewhere.
func TestExploreInTmux(t *testing.T) {
	for _, columns := range []int{40, 60, 110, 200} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			t.Parallel()
			m, out := newScout(t), filepath.Join(t.TempDir(), "report.json")
			x := startExplore(t, columns, m, ">"+out, "--format", "json")
			<-m.half
			x.sees("▸ read_file retry.go")
			x.sees("Retry is in")
			screen := x.sees("step 2 of 24")
			if !strings.Contains(screen, "> where is Retry defined?") || !strings.Contains(screen, "I look") {
				t.Errorf("the question or the text is not on the screen:\n%s", screen)
			}
			x.keys("C-t")
			x.sees("package x")
			x.types("be short")
			x.keys("Enter")
			x.sees("be short (sent to the run)")
			x.do("resize-window", "-x", "50", "-y", "16")
			x.do("resize-window", "-x", "30", "-y", "8")
			for _, l := range strings.Split(x.sees("sent to the run"), "\n") {
				if n := len([]rune(l)); n > 30 {
					t.Errorf("%d columns after a resize: %q", n, l)
				}
			}
			x.do("resize-window", "-x", "110", "-y", "24")
			m.more <- struct{}{}
			m.more <- struct{}{} // should the message have come in time for another request
			screen = x.sees("ended with 0")
			if strings.Contains(screen, "step 2") || strings.Contains(screen, "▾") {
				t.Errorf("the run is left on the screen:\n%s", screen)
			}
			raw, err := os.ReadFile(out)
			var report struct {
				Text  string
				Found bool
			}
			if err == nil {
				err = json.Unmarshal(raw, &report)
			}
			if err != nil || !report.Found || !strings.Contains(report.Text, "[retry.go:4], and does nothing.") {
				t.Errorf("%v: %.2000s", err, raw)
			}
			if title := x.do("display-message", "-p", "#{pane_title}"); strings.Contains(title, "evil") {
				t.Errorf("a model set the title of the terminal: %q", title)
			}
		})
	}
}

// Ctrl-C keeps what came of a run that is drawn: the report is printed, and is partial.
func TestExploreIsCancelledInTmux(t *testing.T) {
	t.Parallel()
	m := newScout(t)
	x := startExplore(t, 110, m, "")
	<-m.half
	x.sees("Retry is in")
	x.keys("C-c")
	screen := x.sees("ended with 3")
	if !strings.Contains(screen, "the report is partial: cancelled") || !strings.Contains(screen, "retry.go:4") {
		t.Errorf("the report is not there:\n%s", screen)
	}
}

// coloured matches a sequence that sets a colour.
var coloured = regexp.MustCompile(`\x1b\[(?:[0-9;:]*[;:])?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[;:m]`)

// With NO_COLOR, a run is drawn without colours.
func TestExploreWithoutColours(t *testing.T) {
	for name, colours := range map[string]bool{"NO_COLOR=1": false, "NO_COLOR=": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newScout(t)
			x := startExplore(t, 80, m, "", "env:"+name)
			<-m.half
			x.sees("step 2 of 24")
			if screen := x.do("capture-pane", "-p", "-e"); coloured.MatchString(screen) != colours {
				t.Errorf("colours: want %v in %q", colours, screen)
			}
			m.more <- struct{}{}
			x.sees("ended with 0")
		})
	}
}

// A run is one line, and nothing is drawn: with --plain, and where another program reads the report.
func TestExploreInOneLine(t *testing.T) {
	ostest.SkipRaced(t)
	for name, start := range map[string]struct {
		redirect string
		args     []string
	}{
		"plain":  {"", []string{"--plain"}},
		"a pipe": {"|cat", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newScout(t)
			x := startExplore(t, 80, m, start.redirect, start.args...)
			<-m.half
			x.sees("characters (3s)") // after more than watchAfter
			if screen := x.sees("foray: evidence gathered"); strings.Contains(screen, "steer the run") {
				t.Errorf("the run is drawn:\n%s", screen)
			}
			m.more <- struct{}{}
			x.sees("and does nothing.")
			x.sees("ended with 0")
		})
	}
}

// keyServer is a model's server that remembers who was asked and with which key.
func keyServer(t *testing.T) (url string, asked func() string) {
	t.Helper()
	var mu sync.Mutex
	var all []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			listModels(w, []string{"m", "n"})
			return
		}
		var req struct{ Model string }
		_ = json.NewDecoder(r.Body).Decode(&req)
		mu.Lock()
		all = append(all, req.Model+" "+r.Header.Get("Authorization"))
		mu.Unlock()
		says([]string{"say I am " + req.Model + "."})(w, httptest.NewRequest(http.MethodPost, r.URL.String(), nil))
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1", func() string { mu.Lock(); defer mu.Unlock(); return strings.Join(all, ", ") }
}

// The list of models has all of a server on this machine. One of another provider is asked at its own address, so that
// the server gets no key, and one that cannot be used leaves the chat as it was.
func TestChooseModelInTmux(t *testing.T) {
	t.Parallel()
	here, askedHere := keyServer(t)
	there, askedThere := keyServer(t)
	x := startTmux(t, 110, "env:OPENAI_API_KEY=sk-not-yours", "env:OPENAI_BASE_URL="+there, "chat", "--repo", smallRepo(t),
		"--db", filepath.Join(t.TempDir(), "c.db"), "--model", "vllm/m", "--base-url", here, "--fast", "vllm/m",
		"--window", "32768", "--thread", "plans")
	x.sees("thread plans")
	for _, turn := range [][2]string{{"vllm/n", "I am n."}, {"openai/gpt-4.1-mini", "I am gpt-4.1-mini."}} {
		x.types("/model")
		x.keys("Enter")
		x.sees("Models (")
		x.types(turn[0])
		x.sees("search: " + turn[0])
		x.keys("Enter")
		x.sees(turn[0] + " answers")
		x.types("Who are you?")
		x.keys("Enter")
		x.sees(turn[1])
	}
	x.types("/model")
	x.keys("Enter")
	x.sees("Models (")
	x.types("rules")
	x.keys("Enter")
	x.sees("rules cannot be used: ")
	x.sees("openai/gpt-4.1-mini answers")
	x.keys("C-d")
	x.sees("ended with 0")
	if got := askedHere(); got != "n " {
		t.Errorf("the server on this machine was asked: %q", got)
	}
	if got := askedThere(); !strings.HasPrefix(got, "gpt-4.1-mini Bearer sk-not-yours") {
		t.Errorf("the provider was asked: %q", got)
	}
}
