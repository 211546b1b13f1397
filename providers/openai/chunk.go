package openai

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/forayhq/foray/providers"
)

// A chunk is one event of an answer, or a whole answer from a server that does not stream. The library's type would
// drop fields that it does not know.
type chunk struct {
	Choices []struct {
		Index        int
		Delta        *delta
		Message      *delta
		FinishReason string `json:"finish_reason"`
	}
	Usage *usage
}

type delta struct {
	Content          content
	ReasoningContent text              `json:"reasoning_content"`
	Reasoning        text              // the name that OpenRouter, Ollama and vLLM use
	ReasoningDetails []json.RawMessage `json:"reasoning_details"`
	Refusal          text
	ToolCalls        []callPiece `json:"tool_calls"`
}

type callPiece struct {
	Index    *int
	ID       string
	Function struct {
		Name      string
		Arguments text
	}
	ExtraContent json.RawMessage `json:"extra_content"`
}

type usage struct {
	PromptTokens        int `json:"prompt_tokens"`
	CompletionTokens    int `json:"completion_tokens"`
	CacheHitTokens      int `json:"prompt_cache_hit_tokens"` // DeepSeek
	PromptTokensDetails struct {
		CachedTokens int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionTokensDetails struct {
		ReasoningTokens int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// A content is a text that may contain reasoning as parts of type "thinking", as Mistral sends it.
type content struct{ text, thinking text }

// UnmarshalJSON accepts each form.
func (c *content) UnmarshalJSON(raw []byte) error {
	var parts []struct{ Thinking text }
	if raw[0] == '[' && json.Unmarshal(raw, &parts) == nil {
		for _, p := range parts {
			c.thinking += p.Thinking
		}
	}
	return c.text.UnmarshalJSON(raw)
}

// A text decodes a JSON string. It also decodes null to "", a list of parts to the texts of those of type "text", and
// an object, which some servers send as arguments, to its JSON.
type text string

// UnmarshalJSON accepts each form.
func (t *text) UnmarshalJSON(raw []byte) error {
	if raw[0] == '"' {
		// Fast path, five times as fast: most pieces have no escapes.
		if plain := raw[1 : len(raw)-1]; bytes.IndexByte(plain, '\\') < 0 && utf8.Valid(plain) {
			*t = text(plain)
			return nil
		}
		return json.Unmarshal(raw, (*string)(t))
	}
	var parts []struct{ Type, Text string }
	switch {
	case string(raw) == "null":
		*t = ""
	case raw[0] == '[' && json.Unmarshal(raw, &parts) == nil:
		*t = ""
		for _, p := range parts {
			if p.Type == "text" {
				*t += text(p.Text)
			}
		}
	default:
		*t = text(raw)
	}
	return nil
}

// provider converts u to [providers.Usage]. All services of this dialect include reasoning in the output.
func (u *usage) provider() *providers.Usage {
	return &providers.Usage{
		Input:     u.PromptTokens,
		Cached:    max(u.PromptTokensDetails.CachedTokens, u.CacheHitTokens),
		Output:    u.CompletionTokens,
		Reasoning: u.CompletionTokensDetails.ReasoningTokens,
	}
}
