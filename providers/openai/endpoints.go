package openai

import (
	"cmp"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// An Endpoint is a service or server that speaks one of the wires.
type Endpoint struct {
	Name    string            // as in --model NAME/model
	BaseURL string            // where it answers unless told otherwise
	Keys    []string          // environment variables that may hold its key, the first that is set goes
	NoKey   bool              // answers without a key
	Wire    Wire              // the wire that it does best
	Headers map[string]string // sent with each request
	Quirks  Quirks
	Schema  bool             // holds its models to a JSON schema of the answer, also beside tools; false too where that is the model's affair
	Rules   transcript.Rules // what it asks of messages; "": not known, as where each model has a template of its own
	Source  string           // where this is written down
}

// Quirks are how a server differs from OpenAI's own on its wire. The zero value differs in nothing but the name of the
// limit of the answer, which most servers know as max_tokens only.
type Quirks struct {
	MaxTokens       string // the field of the longest answer on the chat wire: "max_completion_tokens"; "": "max_tokens"
	Reasoning       string // the field in which reasoning goes back beside calls: "reasoning"; "": "reasoning_content", if it came so
	NoReasoningBack bool   // refuses reasoning in a request, or has no use for it
	NoStreamOptions bool   // refuses stream_options, and so may not count tokens
	NoForcedTools   bool   // refuses or ignores the tool choice "required"
	NoParallelFlag  bool   // refuses or ignores parallel_tool_calls
	NoSchema        bool   // refuses or ignores a JSON schema for the answer
	ShortIDs        bool   // takes ids of calls of nine letters and digits only
}

// Names of fields that the quirks know.
const (
	maxCompletionTokens = "max_completion_tokens"
	fieldReasoning      = "reasoning"
)

// endpoints are the services and servers by name. What their pages do not say is left out.
var endpoints = []Endpoint{
	{
		Name: "openai", BaseURL: BaseURL, Keys: []string{"OPENAI_API_KEY"}, Wire: Responses,
		Quirks: Quirks{MaxTokens: maxCompletionTokens}, // the old name is refused by its reasoning models
		Schema: true, Rules: transcript.OpenAI,
		Source: "platform.openai.com/docs/api-reference",
	},
	{
		Name: "anthropic", BaseURL: "https://api.anthropic.com/v1", Keys: []string{"ANTHROPIC_API_KEY"}, Wire: Chat,
		Quirks: Quirks{NoSchema: true, NoReasoningBack: true}, Rules: transcript.Anthropic,
		Source: "docs.anthropic.com/en/api/openai-sdk",
	},
	{
		Name: "deepseek", BaseURL: "https://api.deepseek.com", Keys: []string{"DEEPSEEK_API_KEY"}, Wire: Chat,
		Quirks: Quirks{NoForcedTools: true, NoParallelFlag: true, NoSchema: true}, Rules: transcript.OpenAI,
		Source: "api-docs.deepseek.com/guides/thinking_mode",
	},
	{
		Name: "groq", BaseURL: "https://api.groq.com/openai/v1", Keys: []string{"GROQ_API_KEY"}, Wire: Chat,
		Quirks: Quirks{MaxTokens: maxCompletionTokens, Reasoning: fieldReasoning, NoReasoningBack: true},
		Source: "console.groq.com/docs/api-reference",
	},
	{
		Name: "llamacpp", BaseURL: "http://localhost:8080/v1", Keys: []string{"LLAMA_API_KEY"}, NoKey: true, Wire: Chat,
		Source: "github.com/ggml-org/llama.cpp, tools/server/README.md",
	},
	{
		Name: "lmstudio", BaseURL: "http://localhost:1234/v1", Keys: []string{"LMSTUDIO_API_KEY"}, NoKey: true, Wire: Chat,
		Quirks: Quirks{NoParallelFlag: true},
		Source: "lmstudio.ai/docs/app/api/endpoints/openai",
	},
	{
		Name: "mistral", BaseURL: "https://api.mistral.ai/v1", Keys: []string{"MISTRAL_API_KEY"}, Wire: Chat,
		Quirks: Quirks{NoStreamOptions: true, NoReasoningBack: true, ShortIDs: true}, // refuses fields it does not know
		Source: "docs.mistral.ai/api",
	},
	{
		// It cuts a request to its window without a word: Config.Window has to be what it runs the model with.
		Name: "ollama", BaseURL: "http://localhost:11434/v1", Keys: []string{"OLLAMA_API_KEY"}, NoKey: true, Wire: Chat,
		Quirks: Quirks{Reasoning: fieldReasoning, NoForcedTools: true, NoParallelFlag: true},
		Source: "docs.ollama.com/api/openai-compatibility",
	},
	{
		Name: "openrouter", BaseURL: "https://openrouter.ai/api/v1", Keys: []string{"OPENROUTER_API_KEY"}, Wire: Chat,
		Headers: map[string]string{"HTTP-Referer": "https://github.com/forayhq/foray", "X-Title": "foray"}, // how it names callers
		Source:  "openrouter.ai/docs/api-reference/overview",
	},
	{
		Name: "together", BaseURL: "https://api.together.xyz/v1", Keys: []string{"TOGETHER_API_KEY"}, Wire: Chat,
		Quirks: Quirks{Reasoning: fieldReasoning, NoReasoningBack: true, NoParallelFlag: true},
		Source: "docs.together.ai/docs/openai-api-compatibility",
	},
	{
		Name: "vllm", BaseURL: "http://localhost:8000/v1", Keys: []string{"VLLM_API_KEY"}, NoKey: true, Wire: Chat,
		Quirks: Quirks{Reasoning: fieldReasoning, MaxTokens: maxCompletionTokens},
		Source: "docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
	},
	{
		Name: "xai", BaseURL: "https://api.x.ai/v1", Keys: []string{"XAI_API_KEY"}, Wire: Responses,
		Quirks: Quirks{MaxTokens: maxCompletionTokens},
		Schema: true, Rules: transcript.OpenAI,
		Source: "docs.x.ai/docs/guides/chat",
	},
}

// Endpoints returns the services and servers that are known, OpenAI first and the others by name. The caller may change
// what it got.
func Endpoints() []Endpoint {
	all := slices.Clone(endpoints)
	for i := range all {
		all[i] = all[i].clone()
	}
	return all
}

// EndpointOf returns the service or server of a name, and whether there is one.
func EndpointOf(name string) (Endpoint, bool) {
	for _, e := range endpoints {
		if e.Name == name {
			return e.clone(), true
		}
	}
	return Endpoint{}, false
}

func (e Endpoint) clone() Endpoint {
	e.Keys, e.Headers = slices.Clone(e.Keys), maps.Clone(e.Headers)
	return e
}

// Key returns the first key that is set and its variable, given os.Getenv or one like it; "" and "" when none is. Space
// around a key is no part of it.
func (e Endpoint) Key(getenv func(string) string) (key, variable string) {
	for _, name := range e.Keys {
		if key := strings.TrimSpace(getenv(name)); key != "" {
			return key, name
		}
	}
	return "", ""
}

// Config returns the configuration of a model of e, which New takes as it is or after changes.
func (e Endpoint) Config(model, key string) Config {
	e = e.clone()
	return Config{
		Name: model, BaseURL: e.BaseURL, Key: key, Wire: e.Wire, ExtraHeaders: e.Headers, Quirks: &e.Quirks,
		Info: e.info(providers.Info{Provider: e.Name, Name: model}),
	}
}

// withoutSchema are the names of OpenAI's models from before structured output. See
// platform.openai.com/docs/guides/structured-outputs.
var withoutSchema = regexp.MustCompile(`^(?:ft:)?(?:gpt-3\.5|gpt-4(?:[-:]|$)|gpt-4o-2024-05-13|chatgpt-|o1-mini|o1-preview)`)

// info returns what is said of a model, and what e adds to that.
func (e Endpoint) info(info providers.Info) providers.Info {
	info.StructuredOutput = info.StructuredOutput || e.Schema && !withoutSchema.MatchString(info.Name)
	info.Rules = cmp.Or(info.Rules, e.Rules)
	return info
}

// endpointAt returns the endpoint that answers at the host and port of a URL.
func endpointAt(u *url.URL) (Endpoint, bool) {
	for _, e := range endpoints {
		if known, err := url.Parse(e.BaseURL); err == nil && known.Host == u.Host {
			return e, true
		}
	}
	return Endpoint{}, false
}
