package catalog

import (
	"errors"
	"strings"
	"testing"

	"github.com/forayhq/foray/providers"
)

// The service of the first model compacts at half of the smallest window of the chain, or the error says why not.
func TestServerCompaction(t *testing.T) {
	noKeys(t)
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-0123456789")
	t.Setenv("OPENAI_API_KEY", "sk-0123456789")
	t.Setenv("GEMINI_API_KEY", "gemini-0123456789")
	for _, c := range []struct {
		name      string
		window    int
		fallbacks []string
		at        int
		want      string
	}{
		{"anthropic/claude-sonnet-4-6", 200_000, nil, 100_000, ""},
		{"anthropic/claude-sonnet-4-6", 1_000_000, nil, 150_000, ""},
		{"openai/gpt-5.5", 0, nil, 150_000, ""},
		{"openai/gpt-5.5", 0, []string{"openai/gpt-4o"}, 64_000, ""},
		{"openai/gpt-5.5", 0, []string{"gemini/gemini-2.5-pro"}, 150_000, ""},
		{"openai/gpt-5.5", 0, []string{"ollama/qwen3"}, 0, "in a window of "},
		{"anthropic/claude-sonnet-4-6", 99_999, nil, 0, "in a window of 99,998 tokens: it takes 100,000 or more"},
		{"anthropic/claude-3-5-haiku-20241022", 0, nil, 0, "from version 4.6 on"},
		{"openai/gpt-4.1", 0, nil, 0, "models that reason"},
		{"gemini/gemini-2.5-pro", 0, []string{"openai/gpt-5.5"}, 0, "for gemini/gemini-2.5-pro"},
	} {
		o := &Options{Window: c.window, Fallbacks: c.fallbacks, ServerCompaction: true}
		m, err := Open(c.name, o)
		if c.want != "" {
			if failed := (*OpenError)(nil); !errors.Is(err, providers.ErrNoCompaction) || !errors.As(err, &failed) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s with %v: %v, want %s", c.name, c.fallbacks, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := m.Info().Compaction; got.At != c.at || got.Dialect == "" {
			t.Errorf("%s with %v: %+v, want %d", c.name, c.fallbacks, got, c.at)
		}
		o.ServerCompaction = false
		if m, err = Open(c.name, o); err != nil || m.Info().Compaction.At != 0 {
			t.Errorf("%s: compacts unasked, or %v", c.name, err)
		}
	}
}
