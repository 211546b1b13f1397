package temporal_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/log"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/temporal"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/sessionwalk"
)

// A world is what is outside of runs: their store, the requests that were sent, and what was written.
type world struct {
	session.InMemory
	sent, wrote []string
	setups      []string
	fail        int // how many writes fail
}

// walk makes an agent that reads 40 pages.
func (w *world) walk(setup json.RawMessage) (*agent.Agent, error) {
	w.setups = append(w.setups, string(setup))
	m := &sessionwalk.Walker{Pages: 40, Sent: func(request string) { w.sent = append(w.sent, request) }}
	return sessionwalk.New(m, sessionwalk.Tools(w.write, nil))
}

// careful makes an agent whose writes a person has to approve.
func (w *world) careful(json.RawMessage) (*agent.Agent, error) {
	return agent.New(agent.Config{
		Model: &sessionwalk.Walker{Pages: 12}, Tools: sessionwalk.Tools(w.write, nil),
		Approve: func(context.Context, transcript.ToolCall) (agent.Decision, error) {
			return agent.Decision{Wait: true}, nil
		},
	})
}

func (w *world) write(key string) error {
	w.wrote = append(w.wrote, key)
	return nil
}

// AppendRecords fails as often as the test says.
func (w *world) AppendRecords(ctx context.Context, id string, from int, records ...session.Record) error {
	if w.fail > 0 && from > 0 {
		w.fail--
		return errors.New("the store is away")
	}
	return w.InMemory.AppendRecords(ctx, id, from, records...)
}

// play runs a workflow in Temporal's simulation, and calls meanwhile after a second, if it is not nil.
func (w *world) play(t *testing.T, in temporal.Input, meanwhile func(*testsuite.TestWorkflowEnvironment)) (
	s temporal.Summary, err error,
) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	e := suite.NewTestWorkflowEnvironment()
	e.SetTestTimeout(time.Minute)
	(&temporal.Worker{Store: w, Agents: map[string]func(json.RawMessage) (*agent.Agent, error){
		"walker": w.walk, "careful": w.careful,
	}}).Register(e)
	if meanwhile != nil {
		e.RegisterDelayedCallback(func() { meanwhile(e) }, time.Second)
	}
	e.ExecuteWorkflow("foray.Run", in)
	err = e.GetWorkflowResult(&s)
	return s, err
}

func begin(agent string) temporal.Input {
	return temporal.Input{Session: "s", Agent: agent, Setup: []byte(`{"a":1}`), Prompt: "Read all pages."}
}

// A run by steps sends the requests of a run in one piece, also if its store fails now and then.
func TestSteps(t *testing.T) {
	whole := new(world)
	a, err := whole.walk(nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := a.Do(t.Context(), agent.Task{Prompt: "Read all pages."})
	if err != nil {
		t.Fatal(err)
	}
	for _, failures := range []int{0, 3} {
		w := &world{fail: failures}
		got, err := w.play(t, begin("walker"), nil)
		if err != nil || got.Stop != want.Stop || got.Steps != want.Steps || got.Usage != want.Usage {
			t.Fatalf("%+v %v, want %d steps, %+v", got, err, want.Steps, want.Usage)
		}
		if sent := slices.Compact(w.sent); !slices.Equal(sent, whole.sent) {
			t.Errorf("%d failures: %d requests differ from the %d of one piece", failures, len(sent), len(whole.sent))
		}
		if i := slices.IndexFunc(w.setups, func(s string) bool { return s != `{"a":1}` }); i >= 0 {
			t.Errorf("step %d has the setup %q", i, w.setups[i])
		}
	}
}

// A message is the prompt of another run when the run is over, with the setup of the session.
func TestSay(t *testing.T) {
	w := new(world)
	in := begin("walker")
	in.Wait = time.Hour
	got, err := w.play(t, in, func(e *testsuite.TestWorkflowEnvironment) { e.SignalWorkflow(temporal.Say, "And then?") })
	if err != nil || got.Runs != 2 || got.Stop != agent.Answered {
		t.Errorf("%+v %v", got, err)
	}
	in.Prompt, in.Setup = "", nil
	if got, err = w.play(t, in, nil); err != nil || got.Runs != 2 || w.setups[len(w.setups)-1] != `{"a":1}` {
		t.Errorf("a run that was over: %+v %v", got, err)
	}
}

// A person decides about a call by a signal. A decision about nothing is ignored.
func TestDecide(t *testing.T) {
	w := new(world)
	got, err := w.play(t, begin("careful"), func(e *testsuite.TestWorkflowEnvironment) {
		var state temporal.Summary
		v, err := e.QueryWorkflow(temporal.State)
		if err != nil || v.Get(&state) != nil || state.Stop != agent.Waiting || len(state.Waiting) != 1 {
			t.Fatalf("%+v %v", state, err)
		}
		e.SignalWorkflow(temporal.Decide, session.Verdict{Index: 77, Decision: session.Approve})
		e.SignalWorkflow(temporal.Decide, session.Verdict{Index: state.Waiting[0].Index, Decision: session.Approve})
	})
	if err != nil || got.Stop != agent.Answered || len(w.wrote) != 1 {
		t.Errorf("%+v %v, %d calls", got, err, len(w.wrote))
	}
}

// A workflow that is cancelled while it waits ends, and another one finds the run waiting.
func TestCancel(t *testing.T) {
	w := new(world)
	_, err := w.play(t, begin("careful"), func(e *testsuite.TestWorkflowEnvironment) { e.CancelWorkflow() })
	if !sdk.IsCanceledError(err) && (err == nil || !strings.Contains(err.Error(), "canceled")) {
		t.Errorf("cancelled: %v", err)
	}
	in := begin("careful")
	if _, err := w.play(t, in, nil); err == nil || !strings.Contains(err.Error(), "not over") {
		t.Errorf("another prompt: %v", err)
	}
	in.Prompt = ""
	got, err := w.play(t, in, func(e *testsuite.TestWorkflowEnvironment) {
		e.SignalWorkflow(temporal.Decide, session.Verdict{Index: 2, Decision: session.Refuse, Text: "no"})
	})
	if err != nil || got.Stop != agent.Answered || len(w.wrote) != 0 {
		t.Errorf("%+v %v, %d calls", got, err, len(w.wrote))
	}
}

// What another attempt cannot repair fails at once, and says why.
func TestBadInput(t *testing.T) {
	unknown, none := begin("nobody"), begin("walker")
	none.Prompt = ""
	for want, in := range map[string]temporal.Input{
		`unknown agent "nobody": this worker has careful, walker`: unknown,
		`session "s": no such session: begin it with a prompt`:    none,
	} {
		var failed *sdk.ApplicationError
		_, err := new(world).play(t, in, nil)
		if !errors.As(err, &failed) || !failed.NonRetryable() || failed.Message() != want {
			t.Errorf("%s: %v", want, err)
		}
	}
}
