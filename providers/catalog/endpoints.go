package catalog

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers/anthropic"
	"github.com/forayhq/foray/providers/gemini"
	"github.com/forayhq/foray/providers/openai"
)

// An Endpoint is a service or server that answers requests.
type Endpoint struct {
	Name       string   // the part of a model's full name before the slash
	BaseURL    string   // where it answers by default; of the services in [Endpoint.Place], its form
	Keys       []string // environment variables that may hold its key; the first that is set wins
	NoKey      bool     // answers without a key
	SmallModel string   // a cheap model for a first request; empty: none is known

	dialect dialect
	wire    openai.Wire
	headers map[string]string // sent with each request
	quirks  openai.Quirks
	schema  bool             // follows a JSON schema for the answer, also in requests with tools
	slots   int              // requests whose prefixes it keeps by default; 0: many, or unknown
	rules   transcript.Rules // its rules on messages; empty: unknown, or different for each model
	source  string           // where the quirks are documented

	ask  func(context.Context, Target, *Served) // asks its own API what it knows about a model; nil: it has none
	more string                                 // how to run it with a window of %d tokens
	// tokens of the window that a request asks for when nobody said; 0: requests cannot ask for one
	window int
	place  []string // environment variables that say where it answers, for a service with an address of one's own
}

// Place returns the environment variables that hold the address of a service which has one for each customer, such as
// Azure; the first that is set wins. If none is set, and [Options].BaseURL is empty, its models cannot be opened.
func (e Endpoint) Place() []string { return slices.Clone(e.place) }

// A dialect is a package that speaks to endpoints.
type dialect string

const (
	openaiDialect       dialect = ""
	geminiDialect       dialect = "gemini"
	generativeaiDialect dialect = "generativeai"
	ollamaDialect       dialect = "ollama"
	anthropicDialect    dialect = "anthropic"
)

// ollamaWindow is enough for a run and small enough for a machine that runs a model of 7 billion parameters in 16 GB.
// Ollama's own default on such a machine is 4,096 tokens, too few for a run.
const ollamaWindow = 16_384

// Endpoints with code of their own.
const (
	openaiName       = "openai"
	anthropicName    = "anthropic"
	ollamaName       = "ollama"
	generativeaiName = "generativeai"
	llamacppName     = "llamacpp"
	lmstudioName     = "lmstudio"
	azureName        = "azure"
	bedrockName      = "bedrock"
)

const (
	azurePath     = "/openai/v1" // of the API without versions by date
	bedrockRegion = "REGION"     // in the address
)

const (
	maxCompletionTokens = "max_completion_tokens"
	reasoning           = "reasoning"
)

// endpoints is the table of services and servers. It holds only what their documentation says.
var endpoints = []Endpoint{
	{
		Name: openaiName, BaseURL: openai.BaseURL, Keys: []string{"OPENAI_API_KEY"}, SmallModel: "gpt-4.1-nano",
		wire: openai.Responses, schema: true, rules: transcript.OpenAI,
		quirks: openai.Quirks{MaxTokens: maxCompletionTokens}, // its reasoning models refuse the old name
		source: "platform.openai.com/docs/api-reference",
	},
	{
		Name: anthropicName, BaseURL: anthropic.BaseURL, Keys: []string{"ANTHROPIC_API_KEY"},
		SmallModel: "claude-haiku-4-5", dialect: anthropicDialect, rules: transcript.Anthropic,
		source: "docs.anthropic.com/en/api/messages",
	},
	{
		Name: "deepseek", BaseURL: "https://api.deepseek.com", Keys: []string{"DEEPSEEK_API_KEY"},
		SmallModel: "deepseek-chat", wire: openai.Chat, rules: transcript.OpenAI,
		quirks: openai.Quirks{NoForcedTools: true, NoParallelFlag: true, NoSchema: true},
		source: "api-docs.deepseek.com/guides/thinking_mode",
	},
	{
		Name: "groq", BaseURL: "https://api.groq.com/openai/v1", Keys: []string{"GROQ_API_KEY"}, wire: openai.Chat,
		quirks: openai.Quirks{MaxTokens: maxCompletionTokens, Reasoning: reasoning, NoReasoningBack: true},
		source: "console.groq.com/docs/api-reference",
	},
	{
		Name: llamacppName, BaseURL: "http://localhost:8080/v1", Keys: []string{"LLAMA_API_KEY"}, NoKey: true,
		wire: openai.Chat, quirks: openai.Quirks{Progress: true}, ask: askLlamacpp, more: "llama-server -c %d",
		source: "github.com/ggml-org/llama.cpp, tools/server/README.md",
	},
	{
		Name: lmstudioName, BaseURL: "http://localhost:1234/v1", Keys: []string{"LMSTUDIO_API_KEY"}, NoKey: true,
		wire: openai.Chat, quirks: openai.Quirks{NoParallelFlag: true},
		ask: askLMStudio, more: "lms load --context-length %d",
		source: "lmstudio.ai/docs/app/api/endpoints/openai",
	},
	{
		Name: "mistral", BaseURL: "https://api.mistral.ai/v1", Keys: []string{"MISTRAL_API_KEY"}, wire: openai.Chat,
		quirks: openai.Quirks{NoStreamOptions: true, NoReasoningBack: true, ShortIDs: true}, // refuses unknown fields
		source: "docs.mistral.ai/api",
	},
	{
		Name: ollamaName, BaseURL: "http://localhost:11434/v1", Keys: []string{"OLLAMA_API_KEY"}, NoKey: true,
		wire: openai.Chat, quirks: openai.Quirks{Reasoning: reasoning, NoForcedTools: true, NoParallelFlag: true},
		slots:   1, // docs.ollama.com/faq: OLLAMA_NUM_PARALLEL
		dialect: ollamaDialect, window: ollamaWindow, ask: askOllama, more: "OLLAMA_CONTEXT_LENGTH=%d ollama serve",
		source: "docs.ollama.com/api/openai-compatibility; docs/api.md of github.com/ollama/ollama",
	},
	{
		Name: "openrouter", BaseURL: "https://openrouter.ai/api/v1", Keys: []string{"OPENROUTER_API_KEY"}, wire: openai.Chat,
		headers: map[string]string{ // its name for callers
			"HTTP-Referer": "https://github.com/forayhq/foray", "X-Title": "foray",
		},
		source: "openrouter.ai/docs/api-reference/overview",
	},
	{
		Name: "together", BaseURL: "https://api.together.xyz/v1", Keys: []string{"TOGETHER_API_KEY"}, wire: openai.Chat,
		quirks: openai.Quirks{Reasoning: reasoning, NoReasoningBack: true, NoParallelFlag: true},
		source: "docs.together.ai/docs/openai-api-compatibility",
	},
	{
		Name: "vllm", BaseURL: "http://localhost:8000/v1", Keys: []string{"VLLM_API_KEY"}, NoKey: true, wire: openai.Chat,
		quirks: openai.Quirks{Reasoning: reasoning, MaxTokens: maxCompletionTokens},
		ask:    askVLLM, more: "vllm serve --max-model-len %d",
		source: "docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
	},
	{
		Name: "xai", BaseURL: "https://api.x.ai/v1", Keys: []string{"XAI_API_KEY"},
		wire: openai.Responses, schema: true, rules: transcript.OpenAI,
		quirks: openai.Quirks{MaxTokens: maxCompletionTokens},
		source: "docs.x.ai/docs/guides/chat",
	},
	{
		Name: azureName, BaseURL: "https://RESOURCE.openai.azure.com" + azurePath, Keys: []string{"AZURE_OPENAI_API_KEY"},
		place: []string{"AZURE_OPENAI_ENDPOINT"}, wire: openai.Chat, rules: transcript.OpenAI,
		quirks: openai.Quirks{MaxTokens: maxCompletionTokens},
		source: "learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle", // a model is named by its deployment
	},
	{
		Name: bedrockName, BaseURL: "https://bedrock-mantle." + bedrockRegion + ".api.aws/v1",
		Keys: []string{"AWS_BEARER_TOKEN_BEDROCK"}, place: []string{"AWS_REGION", "AWS_DEFAULT_REGION"}, wire: openai.Chat,
		source: "docs.aws.amazon.com/bedrock/latest/userguide/bedrock-mantle.html",
	},
	{
		Name: "gemini", BaseURL: gemini.BaseURL, Keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
		SmallModel: "gemini-2.5-flash-lite", dialect: geminiDialect, source: "ai.google.dev/api",
	},
	{
		Name: generativeaiName, BaseURL: gemini.BaseURL, Keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
		SmallModel: "gemini-2.5-flash-lite", dialect: generativeaiDialect, source: "ai.google.dev/api",
	},
}

// Endpoints returns the table of services and servers: OpenAI first, then the others of its dialect, then Google's.
func Endpoints() []Endpoint {
	all := slices.Clone(endpoints)
	for i, e := range all {
		all[i].Keys, all[i].headers = slices.Clone(e.Keys), maps.Clone(e.headers)
	}
	return all
}

// endpointOf returns the endpoint of a name.
func endpointOf(name string) (Endpoint, bool) {
	for _, e := range Endpoints() {
		if e.Name == name {
			return e, true
		}
	}
	return Endpoint{}, false
}

// placed returns the base URL of a service at a place that a variable names. A value that is none of Azure's addresses,
// or of Amazon's regions, is an error.
func (e Endpoint) placed(variable, value string) (string, error) {
	if e.Name == bedrockName {
		if !region.MatchString(value) {
			return "", fmt.Errorf("%s is %.40q; it must be a region, as in us-west-2", variable, value)
		}
		return strings.Replace(e.BaseURL, bedrockRegion, value, 1), nil
	}
	value = strings.TrimSuffix(strings.TrimSuffix(value, "/"), azurePath)
	if u, err := url.Parse(value); err != nil || u.Scheme != "https" || u.Host == "" || u.Path != "" || u.User != nil {
		return "", fmt.Errorf("%s must be an address such as https://RESOURCE.openai.azure.com", variable)
	}
	return value + azurePath, nil
}

// region matches the regions of Amazon.
var region = regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-\d+$`)

// google reports whether the endpoint speaks one of Google's dialects.
func (e Endpoint) google() bool {
	return e.dialect == geminiDialect || e.dialect == generativeaiDialect
}

// endpointAt returns the endpoint with the OpenAI dialect at the host and port of a URL.
func endpointAt(address string) (Endpoint, bool) {
	u, err := url.Parse(address)
	if err != nil {
		return Endpoint{}, false
	}
	for _, e := range endpoints {
		own, err := url.Parse(e.BaseURL)
		if err == nil && sameHost(own, u) && !e.google() {
			return e, true
		}
	}
	return Endpoint{}, false
}

// sameHost reports whether two URLs have the same host and port. The names of this machine are one host.
func sameHost(a, b *url.URL) bool {
	return a.Host == b.Host || a.Port() == b.Port() && isThisMachine(a) && isThisMachine(b)
}

// isThisMachine reports whether a URL is of this machine.
func isThisMachine(u *url.URL) bool {
	return slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname())
}

// endpointNames returns the names of all endpoints.
func endpointNames() []string {
	names := make([]string, len(endpoints))
	for i, e := range endpoints {
		names[i] = e.Name
	}
	return names
}
