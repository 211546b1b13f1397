package telemetry

import (
	"net/url"
	"os"
	"strings"

	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
)

// contentVariable asks for content, as in other instrumentations of models.
const contentVariable = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"

const endpointHint = "OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318"

// An environment is what the variables say that the exporters do not read, or read without an error.
type environment struct{ disabled, traces, metrics, content bool }

// readEnvironment checks the variables. The libraries would take a bad value for none, and send elsewhere.
func readEnvironment() (environment, error) {
	e := environment{disabled: strings.EqualFold(value("OTEL_SDK_DISABLED"), "true")}
	if e.disabled {
		return e, nil
	}
	for _, signal := range []string{"", "TRACES_", "METRICS_"} {
		name := "OTEL_EXPORTER_OTLP_" + signal + "ENDPOINT"
		u, err := url.Parse(value(name))
		if err != nil || value(name) != "" && (u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
			return e, cli.Usage(endpointHint, "%s is not an http:// or https:// address", name)
		}
		name = "OTEL_EXPORTER_OTLP_" + signal + "PROTOCOL"
		if v := value(name); v != "" && v != "http/protobuf" {
			return e, cli.Usage(name+"=http/protobuf and the endpoint's HTTP port, usually 4318",
				"%s=%.40s: foray sends http/protobuf only", name, v)
		}
	}
	var err error
	if e.traces, err = exports("OTEL_TRACES_EXPORTER"); err != nil {
		return e, err
	}
	if e.metrics, err = exports("OTEL_METRICS_EXPORTER"); err != nil {
		return e, err
	}
	switch v := strings.ToLower(value(contentVariable)); v {
	case "", "false", "no_content", "event_only":
	case "true", "span_only", "span_and_event":
		e.content = true
	default:
		return e, cli.Usage(contentVariable+"=true", "%s is %.40q, must be true, false or a mode of the conventions",
			contentVariable, v)
	}
	return e, nil
}

// exports reports whether a signal is sent: a variable names its exporter, otlp by default.
func exports(name string) (bool, error) {
	switch v := value(name); v {
	case "", "otlp":
		return true, nil
	case "none":
		return false, nil
	default:
		return false, cli.Usage(name+"=otlp", "%s is %.40q, must be otlp or none", name, v)
	}
}

// localEndpoint is where a collector listens by default. The exporters would ask it for TLS.
const localEndpoint = "http://localhost:4318"

// traceOptions are what the variables leave to us.
func traceOptions() []otlptracehttp.Option {
	if named("TRACES_") {
		return nil
	}
	return []otlptracehttp.Option{otlptracehttp.WithEndpointURL(localEndpoint + "/v1/traces")}
}

func metricOptions() []otlpmetrichttp.Option {
	if named("METRICS_") {
		return nil
	}
	return []otlpmetrichttp.Option{otlpmetrichttp.WithEndpointURL(localEndpoint + "/v1/metrics")}
}

// named reports whether a variable names the endpoint of a signal.
func named(signal string) bool {
	return value("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || value("OTEL_EXPORTER_OTLP_"+signal+"ENDPOINT") != ""
}

func value(name string) string { return strings.TrimSpace(os.Getenv(name)) }
