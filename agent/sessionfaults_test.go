package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/internal/sessionwalk"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools"
)

// interrupted returns the records of a run whose process died in its first call with effects.
func interrupted(t *testing.T) []session.Record {
	t.Helper()
	store := new(tape)
	a := mustNew(t, agent.Config{Model: &newWalker(8).Walker, Tools: new(world).tools()})
	_, err := a.Do(t.Context(), agent.Task{Prompt: "p", Session: &agent.Session{Store: store, ID: "s"}})
	must(t, err)
	all := recordsOf(t, store, "s")
	i := slices.IndexFunc(all, func(r session.Record) bool { return r.Call != nil })
	return all[:i+1]
}

func keptAs(t *testing.T, id string, records []session.Record) *session.InMemory {
	t.Helper()
	store := new(session.InMemory)
	must(t, store.AppendRecords(t.Context(), id, 0, records...))
	return store
}

// Rule: an unknown call is asked about, whatever has changed since: its limits, its tool, or the name of its session.
func TestUnknownCallIsAskedAbout(t *testing.T) {
	records := interrupted(t)
	key := records[len(records)-1].Call.Key
	plain := func(ts []tools.Tool) { ts[1].Effects = false }
	none := func([]tools.Tool) {}
	for name, c := range map[string]struct {
		change func([]tools.Tool)
		limits agent.Limits
		id     string
	}{
		"tighter limit": {none, agent.Limits{Steps: 2}, "s"},
		"no effects":    {plain, agent.Limits{}, "s"},
		"a copy":        {none, agent.Limits{}, "copy"},
	} {
		w := new(world)
		ts := w.tools()
		c.change(ts)
		a := mustNew(t, agent.Config{Model: &newWalker(8).Walker, Tools: ts, Limits: c.limits})
		got, err := a.Resume(t.Context(), keptAs(t, c.id, records), c.id)
		if err != nil || got.Stop != agent.Waiting || !got.Waiting[0].Unknown || got.Waiting[0].Key != key || len(w.wrote) != 0 {
			t.Errorf("%s: %v, %v, %+v, wrote %v", name, err, got.Stop, got.Waiting, w.wrote)
		}
	}
}

// Rule: a tool that cannot say in time whether its call was done, or panics, or has no text for its result leaves the
// question to a person, and is asked about the key that the call was made with.
func TestToolCannotSay(t *testing.T) {
	records := interrupted(t)
	key := records[len(records)-1].Call.Key
	end := make(chan struct{})
	defer close(end)
	for name, answer := range map[string]func(context.Context) (any, bool, error){
		"hangs":  func(context.Context) (any, bool, error) { <-end; return nil, false, nil },
		"panics": func(context.Context) (any, bool, error) { panic("done") },
		"fails":  func(context.Context) (any, bool, error) { return nil, true, errors.New("gone") },
		"odd":    func(context.Context) (any, bool, error) { return make(chan int), true, nil },
	} {
		ts := new(world).tools()
		asked := make(chan string, 1)
		ts[1].Done = func(ctx context.Context, key string) (any, bool, error) { asked <- key; return answer(ctx) }
		limits := agent.Limits{ToolTimeout: 30 * time.Millisecond, ToolGrace: time.Millisecond}
		a := mustNew(t, agent.Config{Model: &newWalker(8).Walker, Tools: ts, Limits: limits})
		got, err := a.Resume(t.Context(), keptAs(t, "copy", records), "copy")
		if err != nil || got.Stop != agent.Waiting || len(got.Warnings) == 0 {
			t.Errorf("%s: %v, %v, %v", name, err, got.Stop, got.Warnings)
		}
		if k := <-asked; k != key {
			t.Errorf("%s: asked about %q, made as %q", name, k, key)
		}
	}
}

// A slow store fails one append, after the time of the run.
type slow struct {
	session.InMemory
	fails, appends int
}

func (s *slow) AppendRecords(ctx context.Context, id string, from int, records ...session.Record) error {
	if s.appends++; s.appends == s.fails {
		time.Sleep(150 * time.Millisecond)
		return errors.New("disk full")
	}
	return s.InMemory.AppendRecords(ctx, id, from, records...)
}

// Rule: nothing is written past a transaction that failed, although the run would close for another reason.
func TestNothingFollowsAFailedTransaction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &slow{fails: 3}
		config := agent.Config{Model: &newWalker(8).Walker, Tools: new(world).tools(), Limits: agent.Limits{Time: 100 * time.Millisecond}}
		kept := &agent.Session{Store: store, ID: "s"}
		got, err := mustNew(t, config).Do(t.Context(), agent.Task{Prompt: "p", Session: kept})
		if err == nil || got.Stop != agent.Failed || store.appends != store.fails {
			t.Errorf("%v, %v after %d appends", err, got.Stop, store.appends)
		}
		config.Limits = agent.Limits{}
		if _, err := session.Load(t.Context(), store, "s"); err != nil {
			t.Error(err)
		}
		got, err = mustNew(t, config).Resume(t.Context(), &store.InMemory, "s")
		if errors.Is(err, session.ErrDamaged) || err != nil && strings.Contains(err.Error(), "damaged") {
			t.Errorf("%v, %v", err, got.Stop)
		}
	})
}

// A refusing model fails its first request.
type refusing struct {
	*walker
	left int
}

func (m *refusing) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	if m.left--; m.left >= 0 {
		return func(yield func(providers.Delta, error) bool) {
			yield(providers.Delta{}, &providers.Error{Class: providers.Auth, Err: errors.New("no key")})
		}
	}
	return m.walker.Stream(ctx, req)
}

// Rule: a message that the run has taken is not lost with its request.
func TestInboxSurvivesFailure(t *testing.T) {
	store, model := new(session.InMemory), &refusing{newWalker(4), 1}
	a := mustNew(t, agent.Config{Model: model, Tools: new(world).tools()})
	inbox := new(agent.Inbox)
	inbox.Send("mind the gap")
	got, err := a.Do(t.Context(), agent.Task{Prompt: "p", Inbox: inbox, Session: &agent.Session{Store: store, ID: "s"}})
	if err == nil || got.Stop != agent.Failed {
		t.Fatalf("%v, %v", err, got.Stop)
	}
	if _, err := a.Resume(t.Context(), store, "s"); err != nil || !strings.Contains(model.sent[0], "mind the gap") {
		t.Errorf("%v: %.300s", err, model.sent)
	}
}

// Rule: a result that is too large to keep fails its call, and not the run.
func TestResultTooLargeToKeep(t *testing.T) {
	ts := new(world).tools()
	ts[0].Call = func(context.Context, json.RawMessage) (any, error) {
		return "page 4\n" + strings.Repeat("x", 9<<20), nil
	}
	calls := 0
	a := mustNew(t, agent.Config{Model: &newWalker(4).Walker, Tools: ts, Limits: agent.Limits{Steps: 3}})
	got, err := a.Do(t.Context(), agent.Task{Prompt: "p", Session: &agent.Session{Store: new(session.InMemory), ID: "s"}})
	for _, rec := range got.Tools {
		if rec.Err != nil && strings.Contains(rec.Err.Error(), "too large to keep") {
			calls++
		}
	}
	if err != nil || calls == 0 {
		t.Errorf("%v, %v: %d calls failed of %d", err, got.Stop, calls, len(got.Tools))
	}
}

// Rule: rewinds are undone one after the other, the newest first.
func TestUndoRewinds(t *testing.T) {
	store := new(session.InMemory)
	a := mustNew(t, agent.Config{Model: &sessionwalk.Walker{Pages: 6}, Tools: new(world).tools()})
	_, err := a.Do(t.Context(), agent.Task{Prompt: "p", Session: &agent.Session{Store: store, ID: "s"}})
	must(t, err)
	whole := func() int {
		state, err := session.Load(t.Context(), store, "s")
		must(t, err)
		return len(state.Last().Steps)
	}
	all := whole()
	must(t, session.RewindTo(t.Context(), store, "s", 3))
	must(t, session.RewindTo(t.Context(), store, "s", 1))
	for _, want := range []int{3, all} {
		if must(t, session.Undo(t.Context(), store, "s")); whole() != want {
			t.Errorf("%d steps, want %d", whole(), want)
		}
	}
	if err := session.Undo(t.Context(), store, "s"); err == nil {
		t.Error("nothing is undone without an error")
	}
}
