package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/internal/sessionwalk"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// A walker records what it is sent.
type walker struct {
	sessionwalk.Walker
	mu   sync.Mutex
	sent []string // requests as JSON
}

func newWalker(pages int) *walker {
	m := new(walker)
	m.Walker = sessionwalk.Walker{Pages: pages, Sent: func(request string) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.sent = append(m.sent, request)
	}}
	return m
}

// A world is what calls with effects change, by the keys of the calls.
type world struct {
	mu    sync.Mutex
	wrote map[string]int
}

func (w *world) write(key string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wrote == nil {
		w.wrote = make(map[string]int)
	}
	w.wrote[key]++
	return nil
}

func (w *world) tools() []tools.Tool { return sessionwalk.Tools(w.write, nil) }

func walk(t *testing.T, m *walker, w *world) *agent.Agent {
	t.Helper()
	a, err := sessionwalk.New(&m.Walker, w.tools())
	must(t, err)
	return a
}

// A tape is a store that remembers where each transaction ended.
type tape struct {
	session.InMemory
	ends []int
}

func (s *tape) AppendRecords(ctx context.Context, id string, from int, records ...session.Record) error {
	s.ends = append(s.ends, from+len(records))
	raw, err := json.Marshal(records) // as a store does
	if err != nil {
		return err
	}
	records = nil
	if err := json.Unmarshal(raw, &records); err != nil {
		return err
	}
	return s.InMemory.AppendRecords(ctx, id, from, records...)
}

func recordsOf(t *testing.T, s session.Store, id string) (all []session.Record) {
	t.Helper()
	for r, err := range s.Records(t.Context(), id) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// comparable are the options for comparing the result of a resumed run with that of an undisturbed one.
var comparable = cmp.Options{
	cmpopts.IgnoreFields(agent.Result{}, "Duration"), cmpopts.IgnoreFields(agent.ToolRecord{}, "Started", "Duration"),
	cmp.Comparer(func(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) }),
	cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(contextwindow.Compaction{}),
}

// Rule: wherever a process dies, the run that is resumed sends the same bytes as an undisturbed one, ends with the same
// result, and makes no call with effects twice.
func TestResumedRunEqualsUndisturbedOne(t *testing.T) {
	tape, model, whole := new(tape), newWalker(36), new(world)
	task := agent.Task{Prompt: "Read all pages.", Session: &agent.Session{Store: tape, ID: "s"}}
	want, err := walk(t, model, whole).Do(t.Context(), task)
	if err != nil || want.Stop != agent.Answered || len(want.Compactions) < 3 || len(whole.wrote) < 4 {
		t.Fatalf("%v: %+v, %d compactions, %d writes", err, want.Stop, len(want.Compactions), len(whole.wrote))
	}
	records := recordsOf(t, tape, "s")
	for i, end := range tape.ends {
		if ostest.RaceDetector && i%8 != 0 {
			continue // one run after another
		}
		store, again, w := new(session.InMemory), newWalker(36), new(world)
		must(t, store.AppendRecords(t.Context(), "s", 0, records[:end]...))
		for _, r := range records[:end] {
			if r.Call != nil { // it was made before the process died
				must(t, w.write(r.Call.Key))
			}
		}
		a := walk(t, again, w)
		got, err := a.Resume(t.Context(), store, "s")
		if err == nil && got.Stop == agent.Waiting {
			q := got.Waiting[0]
			if !q.Unknown || w.wrote[q.Key] != 1 {
				t.Fatalf("after %d records: asks about %+v", end, q)
			}
			must(t, session.Decide(t.Context(), store, "s", session.Verdict{Index: q.Index, Decision: session.Done, Text: sessionwalk.Wrote}))
			got, err = a.Resume(t.Context(), store, "s")
		}
		if err != nil {
			t.Fatalf("after %d of %d records: %v", end, len(records), err)
		}
		if n := len(again.sent); !slices.Equal(again.sent, model.sent[len(model.sent)-n:]) {
			t.Fatalf("after %d of %d records: the %d later requests differ:\n%s", end, len(records), n,
				cmp.Diff(model.sent[len(model.sent)-n:], again.sent))
		}
		if diff := cmp.Diff(want, got, comparable); diff != "" {
			t.Fatalf("after %d of %d records: %s", end, len(records), diff)
		}
		for key, n := range w.wrote {
			if n != 1 {
				t.Fatalf("after %d of %d records: %s was made %d times", end, len(records), key, n)
			}
		}
	}
	t.Logf("%d transactions, %d requests, %d compactions, %d writes", len(tape.ends), len(model.sent), len(want.Compactions), len(whole.wrote))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Rule: a run whose store fails makes no further call, and what the store holds can be resumed.
func TestRunEndsWhenItsSessionIsNotSaved(t *testing.T) {
	full := errors.New("disk full")
	for fails := range 12 {
		store := &failing{left: fails, err: full}
		model, w := newWalker(12), new(world)
		result, err := walk(t, model, w).Do(t.Context(), agent.Task{Prompt: "p", Session: &agent.Session{Store: store, ID: "s"}})
		if !errors.Is(err, full) || result.Stop != agent.Failed {
			t.Fatalf("%d: %v, %v", fails, result.Stop, err)
		}
		store.left = 1_000
		if fails == 0 {
			continue
		}
		again, err := walk(t, newWalker(12), w).Resume(t.Context(), store, "s")
		if err == nil && again.Stop == agent.Waiting { // the result of a call was not saved
			must(t, session.Decide(t.Context(), store, "s", session.Verdict{Index: again.Waiting[0].Index, Decision: session.Done}))
			again, err = walk(t, newWalker(12), w).Resume(t.Context(), store, "s")
		}
		for key, n := range w.wrote {
			if n != 1 {
				t.Fatalf("%d: %s was made %d times", fails, key, n)
			}
		}
		if err != nil || again.Text != "read 12 pages" {
			t.Fatalf("%d: %v, %q", fails, err, again.Text)
		}
	}
}

// A failing store fails after so many transactions.
type failing struct {
	session.InMemory
	left int
	err  error
}

func (s *failing) AppendRecords(ctx context.Context, id string, from int, records ...session.Record) error {
	if s.left--; s.left < 0 {
		return s.err
	}
	return s.InMemory.AppendRecords(ctx, id, from, records...)
}

// Rule: a call waits for an approval in another process, and is then made once, or refused.
func TestApprovalInAnotherProcess(t *testing.T) {
	for decision, want := range map[string]struct {
		times int
		text  string
	}{session.Approve: {1, sessionwalk.Wrote}, session.Refuse: {0, "refused: not now"}} {
		store, w := new(session.InMemory), new(world)
		later := func(context.Context, transcript.ToolCall) (agent.Decision, error) {
			return agent.Decision{Wait: true}, nil
		}
		run := func() *agent.Agent {
			return mustNew(t, agent.Config{Model: newWalker(8), Tools: w.tools(), Approve: later})
		}
		task := agent.Task{Prompt: "p", Session: &agent.Session{Store: store, ID: "s"}}
		result, err := run().Do(t.Context(), task)
		if err != nil || result.Stop != agent.Waiting || len(result.Waiting) != 1 || result.Waiting[0].Unknown {
			t.Fatalf("%v, %+v", err, result.Waiting)
		}
		again, err := run().Resume(t.Context(), store, "s")
		if err != nil || again.Stop != agent.Waiting || again.Usage != result.Usage {
			t.Fatalf("undecided: %v, %+v", err, again)
		}
		if err := session.Decide(t.Context(), store, "s", session.Verdict{Index: 2, Decision: session.Done}); err == nil {
			t.Error("a call that never began is said to be done")
		}
		must(t, session.Decide(t.Context(), store, "s", session.Verdict{Index: 2, Decision: decision, Text: "not now"}))
		result, err = run().Resume(t.Context(), store, "s")
		if err != nil || result.Stop != agent.Answered || len(w.wrote) != want.times {
			t.Errorf("%s: %v, %v after %d writes", decision, err, result.Stop, len(w.wrote))
		}
		raw, _ := json.Marshal(result.Transcript)
		if !strings.Contains(string(raw), want.text) {
			t.Errorf("%s: no %q in %s", decision, want.text, raw)
		}
	}
}

// Rule: a call that was cancelled is unknown, unless its tool can say whether it was done.
func TestCancelledCall(t *testing.T) {
	for _, done := range []string{"", "yes", "no"} {
		store, w := new(session.InMemory), new(world)
		ctx, cancel := context.WithCancel(t.Context())
		all := w.tools()
		call := all[1].Call
		all[1].Call = func(ctx context.Context, args json.RawMessage) (any, error) {
			if ctx.Err() == nil && len(w.wrote) == 0 && cancel != nil {
				cancel()
				cancel = nil
				return nil, ctx.Err()
			}
			return call(ctx, args)
		}
		if done != "" {
			all[1].Done = func(_ context.Context, key string) (any, bool, error) { return "wrote it before", done == "yes", nil }
		}
		a := mustNew(t, agent.Config{Model: newWalker(8), Tools: all})
		result, err := a.Do(ctx, agent.Task{Prompt: "p", Session: &agent.Session{Store: store, ID: "s"}})
		if result.Stop != agent.Cancelled {
			t.Fatalf("%v, %v", result.Stop, err)
		}
		result, err = a.Resume(t.Context(), store, "s")
		want := map[string]int{"": 0, "yes": 0, "no": 1}[done]
		if err != nil || (result.Stop == agent.Waiting) != (done == "") || len(w.wrote) != want {
			t.Errorf("done %q: %v, %v, %d writes", done, err, result.Stop, len(w.wrote))
		}
	}
}

// Rule: a session that is over returns its result, and takes another prompt; one that is not refuses it.
func TestSessionContinues(t *testing.T) {
	store, model := new(session.InMemory), newWalker(4)
	a := mustNew(t, agent.Config{Model: model, Tools: new(world).tools()})
	kept := &agent.Session{Store: store, ID: "s"}
	if _, err := a.Resume(t.Context(), store, "s"); !errors.Is(err, session.ErrUnknown) {
		t.Error(err)
	}
	first, err := a.Do(t.Context(), agent.Task{Prompt: "first", Session: kept})
	must(t, err)
	asked := len(model.sent)
	again, err := a.Resume(t.Context(), store, "s")
	if err != nil || len(model.sent) != asked || !cmp.Equal(first, again, comparable) {
		t.Errorf("%v after %d requests: %s", err, len(model.sent)-asked, cmp.Diff(first, again, comparable))
	}
	second, err := a.Do(t.Context(), agent.Task{Prompt: "second", Session: kept})
	if err != nil || second.Steps != 1 || !strings.Contains(model.sent[len(model.sent)-1], "first") {
		t.Errorf("%v: %+v", err, second)
	}
	must(t, session.RewindTo(t.Context(), store, "s", 0))
	if _, err = a.Do(t.Context(), agent.Task{Prompt: "third", Session: kept}); err == nil || !strings.Contains(err.Error(), "unfinished run") {
		t.Error(err)
	}
	must(t, session.Undo(t.Context(), store, "s"))
	if again, err = a.Resume(t.Context(), store, "s"); err != nil || again.Text != second.Text {
		t.Errorf("%v: %+v", err, again)
	}
	must(t, session.Fork(t.Context(), store, "s", "branch", 0))
	if again, err = a.Resume(t.Context(), store, "branch"); err != nil || again.Text != second.Text {
		t.Errorf("%v: %+v", err, again)
	}
	unlock, err := store.LockSession(t.Context(), "s")
	must(t, err)
	defer unlock()
	if _, err = a.Resume(t.Context(), store, "s"); !errors.Is(err, session.ErrInUse) {
		t.Error(err)
	}
	must(t, session.RewindTo(t.Context(), store, "branch", 0))
	fewer := mustNew(t, agent.Config{Model: model})
	if _, err = fewer.Resume(t.Context(), store, "branch"); err == nil || !strings.Contains(err.Error(), "read, ") {
		t.Error(err)
	}
}

// Rule: structured answers, continued answers and closing requests end a resumed run as they end an undisturbed one.
func TestResumedEnds(t *testing.T) {
	type sum struct {
		Total int `json:"total"`
	}
	long := strings.Repeat("word ", 50)
	for name, c := range map[string]struct {
		config agent.Config
		script []scripted.Line
		typed  bool
	}{
		"structured": {agent.Config{}, []scripted.Line{
			scripted.Calls(callEcho("a")), scripted.Text("no object"), scripted.Text(`{"total": "x"}`), scripted.Text(`{"total": 3}`)}, true},
		"continued": {agent.Config{}, []scripted.Line{
			scripted.Calls(callEcho("a")), {Text: long, Finish: providers.Length}, {Text: long, Finish: providers.Length}, scripted.Text("end")}, false},
		"step limit": {agent.Config{Limits: agent.Limits{Steps: 3}}, []scripted.Line{
			scripted.Calls(callEcho("a")), scripted.Calls(callEcho("b")), scripted.Text("so far")}, false},
		"stalled": {agent.Config{}, []scripted.Line{
			scripted.Calls(callEcho("a")), scripted.Calls(callEcho("a")), scripted.Calls(callEcho("a")), scripted.Calls(callEcho("a")), scripted.Text("same")}, false},
		"refused temperature": {agent.Config{Sampling: agent.Sampling{Temperature: new(float64)}}, []scripted.Line{
			{Err: &providers.Error{Class: providers.Invalid, Err: errors.New("temperature is not supported")}},
			scripted.Calls(callEcho("a")), scripted.Text("warm")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			c.config.Tools = []tools.Tool{echo}
			run := func(m *scripted.Model, task agent.Task) (any, *agent.Result, error) {
				config := c.config
				config.Model = m
				if c.typed {
					return agent.Typed[sum](t.Context(), mustNew(t, config), task)
				}
				result, err := mustNew(t, config).Do(t.Context(), task)
				return nil, result, err
			}
			tape, model := new(tape), scripted.New(c.script...)
			answer, want, err := run(model, agent.Task{Prompt: "p", Session: &agent.Session{Store: tape, ID: "s"}})
			must(t, err)
			records := recordsOf(t, tape, "s")
			asked := model.Requests()
			for _, end := range tape.ends {
				store, done := new(session.InMemory), 0
				must(t, store.AppendRecords(t.Context(), "s", 0, records[:end]...))
				for _, r := range records[:end] {
					if r.Step != nil {
						done++
					}
				}
				if name == "refused temperature" && done > 0 {
					done++
				}
				again := scripted.New(c.script[min(done, len(c.script)):]...)
				got, result, err := run(again, agent.Task{Session: &agent.Session{Store: store, ID: "s"}})
				if err != nil || got != answer || result.Stop != want.Stop || result.Text != want.Text || result.Steps != want.Steps {
					t.Fatalf("after %d records: %v: %v, want %v; %+v", end, err, got, answer, result)
				}
				for i, req := range again.Requests() {
					if a, b := asJSON(t, req), asJSON(t, asked[len(asked)-len(again.Requests())+i]); a != b {
						t.Fatalf("after %d records: request %d is\n%s, want\n%s", end, i, a, b)
					}
				}
			}
		})
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	must(t, err)
	return string(raw)
}

// Rule: a run that is made a step at a time, each by another agent, sends the bytes of a run in one go.
func TestStepAtATime(t *testing.T) {
	whole := newWalker(24)
	want, err := walk(t, whole, new(world)).Run(t.Context(), "p")
	must(t, err)
	store, w := new(session.InMemory), new(world)
	var sent []string
	task := agent.Task{Prompt: "p", Session: &agent.Session{Store: store, ID: "s", Steps: 1}}
	for n := 1; ; n++ {
		m := newWalker(24)
		got, err := walk(t, m, w).Do(t.Context(), task)
		must(t, err)
		sent = append(sent, m.sent...)
		task.Prompt = ""
		if got.Stop != agent.Paused {
			if diff := cmp.Diff(want, got, comparable); diff != "" || n != want.Steps || !slices.Equal(sent, whole.sent) {
				t.Errorf("%d parts, %d requests of %d: %s", n, len(sent), len(whole.sent), diff)
			}
			return
		}
	}
}

// Rule: a caller that panics, or takes no more events, leaves a session that can be resumed.
func TestSessionAfterBrokenCaller(t *testing.T) {
	for _, panics := range []bool{true, false} {
		store := new(session.InMemory)
		a := mustNew(t, agent.Config{Model: &newWalker(8).Walker, Tools: new(world).tools()})
		func() {
			defer func() { _ = recover() }()
			for e := range a.Stream(t.Context(), agent.Task{Prompt: "p", Session: &agent.Session{Store: store, ID: "s"}}) {
				if _, ok := e.(agent.StepFinished); ok && panics {
					panic("caller")
				} else if ok {
					break
				}
			}
		}()
		if result, err := a.Resume(t.Context(), store, "s"); err != nil || result.Text != "read 8 pages" {
			t.Errorf("panics %v: %v, %+v", panics, err, result)
		}
	}
}

// Rule: what was decided about a call holds for one attempt: if that dies, the call is unknown again.
func TestDecisionHoldsOnce(t *testing.T) {
	for _, first := range []string{session.Approve, session.Repeat} {
		store, w := new(tape), new(world)
		later := func(context.Context, transcript.ToolCall) (agent.Decision, error) {
			return agent.Decision{Wait: true}, nil
		}
		config := agent.Config{Model: &newWalker(8).Walker, Tools: w.tools()}
		if first == session.Approve {
			config.Approve = later
		} else {
			ctx, cancel := context.WithCancel(t.Context())
			call := config.Tools[1].Call
			config.Tools[1].Call = func(c context.Context, args json.RawMessage) (any, error) {
				if ctx.Err() == nil {
					cancel()
					return nil, ctx.Err()
				}
				return call(c, args)
			}
			_, _ = mustNew(t, config).Do(ctx, agent.Task{Prompt: "p", Session: &agent.Session{Store: store, ID: "s"}})
		}
		result, err := mustNew(t, config).Do(t.Context(), agent.Task{Prompt: map[bool]string{true: "p"}[first == session.Approve], Session: &agent.Session{Store: store, ID: "s"}})
		if err != nil || result.Stop != agent.Waiting {
			t.Fatalf("%s: %v, %+v", first, err, result)
		}
		must(t, session.Decide(t.Context(), store, "s", session.Verdict{Index: 2, Decision: first}))
		all := recordsOf(t, store, "s")
		key := "s.1"
		dead := new(session.InMemory)
		must(t, dead.AppendRecords(t.Context(), "s", 0, append(all, session.Record{Call: &session.Call{Index: 2, Key: key}})...))
		again, err := mustNew(t, config).Resume(t.Context(), dead, "s")
		if err != nil || again.Stop != agent.Waiting || !again.Waiting[0].Unknown || again.Waiting[0].Key != key || len(w.wrote) != 0 {
			t.Errorf("%s: %v, %v, %+v, wrote %v", first, err, again.Stop, again.Waiting, w.wrote)
		}
		if err := session.Decide(t.Context(), dead, "s", session.Verdict{Index: 2, Decision: session.Approve}); err == nil {
			t.Errorf("%s: an unknown call is approved", first)
		}
	}
}

// Rule: a resumed run has the settings of the run, not those that the agent would use by default.
func TestResumedSettings(t *testing.T) {
	warm := 0.7
	store, model := new(tape), newWalker(8)
	task := agent.Task{Prompt: "p", System: "Read.", Sampling: &agent.Sampling{Temperature: &warm, MaxOutput: 100},
		Limits: agent.Limits{Steps: 7}, History: []transcript.Message{{Role: transcript.User, Text: "before"}},
		Session: &agent.Session{Store: store, ID: "s"}}
	run := func(m *walker) *agent.Agent {
		return mustNew(t, agent.Config{Model: &m.Walker, Tools: new(world).tools()})
	}
	_, err := run(model).Do(t.Context(), task)
	must(t, err)
	all := recordsOf(t, store, "s")
	for _, end := range store.ends {
		cut, again := new(session.InMemory), newWalker(8)
		must(t, cut.AppendRecords(t.Context(), "s", 0, all[:end]...))
		result, err := run(again).Resume(t.Context(), cut, "s")
		must(t, err)
		if n := len(again.sent); result.Stop != agent.Waiting && !slices.Equal(again.sent, model.sent[len(model.sent)-n:]) {
			t.Fatalf("after %d records: %s", end, cmp.Diff(model.sent[len(model.sent)-n:], again.sent))
		}
	}
}
