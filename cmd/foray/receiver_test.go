package main

import (
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
	metrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	traces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// An otlpReceiver takes spans and metrics over OTLP, as a collector does.
type otlpReceiver struct {
	mu      sync.Mutex
	spans   []*otlp.Span
	metrics []string // names
	service string
	faults  []string
}

func (r *otlpReceiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.take(req); err != nil {
		r.faults = append(r.faults, err.Error())
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

func (r *otlpReceiver) take(req *http.Request) error {
	body := req.Body
	if req.Header.Get("Content-Encoding") == "gzip" {
		var err error
		if body, err = gzip.NewReader(req.Body); err != nil {
			return err
		}
	}
	raw, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	switch req.URL.Path {
	case "/v1/traces":
		var in traces.ExportTraceServiceRequest
		if err := proto.Unmarshal(raw, &in); err != nil {
			return err
		}
		for _, of := range in.ResourceSpans {
			for _, a := range of.Resource.Attributes {
				if a.Key == "service.name" {
					r.service = a.Value.GetStringValue()
				}
			}
			for _, s := range of.ScopeSpans {
				r.spans = append(r.spans, s.Spans...)
			}
		}
		return nil
	case "/v1/metrics":
		var in metrics.ExportMetricsServiceRequest
		if err := proto.Unmarshal(raw, &in); err != nil {
			return err
		}
		for _, of := range in.ResourceMetrics {
			for _, s := range of.ScopeMetrics {
				for _, m := range s.Metrics {
					r.metrics = append(r.metrics, m.Name)
				}
			}
		}
		return nil
	}
	return fmt.Errorf("nothing listens at %s", req.URL.Path)
}

// text writes what arrived since it was written last: spans as trees without ids, times and what differs by machine.
func (r *otlpReceiver) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "service %s\n", r.service)
	slices.SortStableFunc(r.spans, func(x, y *otlp.Span) int {
		return cmp.Compare(x.StartTimeUnixNano, y.StartTimeUnixNano)
	})
	var write func(parent, indent string)
	write = func(parent, indent string) {
		for _, s := range r.spans {
			if string(s.ParentSpanId) != parent {
				continue
			}
			fmt.Fprintf(&b, "%s%s", indent, s.Name)
			for _, a := range s.Attributes {
				if told[a.Key] {
					fmt.Fprintf(&b, " %s=%s", a.Key, valueText(a.Value))
				}
			}
			if len(s.Links) > 0 {
				fmt.Fprintf(&b, " links=%d", len(s.Links))
			}
			fmt.Fprintln(&b)
			write(string(s.SpanId), indent+"  ")
		}
	}
	write("", "")
	slices.Sort(r.metrics)
	fmt.Fprintln(&b, strings.Join(slices.Compact(r.metrics), "\n"))
	for _, f := range r.faults {
		fmt.Fprintln(&b, "fault:", f)
	}
	r.spans, r.metrics, r.faults = nil, nil, nil
	return b.String()
}

// told are the attributes in the text of a script; package agent/otel tests the others.
var told = map[string]bool{
	"gen_ai.conversation.id": true, "gen_ai.usage.input_tokens": true, "foray.stop": true, "error.type": true,
	"gen_ai.tool.call.result": true, "foray.resumed_after_steps": true,
}

var numbers = regexp.MustCompile(`\d+ tokens|\d{4}-[a-z]{6}`)

func valueText(v *common.AnyValue) string {
	switch v := v.Value.(type) {
	case *common.AnyValue_IntValue:
		return fmt.Sprint(v.IntValue)
	case *common.AnyValue_StringValue:
		return fmt.Sprintf("%.60q", numbers.ReplaceAllString(v.StringValue, "…"))
	}
	return v.String()
}

// receive starts a collector and sets OTEL_EXPORTER_OTLP_ENDPOINT to its URL: receive [hangs]. One that hangs takes
// requests and never answers.
func receive(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: receive [hangs]")
	}
	r := new(otlpReceiver)
	var handler http.Handler = r
	done := make(chan struct{})
	if len(args) == 1 {
		handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-done })
	}
	server := httptest.NewServer(handler)
	ts.Defer(func() { close(done); server.Close() })
	ts.Value("server").(*modelServer).receiver = r
	ts.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
}

// received writes what arrived to a file: received FILE.
func received(ts *testscript.TestScript, neg bool, args []string) {
	r := ts.Value("server").(*modelServer).receiver
	if neg || len(args) != 1 || r == nil {
		ts.Fatalf("usage: received FILE, after receive")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(r.text()), 0o644))
}
