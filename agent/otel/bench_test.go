package otel_test

import (
	"context"
	"fmt"
	"iter"
	"testing"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/otel"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// discard takes spans at no cost.
type discard struct{}

func (discard) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return nil }
func (discard) Shutdown(context.Context) error                             { return nil }

// A wrapper observes a run, or passes it on.
type wrapper func(func(context.Context) iter.Seq2[agent.Event, error]) iter.Seq2[agent.Event, error]

func plain(run func(context.Context) iter.Seq2[agent.Event, error]) iter.Seq2[agent.Event, error] {
	return run(context.Background())
}

func observed(tb testing.TB, c otel.Config) wrapper {
	o, err := otel.New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return func(run func(context.Context) iter.Seq2[agent.Event, error]) iter.Seq2[agent.Event, error] {
		return o.Observe(context.Background(), otel.Run{}, run)
	}
}

// sdk is a configuration whose spans and metrics are collected and thrown away.
func sdk(tb testing.TB, content bool) otel.Config {
	traces := sdktrace.NewTracerProvider(sdktrace.WithBatcher(discard{}))
	tb.Cleanup(func() { _ = traces.Shutdown(context.Background()) })
	metrics := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))
	return otel.Config{Traces: traces, Metrics: metrics, Content: content}
}

// steps is the length of the run below.
const steps = 60

// longRun is a run over a window that is compacted, with a model and a tool that take no time.
func longRun(tb testing.TB, wrap wrapper) {
	instant := tools.New("read_file", "Read.", func(_ context.Context, in fileInput) (string, error) {
		return long(in.Path), nil
	})
	file := 0
	model := scripted.New(scripted.Repeat(steps-1, scripted.Func(func(*providers.Request) scripted.Line {
		file++
		return scripted.Calls(readCall(fmt.Sprintf("long%d.go", file)))
	})), scripted.Text("Enough."))
	a, err := agent.New(agent.Config{Model: model, Tools: []tools.Tool{instant}, Limits: agent.Limits{Steps: steps + 1}})
	if err != nil {
		tb.Fatal(err)
	}
	last := 0
	for e := range wrap(func(ctx context.Context) iter.Seq2[agent.Event, error] {
		return a.Stream(ctx, agent.Task{Prompt: "Read."})
	}) {
		if done, ok := e.(agent.RunFinished); ok {
			last = done.Result.Steps
		}
	}
	if last != steps {
		tb.Fatalf("the run has %d steps", last)
	}
}

// BenchmarkRun shows what tracing adds to a step: an upper bound of its share, since a real step takes seconds.
func BenchmarkRun(b *testing.B) {
	for _, c := range []struct {
		name string
		wrap wrapper
	}{
		{"plain", plain}, {"no_sdk", observed(b, otel.Config{})},
		{"traced", observed(b, sdk(b, false))}, {"content", observed(b, sdk(b, true))},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				longRun(b, c.wrap)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/steps, "µs/step")
		})
	}
}

// Rule: tracing costs a step at most 80 allocations. They take some 20 µs, of a second or more.
func TestCost(t *testing.T) {
	wrap := observed(t, sdk(t, false))
	before := testing.AllocsPerRun(3, func() { longRun(t, plain) })
	after := testing.AllocsPerRun(3, func() { longRun(t, wrap) })
	if extra := (after - before) / steps; extra > 80 {
		t.Errorf("tracing costs %.0f allocations a step", extra)
	}
}
