package catalog

import (
	"cmp"
	"fmt"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/models"
)

// When a service compacts. It is the first of two: half of the window leaves the levels of every profile above it (see
// [contextwindow.Budget.Beyond]), and in a large window a request should not grow to half of it.
const (
	compactShare = 2       // of the window: one in so many tokens
	mostCompact  = 150_000 // tokens
	leastCompact = 50_000  // tokens, that Anthropic takes; less is not worth a pass of its own
)

// compactAt returns from how many tokens the service of the first target compacts: by the smallest window of the chain,
// which bounds the requests.
func compactAt(targets []Target) int {
	at := mostCompact
	for _, t := range targets {
		size, _ := models.Size(t.Model)
		window := cmp.Or(t.Window, t.window, size.Window)
		at = min(at, windowOf(providers.Info{Window: window})/compactShare)
	}
	return at
}

// mayCompact returns an error if a service is to compact that cannot, or in too small a window.
func mayCompact(t Target) error {
	switch {
	case t.compact == 0:
		return nil
	case t.dialect != anthropicDialect && t.dialect != openaiDialect:
		return fmt.Errorf("%w for %s", providers.ErrNoCompaction, t)
	case t.compact < leastCompact:
		return fmt.Errorf("%w in a window of %s tokens: it takes %s or more", providers.ErrNoCompaction,
			line.Number(compactShare*t.compact), line.Number(compactShare*leastCompact))
	}
	return nil
}
