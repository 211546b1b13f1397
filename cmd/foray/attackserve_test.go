package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forayhq/foray/internal/attacktable"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/providers/providertest"
)

// A watchedServer is a hostile server that counts requests: those in progress, and those without tools, which a chat
// makes for summaries and memories.
type watchedServer struct {
	providertest.Hostile
	active, asides atomic.Int64
}

func (s *watchedServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.active.Add(1)
	defer s.active.Add(-1)
	if r.Method == http.MethodPost && !bytes.Contains(body, []byte(`"tools":[{`)) {
		s.asides.Add(1)
	}
	s.Hostile.ServeHTTP(w, r)
}

// until waits for a condition, and reports whether it came.
func until(limit time.Duration, ok func() bool) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if ok() {
			return true
		}
	}
	return ok()
}

// serveWants are the answers of serve to a message under attack, where they are not a problem of status 502 that says
// that the model did not end its answer. Status 0: the client left at its deadline.
var serveWants = map[string]reply{
	"fine": {200, "It is fine."}, "endless-after": {200, "It is in a.go."}, "usage": {200, "It is fine."}, "control": {200, "done"},
	"endless-spaces": {502, "the model repeated itself and was stopped"}, "endless-loop": {502, "the model repeated itself"},
	"gzip-text": {502, "the model repeated itself"}, "many-texts": {502, "the model repeated itself"},
	"redirects":  {502, "the operator must check --base-url"},
	"gzip-error": {502, "service refused the request"}, "endless-error": {502, "service refused the request"},
	"endless-failure": {502, "service failed: try again"}, "endless-headers": {502, "did not answer"},
	"endless-hints": {502, "did not answer"}, "endless-chunk": {502, "did not answer"}, "cut": {502, "its answer broke off"},
	"reset": {502, "its answer broke off"}, "wait": {503, "service is busy"}, "long-name": {200, `"stop":"stalled"`},
}

// A reply is the status of an HTTP answer and words in it.
type reply struct {
	status int
	words  string
}

// An attackedServe is foray serve in a process of its own, whose model is an attack.
type attackedServe struct {
	*servedForay
	model *watchedServer
	slow  bool // the attack ends by a time-out of minutes: the client leaves
}

// startAttacked serves with a model, with one thread in the store.
func startAttacked(t *testing.T, model string, slow bool, args ...string) *attackedServe {
	t.Helper()
	watched := &watchedServer{}
	server := httptest.NewServer(watched)
	server.Config.ErrorLog = discardLog
	t.Cleanup(server.Close)
	s := &attackedServe{model: watched, slow: slow, servedForay: startServe(t, filepath.Join(t.TempDir(), "s.db"), append(args,
		"--model", "openai/"+model, "--base-url", server.URL+"/v1", "--window", "32768")...)}
	if status, body := s.ask("POST", "/v1/threads", "", "", `{"id":"t","user":"ada"}`); status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	return s
}

// say sends a message and reads what comes, until its end or the client's deadline. Status 0: nothing came until then.
func (s *attackedServe) say(limit time.Duration, accept, text string) (int, string) {
	ctx, cancel := context.WithTimeout(s.t.Context(), limit)
	defer cancel()
	body := strings.NewReader(marshalled(object{"text": text}))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/v1/threads/t/messages", body)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", accept)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, ""
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body) // the client may have left
	return resp.StatusCode, string(raw)
}

// An attackedTurn is how an attack on serve ended.
type attackedTurn struct {
	words  string // that the client reads
	limit  string
	faults []string
}

func (a *attackedTurn) fault(format string, args ...any) {
	a.faults = append(a.faults, fmt.Sprintf(format, args...))
}

// serveAttacks are the ways in which serve meets an attack.
var serveAttacks = []struct {
	name, model string // before the name of the attack
	args        []string
	run         func(s *attackedServe, attack string, a *attackedTurn)
}{
	{"serve", "", nil, (*attackedServe).answered},
	{"serve, client gone", "", nil, (*attackedServe).left},
	{"serve, background", "background-", []string{"--context-tokens", "8000", "--context-turns", "1"}, (*attackedServe).aside},
}

// answered waits for the answer to a message.
func (s *attackedServe) answered(attack string, a *attackedTurn) {
	limit, want := attackTime, serveWants[attack]
	if s.slow {
		limit = deadline
	} else if want.status == 0 {
		want = reply{http.StatusBadGateway, "the model did not end its answer and was stopped: ask for less at once"}
	}
	status, body := s.say(limit, "application/json", "where is Retry?")
	if a.words = fmt.Sprintf("%d %s", status, body); status == 0 {
		a.words = "the client left at its deadline"
	}
	if status != want.status || !strings.Contains(body, want.words) {
		a.fault("%d %.600s, want %d with %q", status, body, want.status, want.words)
	}
	if _, kept := s.ask("GET", "/v1/threads/t/messages", "", "", ""); shownText.MatchString(attack) && !s.slow &&
		(!strings.Contains(body, `"role":"assistant"`) || !strings.Contains(kept, `"role":"assistant"`)) {
		a.fault("nothing is kept of the text that arrived: %.600s", kept)
	}
}

// left leaves when the answer has begun: what it asked of the model must end.
func (s *attackedServe) left(_ string, a *attackedTurn) {
	s.say(deadline/2, "text/event-stream", "where is Retry?")
	a.words = "the client left"
	if !until(goneTime, func() bool { return s.model.active.Load() == 0 }) {
		a.fault("%d requests to the model do not end after the client has left", s.model.active.Load())
	}
}

// aside lets the thread grow until the chat asks the model for a summary or memories in the background.
func (s *attackedServe) aside(_ string, a *attackedTurn) {
	for i := range 5 {
		log := strings.Repeat("12:30:59 attempt failed: timeout\n", 330)
		text := fmt.Sprintf("I prefer tabs, number %d. Where are the retries?\n\n", i) + log
		if status, body := s.say(attackTime, "application/json", text); status != http.StatusOK {
			a.fault("message %d: %d %.600s", i, status, body)
			return
		}
	}
	if !until(goneTime, func() bool { return s.model.asides.Load() > 0 }) {
		a.fault("no request in the background")
		return
	}
	if !s.slow && !until(attackTime, func() bool { return s.model.active.Load() == 0 }) {
		a.fault("a request in the background does not end")
	}
	a.words = fmt.Sprintf("%d requests in the background", s.model.asides.Load())
}

// TestAttackServe lets a hostile server answer foray serve: to a client that waits, after a client has left, and to the
// requests in the background. Each attack meets a process of its own, which takes little more memory than with a friendly
// server, and ends when it is interrupted.
func TestAttackServe(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the peak of a process is read from /proc")
	}
	t.Parallel()
	for _, way := range serveAttacks {
		meet := func(attack string) (attackedTurn, int64) {
			s := startAttacked(t, way.model+attack, slices.Contains(slowAttacks, attack), way.args...)
			a := attackedTurn{}
			way.run(s, attack, &a)
			peak, err := ostest.Peak(s.cmd.Process.Pid)
			if err != nil {
				t.Error(err)
			}
			said := s.interrupt()
			if a.limit = attacktable.LimitOf(said, ""); len(a.faults) > 0 {
				a.fault("it said: %.2000s", said)
			}
			return a, peak
		}
		friend, friendly := meet("fine")
		for _, fault := range friend.faults {
			t.Fatalf("%s, fine: %s", way.name, fault)
		}
		for _, attack := range attacksNow() {
			started := time.Now()
			a, peak := meet(attack)
			if over := peak - friendly; over > maxAttackPeak && !ostest.RaceDetector {
				a.fault("%d MB more than with a friendly server, want at most %d", over>>20, maxAttackPeak>>20)
			}
			for _, fault := range a.faults {
				t.Errorf("%s, %s: %s", way.name, attack, fault)
			}
			attacktable.Add(t, attacktable.Row{
				Target: way.name, Attack: attack, Limit: a.limit, Peak: peak - friendly, Seconds: time.Since(started).Seconds(),
				Words: a.words, Failed: len(a.faults) > 0,
			})
		}
	}
}
