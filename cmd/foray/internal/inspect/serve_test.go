package inspect

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/agent/trace"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hostile holds what would break a page that took it for markup, or that a reader would not see.
const hostile = "</script><script>document.title='broken'</script><img src=x onerror=alert(1)> \u202egnp.exe\u202c zero\u200bwidth \x1b[31m"

// run makes n calls whose results do not fit the window; each waits for gate unless that is nil.
func run(t testing.TB, n int, gate <-chan struct{}, kept *agent.Session, w io.Writer) {
	t.Helper()
	in := agent.Task{Prompt: "Read everything. " + hostile, Input: "Read everything.", Session: kept}
	play(t, n, gate, in, "Done. "+hostile, hostile, w)
}

// play runs a task with n calls, whose results end with tail, and writes the trace.
func play(t testing.TB, n int, gate <-chan struct{}, in agent.Task, answer, tail string, w io.Writer) {
	t.Helper()
	lines := make([]scripted.Line, 0, n+1)
	for i := range n {
		part := i % 1_999 // a run of 2,000 reads its first part again at its end
		lines = append(lines, scripted.Line{Text: fmt.Sprintf("Next I look at part %d.", part),
			Usage: providers.Usage{Input: 900 * (i + 1), Output: 30},
			Calls: []scripted.Call{{Name: "read_file", Args: map[string]any{"path": fmt.Sprintf("part%d/part.go", part), "n": part}}}})
	}
	read := tools.New("read_file", "Read a file.", func(ctx context.Context, in struct {
		Path string `json:"path"`
		N    int    `json:"n"`
	}) (string, error) {
		if gate != nil {
			select {
			case <-gate:
			case <-ctx.Done():
			}
		}
		if in.N == 3 {
			return "", errors.New("open part3/part.go: permission denied")
		}
		var b strings.Builder
		for i := range 12 + in.N*23%29 {
			fmt.Fprintf(&b, "func Step%d_%d(x int) error { return check%d(x, %d) }\n", in.N, i, in.N^i, i*i)
		}
		return b.String() + tail, nil
	})
	a, err := agent.New(agent.Config{Name: "reader", Model: scripted.New(append(lines, scripted.Text(answer))...),
		Tools: []tools.Tool{read}, Profile: contextwindow.Ladder, System: "You read Go.", Limits: agent.Limits{Steps: n + 2},
		Budget: contextwindow.Budget{Limit: 4_000}})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range trace.Write(a.Stream(t.Context(), in), w) {
		if err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	}
}

// recorded is the source of a recording.
func recorded(r *Recording) *Source {
	s := &Source{Title: "A run", Price: func(string, string) (providers.Price, bool) { return providers.Price{}, false }}
	s.Recorded(r)
	s.Play = func(ctx context.Context) (any, error) {
		c, err := r.Conversation(ctx)
		if err != nil {
			return nil, err
		}
		return c.Play(ctx, "a run", []string{"lean", "none"}, []int{4_000})
	}
	return s
}

// begin serves a source until the test ends, and returns the address of the page and its token.
func begin(t *testing.T, s *Source) (base, token string) {
	t.Helper()
	address, end, err := Begin(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	base, token, _ = strings.Cut(address, "#token=")
	return base, token
}

// get asks for a part of the page.
func get(t *testing.T, url, token string) (int, http.Header, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	req.Close = true
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, string(body)
}

// The page itself holds no data; all that does needs the token.
func TestToken(t *testing.T) {
	r := &Recording{Most: 1 << 20}
	run(t, 2, nil, nil, r)
	base, token := begin(t, recorded(r))
	status, head, body := get(t, base, "")
	if status != http.StatusOK || strings.Contains(body, "part0") || !strings.Contains(head.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("the page: %d %v", status, head)
	}
	for _, part := range []string{"session", "policies", "events"} {
		for _, wrong := range []string{"", "x", token + "x", strings.ToLower(token)} {
			if status, _, body := get(t, base+part, wrong); status != http.StatusUnauthorized || strings.Contains(body, "part0") {
				t.Errorf("%s with %q: %d %s", part, wrong, status, body)
			}
		}
	}
	if status, _, _ := get(t, base+"nothing", token); status != http.StatusNotFound {
		t.Errorf("another path: %d", status)
	}
}

// shownRun is the part of a run that the tests look at.
type shownRun struct {
	Data struct {
		Question, Prompt, Answer, Stop string
		Session                        struct{ Window []any }
	}
	Tools []struct{ Name, Calls, Failed any }
}

func read(t *testing.T, base, token string) (r shownRun) {
	t.Helper()
	status, _, body := get(t, base+"session", token)
	if status != http.StatusOK {
		t.Fatal(status, body)
	}
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// A recording, its file and its session show the same run.
func TestSources(t *testing.T) {
	r := &Recording{Most: 1 << 20}
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "foray.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	run(t, 12, nil, &agent.Session{Store: db.Sessions(), ID: "reading"}, r)
	file := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(file, r.trace(), 0o600); err != nil {
		t.Fatal(err)
	}
	traced, session := recorded(r), recorded(r)
	if budget, err := traced.Trace(file); err != nil || budget != 4_000 {
		t.Error(budget, err)
	}
	session.Session(db.Sessions(), "reading")
	for name, s := range map[string]*Source{"recording": recorded(r), "trace": traced, "session": session} {
		got := shownBy(t, s)
		if len(got.Data.Session.Window) != 13 || got.Data.Stop != "answered" || len(got.Tools) != 1 ||
			got.Tools[0].Calls != 12. || got.Tools[0].Failed != 1. || !strings.Contains(got.Data.Prompt, "⟨U+202E⟩gnp.exe") {
			t.Errorf("%s: %d requests, %q, %v", name, len(got.Data.Session.Window), got.Data.Stop, got.Tools)
		}
	}
}

// interrupting sends a message to a run after its second request.
type interrupting struct {
	io.Writer
	inbox    *agent.Inbox
	requests int
}

func (w *interrupting) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte(`"event":"request"`)) {
		if w.requests++; w.requests == 2 {
			w.inbox.Send("Hurry.")
		}
	}
	return w.Writer.Write(line)
}

// The question is what the user asked: not what the prompt begins with, and not a message that was sent to the run.
func TestQuestion(t *testing.T) {
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "foray.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, tt := range []struct{ prompt, input, question string }{
		{"Found by exact search: a.go.\n\nWhy?\n\nAnswer in two sentences.", "Why?", "Why?"},
		{"Why?", "Why?", ""},
		{"Why?", "", ""},
	} {
		r, inbox := &Recording{Most: 1 << 20}, new(agent.Inbox)
		id := fmt.Sprint("s", len(tt.prompt), len(tt.input))
		play(t, 4, nil, agent.Task{Prompt: tt.prompt, Input: tt.input, Inbox: inbox,
			Session: &agent.Session{Store: db.Sessions(), ID: id}}, "Because.", "", &interrupting{Writer: r, inbox: inbox})
		if !bytes.Contains(r.trace(), []byte(`"event":"joined"`)) {
			t.Fatal("no message joined the run")
		}
		session := recorded(r)
		session.Session(db.Sessions(), id)
		for name, s := range map[string]*Source{"recording": recorded(r), "session": session} {
			base, token := begin(t, s)
			if got := read(t, base, token); got.Data.Prompt != tt.prompt || got.Data.Question != tt.question {
				t.Errorf("%s of %q: the prompt is %q, the question %q", name, tt, got.Data.Prompt, got.Data.Question)
			}
		}
	}
}

func shownBy(t *testing.T, s *Source) shownRun {
	t.Helper()
	base, token := begin(t, s)
	status, _, body := get(t, base+"policies", token)
	if status != http.StatusOK || strings.Count(body, `"policy":`) != 2 {
		t.Errorf("policies: %d %.200s", status, body)
	}
	return read(t, base, token)
}

// Every reader of a run hears of each change, and of its end.
func TestEvents(t *testing.T) {
	r := &Recording{Most: 1 << 20}
	gate, done := make(chan struct{}), make(chan struct{})
	go func() { defer close(done); run(t, 2, gate, nil, r) }()
	base, token := begin(t, recorded(r))
	readers := make([]func() string, 2)
	for i := range readers {
		readers[i] = events(t, base, token)
		if name := readers[i](); name != "changed" {
			t.Errorf("reader %d: first %q", i, name)
		}
	}
	gate <- struct{}{}
	for i, next := range readers {
		if name := next(); name != "changed" {
			t.Errorf("reader %d: then %q", i, name)
		}
	}
	gate <- struct{}{}
	for i, next := range readers {
		name := next()
		for name == "changed" {
			name = next()
		}
		if name != "ended" || next() != "" {
			t.Errorf("reader %d: at last %q", i, name)
		}
	}
	<-done
	if got := read(t, base, token); got.Data.Stop != "answered" {
		t.Errorf("ended %q", got.Data.Stop)
	}
}

// events opens a stream and returns a function that waits for its next event; "" is the end.
func events(t *testing.T, base, token string) func() string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Close = true
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	lines := bufio.NewScanner(answer.Body)
	return func() string {
		for lines.Scan() {
			if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				return name
			}
		}
		return ""
	}
}

// The end of the server ends open streams, at once.
func TestStop(t *testing.T) {
	r := &Recording{Most: 1 << 20}
	s := recorded(r)
	s.Ongoing = true
	run(t, 1, nil, nil, r)
	address, end, err := Begin(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	base, token, _ := strings.Cut(address, "#token=")
	next := events(t, base, token)
	if name := next(); name != "changed" {
		t.Errorf("first %q: another run may follow", name)
	}
	r.Restart()
	run(t, 2, nil, nil, r)
	if name := next(); name != "changed" || len(read(t, base, token).Data.Session.Window) != 3 {
		t.Errorf("a second run: %q", name)
	}
	began := time.Now()
	end()
	if name := next(); name != "" || time.Since(began) > 30*time.Second {
		t.Errorf("after the end: %q in %v", name, time.Since(began))
	}
}

// What cannot be read is an error with a sentence, and harms no later request.
func TestUnreadable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	s := recorded(&Recording{})
	for text, want := range map[string]error{"": nil, "package main\n": ErrNoTrace, `{"event":"text"}`: ErrNoTrace} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Trace(path); !errors.Is(err, want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	base, token := begin(t, s)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if status, _, body := get(t, base+"session", token); status != http.StatusInternalServerError || !strings.Contains(body, "no such file") {
		t.Errorf("no file: %d %s", status, body)
	}
	full := &Recording{Most: 1 << 20}
	run(t, 3, nil, nil, full)
	whole := full.trace()
	for _, n := range []int{0, 1, len(whole) / 3, len(whole) / 2, len(whole) - 1, len(whole)} {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if got := read(t, base, token); (got.Data.Stop != "") != (n >= len(whole)-1) {
			t.Errorf("%d of %d bytes: ended %q", n, len(whole), got.Data.Stop)
		}
	}
}

// A listener that other machines reach is served too, since there is always a token; Serve refuses an empty one.
func TestNoToken(t *testing.T) {
	if err := Serve(t.Context(), nil, "", recorded(&Recording{}), slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a page without a token is served")
	}
}

// A token with any visible characters arrives as it is: the page decodes what the address encodes.
func TestAddress(t *testing.T) {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	const token = "a\"<b>`#%20&token=/é?x"
	_, encoded, _ := strings.Cut(Address(l, token), "#token=")
	if decoded, err := url.PathUnescape(encoded); err != nil || decoded != token || strings.ContainsAny(encoded, "\"<>`#") {
		t.Errorf("%q, %v", encoded, err)
	}
}
