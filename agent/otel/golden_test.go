package otel_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	diff "github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/forayhq/foray/agent/otel"
)

var update = flag.Bool("update", false, "rewrite the golden traces")

// A recorder keeps spans and metrics, and writes them as text.
type recorder struct {
	*otel.Observer
	spans  *tracetest.InMemoryExporter
	reader *sdkmetric.ManualReader
}

func record(t *testing.T, content bool) *recorder {
	t.Helper()
	r := &recorder{spans: tracetest.NewInMemoryExporter(), reader: sdkmetric.NewManualReader()}
	var err error
	r.Observer, err = otel.New(otel.Config{
		Traces:  sdktrace.NewTracerProvider(sdktrace.WithSyncer(r.spans)),
		Metrics: sdkmetric.NewMeterProvider(sdkmetric.WithReader(r.reader)),
		Content: content,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// golden runs f where time stands still unless it waits, and compares the spans with testdata/NAME.txt.
func golden(t *testing.T, name string, content bool, f func(*testing.T, *recorder)) {
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := record(t, content)
			f(t, r)
			got := r.text(t)
			file := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := diff.Diff(string(want), got); d != "" {
				t.Errorf("%s differs (-want +got; -update rewrites it):\n%s", file, d)
			}
		})
	})
}

// text writes the spans as trees, in the order in which they began, and the metrics below them.
func (r *recorder) text(t *testing.T) string {
	var b strings.Builder
	all := r.spans.GetSpans()
	slices.SortStableFunc(all, func(x, y tracetest.SpanStub) int {
		return cmp.Or(x.StartTime.Compare(y.StartTime), cmp.Compare(x.Name, y.Name),
			cmp.Compare(callID(x), callID(y)))
	})
	names := make(map[trace.SpanID]string)
	for _, s := range all {
		names[s.SpanContext.SpanID()] = s.Name
	}
	var write func(parent trace.SpanID, indent string)
	write = func(parent trace.SpanID, indent string) {
		for _, s := range all {
			if s.Parent.SpanID() != parent {
				continue
			}
			fmt.Fprintf(&b, "%s%s (%v, %v, %v)", indent, s.Name, s.SpanKind, s.EndTime.Sub(s.StartTime), s.Status.Code)
			if s.Status.Description != "" {
				fmt.Fprintf(&b, " %s", s.Status.Description)
			}
			b.WriteByte('\n')
			for _, link := range s.Links {
				fmt.Fprintf(&b, "%s    link to %s%s\n", indent, names[link.SpanContext.SpanID()], list(link.Attributes))
			}
			for _, a := range sorted(s.Attributes) {
				fmt.Fprintf(&b, "%s    %s = %s\n", indent, a.Key, a.Value.Emit())
			}
			write(s.SpanContext.SpanID(), indent+"  ")
		}
	}
	write(trace.SpanID{}, "")
	r.metrics(t, &b)
	return b.String()
}

func (r *recorder) metrics(t *testing.T, b *strings.Builder) {
	var rm metricdata.ResourceMetrics
	if err := r.reader.Collect(context.Background(), &rm); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, scope := range rm.ScopeMetrics {
		for _, m := range scope.Metrics {
			add := func(as attribute.Set, value string) {
				lines = append(lines, fmt.Sprintf("%s%s %s%s\n", m.Name, list(as.ToSlice()), value, m.Unit))
			}
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					add(p.Attributes, fmt.Sprint(p.Value, " "))
				}
			case metricdata.Sum[float64]:
				for _, p := range data.DataPoints {
					add(p.Attributes, fmt.Sprint(p.Value, " "))
				}
			case metricdata.Histogram[int64]:
				for _, p := range data.DataPoints {
					add(p.Attributes, fmt.Sprintf("%d × %d in all ", p.Count, p.Sum))
				}
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					add(p.Attributes, fmt.Sprintf("%d × %g in all ", p.Count, p.Sum))
				}
			default:
				t.Errorf("%s is a %T", m.Name, data)
			}
		}
	}
	slices.Sort(lines)
	b.WriteString("\n" + strings.Join(lines, ""))
}

// callID orders the spans of calls that began at the same time.
func callID(s tracetest.SpanStub) string {
	for _, a := range s.Attributes {
		if a.Key == "gen_ai.tool.call.id" {
			return a.Value.AsString()
		}
	}
	return ""
}

func sorted(as []attribute.KeyValue) []attribute.KeyValue {
	as = slices.Clone(as)
	slices.SortFunc(as, func(x, y attribute.KeyValue) int { return cmp.Compare(x.Key, y.Key) })
	return as
}

func list(as []attribute.KeyValue) string {
	var parts []string
	for _, a := range sorted(as) {
		parts = append(parts, fmt.Sprintf("%s=%s", a.Key, a.Value.Emit()))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
