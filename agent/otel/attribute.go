package otel

import (
	"regexp"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/forayhq/foray/providers"
)

// Operations and keys of the GenAI conventions.
const (
	opInvokeAgent = "invoke_agent"
	opChat        = "chat"
	opExecuteTool = "execute_tool"

	keyOperation    = "gen_ai.operation.name"
	keyProvider     = "gen_ai.provider.name"
	keyRequestModel = "gen_ai.request.model"
	keyAgent        = "gen_ai.agent.name"
	keyConversation = "gen_ai.conversation.id"
	keyTool         = "gen_ai.tool.name"
	keyToolType     = "gen_ai.tool.type"
	keyError        = "error.type"
)

// valid returns a text that a trace can hold: an exporter drops all spans of a batch for one that is not UTF-8.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

func operation(name string) attribute.KeyValue { return attribute.String(keyOperation, name) }

// wellKnown are the names that the conventions have for providers which foray names otherwise.
var wellKnown = map[string]string{
	"azure":        "azure.ai.openai",
	"bedrock":      "aws.bedrock",
	"gemini":       "gcp.gemini",
	"generativeai": "gcp.gemini",
	"mistral":      "mistral_ai",
	"moonshot":     "moonshot_ai",
	"xai":          "x_ai",
}

func providerName(provider string) string {
	if name := wellKnown[provider]; name != "" {
		return name
	}
	return provider
}

// nested matches the callers of a sub-agent before its name, and its call after it.
var nested = regexp.MustCompile(`^.*@\d+\.\d+$`)

// plainName returns the name of an agent without where it was called: NAME of CALLER/NAME@STEP.CALL. A metric of the
// whole name would have a series for each call.
func plainName(agent string) string {
	if !nested.MatchString(agent) {
		return agent
	}
	at := len(agent) - 1
	for agent[at] != '@' {
		at--
	}
	from := at
	for from > 0 && agent[from-1] != '/' {
		from--
	}
	return agent[from:at]
}

// requestAttributes are the parameters of a request.
func requestAttributes(req *providers.Request) []attribute.KeyValue {
	as := []attribute.KeyValue{
		attribute.Bool("gen_ai.request.stream", true), attribute.Int("foray.request.messages", len(req.Messages)),
	}
	if req.MaxOutput > 0 {
		as = append(as, attribute.Int("gen_ai.request.max_tokens", req.MaxOutput))
	}
	if req.Temperature != nil {
		as = append(as, attribute.Float64("gen_ai.request.temperature", *req.Temperature))
	}
	if req.TopP != nil {
		as = append(as, attribute.Float64("gen_ai.request.top_p", *req.TopP))
	}
	if len(req.Stop) > 0 {
		as = append(as, attribute.StringSlice("gen_ai.request.stop_sequences", req.Stop))
	}
	if req.Seed != nil {
		as = append(as, attribute.Int64("gen_ai.request.seed", *req.Seed))
	}
	if req.ReasoningEffort != "" {
		as = append(as, attribute.String("gen_ai.request.reasoning.level", req.ReasoningEffort))
	}
	if req.Schema != nil {
		as = append(as, attribute.String("gen_ai.output.type", "json"))
	}
	return as
}

// usage returns the tokens of requests.
func usage(u providers.Usage) []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.Int("gen_ai.usage.input_tokens", u.Input), attribute.Int("gen_ai.usage.output_tokens", u.Output),
	}
}

// cacheUsage returns the parts of the tokens of one request. The conventions leave them out of runs, where several
// models may be summed.
func cacheUsage(u providers.Usage) []attribute.KeyValue {
	as := []attribute.KeyValue{attribute.Int("gen_ai.usage.cache_read.input_tokens", u.Cached)}
	if u.Reasoning > 0 {
		as = append(as, attribute.Int("gen_ai.usage.reasoning.output_tokens", u.Reasoning))
	}
	return as
}
