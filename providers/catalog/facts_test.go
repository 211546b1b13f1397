package catalog

import (
	"testing"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/models"
)

func TestBudgetForKnowsWindows(t *testing.T) {
	for name, want := range map[string]int{
		// The requirements' rows and their families.
		"gemini-3-flash-preview": 1_000_000, "gemini-2.5-pro": 1_000_000, "gemini-2.0-flash": 1_000_000,
		"gemini-1.5-pro": 1_000_000, "gemini-1.5-flash-8b": 1_000_000, "gemini-1.0-pro": 32_000, "gemini-next": 1_000_000,
		"gpt-5.4-mini": 400_000, "gpt-5.4-nano": 400_000, "gpt-5.4": 1_000_000, "gpt-5.9-turbo": 1_000_000,
		"gpt-4o": 128_000, "gpt-4o-mini-2024-07-18": 128_000, "gpt-4-turbo": 128_000, "gpt-4": 8_192, "gpt-4-0613": 8_192,
		"gpt-3.5-turbo-16k": 16_384, "o1": 200_000, "o3-mini": 200_000, "o4-mini": 200_000,
		"claude-opus-4-6": 1_000_000, "claude-sonnet-4.6": 1_000_000, "claude-sonnet-4-20250514": 200_000,
		"claude-3-5-sonnet-20241022": 200_000, "claude-3.5-haiku": 200_000, "claude-3-opus-20240229": 200_000, "claude-x": 200_000,
		"deepseek-coder": 64_000, "llama3.1": 128_000, "llama-3.3-70b": 128_000, "llama3:8b": 8_192, "llama2": 4_096,
		"mistral-7b": 32_000, "qwen2.5-coder:32b": 128_000, "phi3": 128_000, "mock": 32_000,
		// Names that an unanchored pattern takes for another.
		"gpt-4.1": 1_047_576, "gpt-4.1-nano": 1_047_576, "gpt-4-32k": 32_768, "llama-3.1-70b": 128_000, "mistral-nemo": 128_000,
		"o1-mini": 128_000, "gpt-oss-120b": 131_072, "llama-3-70b-instruct": 8_192, "claude-2.0": 100_000,
		// The vendor says otherwise.
		"gpt-5": 400_000, "gpt-5-mini": 400_000, "gpt-5.1-codex": 400_000, "gpt-3.5-turbo": 16_385, "deepseek-chat": 128_000,
		// Paths, case, tags.
		"openai/GPT-4o": 128_000, "models/gemini-2.5-pro": 1_000_000, "meta-llama/Meta-Llama-3.1-70B-Instruct": 128_000, "llama3.2:1b": 128_000,
	} {
		if b := BudgetFor(name, ""); b.Window != want || b.Fallback {
			t.Errorf("%s: %d tokens (%s), want %d", name, b.Window, b.Source, want)
		}
	}
	for _, name := range []string{"somebody", "gpt-45", "gpt-4.7", "o10", "gpt", "notgpt-4o", "demo1"} {
		if b := BudgetFor(name, ""); b.Window != 32_000 || !b.Fallback || b.Source == "" {
			t.Errorf("%s: %d tokens from %s, want the fallback", name, b.Window, b.Source)
		}
	}
}

func TestBudgetFor(t *testing.T) {
	for _, c := range []struct {
		model            string
		p                contextwindow.Profile
		want, autonomous int
	}{
		{"gemini-2.5-pro", contextwindow.Ladder, 36_000, 48_000}, {"gemini-2.5-pro", contextwindow.Off, 971_808, 971_808},
		{"claude-sonnet-4", contextwindow.Ladder, 24_000, 32_000}, {"claude-sonnet-4", contextwindow.Full, 187_808, 187_808},
		{"gpt-4o", contextwindow.Lean, 20_000, 24_000}, {"gpt-4o", contextwindow.Cheap, 20_000, 24_000}, {"gpt-4o", contextwindow.Wide, 117_248, 117_248},
		{"claude-sonnet-4", contextwindow.Wide, 128_000, 128_000},
		{"mock", contextwindow.Ladder, 12_000, 14_000},
		{"gpt-4", contextwindow.Ladder, 5_324, 5_632}, // usable: 8192 − 2048 − 512
		{"llama2", contextwindow.Ladder, 2_662, 2_816}, {"somebody", contextwindow.Ladder, 12_000, 14_000},
	} {
		b := BudgetFor(c.model, c.p)
		if got := b.Autonomous().Limit; b.Limit != c.want || got != c.autonomous {
			t.Errorf("%q under %s: %d and %d tokens, want %d and %d", c.model, c.p, b.Limit, got, c.want, c.autonomous)
		}
	}
	if !BudgetFor("somebody", contextwindow.Ladder).Fallback || BudgetFor("gpt-4o", contextwindow.Ladder).Fallback {
		t.Error("the fallback is not told")
	}
}

func TestRatio(t *testing.T) {
	for model, want := range map[string]float64{
		"claude-sonnet-4-5-20250929": 1.20, "anthropic/claude-sonnet-4": 1.33, "claude-opus-4-7": 1.66, "claude-opus-4-1": 1.28,
		"gpt-4.1": 1, "openai/o3-mini": 1, "": 0, "gemini-2.5-pro": 0, "claude-3-opus": 0, "mistral-large": 0,
	} {
		if b := BudgetFor(model, contextwindow.Lean); b.Ratio != want {
			t.Errorf("%s: the budget starts at %.2f, want %.2f", model, b.Ratio, want)
		}
	}
}

func TestPricesOf(t *testing.T) {
	for _, tt := range []struct{ provider, model, want string }{
		{"openai", "gpt-4o", "gpt-4o"},
		{"openai", "gpt-4o-2024-08-06", "gpt-4o"},
		{"openai", "gpt-4o-2024-05-13", "gpt-4o-2024-05-13"},
		{"openai", "GPT-4o-mini-2024-07-18", "gpt-4o-mini"},
		{"openai", "gpt-5-chat-latest", "gpt-5-chat"},
		{"openai", "gpt-4-0613", "gpt-4"},
		{"openai", "gpt-4-32k", ""},
		{"openai", "gpt-4o-audio-preview", ""},
		{"openai", "gpt-5.9", ""},
		{"openai", "my-llama", ""},
		{"gemini", "models/gemini-2.5-pro", "gemini-2.5-pro"},
		{"gemini", "gemini-2.5-flash-preview-09-2025", "gemini-2.5-flash"},
		{"gemini", "gemini-2.0-flash-001", "gemini-2.0-flash"},
		{"generativeai", "gemini-2.0-flash", "gemini-2.0-flash"},
		{"anthropic", "claude-opus-4-20250514", "claude-opus-4"},
		{"anthropic", "claude-opus-4-5-20251101", "claude-opus-4-5"},
		{"anthropic", "claude-opus-4-9", ""}, // a minor version is another model
		{"openrouter", "anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"},
		{"openrouter", "google/gemini-2.5-flash", "gemini-2.5-flash"},
		{"openrouter", "google/gemini-2.5-flash:free", ""},
		{"openrouter", "deepseek/deepseek-chat", ""}, // others serve it at prices of their own
		{"vllm", "gpt-4o", ""},
	} {
		p, ok := PriceOf(tt.provider, tt.model)
		if p.Model != tt.want || ok != (tt.want != "") {
			t.Errorf("%s/%s has the price of %q, want %q", tt.provider, tt.model, p.Model, tt.want)
		}
	}
	if p, ok := PriceOf("ollama", "anything"); !ok || p.Rates != (providers.Rates{}) {
		t.Errorf("on the own machine: %+v %v", p, ok)
	}
}

// TestPrices checks each row: its own name finds it, and its rates are in order.
func TestPrices(t *testing.T) {
	for _, e := range endpoints {
		for _, name := range models.Priced(e.Name) {
			p, ok := PriceOf(e.Name, name)
			if !ok || p.Model != name && e.Name != "openrouter" {
				t.Errorf("%s/%s: found %+v", e.Name, name, p)
			}
			for form, r := range map[string]providers.Rates{"short": p.Rates, "long": p.Long} {
				if r.Input < 0 || r.Cached > r.Input || r.Output < r.Input {
					t.Errorf("%s/%s: %s rates %+v", e.Name, name, form, r)
				}
			}
			if (p.Above > 0) != (p.Long != providers.Rates{}) || p.Above > 0 && p.Long.Input <= p.Input {
				t.Errorf("%s/%s: long requests %+v", e.Name, name, p)
			}
		}
	}
}
