package openai

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
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
	Usage *usage `json:"usage"`

	Timings        *timings         `json:"timings"`         // llama.cpp, with the last chunk
	PromptProgress *readingProgress `json:"prompt_progress"` // llama.cpp, with return_progress
}

// timings are what llama.cpp measures of an answer.
type timings struct {
	CacheN      int     `json:"cache_n"`      // tokens of the request found in the cache
	PromptN     int     `json:"prompt_n"`     // tokens of the request read anew
	PromptMS    float64 `json:"prompt_ms"`    // for these
	PredictedN  int     `json:"predicted_n"`  // tokens of the answer
	PredictedMS float64 `json:"predicted_ms"` // for these
}

// A readingProgress says how far llama.cpp is with reading a request, in tokens: Processed includes Cache.
type readingProgress struct {
	Total, Cache, Processed int
	TimeMS                  float64 `json:"time_ms"`
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
		var b strings.Builder
		for _, p := range parts {
			b.WriteString(string(p.Thinking))
		}
		c.thinking = text(b.String())
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
		var b strings.Builder
		for _, p := range parts {
			if p.Type == "text" {
				b.WriteString(p.Text)
			}
		}
		*t = text(b.String())
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

// on returns the usage with what the server measured. It makes one of the measured counts for a server that sends no
// other.
func (t *timings) on(u *providers.Usage) *providers.Usage {
	if t == nil || t.PromptN < 0 || t.PromptMS < 0 || t.PredictedMS < 0 {
		return u
	}
	if u == nil {
		u = &providers.Usage{Input: t.CacheN + t.PromptN, Output: t.PredictedN}
	}
	u.Cached = max(u.Cached, min(t.CacheN, u.Input))
	u.Read, u.ReadTime, u.WriteTime = t.PromptN, t.PromptMS/1000, t.PredictedMS/1000
	return u
}

// mostSeconds bounds what a server may claim: a day.
const mostSeconds = 24 * 60 * 60

// provider converts p to [providers.Reading].
func (p *readingProgress) provider() *providers.Reading {
	r := &providers.Reading{Tokens: max(p.Total-p.Cache, 0), Done: max(p.Processed-p.Cache, 0)}
	if left := r.Tokens - r.Done; r.Done > 0 && left > 0 {
		seconds := p.TimeMS / 1000 / float64(r.Done) * float64(left)
		r.Left = time.Duration(min(max(seconds, 0), mostSeconds) * float64(time.Second))
	}
	return r
}
