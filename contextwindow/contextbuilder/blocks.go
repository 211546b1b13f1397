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

const minBlock = 30 // tokens of a part of a line that are worth showing

// fit shortens a block to a room: to the first lines that have room and, for P0, its short form. It reports whether the
// block is smaller now and fits.
func (p *placement) fit(room int) bool {
	frame := frameOf(p.Type)
	text, why := p.lines(room - frame - toollimit.Tokens(moreLines) - 2*joint)
	size := toollimit.Tokens(text) + frame
	if text == "" || size > room || size >= p.size || p.shown() && size >= p.tokens {
		return false
	}
	p.text, p.tokens, p.verdict, p.why = text, size, Truncated, why
	return true
}

// lines returns as many lines of a block as fit a room, "" if none does, and how many they are. Those that only the
// short form of a P0 block has come first. Of a line that takes most of the room, the two ends are shown.
func (p *placement) lines(room int) (text, why string) {
	lines := strings.Split(p.content.text, "\n")
	if p.Priority == P0 && !strings.HasPrefix(p.content.text, p.short) {
		own := strings.Split(p.short, "\n")
		lines = append(own, slices.DeleteFunc(lines, func(l string) bool { return slices.Contains(own, l) })...)
	}
	sizeOf := func(n int) int { return toollimit.Tokens(strings.Join(lines[:n], "\n")) }
	n, left := 0, room
	for n < len(lines) && toollimit.Tokens(lines[n]) < left {
		left -= toollimit.Tokens(lines[n]) + 1
		n++
	}
	for n > 0 && n < len(lines) { // lines take less together than apart
		more := min(max(n*room/max(sizeOf(n), 1), n), len(lines))
		if more == n || sizeOf(more) > room {
			break
		}
		n = more
	}
	shown := lines[:n]
	if left = room - sizeOf(n); n < len(lines) && left > room/2 && left >= minBlock {
		shown, n = append(slices.Clone(shown), twoEnds(lines[n], left-1)), n+1
	}
	if len(shown) == 0 {
		return "", ""
	}
	text = strings.Join(shown, "\n")
	if n < len(lines) {
		text += fmt.Sprintf(moreLines, len(lines)-n)
	}
	return text, fmt.Sprintf("%d of %d lines had room", n, len(lines))
}

// twoEnds returns the two ends of a text, of at most so many tokens together.
func twoEnds(text string, tokens int) string {
	for most := len(text); most > 0; {
		short := strings.ToValidUTF8(ends(text, most, ""), "")
		size := toollimit.Tokens(short)
		if size <= tokens {
			return short
		}
		most = min(most*tokens/size, most-most/50-1)
	}
	return ""
}

// frameOf returns what the fence of a block and the blank lines around it take, in tokens. Lines add up, so that only
// the end of the text can take more.
func frameOf(name string) int { return toollimit.Tokens(fence(name, "", "")+"\n\n") + joint }

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
		if p.Priority == P0 || p.verdict == Missing || p.content.text == "" {
			continue
		}
		if p.size > left && (p.Priority != P1 || !p.fit(left)) {
			p.verdict, p.why = Dropped, fmt.Sprintf("%d tokens had room", max(left, 0))
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

// known returns the blocks of sources that have a text, shown or not.
func (b *blocks) known() []Block {
	var all []Block
	for _, p := range b.all {
		if p.Text != "" && p.Type != TypeEarlierLines {
			all = append(all, p.Block)
		}
	}
	return slices.Clip(all)
}
