package contextbuilder

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/toollimit"
)

// blocks are the blocks of all sources in a plan, by priority, then by value per token.
type blocks struct {
	all    []*placement
	tokens int // of those shown, with their frame
}

// A placement is a block in the plan: whether it is shown, and how much of it.
type placement struct {
	content
	text    string // escaped, as shown
	tokens  int    // of the text in its fence
	verdict Verdict
	why     string
}

func (p *placement) shown() bool { return p.verdict != Dropped && p.verdict != Missing }

// show puts the whole text of a block in its place.
func (p *placement) show() {
	p.text, p.tokens = p.content.text, p.size
	p.verdict, p.why = p.origin, p.note
}

func (p *placement) valuePerToken() float64 { return cmp.Or(p.Value, 1) / float64(max(p.size, 1)) }

const moreLines = "\n[… %d more lines]" // replaces lines of a block that do not fit

// fit shortens a block to a room by dropping whole lines from its end. It reports whether any line remains.
func (p *placement) fit(room int) bool {
	lines := strings.Split(p.content.text, "\n")
	left := room - frameOf(p.Type) - toollimit.Tokens(moreLines) - 2*joint
	n := 0
	for n < len(lines)-1 {
		size := toollimit.Tokens(lines[n]+"\n") + 1
		if size > left {
			break
		}
		left -= size
		n++
	}
	if n == 0 {
		return false
	}
	text := strings.Join(lines[:n], "\n") + fmt.Sprintf(moreLines, len(lines)-n)
	size := toollimit.Tokens(text) + frameOf(p.Type)
	if size > room || size >= p.size {
		return false
	}
	p.text, p.tokens, p.verdict = text, size, Truncated
	p.why = fmt.Sprintf("%d of %d lines had room", n, len(lines))
	return true
}

// frameOf returns what the fence of a block and the blank lines around it take, in tokens.
func frameOf(name string) int { return toollimit.Tokens(fence(name, "", "")+"\n\n") + 2*joint }

func sortBlocks(all []*placement) {
	slices.SortStableFunc(all, func(a, b *placement) int {
		return cmp.Or(
			cmp.Compare(a.Priority, b.Priority),
			cmp.Compare(b.valuePerToken(), a.valuePerToken()),
			cmp.Compare(a.Type, b.Type),
		)
	})
}

func (b *blocks) measure() {
	b.tokens = 0
	for _, p := range b.all {
		if p.shown() {
			b.tokens += p.tokens
		}
	}
	if b.tokens > 0 {
		b.tokens += contextFrame
	}
}

// need returns what all blocks except P0 would take.
func (b *blocks) need() int {
	need := contextFrame
	for _, p := range b.all {
		if p.Priority != P0 && p.verdict != Missing {
			need += p.size
		}
	}
	return need
}

// fill shows the blocks that fit a room. A P1 block that does not fit is shortened if at least one line has room.
func (b *blocks) fill(room int) {
	left := room - contextFrame
	for _, p := range b.all {
		if p.Priority == P0 || p.verdict == Missing {
			continue
		}
		if p.size > left && (p.Priority != P1 || !p.fit(left)) {
			p.verdict, p.why = Dropped, "no room in the share of retrieved blocks"
			continue
		}
		if p.size <= left {
			p.show()
		}
		left -= p.tokens
	}
	b.measure()
}

// lowest yields the shown blocks of a priority, those of the lowest value first.
func (b *blocks) lowest(priority Priority) func(func(*placement) bool) {
	return func(yield func(*placement) bool) {
		for _, p := range slices.Backward(b.all) {
			if p.Priority == priority && p.shown() && !yield(p) {
				return
			}
		}
	}
}

// known returns the blocks that have a text, shown or not.
func (b *blocks) known() []Block {
	var all []Block
	for _, p := range b.all {
		if p.content.text != "" {
			all = append(all, p.Block)
		}
	}
	return slices.Clip(all)
}
