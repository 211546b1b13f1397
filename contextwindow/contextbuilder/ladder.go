package contextbuilder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/contextbuilder/internal/cache"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
)

// A rung is one step of compaction. It stops once everything is under the mark, and returns how many parts it
// shortened or dropped.
type rung struct {
	name string
	mark float64 // share of the room
	take func(ctx context.Context, p *plan, mark int) int
}

// gentleRungs apply above 80 % of the room.
var gentleRungs = []rung{
	{"pictures", compactMark, describePictures},
	{"results of tools", compactMark, shortenResults},
	{"turns before the last 10", compactMark, dropTurns(keepTurns)},
	{"long messages", compactMark, shortenMessages},
	{"P2", compactMark, dropBlocks(P2)},
	{"P1 shortened", compactMark, shortenBlocks},
}

// forcedRungs apply above 95 %. The last ones apply only while the context does not fit the room at all.
var forcedRungs = []rung{
	{"turns", forceMark, dropTurns(2)},
	{"P1", forceMark, dropBlocks(P1)},
	{"turns before the newest", 1, dropTurns(1)},
	{"summary", 1, truncateSummary},
	{"P0 in short", 1, useShortForms},
	{"messages of the newest turn", 1, squeezeNewest},
	{"all turns", 1, dropTurns(0)},
	{"digest", 1, dropDigest},
	{"input", 1, truncateInput},
}

const (
	keepTurns       = 10
	gapTokens       = 500 // of the summary of removed turns
	gapTime         = 2 * time.Second
	longMessage     = 2_000 // characters
	maxSummaryInput = 64 << 10
)

// compact brings the plan under the marks. The error is contextwindow.ErrIrreducible, with the sizes.
func (p *plan) compact(ctx context.Context) error {
	p.walk(ctx, gentleRungs, compactMark, false)
	p.walk(ctx, forcedRungs, forceMark, true)
	if p.used() <= p.room.total {
		return ctx.Err()
	}
	return &contextwindow.IrreducibleError{
		Limit: p.room.total, System: p.system,
		Prompt: p.input.tokens + p.pin + p.blocks.tokens, Rest: p.window.tokens + p.head.tokens,
	}
}

func (p *plan) walk(ctx context.Context, rungs []rung, mark float64, forced bool) {
	if p.used() <= p.room.part(mark) {
		return
	}
	p.stats.Injection.Compacted = true
	for _, r := range rungs {
		before := p.used()
		if before <= p.room.part(r.mark) {
			continue
		}
		if n := r.take(ctx, p, p.room.part(r.mark)); n > 0 {
			p.stats.Compactions = append(p.stats.Compactions, Compaction{r.name, forced, n, before, p.used()})
		}
	}
}

// describePictures replaces pictures by words, oldest first.
func describePictures(_ context.Context, p *plan, mark int) int {
	n := 0
	for i, t := range p.window.turns {
		if p.used() <= mark {
			break
		}
		if words := t.inWords(); words.tokens < t.tokens {
			p.window.turns[i] = words
			n++
			p.window.measure()
		}
	}
	return n
}

// shortenResults shortens long tool results, oldest first.
func shortenResults(_ context.Context, p *plan, mark int) int {
	if p.b.config.NoCompression {
		return 0
	}
	n := 0
	for i, t := range p.window.turns {
		if p.used() <= mark {
			break
		}
		short, changed := p.shorten.compress(t)
		p.window.turns[i], n = short, n+changed
		p.window.measure()
	}
	return n
}

// removeTurns removes the oldest turns from the window until everything is under the mark or only keep are left.
func removeTurns(p *plan, mark, keep int) int {
	n := 0
	remove := func(k int) {
		p.window.turns, n = p.window.turns[k:], n+k
		p.window.measure()
		p.fillGap(gapTokens)
	}
	for len(p.window.turns) > keep && p.used() > mark {
		remove(1)
	}
	if first := len(p.past.turns) - len(p.window.turns); n > 0 {
		remove(min(steadyStart(p.past.turns, first)-first, len(p.window.turns)-keep))
	}
	return n
}

// summariseGap asks [Config.Summarise] for a text to replace the digest of turns that did not fit, and keeps the digest
// if none comes in time. The text is cached for as long as the same turns are left out.
func (p *plan) summariseGap(ctx context.Context) {
	turns, older := p.uncovered()
	before := p.used()
	room := min(gapTokens, toollimit.Tokens(p.head.digest)+max(p.room.part(compactMark)-before, 0))
	if p.b.config.Summarise == nil || p.q.Thread == "" || len(turns) == 0 || !p.leftOut() || room < minDigest {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, gapTime)
	defer cancel()
	found := p.b.gaps.Look(cache.Lookup[string]{
		Conversation: p.q.Thread,
		Key:          fmt.Sprintf("%d-%d", turns[0].first, turns[len(turns)-1].last),
		Call:         "fold",
		TTL:          WholeConversation,
		Limit:        gapTime,
		Fetch: func(ctx context.Context) (string, error) {
			text, err := p.b.config.Summarise(ctx, transcriptOf(turns), gapTokens)
			if err == nil && strings.TrimSpace(text) == "" {
				err = errors.New("the summary is empty")
			}
			return text, err
		},
	})
	text, err := found.Value, error(nil)
	if !found.Fresh {
		text, err = p.b.gaps.Wait(ctx, found.Flight, func() bool { return ctx.Err() != context.DeadlineExceeded })
	}
	if err != nil {
		p.stats.warn("a digest replaces earlier turns, because their summary failed: " + reason(err))
		return
	}
	text = escape(bounded(strings.TrimSpace(text)))
	if older {
		text = fmt.Sprintf("Messages [%d] to [%d] are not shown. Then:\n%s", p.head.covered+1, turns[0].first-1, text)
	}
	p.head.digest, _ = toollimit.Truncate(toollimit.Text, text, toollimit.Quota{MaxTokens: room})
	p.head.measure()
	p.stats.Injection.Compacted = true
	p.stats.Compactions = append(p.stats.Compactions, Compaction{"summary of turns", false, len(turns), before, p.used()})
}

// transcriptOf returns the text of turns, as much of the newest as fits.
func transcriptOf(turns []turn) string {
	var parts []string
	left := maxSummaryInput
	for _, t := range slices.Backward(turns) {
		if t.digest != "" && left > 0 { // of a turn too old for the window, only its line is known
			parts, left = append(parts, t.digest), left-len(t.digest)
		}
		for i := len(t.messages) - 1; i >= 0 && left > 0; i-- {
			m := &t.messages[i]
			text := oneLine(m.Described(), min(longMessage, left))
			if left -= len(text); text != "" {
				parts = append(parts, string(m.Role)+": "+text)
			}
		}
	}
	slices.Reverse(parts)
	return strings.Join(parts, "\n")
}

// shortenMessages shortens long messages, oldest first.
func shortenMessages(_ context.Context, p *plan, mark int) int {
	n := 0
	for i := range p.window.turns {
		for k := range p.window.turns[i].messages {
			m := p.window.turns[i].messages[k]
			if p.used() <= mark || line.Runes(m.Text) <= longMessage {
				continue
			}
			t := p.window.turns[i].clone()
			t.replace(k, p.shorten.truncate(kindOf(m), t.received[k].Text, toollimit.Quota{MaxChars: longMessage}))
			p.window.turns[i] = t
			n++
			p.window.measure()
		}
	}
	return n
}

// dropBlocks drops blocks of a priority, lowest value per token first.
func dropBlocks(priority Priority) func(context.Context, *plan, int) int {
	return func(_ context.Context, p *plan, mark int) int {
		n := 0
		for b := range p.blocks.lowest(priority) {
			if p.used() <= mark {
				break
			}
			b.verdict, b.why = Dropped, "compaction"
			n++
			p.blocks.measure()
		}
		return n
	}
}

// shortenBlocks shortens P1 blocks as far as needed, but not below a quarter.
func shortenBlocks(_ context.Context, p *plan, mark int) int {
	n := 0
	for b := range p.blocks.lowest(P1) {
		if over := p.used() - mark; over > 0 && b.fit(max(b.tokens-over, b.size/4)) {
			n++
			p.blocks.measure()
		}
	}
	return n
}

// dropTurns removes the oldest turns from the window, down to keep.
func dropTurns(keep int) func(context.Context, *plan, int) int {
	return func(_ context.Context, p *plan, mark int) int { return removeTurns(p, mark, keep) }
}

// truncateSummary shortens the summary as far as needed. If nothing is left of it, a digest replaces it.
func truncateSummary(_ context.Context, p *plan, mark int) int {
	size := toollimit.Tokens(p.head.summary)
	if size == 0 {
		return 0
	}
	room := max(size-(p.used()-mark)-joint, 0)
	p.head.summary, _ = toollimit.Truncate(toollimit.Text, p.head.summary, toollimit.Quota{MaxTokens: max(room, 1)})
	if p.head.measure(); room == 0 {
		p.head.summary = ""
		p.fillGap(minDigest)
	}
	p.stats.decide(SectionSummary, summaryTag, Truncated, "compaction", p.head.tokens)
	return 1
}

// useShortForms shortens P0 blocks as far as needed, but not below their short forms.
func useShortForms(_ context.Context, p *plan, mark int) int {
	n := 0
	for b := range p.blocks.lowest(P0) {
		over := p.used() - mark
		switch {
		case over <= 0 || b.shortSize >= b.tokens:
			continue
		case b.tokens-over <= b.shortSize || !b.fit(b.tokens-over):
			b.text, b.tokens, b.verdict, b.why = b.short, b.shortSize, Truncated, "its short form: compaction"
		}
		n++
		p.blocks.measure()
	}
	return n
}

// squeezeNewest shortens the turns that are left in the window.
func squeezeNewest(_ context.Context, p *plan, mark int) int {
	for i, t := range p.window.turns {
		p.window.turns[i] = p.shorten.squeeze(t, max(t.tokens-(p.used()-mark), 0))
		p.window.measure()
	}
	return len(p.window.turns)
}

// dropDigest reduces the digest to one line.
func dropDigest(_ context.Context, p *plan, _ int) int {
	if p.head.digest == "" {
		return 0
	}
	p.head.digest = fmt.Sprintf("Messages up to [%d] are not shown.", p.firstShown()-1)
	p.head.measure()
	return 1
}

// truncateInput shortens the input as far as needed, but not below minInput.
func truncateInput(_ context.Context, p *plan, mark int) int {
	rest := p.input.tokens - toollimit.Tokens(p.input.text)
	room := max(p.input.tokens-(p.used()-mark)-rest, minInput)
	short := p.shorten.truncate(spoken, p.q.Input, toollimit.Quota{MaxTokens: room})
	size := toollimit.Tokens(short) + rest
	if size >= p.input.tokens {
		return 0
	}
	p.input = input{short, size}
	p.stats.decide(SectionInput, "input", Truncated, "compaction", size)
	p.stats.warn("the input is shown truncated")
	return 1
}
