package providers_test

import (
	"testing"

	"github.com/forayhq/foray/providers/catalog"
	"github.com/forayhq/foray/toollimit"
)

// The vendors' own examples, and the sizes at the edges of their formulas.
func TestTokensOfPictures(t *testing.T) {
	for _, c := range []struct {
		provider, model string
		width, height   int
		least, most     int
	}{
		{"anthropic", "claude-sonnet-4-5", 1_092, 1_092, 1_590, 1_600}, // docs.claude.com: about 1,590
		{"anthropic", "claude-sonnet-4-5", 1_000, 1_000, 1_334, 1_362}, // about 1,334
		{"anthropic", "claude-sonnet-4-5", 200, 200, 54, 68},           // about 54
		{"anthropic", "claude-opus-4-7", 1_568, 1_568, 3_278, 3_300},
		{"openai", "gpt-4o", 1_024, 1_024, 765, 765},           // platform.openai.com: 765
		{"openai", "gpt-4o", 2_048, 4_096, 1_105, 1_105},       // 1,105
		{"openai", "gpt-4.1-mini", 1_024, 1_024, 1_659, 1_659}, // 1,024 patches × 1.62
		{"openai", "gpt-5", 512, 512, 210, 210},
		{"gemini", "gemini-2.5-pro", 384, 384, 258, 516},     // ai.google.dev: 258 up to 384 pixels
		{"gemini", "gemini-2.5-pro", 960, 540, 1_548, 1_548}, // 6 tiles
		{"gemini", "gemini-3-pro", 4_000, 3_000, 1_120, 1_120},
		{"openai", "gpt-4o", 0, 0, 765, 1_105}, // unknown
	} {
		m, err := catalog.Open(c.provider+"/"+c.model, &catalog.Options{Key: "k"})
		if err != nil {
			t.Fatal(err)
		}
		n := m.Info().Vision.Tokens(toollimit.Image{Width: c.width, Height: c.height})
		if n < c.least || n > c.most {
			t.Errorf("%s, %d×%d: %d tokens, want %d to %d", c.model, c.width, c.height, n, c.least, c.most)
		}
	}
}

func TestWhoSees(t *testing.T) {
	for model, want := range map[string]bool{
		"openai/gpt-4o": true, "openai/o3-mini": false, "openai/gpt-3.5-turbo": false, "openai/gpt-4": false,
		"anthropic/claude-haiku-4-5": true, "anthropic/claude-2.1": false, "gemini/gemini-2.0-flash": true,
		"deepseek/deepseek-chat": false, "ollama/qwen2.5vl:7b": true, "ollama/llava": true, "ollama/qwen3": false,
		"ollama/gemma3:4b": true, "ollama/gemma3:1b": false, "ollama/llama3.2-vision": true, "ollama/llama3.2": false,
		"openrouter/anthropic/claude-sonnet-4.5": true, "ollama/granite3.2-vision": true, "ollama/vlad": false,
	} {
		m, err := catalog.Open(model, &catalog.Options{Key: "k"})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Info().Vision.Sees(); got != want {
			t.Errorf("%s sees: %v", model, got)
		}
	}
}
