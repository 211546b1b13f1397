//go:build linux

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
	"unsafe"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
)

// A slowModel is a model's server that streams each answer in two pieces: the second when the test says so.
type slowModel struct {
	url   string
	begun chan struct{} // gets a value when the first piece is out
	more  chan struct{} // a value lets the second go
}

func newSlowModel(t *testing.T) *slowModel {
	t.Helper()
	m := &slowModel{begun: make(chan struct{}, maxTurns), more: make(chan struct{}, maxTurns)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.Method == http.MethodGet {
			listModels(w, nil)
			return
		}
		say := func(text string, finish any) {
			events(w, marshalled(object{"choices": []object{{"index": 0, "delta": object{"content": text}, "finish_reason": finish}}}))
		}
		say("The first half", nil)
		m.begun <- struct{}{}
		select {
		case <-m.more:
		case <-r.Context().Done():
			return
		}
		say(" and the second.", "stop")
		events(w, "[DONE]")
	}))
	t.Cleanup(server.Close)
	m.url = server.URL + "/v1"
	return m
}

// A typewriter is a program behind a terminal.
type typewriter struct {
	t      *testing.T
	cmd    *exec.Cmd
	screen *os.File
	shown  strings.Builder
	was    unix.Termios // how the terminal read before the program
}

// control asks the system something of a terminal.
func control(t *testing.T, f *os.File, request uintptr, value *int32) {
	t.Helper()
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
		t.Skip("no terminals here: ", errno)
	}
}

func startTypewriter(t *testing.T, args ...string) *typewriter {
	t.Helper()
	return startTypewriterOf(t, 0, 0, args...) // a size that is not known
}

// startTypewriterOf runs foray at a terminal that claims this size.
func startTypewriterOf(t *testing.T, width, height uint16, args ...string) *typewriter {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	var unlock, number int32
	control(t, screen, syscall.TIOCSPTLCK, &unlock)
	control(t, screen, syscall.TIOCGPTN, &number)
	program, err := os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(screen.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: width, Row: height}); err != nil {
		t.Fatal(err)
	}
	p := &typewriter{t: t, cmd: exec.Command("foray", args...), screen: screen}
	p.was = p.mode()
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = program, program, program
	p.cmd.Env = append(os.Environ(), "FORAY_MODEL=", "TERM=xterm")
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	program.Close()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // unless it has ended
		screen.Close()
	})
	return p
}

// until reads the screen until it shows a text behind what was read before.
func (p *typewriter) until(text string) {
	p.t.Helper()
	from := p.shown.Len()
	if err := p.screen.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		p.t.Fatal(err)
	}
	b := make([]byte, 1)
	for !strings.Contains(p.shown.String()[from:], text) {
		if _, err := p.screen.Read(b); err != nil {
			p.t.Fatalf("%q does not come: %v\n%s", text, err, p.shown.String())
		}
		p.shown.Write(b)
	}
}

func (p *typewriter) types(line string) { p.t.Helper(); p.keys(line + "\n") }

func (p *typewriter) keys(keys string) {
	p.t.Helper()
	if _, err := io.WriteString(p.screen, keys); err != nil {
		p.t.Fatal(err)
	}
}

// ends waits for the program to end and returns its exit code.
func (p *typewriter) ends() int {
	p.t.Helper()
	go func() { _, _ = io.Copy(io.Discard, p.screen) }() // it ends with the program
	_ = p.cmd.Wait()
	return p.cmd.ProcessState.ExitCode()
}

// From the start of the program to the first frame of a chat; with -v it logs the least and the median of 20 starts.
func TestFirstPaint(t *testing.T) {
	ostest.SkipRaced(t)
	var all []time.Duration
	repo, db := smallRepo(t), filepath.Join(t.TempDir(), "s.db")
	for range 20 {
		began := time.Now()
		p := startTypewriterOf(t, 110, 40, "chat", "--repo", repo, "--db", db)
		p.drawn("ask, or type /")
		all = append(all, time.Since(began))
		p.keys("\x04")
		if code := p.ends(); code != 0 {
			t.Fatalf("it ended with %d\n%s", code, p.shown.String())
		}
	}
	slices.Sort(all)
	t.Logf("least %v, median %v", all[0].Round(time.Millisecond), all[len(all)/2].Round(time.Millisecond))
}

// drawn reads the screen, as much at once as there is, until it shows a text.
func (p *typewriter) drawn(text string) {
	p.t.Helper()
	if err := p.screen.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		p.t.Fatal(err)
	}
	for b := make([]byte, 1<<16); !strings.Contains(p.shown.String(), text); {
		n, err := p.screen.Read(b)
		if err != nil {
			p.t.Fatalf("%q does not come: %v\n%s", text, err, p.shown.String())
		}
		p.shown.Write(b[:n])
	}
}

// At a terminal an answer shows as it comes, commands are answered between, and a signal to terminate in the middle of an
// answer keeps what there is of it.
func TestChatAtATerminal(t *testing.T) {
	t.Parallel()
	model := newSlowModel(t)
	db, repo := filepath.Join(t.TempDir(), "c.db"), smallRepo(t)
	p := startTypewriter(t, "chat", "--plain", "--db", db, "--repo", repo, "--thread", "plans", "--model", "vllm/m", "--base-url", model.url, "--window", "32768")
	p.until("type /help for the commands")
	p.until("> ")
	p.types("How does it end?")
	p.until("The first half") // while the model still writes
	model.more <- struct{}{}
	p.until(" and the second.")
	p.until("> ")
	p.types("/pin")
	p.until("pinned 2 assistant: The first half and the second.")
	p.types("/context")
	p.until("thread plans: 2 messages")
	p.until("> ")
	p.types("/helf")
	p.until("hint: /help")
	p.types("/undo")
	p.until("removed 2 messages: How does it end?")
	p.types("And this one?")
	p.until("The first half")
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.until("foray chat --thread plans")
	if code := p.ends(); code != cli.ExitPartial {
		t.Errorf("exit code %d\n%s", code, p.shown.String())
	}
	out, err := exec.Command("foray", "threads", "show", "--db", db, "plans").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "And this one?") || !strings.Contains(string(out), "The first half") || strings.Contains(string(out), "How does it end?") {
		t.Errorf("%v: %s", err, out)
	}
}

// Without --plain the chat is drawn. Ctrl-C keeps what came of an answer, and Ctrl-D ends; both count for the exit code.
func TestChatOnTheScreen(t *testing.T) {
	t.Parallel()
	model := newSlowModel(t)
	db, repo := filepath.Join(t.TempDir(), "c.db"), smallRepo(t)
	p := startTypewriter(t, "chat", "--db", db, "--repo", repo, "--thread", "plans", "--model", "vllm/m",
		"--base-url", model.url, "--window", "32768")
	p.until("\x1b[?1049h") // another screen
	p.until("thread plans")
	p.keys("How does it end?\r")
	<-model.begun
	p.until("half")
	p.keys("\x03")
	p.until("cancelled")
	p.keys("\x04")
	p.until("to resume: foray chat --thread plans")
	if code := p.ends(); code != cli.ExitPartial {
		t.Errorf("exit code %d\n%s", code, p.shown.String())
	}
	out, err := exec.Command("foray", "threads", "show", "--db", db, "plans").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "How does it end?") || !strings.Contains(string(out), "The first half") {
		t.Errorf("%v: %s", err, out)
	}
}

// At a terminal, a paste of several lines is one message, and a line of any length arrives whole. The terminal is what it
// was in the end, also after signals.
func TestChatKeys(t *testing.T) {
	t.Parallel()
	db, repo := filepath.Join(t.TempDir(), "c.db"), smallRepo(t)
	model := newSlowModel(t)
	for range maxTurns {
		model.more <- struct{}{}
	}
	p := startTypewriter(t, "chat", "--plain", "--db", db, "--repo", repo, "--thread", "plans", "--model", "vllm/m",
		"--base-url", model.url, "--window", "32768")
	p.until("\x1b[?2004h")
	p.until("> ")
	p.keys("look: \x1b[200~one\r\ntwo\r  three\rfour\rfive\rsix\r\x1b[201~")
	p.until("six")
	p.keys("wrong \x17\x7f ende\x1b[D\x7f\r")
	p.until("and the second.")
	p.until("> ")
	long := strings.Repeat("wörter ", 1000)
	p.keys(long)
	p.keys("end\r")
	p.until("and the second.")
	p.until("> ")
	p.keys("not this\x03")
	p.until("press Ctrl-C again")
	p.until("> ")
	p.keys("one \\\rand two\r")
	p.until("and the second.")
	p.until("> ")
	if p.mode() == p.was {
		t.Error("the terminal gives lines, so that it cuts them")
	}
	p.keys("\x03")
	p.until("press Ctrl-C again")
	p.keys("\x03")
	p.until("a signal ended the chat")
	if code := p.ends(); code != cli.ExitPartial {
		t.Errorf("exit code %d\n%s", code, p.shown.String())
	}
	if !strings.Contains(p.shown.String(), "\x1b[?2004l") || p.mode() != p.was {
		t.Error("the terminal is not what it was")
	}
	want := []string{"look: one\ntwo\n  three\nfour\nfive\nsix end", strings.TrimSpace(long) + " end", "one \nand two"}
	if diff := gocmp.Diff(want, saidIn(t, db, "plans")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// mode is how the terminal reads.
func (p *typewriter) mode() unix.Termios {
	p.t.Helper()
	mode, err := unix.IoctlGetTermios(int(p.screen.Fd()), unix.TCGETS)
	if err != nil {
		p.t.Fatal(err)
	}
	return *mode
}

// saidIn returns the messages of a person in a thread.
func saidIn(t *testing.T, db, thread string) []string {
	t.Helper()
	s, err := store.Open(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ms, err := s.Recent(t.Context(), thread, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range ms {
		if m.Role == transcript.User {
			all = append(all, m.Text)
		}
	}
	return all
}

// The first page fits on a terminal of 80 columns, the list of threads shows the names that a person gave, and vi is the
// editor of one who has set none.
func TestFirstSteps(t *testing.T) {
	p := startTypewriter(t)
	p.until("list all commands")
	for l := range strings.Lines(p.shown.String()) {
		if n := utf8.RuneCountInString(strings.TrimRight(l, "\r\n")); n > 80 {
			t.Errorf("%d columns: %s", n, l)
		}
	}
	db := filepath.Join(t.TempDir(), "c.db")
	c := exec.Command("foray", "chat", "--db", db, "--repo", smallRepo(t), "--thread", "plans", "--model", "rules")
	c.Stdin = strings.NewReader("where is main?\n")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p = startTypewriterOf(t, 100, 30, "chat", "--db", db, "--repo", smallRepo(t), "--model", "rules")
	p.until("rules, no model")
	p.keys("/threads\r")
	p.until("plans: where is main?")
	p.keys("\x1b\x04")
	t.Setenv("VISUAL", "")
	t.Setenv("EDITOR", "")
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if got := editor(); len(got) > 0 {
		t.Errorf("the editor is %v", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "vi"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(editor(), " "); got != "vi" {
		t.Errorf("the editor is %q", got)
	}
	t.Setenv("EDITOR", "code -w")
	if got := strings.Join(editor(), " "); got != "code -w" {
		t.Errorf("the editor is %q", got)
	}
}

// A terminal that claims a size which no terminal has is not drawn on: a frame of it would take gigabytes.
func TestChatAtATerminalOfNoSize(t *testing.T) {
	t.Parallel()
	p := startTypewriterOf(t, 5000, 5000, "chat", "--db", filepath.Join(t.TempDir(), "c.db"), "--repo", smallRepo(t))
	p.until("type /help for the commands")
	p.until("> ")
	p.types("/quit")
	if code := p.ends(); code != cli.ExitFound {
		t.Errorf("exit code %d\n%s", code, p.shown.String())
	}
	if usage, ok := p.cmd.ProcessState.SysUsage().(*syscall.Rusage); !ok || usage.Maxrss > 1<<20 {
		t.Errorf("it took %d MB", usage.Maxrss>>10)
	}
	if strings.Contains(p.shown.String(), "\x1b[?1049h") {
		t.Error("it was drawn")
	}
}

// A signal to terminate lets a server finish the answers under way, and takes no more requests meanwhile.
func TestServeIsTerminated(t *testing.T) {
	t.Parallel()
	model := newSlowModel(t)
	db := filepath.Join(t.TempDir(), "s.db")
	p := startServe(t, db, "--model", "vllm/m", "--base-url", model.url, "--window", "32768")
	p.ask("POST", "/v1/threads", "", "", `{"id":"plans"}`)
	answered := make(chan string, 1)
	go func() {
		defer close(answered) // also if the request fails, which ends this goroutine
		_, body := p.ask("POST", "/v1/threads/plans/messages", "", "text/event-stream", `{"text":"How does it end?"}`)
		answered <- body
	}()
	select {
	case <-model.begun:
	case body := <-answered:
		t.Fatalf("answered before the model was asked: %s\n%s", body, p.interrupt())
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for { // until it listens no more
		c, err := new(http.Transport).RoundTrip(mustRequest(t, p.url+"/openapi.json"))
		if err != nil {
			break
		}
		c.Body.Close()
	}
	model.more <- struct{}{}
	if body := <-answered; !strings.Contains(body, "event: done") || !strings.Contains(body, "The first half and the second.") {
		t.Errorf("the answer under way: %s", body)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, p.logs.String())
	}
	out, err := exec.Command("foray", "threads", "show", "--db", db, "plans").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "The first half and the second.") {
		t.Errorf("%v: %s", err, out)
	}
}

func mustRequest(t *testing.T, url string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true
	return req
}
