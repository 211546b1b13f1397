package otel

import (
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
)

// The bounds of histograms. Those of durations and tokens are the conventions'.
var (
	secondBounds = []float64{.01, .02, .04, .08, .16, .32, .64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
	runBounds    = []float64{.1, .2, .4, .8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6}
	tokenBounds  = []float64{1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216,
		67_108_864}
	countBounds = []float64{1, 2, 4, 8, 16, 32, 64, 128}
	shareBounds = []float64{.1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .99}
)

// instruments are the metrics of an observer.
type instruments struct {
	inferenceTime, firstChunk, invokeTime, toolTime metric.Float64Histogram
	inputPer, outputPer, inferenceCalls, toolCalls  metric.Int64Histogram
	input, output, cached, reasoning                metric.Int64Counter

	cacheShare               metric.Float64Histogram
	costs                    metric.Float64Counter
	compactions, invalidated metric.Int64Counter
}

// create makes the instruments.
func (i *instruments) create(m metric.Meter) error {
	var errs []error
	for _, h := range []struct {
		to     *metric.Float64Histogram
		name   string
		unit   string
		bounds []float64
		about  string
	}{
		{&i.inferenceTime, "gen_ai.client.inference.duration", "s", secondBounds, "Duration of a request to a model."},
		{&i.firstChunk, "gen_ai.client.inference.time_to_first_chunk", "s", secondBounds,
			"Time until the first part of an answer."},
		{&i.invokeTime, "gen_ai.invoke_agent.duration", "s", runBounds, "Duration of a run."},
		{&i.toolTime, "gen_ai.execute_tool.duration", "s", secondBounds, "Duration of a call."},
		{&i.cacheShare, "foray.cache.share", "1", shareBounds,
			"Share of the input of a request that the provider's cache held."},
	} {
		made, err := m.Float64Histogram(h.name, metric.WithUnit(h.unit), metric.WithDescription(h.about),
			metric.WithExplicitBucketBoundaries(h.bounds...))
		*h.to, errs = made, append(errs, err)
	}
	for _, h := range []struct {
		to     *metric.Int64Histogram
		name   string
		unit   string
		bounds []float64
		about  string
	}{
		{&i.inputPer, "gen_ai.client.inference.operation.input_tokens", "{token}", tokenBounds, "Input of a request."},
		{&i.outputPer, "gen_ai.client.inference.operation.output_tokens", "{token}", tokenBounds, "Output of a request."},
		{&i.inferenceCalls, "gen_ai.invoke_agent.inference_calls", "{inference_call}", countBounds, "Requests of a run."},
		{&i.toolCalls, "gen_ai.invoke_agent.tool_calls", "{tool_call}", countBounds, "Calls of a run."},
	} {
		made, err := m.Int64Histogram(h.name, metric.WithUnit(h.unit), metric.WithDescription(h.about),
			metric.WithExplicitBucketBoundaries(h.bounds...))
		*h.to, errs = made, append(errs, err)
	}
	return errors.Join(append(errs, i.createCounters(m))...)
}

func (i *instruments) createCounters(m metric.Meter) error {
	var errs []error
	for _, c := range []struct {
		to                *metric.Int64Counter
		name, unit, about string
	}{
		{&i.input, "gen_ai.client.inference.usage.input_tokens", "{token}", "Input tokens, cached ones included."},
		{&i.output, "gen_ai.client.inference.usage.output_tokens", "{token}", "Output tokens, reasoning included."},
		{&i.cached, "gen_ai.client.inference.usage.cache_read.input_tokens", "{token}",
			"Input tokens that the provider's cache held."},
		{&i.reasoning, "gen_ai.client.inference.usage.reasoning.output_tokens", "{token}", "Output tokens of reasoning."},
		{&i.compactions, "foray.compactions", "{compaction}", "Compactions of windows."},
		{&i.invalidated, "foray.compaction.invalidated_tokens", "{token}",
			"Tokens that compactions took out of providers' caches, estimated."},
	} {
		made, err := m.Int64Counter(c.name, metric.WithUnit(c.unit), metric.WithDescription(c.about))
		*c.to, errs = made, append(errs, err)
	}
	made, err := m.Float64Counter("foray.cost", metric.WithUnit("{USD}"),
		metric.WithDescription("Cost of answers of models with a known price, in US dollars."))
	i.costs = made
	return errors.Join(append(errs, err)...)
}

// modality is that of all tokens: providers do not break usage down for us.
var modality = attribute.String("gen_ai.token.modality", "unknown")

// measured are the attributes of a measurement: those of a model and more.
func measured(model []attribute.KeyValue, more ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(append(model[:len(model):len(model)], more...)...))
}

// bill measures an answer.
func (r *runSpan) bill(e agent.RequestFinished) {
	ctx, u, of, failed := r.ctx, e.Response.Usage, r.asked, r.asked
	r.used = r.used.Add(u)
	if e.Err != nil {
		failed = measured(r.model, operation(opChat), attribute.String(keyError, errorType(e.Err)))
	}
	r.inferenceTime.Record(ctx, e.Duration.Seconds(), failed)
	if e.First > 0 {
		r.firstChunk.Record(ctx, e.First.Seconds(), of)
	}
	r.inputPer.Record(ctx, int64(u.Input), failed)
	r.outputPer.Record(ctx, int64(u.Output), failed)
	r.input.Add(ctx, int64(u.Input), r.counted)
	r.output.Add(ctx, int64(u.Output), r.counted)
	r.cached.Add(ctx, int64(u.Cached), r.counted)
	r.reasoning.Add(ctx, int64(u.Reasoning), r.counted)
	if u.Input > 0 {
		r.cacheShare.Record(ctx, float64(u.Cached)/float64(u.Input), of)
	}
	if r.price != (providers.Price{}) {
		cost := r.price.Cost(u)
		r.cost += cost
		r.costs.Add(ctx, cost, of)
	}
}

// time measures a call that was made.
func (r *runSpan) time(rec agent.ToolRecord, name string) {
	if rec.Started.IsZero() && rec.Err != nil {
		return
	}
	as := []attribute.KeyValue{
		attribute.String(keyTool, valid(rec.Made.Name)), attribute.String(keyToolType, "function"),
		attribute.String(keyAgent, name),
	}
	if rec.Err != nil {
		as = append(as, attribute.String(keyError, errorType(rec.Err)))
	}
	r.toolTime.Record(r.ctx, rec.Duration.Seconds(), metric.WithAttributes(as...))
}

// total measures a finished run.
func (r *runSpan) total(err error) {
	name := attribute.String(keyAgent, r.agent)
	of := measured(r.model, name)
	r.inferenceCalls.Record(r.ctx, int64(r.requests), of)
	r.toolCalls.Record(r.ctx, int64(r.made), of)
	if err != nil {
		of = measured(r.model, name, attribute.String(keyError, errorType(err)))
	}
	r.invokeTime.Record(r.ctx, sinceSeconds(r.began), of)
}

func levelOf(c contextwindow.Compaction) metric.MeasurementOption {
	return metric.WithAttributes(attribute.Int("foray.compaction.level", c.Level))
}
