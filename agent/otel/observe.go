package otel

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/forayhq/foray/agent"
)

// scope is the name of the instrumentation.
const scope = "github.com/forayhq/foray/agent/otel"

// A Config says where spans and metrics go. The zero value is ready.
type Config struct {
	Traces  trace.TracerProvider // nil: the global one
	Metrics metric.MeterProvider // nil: the global one
	Content bool                 // record prompts, answers, arguments and results, without the credentials in them
}

// An Observer makes spans and metrics of runs. It is immutable and safe for concurrent use.
type Observer struct {
	tracer  trace.Tracer
	content bool
	instruments
}

// New returns an observer. The error is that of a metrics provider which refuses an instrument.
func New(c Config) (*Observer, error) {
	if c.Traces == nil {
		c.Traces = otel.GetTracerProvider()
	}
	if c.Metrics == nil {
		c.Metrics = otel.GetMeterProvider()
	}
	o := &Observer{tracer: c.Traces.Tracer(scope), content: c.Content}
	if err := o.create(c.Metrics.Meter(scope)); err != nil {
		return nil, fmt.Errorf("otel: %w", err)
	}
	return o, nil
}

// A Run is what [Observer.Observe] knows of a run besides its events.
type Run struct {
	Conversation string         // gen_ai.conversation.id; "": the id of Session, if any
	Session      *agent.Session // of the run: Observe sets its Trace; nil: none
}

// Observe runs a run and passes its events on. The span of the run begins with the iteration, below the span in ctx,
// and ends with it. The context that run gets carries the span, so that spans of others made there are below it.
func (o *Observer) Observe(
	ctx context.Context, r Run, run func(context.Context) iter.Seq2[agent.Event, error],
) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		w := &watch{Observer: o, conversation: r.Conversation, runs: make(map[string]*runSpan)}
		root := w.start(ctx, "")
		if r.Session != nil {
			if w.conversation == "" {
				w.conversation = r.Session.ID
			}
			r.Session.Trace = traceparent(root.ctx)
		}
		w.root = root
		defer w.end()
		w.idle = time.Now()
		for e, err := range run(root.ctx) {
			w.take(e, err)
			if !yield(e, err) {
				return
			}
			w.idle = time.Now()
		}
	}
}

// traceparent writes the span of a context as W3C Trace Context has it; "" without one that is recorded.
func traceparent(ctx context.Context) string {
	header := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, header)
	return header.Get("traceparent")
}

// A watch makes the spans of one run and its sub-agents.
type watch struct {
	*Observer
	conversation string
	root         *runSpan
	runs         map[string]*runSpan // by the name of the agent
	idle         time.Time           // when the caller took the last event
}

// take makes of an event what it is for a trace.
func (w *watch) take(e agent.Event, err error) {
	switch e := e.(type) {
	case agent.RunStarted:
		w.started(e)
	case agent.RunResumed:
		w.of(e.Agent).resumed(e)
	case agent.RequestSent:
		w.of(e.Agent).sent(e)
	case agent.RequestFinished:
		w.of(e.Agent).answered(e)
	case agent.RequestRetried:
		w.of(e.Agent).retries++
	case agent.ToolStarted:
		w.of(e.Agent).called(e)
	case agent.ToolFinished:
		w.of(e.Agent).returned(e)
	case agent.WindowCompacted:
		w.of(e.Agent).compacted(e.Compaction)
	case agent.SummaryFinished:
		w.of(e.Agent).summarized(e)
	case agent.WarningRaised:
		w.of(e.Agent).warnings++
	case agent.SubagentFinished:
		w.of(e.Agent).finish(e.Result, e.Err)
		delete(w.runs, e.Agent)
	case agent.RunFinished:
		w.of(e.Agent).finish(e.Result, err)
		delete(w.runs, e.Agent)
	case agent.Text, agent.Reasoning, agent.ToolProgressed, agent.ReadingProgressed, agent.NoteWritten,
		agent.MessageInjected, agent.EntriesAppended, agent.StepFinished:
	}
}

// started begins the span of a sub-agent, or completes that of the run itself.
func (w *watch) started(e agent.RunStarted) {
	r := w.root
	if caller := w.caller(e.Agent); caller != nil {
		above := caller.ctx
		if c := caller.calls[e.Call]; c != nil {
			above = c.ctx
		}
		r = w.start(above, e.Agent)
	}
	w.runs[e.Agent] = r
	r.identify(e)
}

// caller returns the run that runs a sub-agent of this name, CALLER/NAME@STEP.CALL, or nil.
func (w *watch) caller(name string) *runSpan {
	for i := strings.LastIndexByte(name, '/'); i > 0; i = strings.LastIndexByte(name[:i], '/') {
		if r := w.runs[name[:i]]; r != nil {
			return r
		}
	}
	return nil
}

// of returns the run of an agent: the outermost one for a name that has not started.
func (w *watch) of(name string) *runSpan {
	if r := w.runs[name]; r != nil {
		return r
	}
	return w.root
}

// end ends the spans of runs whose end the caller did not wait for.
func (w *watch) end() {
	for _, r := range w.runs {
		r.abandon()
	}
	w.root.abandon()
}
