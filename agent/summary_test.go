package agent_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent"
	agenttrace "github.com/forayhq/foray/agent/trace"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// slowly reads a page in ten seconds, no two of which share a line.
var slowly = tools.New("read", "Read.", func(ctx context.Context, in numberInput) (string, error) {
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case <-time.After(10 * time.Second):
		return strings.ReplaceAll(page(in.N), "\n", fmt.Sprintf(" // %d\n", in.N)), nil
	}
})

// summarizing runs 45 slow calls beside a summarizer and returns the trace too.
func summarizing(t *testing.T, summarizer providers.Model) (*agent.Result, []agent.SummaryFinished, []providers.Request, []byte) {
	t.Helper()
	model := scripted.New(append(reads(45), scripted.Text("done"))...)
	a := mustNew(t, agent.Config{Model: model, Tools: []tools.Tool{slowly}, Summarizer: summarizer, Budget: contextwindow.Budget{Limit: 24_000}})
	var trace strings.Builder
	var told []agent.SummaryFinished
	var result *agent.Result
	for e, err := range agenttrace.Write(a.Stream(t.Context(), agent.Task{Prompt: "prompt"}), &trace) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case agent.SummaryFinished:
			told = append(told, e)
		case agent.RunFinished:
			result = e.Result
		}
	}
	return result, told, model.Requests(), []byte(trace.String())
}

// summary answers a request for a summary as it should be answered.
func summary(req *providers.Request) scripted.Line {
	asked := lastText(*req)
	_, names, _ := strings.Cut(asked, "as far as it still matters: ")
	var b strings.Builder
	for l := range strings.Lines(asked) {
		if strings.HasPrefix(l, "## ") {
			b.WriteString(l + "read on\n")
		}
	}
	return scripted.Line{Text: b.String() + names, Usage: providers.Usage{Input: 1_000_000, Output: 100}}
}

func TestSummaryIsTakenBesideTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := scripted.New(scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
			line := summary(req)
			line.Delay = 5 * time.Second
			return line
		})))
		result, told, sent, trace := summarizing(t, model)
		if result.Text != "done" || result.Duration != 450*time.Second || len(result.Warnings) != 0 {
			t.Errorf("%q after %v, %q", result.Text, result.Duration, result.Warnings)
		}
		if len(told) == 0 || len(told) != len(model.Requests()) || result.Usage.Input < len(told)*1_000_000 {
			t.Fatalf("%d summaries of %d requests, usage %+v", len(told), len(model.Requests()), result.Usage)
		}
		for i, s := range told {
			if s.Err != nil || s.Units == 0 || s.Tokens == 0 || s.Usage.Output != 100 || s.Duration < 5*time.Second || s.Duration > 10*time.Second {
				t.Errorf("summary %d: %+v", i, s)
			}
		}
		shown := false
		for _, req := range sent {
			for _, m := range req.Messages {
				shown = shown || m.Origin == transcript.Runtime && strings.Contains(m.Text, "## Next step\nread on")
			}
		}
		if !shown {
			t.Error("no request shows the summary")
		}
		for i, req := range model.Requests() {
			if err := transcript.Check(req.Messages, transcript.AnyProvider); err != nil || req.Choice != providers.None || len(own(req)) != 1 {
				t.Errorf("request %d for a summary: choice %q, %v", i, req.Choice, err)
			}
		}
		if got, err := readTrace(trace); err != nil || !cmp.Equal(got, sent) {
			t.Errorf("the trace gives other requests: %v", err)
		}
	})
}

// wild is a model that does what no model may.
type wild struct {
	*scripted.Model
	do    func()
	calls *atomic.Int32
}

func (m wild) Stream(context.Context, *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(func(providers.Delta, error) bool) { m.calls.Add(1); m.do() }
}

// TestDeadSummarizerChangesNothing compares a run beside each kind of dead summarizer with one without: the same requests,
// the same time, one warning, and not more than two requests for a summary.
func TestDeadSummarizerChangesNothing(t *testing.T) {
	long := strings.Repeat("## Goal\nx\n", 10_000)
	var without *agent.Result
	var want []providers.Request
	synctest.Test(t, func(t *testing.T) { without, _, want, _ = summarizing(t, nil) })
	check := func(name string, result *agent.Result, told []agent.SummaryFinished, sent []providers.Request, requests int) {
		if !reflect.DeepEqual(want, sent) { // cmp takes seconds for requests this long
			t.Errorf("%s: requests (-without +beside):\n%s", name, cmp.Diff(want, sent))
		}
		if result.Text != "done" || result.Duration != without.Duration || len(result.Warnings) != 1 || !strings.Contains(result.Warnings[0], "a summary was not taken") {
			t.Errorf("%s: %q after %v, %q", name, result.Text, result.Duration, result.Warnings)
		}
		if len(told) != 2 || requests != 2 || told[0].Err == nil || told[1].Err == nil {
			t.Errorf("%s: %d requests, told %+v", name, requests, told)
		}
		if result.Usage.Input < without.Usage.Input {
			t.Errorf("%s: usage %+v, without %+v", name, result.Usage, without.Usage)
		}
	}
	for name, line := range map[string]scripted.Line{
		"hangs":      {Hang: true},
		"is slow":    {Text: "late", Delay: 2 * time.Minute},
		"fails":      scripted.Fail(providers.Transient),
		"no key":     scripted.Fail(providers.Auth),
		"empty":      {},
		"breaks off": scripted.Broken("## Goal\n"),
		"talks":      scripted.Text("Let me think about that."),
		"too long":   scripted.Text(long),
		"calls":      numbered("read", 3),
		"is cut off": {Text: "## Goal\nhalf of", Finish: providers.Length},
		"withheld":   {Finish: providers.Filtered},
	} {
		if ostest.RaceDetector && name != "hangs" && name != "fails" {
			continue // the goroutines are those of these two
		}
		synctest.Test(t, func(t *testing.T) {
			model := scripted.New(scripted.Repeat(0, line))
			result, told, sent, _ := summarizing(t, model)
			check(name, result, told, sent, len(model.Requests()))
		})
	}
	if !ostest.RaceDetector { // long
		synctest.Test(t, func(t *testing.T) {
			model := scripted.New(scripted.Repeat(0, scripted.Text(distinct(200_000))))
			result, told, sent, _ := summarizing(t, providers.Bound(model))
			check("endless", result, told, sent, len(model.Requests()))
			if providers.ClassOf(told[0].Err) != providers.TooLong {
				t.Errorf("the first summary ended with %v", told[0].Err)
			}
		})
	}
	for name, do := range map[string]func(){"panics": func() { panic("no summary") }, "exits": runtime.Goexit, "says nothing": func() {}} {
		synctest.Test(t, func(t *testing.T) {
			var calls atomic.Int32
			result, told, sent, _ := summarizing(t, wild{scripted.New(), do, &calls})
			check(name, result, told, sent, int(calls.Load()))
		})
	}
}

func TestSummarizerThatIgnoresTheEndIsAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, calls := make(chan struct{}), atomic.Int32{}
		result, told, _, _ := summarizing(t, wild{scripted.New(), func() { <-release }, &calls})
		if calls.Load() != 1 || len(told) != 0 || result.Duration != 455*time.Second || len(result.Warnings) != 1 || !strings.Contains(result.Warnings[0], "was abandoned") {
			t.Errorf("%d requests, %d told, %q after %v", calls.Load(), len(told), result.Warnings, result.Duration)
		}
		close(release)
	})
}

// TestEndOfTheRunEndsTheSummary has a summary under way when a run answers, reaches its limit of steps or of time: it is no
// failure of the summarizer.
func TestEndOfTheRunEndsTheSummary(t *testing.T) {
	for name, limits := range map[string]agent.Limits{"answer": {}, "steps": {Steps: 46}, "time": {Time: 475 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			model := scripted.New(scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
				line := summary(req)
				line.Hang = time.Since(began) > 390*time.Second
				return line
			})))
			a := mustNew(t, agent.Config{Model: scripted.New(append(reads(45), scripted.Text("done"))...), Tools: []tools.Tool{slowly}, Summarizer: model, Limits: limits, Budget: contextwindow.Budget{Limit: 24_000}})
			var result *agent.Result
			var last agent.SummaryFinished
			for e, err := range a.Stream(t.Context(), agent.Task{Prompt: "prompt"}) {
				if err != nil {
					t.Error(err)
				}
				switch e := e.(type) {
				case agent.SummaryFinished:
					last = e
				case agent.RunFinished:
					result = e.Result
				}
			}
			if last.Err == nil || last.Usage.Input != 1_000_000 || len(result.Warnings) != 0 || result.Duration > 450*time.Second {
				t.Errorf("%s: %s after %v, %q; the last summary ended with %v", name, result.Stop, result.Duration, result.Warnings, last.Err)
			}
		})
	}
}

func TestBreakingOffEndsTheSummary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := scripted.New(scripted.Repeat(0, scripted.Line{Hang: true}))
		a := mustNew(t, agent.Config{Model: scripted.New(reads(45)...), Tools: []tools.Tool{slowly}, Summarizer: model})
		began := time.Now()
		var at time.Duration
		for range a.Stream(t.Context(), agent.Task{Prompt: "prompt"}) {
			if at = time.Since(began); len(model.Requests()) == 1 {
				break
			}
		}
		if d := time.Since(began); d != at || len(model.Requests()) != 1 {
			t.Errorf("broken off after %v, over after %v, %d requests", at, d, len(model.Requests()))
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		model = scripted.New(scripted.Func(func(*providers.Request) scripted.Line {
			cancel(errors.New("enough"))
			return scripted.Line{Hang: true}
		}))
		a = mustNew(t, agent.Config{Model: scripted.New(reads(45)...), Tools: []tools.Tool{slowly}, Summarizer: model})
		if result, err := a.Run(ctx, "prompt"); !errors.Is(err, context.Canceled) || result.Stop != agent.Cancelled || len(result.Warnings) != 0 {
			t.Errorf("%v, %s, %q", err, result.Stop, result.Warnings)
		}
	})
}

// A oneSlot is a model on a server that keeps the prefix of one request.
type oneSlot struct {
	providers.Model
	name string
}

func (m oneSlot) Info() providers.Info {
	return providers.Info{Provider: "llamacpp", Name: m.name, Slots: 1}
}

// TestNoSummaryEvictsTheRun asks a summarizer on another server beside the run, and none on the run's own slot.
func TestNoSummaryEvictsTheRun(t *testing.T) {
	for name, asked := range map[string]bool{"m": false, "other": true} {
		synctest.Test(t, func(t *testing.T) {
			summarizer := scripted.New(scripted.Repeat(0, scripted.Func(summary)))
			a := mustNew(t, agent.Config{
				Model: oneSlot{scripted.New(append(reads(45), scripted.Text("done"))...), "m"}, Tools: []tools.Tool{slowly},
				Summarizer: oneSlot{summarizer, name}, Budget: contextwindow.Budget{Limit: 24_000},
			})
			if r, err := a.Run(t.Context(), "prompt"); err != nil || r.Text != "done" || len(r.Compactions) == 0 {
				t.Fatalf("%+v, %v", r, err)
			}
			if n := len(summarizer.Requests()); (n > 0) != asked {
				t.Errorf("summarizer %q: %d requests", name, n)
			}
		})
	}
}
