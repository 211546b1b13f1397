package contextbuilder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/toollimit"
)

// A rung is one step of compaction. It stops as soon as everything is under the mark, and returns how many parts it
// shortened or dropped.
type rung struct {
	name string
	mark float64 // of the room
	take func(ctx context.Context, p *plan, mark int) int
}

// gentle is walked above 80 % of the room (requirements: the order).
var gentle = []rung{
	{"results of tools", compactMark, shortenResults},
	{"turns before the last 10", compactMark, foldTurns},
	{"long messages", compactMark, shortenMessages},
	{"P2", compactMark, dropOptional(P2)},
	{"P1 shortened", compactMark, shortenBlocks},
}

// forcedRungs is walked above 95 %, until at last everything fits the room.
var forcedRungs = []rung{
	{"turns", forceMark, dropTurns(2)},
	{"P1", forceMark, dropOptional(P1)},
	{"turns before the newest", 1, dropTurns(1)},
	{"summary", 1, cutSummary},
	{"P0 in short", 1, shortForms},
	{"messages of the newest turn", 1, squeezeNewest},
	{"all turns", 1, dropTurns(0)},
	{"digest", 1, dropDigest},
	{"input", 1, cutInput},
}

// The numbers of the ladder (requirements).
const (
	keepTurns     = 10
	foldTokens    = 500 // of what stands for folded turns
	foldTime      = 2 * time.Second
	longMessage   = 2_000 // characters
	summariseMost = 64 << 10
)

// compact brings the plan under the marks. The error is contextwindow.ErrIrreducible, with the sizes.
func (p *plan) compact(ctx context.Context) error {
	p.walk(ctx, gentle, compactMark, false)
	p.walk(ctx, forcedRungs, forceMark, true)
	if p.used() <= p.room {
		return ctx.Err()
	}
	return &contextwindow.IrreducibleError{
		Limit: p.room, System: p.system, Prompt: p.inputTokens + p.pinnedSize + p.blockSize, Rest: p.recent + p.headSize,
	}
}

func (p *plan) walk(ctx context.Context, rungs []rung, mark float64, forced bool) {
	if p.used() <= p.share(mark) {
		return
	}
	p.stats.Injection.Compacted = true
	for _, r := range rungs {
		before := p.used()
		if before <= p.share(r.mark) {
			continue
		}
		if n := r.take(ctx, p, p.share(r.mark)); n > 0 {
			p.stats.Compactions = append(p.stats.Compactions, Compaction{r.name, forced, n, before, p.used()})
		}
	}
}

// shortenResults shortens long results of tools, the oldest first.
func shortenResults(_ context.Context, p *plan, mark int) int {
	if p.b.config.NoCompression {
		return 0
	}
	n := 0
	for i := range p.window {
		if p.used() <= mark {
			break
		}
		t, short := p.compressed(p.window[i])
		p.window[i], n = t, n+short
		p.placeWindow()
	}
	return n
}

// foldTurns takes turns before the last 10 out of the window. What the summary does not cover of them is summed up.
func foldTurns(ctx context.Context, p *plan, mark int) int {
	n := leaveTurns(p, mark, keepTurns)
	if n > 0 {
		p.sumUp(ctx)
	}
	return n
}

// leaveTurns takes the oldest turns out of the window until everything is under the mark or so many are left.
func leaveTurns(p *plan, mark, keep int) int {
	n := 0
	for len(p.window) > keep && p.used() > mark {
		p.window = p.window[1:]
		n++
		p.placeWindow()
		p.fillGap(foldTokens)
	}
	if first := len(p.past.turns) - len(p.window); n > 0 {
		more := min(steady(p.past.turns, first)-first, len(p.window)-keep)
		p.window, n = p.window[more:], n+more
		p.placeWindow()
		p.fillGap(foldTokens)
	}
	return n
}

// sumUp asks for a text that stands for the turns of the digest, within two seconds; the digest stands if none comes. The
// text is kept for as long as the same turns are left out.
func (p *plan) sumUp(ctx context.Context) {
	turns, _ := p.uncovered()
	if p.b.config.Summarise == nil || len(turns) == 0 || p.q.Thread == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, foldTime)
	defer cancel()
	found := p.b.folds.look(want[string]{
		conversation: p.q.Thread,
		key:          fmt.Sprintf("%d-%d", turns[0].first, turns[len(turns)-1].last),
		call:         "fold",
		ttl:          WholeConversation,
		limit:        foldTime,
		fetch: func(ctx context.Context) (string, error) {
			text, err := p.b.config.Summarise(ctx, textOf(turns), foldTokens)
			if err == nil && strings.TrimSpace(text) == "" {
				err = errors.New("it says nothing")
			}
			return text, err
		},
	})
	text, err := found.value, error(nil)
	if !found.fresh {
		text, err = p.b.folds.wait(ctx, found.flight, func() bool { return ctx.Err() != context.DeadlineExceeded })
	}
	if err != nil {
		p.stats.warn("a digest stands for earlier turns, for there is no summary of them: " + lateOr(err))
		return
	}
	text, _ = toollimit.Truncate(toollimit.Text, escape(bounded(strings.TrimSpace(text))), toollimit.Quota{MaxTokens: foldTokens})
	p.digest = text
	p.placeHead()
}

// textOf is the text of turns, of the newest as much as has room.
func textOf(turns []turn) string {
	var parts []string
	left := summariseMost
	for _, t := range slices.Backward(turns) {
		for i := len(t.messages) - 1; i >= 0 && left > 0; i-- {
			m := &t.messages[i]
			text := clip(m.Text, min(longMessage, left))
			if left -= len(text); text != "" {
				parts = append(parts, string(m.Role)+": "+text)
			}
		}
	}
	slices.Reverse(parts)
	return strings.Join(parts, "\n")
}

// shortenMessages shortens long messages, the oldest first. The newest message of all is the input, which is no part of
// the window.
func shortenMessages(_ context.Context, p *plan, mark int) int {
	n := 0
	for i := range p.window {
		for k := range p.window[i].messages {
			m := p.window[i].messages[k]
			if p.used() <= mark || toollimit.Runes(m.Text) <= longMessage {
				continue
			}
			t := p.window[i].clone()
			t.replace(k, p.shorten(m.Kind, t.received[k].Text, toollimit.Quota{MaxChars: longMessage}))
			p.window[i] = t
			n++
			p.placeWindow()
		}
	}
	return n
}

// dropOptional drops blocks of a priority, those first that are worth least for a token.
func dropOptional(priority Priority) func(context.Context, *plan, int) int {
	return func(_ context.Context, p *plan, mark int) int {
		n := 0
		for _, b := range slices.Backward(p.blocks) {
			if b.Priority != priority || !b.shown() || p.used() <= mark {
				continue
			}
			b.verdict, b.why = Dropped, "compaction"
			n++
			p.placeBlocks()
		}
		return n
	}
}

// shortenBlocks shortens blocks of P1 to what is needed, but not below a quarter.
func shortenBlocks(_ context.Context, p *plan, mark int) int {
	n := 0
	for _, b := range slices.Backward(p.blocks) {
		if b.Priority != P1 || !b.shown() || p.used() <= mark {
			continue
		}
		if p.fitBlock(b, max(b.tokens-(p.used()-mark), b.size/4)) {
			n++
			p.placeBlocks()
		}
	}
	return n
}

// dropTurns takes turns out of the window, the oldest first, until so many are left.
func dropTurns(keep int) func(context.Context, *plan, int) int {
	return func(_ context.Context, p *plan, mark int) int { return leaveTurns(p, mark, keep) }
}

// cutSummary shortens the summary as far as is needed. When nothing is left of it, a digest stands for what it covered.
func cutSummary(_ context.Context, p *plan, mark int) int {
	size := toollimit.Tokens(p.summary)
	room := max(size-(p.used()-mark)-joint, 0)
	if size == 0 {
		return 0
	}
	p.summary, _ = toollimit.Truncate(toollimit.Text, p.summary, toollimit.Quota{MaxTokens: max(room, 1)})
	if p.placeHead(); room == 0 {
		p.summary = ""
		p.fillGap(leastDigest)
	}
	p.stats.decide(SectionSummary, summaryTag, Cut, "compaction", p.headSize)
	return 1
}

// shortForms puts the short forms of P0 in place of their texts.
func shortForms(_ context.Context, p *plan, mark int) int {
	n := 0
	for _, b := range slices.Backward(p.blocks) {
		if b.Priority != P0 || !b.shown() || p.used() <= mark || b.shortSize >= b.tokens {
			continue
		}
		b.text, b.tokens, b.verdict, b.why = b.short, b.shortSize, Cut, "its short form: compaction"
		n++
		p.placeBlocks()
	}
	return n
}

// squeezeNewest shortens what is left of the window.
func squeezeNewest(_ context.Context, p *plan, mark int) int {
	for i := range p.window {
		p.window[i] = p.squeezed(p.window[i], max(p.window[i].tokens-(p.used()-mark), 0))
		p.placeWindow()
	}
	return len(p.window)
}

// dropDigest leaves no more than a line of the digest.
func dropDigest(_ context.Context, p *plan, _ int) int {
	if p.digest == "" {
		return 0
	}
	p.digest = fmt.Sprintf("Messages up to [%d] are not shown.", p.shownFrom()-1)
	p.placeHead()
	return 1
}

// cutInput shortens the input as far as is needed, but not below a least size.
func cutInput(_ context.Context, p *plan, mark int) int {
	rest := p.inputTokens - toollimit.Tokens(p.input)
	room := max(p.inputTokens-(p.used()-mark)-rest, leastInput)
	short := p.shorten(toollimit.Text, p.q.Input, toollimit.Quota{MaxTokens: room})
	if size := toollimit.Tokens(short) + rest; size < p.inputTokens {
		p.input, p.inputTokens = short, size
		p.stats.decide(SectionInput, "input", Cut, "compaction", size)
		p.stats.warn("the input is shown cut")
		return 1
	}
	return 0
}
