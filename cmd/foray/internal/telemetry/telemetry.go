// Package telemetry sends the spans and metrics of foray's runs to an OTLP endpoint.
//
// Start with [Flags]. The standard variables say where and how: OTEL_EXPORTER_OTLP_ENDPOINT, _HEADERS, _TIMEOUT,
// _CERTIFICATE and their forms for traces and metrics, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES,
// OTEL_TRACES_SAMPLER, OTEL_BSP_*, OTEL_METRIC_EXPORT_*, OTEL_SDK_DISABLED. The protocol is http/protobuf.
//
// # Invariants
//
// A run never waits for the endpoint: spans are sent in the background, and the end of the command waits a second for
// the last ones. What did not arrive is reported once.
package telemetry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	sdk "go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/otel"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/internal/line"
)

// Flags say whether runs are traced.
type Flags struct{ on, content bool }

// Define defines --otel and --otel-content.
func (f *Flags) Define(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.on, "otel", false,
		"send spans and metrics to $OTEL_EXPORTER_OTLP_ENDPOINT (default: http://localhost:4318)")
	cmd.Flags().BoolVar(&f.content, "otel-content", false,
		"with --otel, also send prompts, answers and results, without the credentials found in them")
	cli.InGroup(cmd, cli.OutputGroup, "otel", "otel-content")
}

// flushTime is how long the end of a command waits for the last spans and metrics.
const flushTime = time.Second

// A Sender sends the telemetry of one command. A nil Sender sends none.
type Sender struct {
	observer *otel.Observer
	traces   *sdktrace.TracerProvider // nil: none are sent
	metrics  *sdkmetric.MeterProvider // nil: none are sent
	losses   *losses
	say      func(string)
}

// Start returns the sender that flags and environment ask for, or nil. Say takes the notice of
// what did not arrive. An error says which flag or variable is wrong.
func (f *Flags) Start(ctx context.Context, say func(string)) (*Sender, error) {
	if f.content && !f.on {
		return nil, cli.Usage("--otel --otel-content", "--otel-content needs --otel")
	}
	if !f.on {
		return nil, nil
	}
	e, err := readEnvironment()
	if err != nil || e.disabled {
		return nil, err
	}
	s := &Sender{losses: &losses{}, say: say}
	sdk.SetErrorHandler(sdk.ErrorHandlerFunc(func(error) {})) // it would print each; losses has the first
	sdk.SetLogger(logr.Discard())
	about, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(
		attribute.String("service.name", "foray"), attribute.String("service.version", cli.Version())),
		resource.WithFromEnv())
	if err != nil {
		return nil, cli.Usage("OTEL_RESOURCE_ATTRIBUTES=team=search,site=north", "OTEL_RESOURCE_ATTRIBUTES: %v", err)
	}
	c := otel.Config{Content: f.content || e.content, Traces: tracenoop.NewTracerProvider(),
		Metrics: noop.NewMeterProvider()}
	if e.traces {
		exporter, err := otlptracehttp.New(ctx, traceOptions()...)
		if err != nil {
			return nil, cli.Usage(endpointHint, "--otel: %v", err)
		}
		s.traces = sdktrace.NewTracerProvider(sdktrace.WithResource(about), sdktrace.WithSpanProcessor(s.losses),
			sdktrace.WithBatcher(counted{exporter, s.losses}))
		c.Traces = s.traces
	}
	if e.metrics {
		exporter, err := otlpmetrichttp.New(ctx, metricOptions()...)
		if err != nil {
			return nil, cli.Usage(endpointHint, "--otel: %v", err)
		}
		s.metrics = sdkmetric.NewMeterProvider(sdkmetric.WithResource(about),
			sdkmetric.WithReader(sdkmetric.NewPeriodicReader(exporter)))
		c.Metrics = s.metrics
	}
	s.observer, err = otel.New(c)
	return s, err
}

// Observe is [otel.Observer.Observe]; a nil Sender passes the events on.
func (s *Sender) Observe(
	ctx context.Context, r otel.Run, run func(context.Context) iter.Seq2[agent.Event, error],
) iter.Seq2[agent.Event, error] {
	if s == nil {
		return run(ctx)
	}
	return s.observer.Observe(ctx, r, run)
}

// Close sends what is left, for at most a second, and says what did not arrive.
func (s *Sender) Close() {
	if s == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	var both sync.WaitGroup
	if s.traces != nil {
		both.Go(func() { _ = s.traces.Shutdown(ctx) }) // losses counts what did not arrive
	}
	if s.metrics != nil {
		both.Go(func() { s.losses.lost(s.metrics.Shutdown(ctx)) })
	}
	done := make(chan struct{})
	go func() { both.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done(): // an exporter that does not watch its context ends with the process
	}
	if text := s.losses.text(); text != "" {
		s.say(text)
	}
}

// losses counts spans that ended and that arrived. It is a span processor without effect on spans.
type losses struct {
	mu           sync.Mutex
	ended, taken int
	spans        error // the first of sending spans
	metrics      error // of sending the last metrics
}

// OnStart does nothing.
func (l *losses) OnStart(context.Context, sdktrace.ReadWriteSpan) {}

// OnEnd counts a span that is to be sent.
func (l *losses) OnEnd(s sdktrace.ReadOnlySpan) {
	if s.SpanContext().IsSampled() {
		l.mu.Lock()
		l.ended++
		l.mu.Unlock()
	}
}

// Shutdown does nothing.
func (l *losses) Shutdown(context.Context) error { return nil }

// ForceFlush does nothing.
func (l *losses) ForceFlush(context.Context) error { return nil }

// sent counts spans that arrived, or notes why they did not.
func (l *losses) sent(spans int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.spans = cmp.Or(l.spans, err); err == nil {
		l.taken += spans
	}
}

// lost notes why metrics did not arrive, if they did not.
func (l *losses) lost(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.metrics = err
}

// maxReason is how much of an error a notice shows, in characters.
const maxReason = 200

// text says what did not arrive; empty if all did.
func (l *losses) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch missing := l.ended - l.taken; {
	case missing > 0:
		return fmt.Sprintf("warning: %d of %s not sent: %s", missing, line.Count(l.ended, "span"), reason(l.spans))
	case l.metrics != nil:
		return "warning: metrics not sent: " + reason(l.metrics)
	}
	return ""
}

func reason(err error) string {
	if err == nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return "the OTLP endpoint did not answer in time"
	}
	return line.Truncate(line.Single(err.Error()), maxReason)
}

// A counted exporter counts the spans that arrived.
type counted struct {
	sdktrace.SpanExporter
	losses *losses
}

// ExportSpans sends spans.
func (c counted) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := c.SpanExporter.ExportSpans(ctx, spans)
	c.losses.sent(len(spans), err)
	return err
}
