package otel

import (
	"context"
	"errors"
	"math"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools"
)

// A runSpan is the span of a run in progress, with those of its request and its calls.
type runSpan struct {
	*watch
	ctx            context.Context
	span           trace.Span
	began          time.Time
	agent          string
	model          []attribute.KeyValue // that the agent asks
	price          providers.Price
	asked, counted metric.MeasurementOption // of the model; counted has the modality, too
	done           bool

	request trace.Span
	shown   []transcript.Message // by the last request
	calls   map[string]*callSpan // in progress, by id

	requests, made, retries, warnings int
	used                              providers.Usage // by these requests
	cost                              float64         // of these requests, in dollars
	shortened                         bool            // the window was compacted
}

// A callSpan is the span of a call in progress.
type callSpan struct {
	ctx  context.Context
	span trace.Span
}

// start begins the span of a run below that of a context.
func (w *watch) start(above context.Context, name string) *runSpan {
	r := &runSpan{watch: w, began: time.Now(), agent: name, calls: make(map[string]*callSpan)}
	r.ctx, r.span = w.tracer.Start(above, opInvokeAgent, trace.WithAttributes(operation(opInvokeAgent)),
		trace.WithTimestamp(r.began))
	r.asked, r.counted = measured(nil, operation(opChat)), measured(nil, operation(opChat), modality)
	return r
}

// identify names the run and its model.
func (r *runSpan) identify(e agent.RunStarted) {
	r.agent, r.price = valid(plainName(e.Agent)), e.Model.Price
	r.model = []attribute.KeyValue{
		attribute.String(keyProvider, valid(providerName(e.Model.Provider))),
		attribute.String(keyRequestModel, valid(e.Model.Name)),
	}
	r.asked, r.counted = measured(r.model, operation(opChat)), measured(r.model, operation(opChat), modality)
	if !r.span.IsRecording() {
		return
	}
	r.span.SetName(opInvokeAgent + " " + r.agent)
	r.span.SetAttributes(r.model...)
	r.span.SetAttributes(attribute.String(keyAgent, r.agent), attribute.Int("foray.window.limit", e.Budget.Limit))
	r.converse(r.span)
}

// converse adds the id of the conversation to a span.
func (r *runSpan) converse(s trace.Span) {
	if r.conversation != "" {
		s.SetAttributes(attribute.String(keyConversation, valid(r.conversation)))
	}
}

// resumed links the run to the process that began it.
func (r *runSpan) resumed(e agent.RunResumed) {
	r.span.SetAttributes(attribute.Int("foray.resumed_after_steps", e.Steps))
	ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": e.Trace})
	if began := trace.SpanContextFromContext(ctx); began.IsValid() {
		r.span.AddLink(trace.Link{SpanContext: began, Attributes: []attribute.KeyValue{
			attribute.String("foray.link", "resumed run"),
		}})
	}
}

// sent begins the span of a request.
func (r *runSpan) sent(e agent.RequestSent) {
	r.requests++
	name := opChat
	if len(r.model) > 1 {
		name += " " + r.model[1].Value.AsString()
	}
	_, r.request = r.tracer.Start(r.ctx, name, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(operation(opChat)), trace.WithAttributes(r.model...))
	if r.request.IsRecording() {
		r.request.SetAttributes(requestAttributes(e.Request)...)
		r.request.SetAttributes(attribute.Int("foray.step", e.Step))
		r.converse(r.request)
		if r.shortened {
			r.request.SetAttributes(attribute.Bool("gen_ai.conversation.compacted", true))
		}
		if r.content {
			r.request.SetAttributes(r.additions(e.Request)...)
		}
	}
	r.shown = e.Request.Messages
}

// answered ends the span of a request.
func (r *runSpan) answered(e agent.RequestFinished) {
	if r.request == nil {
		return
	}
	r.bill(e)
	if s := r.request; s.IsRecording() {
		s.SetAttributes(usage(e.Response.Usage)...)
		s.SetAttributes(cacheUsage(e.Response.Usage)...)
		finish := string(e.Response.Finish)
		if e.Err != nil {
			finish = "error"
		}
		s.SetAttributes(attribute.StringSlice("gen_ai.response.finish_reasons", []string{finish}))
		if e.First > 0 {
			s.SetAttributes(attribute.Float64("gen_ai.response.time_to_first_chunk", e.First.Seconds()))
		}
		if r.content {
			s.SetAttributes(output(e.Response))
		}
		r.fail(s, e.Err)
	}
	r.request.End()
	r.request = nil
}

// called begins the span of a call. One of step 0 was made before the run: its end says how long it took.
func (r *runSpan) called(e agent.ToolStarted) {
	if e.Step > 0 {
		r.calls[e.Call.ID] = r.call(e.Call, e.Step, time.Now())
	}
}

func (r *runSpan) call(c transcript.ToolCall, step int, began time.Time) *callSpan {
	name := valid(c.Name)
	ctx, span := r.tracer.Start(r.ctx, opExecuteTool+" "+name, trace.WithTimestamp(began),
		trace.WithAttributes(operation(opExecuteTool), attribute.String(keyTool, name),
			attribute.String(keyToolType, "function"), attribute.String(keyAgent, r.agent)))
	if span.IsRecording() {
		span.SetAttributes(attribute.String("gen_ai.tool.call.id", c.ID), attribute.Int("foray.step", step))
		r.converse(span)
		if r.content {
			span.SetAttributes(attribute.String("gen_ai.tool.call.arguments", masked(string(c.Args))))
		}
	}
	return &callSpan{ctx, span}
}

// returned ends the span of a call. One that was not made gets a span without a duration.
func (r *runSpan) returned(e agent.ToolFinished) {
	r.made++
	rec := e.Record
	c := r.calls[rec.Made.ID]
	if c == nil {
		began := time.Now().Add(-rec.Duration) // may be that of an earlier process
		if began.Before(r.began) {
			began = r.began
		}
		c = r.call(rec.Made, e.Step, began)
	}
	delete(r.calls, rec.Made.ID)
	r.time(rec, r.agent)
	if s := c.span; s.IsRecording() {
		if rec.Abandoned {
			s.SetAttributes(attribute.Bool("foray.tool.abandoned", true))
		}
		if r.content && rec.Err == nil {
			_, text := tools.Render(rec.Value)
			s.SetAttributes(attribute.String("gen_ai.tool.call.result", masked(text)))
		}
		r.fail(s, rec.Err)
	}
	c.span.End()
}

// compacted makes the span of a compaction, which began when the caller had taken the event before it.
func (r *runSpan) compacted(c contextwindow.Compaction) {
	r.shortened = true
	r.compactions.Add(r.ctx, 1, levelOf(c))
	r.invalidated.Add(r.ctx, int64(c.Invalidated), levelOf(c))
	_, s := r.tracer.Start(r.ctx, "compact", trace.WithTimestamp(r.idle), trace.WithAttributes(
		attribute.Int("foray.compaction.level", c.Level),
		attribute.StringSlice("foray.compaction.steps", c.Steps),
		attribute.Int("foray.compaction.before", c.Before),
		attribute.Int("foray.compaction.after", c.After),
		attribute.Int("foray.compaction.invalidated", c.Invalidated),
		attribute.Int("foray.compaction.reasoning_lost", c.ProviderData),
		attribute.Int("foray.compaction.evicted", c.Evicted),
		attribute.Int("foray.compaction.removed", c.Removed),
		attribute.Bool("foray.compaction.thrash", c.Thrash)))
	s.End()
}

// summarized makes the span of a request to the summarizer, whose model the event does not name.
func (r *runSpan) summarized(e agent.SummaryFinished) {
	now := time.Now()
	_, s := r.tracer.Start(r.ctx, "summarize", trace.WithTimestamp(now.Add(-e.Duration)), trace.WithAttributes(
		attribute.Int("foray.summary.units", e.Units), attribute.Int("foray.summary.tokens", e.Tokens)))
	s.SetAttributes(usage(e.Usage)...)
	r.fail(s, e.Err)
	s.End(trace.WithTimestamp(now))
}

// finish ends the span of a run, and of what is still open below it.
func (r *runSpan) finish(result *agent.Result, err error) {
	if r.done {
		return
	}
	r.total(err)
	if s := r.span; s.IsRecording() {
		s.SetAttributes(usage(r.used)...)
		s.SetAttributes(attribute.String("foray.stop", string(result.Stop)), attribute.Int("foray.steps", result.Steps),
			attribute.Int("foray.tool_calls", r.made), attribute.Int("foray.retries", r.retries),
			attribute.Int("foray.warnings", r.warnings))
		if r.price != (providers.Price{}) {
			s.SetAttributes(attribute.Float64("foray.cost", math.Round(r.cost*1e9)/1e9))
		}
		if r.content {
			s.SetAttributes(attribute.String("gen_ai.output.messages", textMessage("assistant", result.Text)))
		}
		r.fail(s, err)
	}
	r.abandon()
}

// abandon ends the spans of a run as they are.
func (r *runSpan) abandon() {
	if r.done {
		return
	}
	r.done = true
	for _, c := range r.calls {
		c.span.End()
	}
	if r.request != nil {
		r.request.End()
	}
	r.span.End()
}

// fail marks a span whose operation failed.
func (r *runSpan) fail(s trace.Span, err error) {
	if err == nil {
		return
	}
	s.SetAttributes(attribute.String(keyError, errorType(err)))
	text := ""
	if r.content {
		text = masked(err.Error())
	}
	s.SetStatus(codes.Error, text)
}

// errorType returns the class of an error of a model, or a word for one of a tool.
func errorType(err error) string {
	var arguments *tools.ArgumentError
	switch class := providers.ClassOf(err); {
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case class != "":
		return string(class)
	case errors.As(err, &arguments):
		return "invalid_arguments"
	}
	return "_OTHER"
}
