package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/forayhq/foray/contextwindow"
)

// The bar has a part for each section that is large enough, in the order of a request, and is never longer than it is.
func TestBar(t *testing.T) {
	th := newTheme(true)
	usage := contextwindow.Usage{Tokens: 12_000, Limit: 16_000, Prefix: 2_000, Prompt: 1_000}
	sections := []contextwindow.SectionUsage{{Name: "system prompt", Tokens: 500}, {Name: "tool schemas", Tokens: 1_500},
		{Name: "prompt", Tokens: 1_000}, {Name: "digest", Tokens: 2_000}, {Name: "reasoning", Tokens: 1_000}, {Name: "results", Tokens: 6_000}}
	for name, x := range map[string]struct {
		s     status
		parts int // with the empty one
		full  int
	}{
		"while it runs": {status{window: usage}, 4, 12},
		"by sections":   {status{window: usage, sections: sections}, 6, 12},
		"hardly used":   {status{window: contextwindow.Usage{Tokens: 40, Limit: 100_000}}, 2, 1},
		"too full":      {status{window: contextwindow.Usage{Tokens: 40_000, Limit: 16_000, Prefix: 20_000}}, 2, 16},
	} {
		bar := x.s.bar(&th, barWidth)
		plain := ansi.Strip(bar)
		if got := strings.Count(bar, "\x1b[m"); got != x.parts || strings.Count(plain, "█") != x.full || ansi.StringWidth(plain) != barWidth {
			t.Errorf("%s: %d parts, %q", name, got, bar)
		}
	}
}
