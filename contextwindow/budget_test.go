package contextwindow

import "testing"

func TestWindowSize(t *testing.T) {
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
		if got, source, known := WindowSize(name); got != want || !known {
			t.Errorf("%s: %d tokens (%s), want %d", name, got, source, want)
		}
	}
	for _, name := range []string{"somebody", "gpt-45", "gpt-4.7", "o10", "gpt", "notgpt-4o", "demo1"} {
		if got, source, known := WindowSize(name); got != 32_000 || known || source != fallbackSource {
			t.Errorf("%s: %d tokens from %s, want the fallback", name, got, source)
		}
	}
}

func TestBudgetFor(t *testing.T) {
	for _, c := range []struct {
		model            string
		p                Profile
		want, autonomous int
	}{
		{"", Ladder, 24_000, 24_000},
		{"gemini-2.5-pro", Ladder, 36_000, 48_000}, {"gemini-2.5-pro", Off, 971_808, 971_808},
		{"claude-sonnet-4", Ladder, 24_000, 32_000}, {"claude-sonnet-4", Full, 187_808, 187_808},
		{"gpt-4o", Lean, 20_000, 24_000}, {"gpt-4o", Cheap, 20_000, 24_000}, {"gpt-4o", Wide, 117_248, 117_248},
		{"claude-sonnet-4", Wide, 128_000, 128_000},
		{"mock", Ladder, 12_000, 14_000},
		{"gpt-4", Ladder, 5_324, 5_632}, // usable: 8192 − 2048 − 512
		{"llama2", Ladder, 2_662, 2_816}, {"somebody", Ladder, 12_000, 14_000},
	} {
		b := BudgetFor(c.model, c.p)
		if got := b.Autonomous().Limit; b.Limit != c.want || got != c.autonomous {
			t.Errorf("%q under %s: %d and %d tokens, want %d and %d", c.model, c.p, b.Limit, got, c.want, c.autonomous)
		}
	}
	if !BudgetFor("somebody", Ladder).Fallback || BudgetFor("gpt-4o", Ladder).Fallback {
		t.Error("the fallback is not told")
	}
	for window := 500; window < 3_000_000; window += window / 7 {
		for _, p := range Profiles() {
			if b := BudgetOf(window, p); b.Limit <= 0 || b.Limit >= window {
				t.Errorf("a window of %d under %s has a budget of %d", window, p, b.Limit)
			}
		}
	}
}
