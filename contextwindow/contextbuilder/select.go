package contextbuilder

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/toollimit"
)

// choose fills the sections. System, pinned instruction, input and blocks of P0 are reserved first; then each section has
// its share, and what it leaves goes to the others up to the mark of compaction: recent messages, retrieved, summary.
func (p *plan) choose(summary string) {
	mark := p.share(compactMark)
	p.placeBlocks() // of P0 alone: the others are not shown yet
	reserved := p.used()
	summaryNeed := toollimit.Tokens(summary)
	summaryRoom := min(summaryNeed, p.roomOf(SectionSummary, reserved, 0))
	retrievedRoom := min(p.optionalNeed(), p.roomOf(SectionRetrieved, reserved, p.blockSize))
	taken := reserved + summaryRoom + retrievedRoom

	row := p.shareOf(SectionRecent)
	recent := max(p.share(row.Share), mark-taken)
	p.chooseTurns(min(recent, p.share(row.Ceiling), p.room-taken))
	taken += p.recent

	row = p.shareOf(SectionRetrieved)
	retrievedRoom += max(0, min(p.optionalNeed()-retrievedRoom, mark-taken, p.share(row.Ceiling)-p.blockSize-retrievedRoom))
	p.chooseBlocks(retrievedRoom)
	taken = p.used() + summaryRoom

	row = p.shareOf(SectionSummary)
	summaryRoom += max(0, min(summaryNeed-summaryRoom, mark-taken, p.share(row.Ceiling)-summaryRoom))
	p.chooseSummary(summary, summaryRoom)
	p.fillGap(max(p.share(row.Share), p.share(row.Floor)) - p.headSize)
}

// roomOf is what a section may take before others borrow: its share, less what is in it already, but not less than its
// floor; and nothing that is not there.
func (p *plan) roomOf(s Section, reserved, in int) int {
	row := p.shareOf(s)
	return max(0, min(max(p.share(row.Share)-in, p.share(row.Floor)), p.room-reserved))
}

// optionalNeed is what all blocks but those of P0 would take.
func (p *plan) optionalNeed() int {
	need := contextFrame
	for _, b := range p.blocks {
		if b.Priority != P0 && b.verdict != Missing {
			need += b.size
		}
	}
	return need
}

// chooseBlocks shows the blocks that fit in a room: by priority, then by what they are worth for a token. One of P1 that
// does not fit is shortened, as long as a line of it has room.
func (p *plan) chooseBlocks(room int) {
	left := room - contextFrame
	for _, b := range p.blocks {
		if b.Priority == P0 || b.verdict == Missing {
			continue
		}
		if b.size > left && (b.Priority != P1 || !p.fitBlock(b, left)) {
			b.verdict, b.why = Dropped, "no room in the share of what is retrieved"
			continue
		}
		if b.size <= left {
			b.show()
		}
		left -= b.tokens
	}
	p.placeBlocks()
}

// show puts the whole text of a block in its place.
func (p *placed) show() {
	p.text, p.tokens = p.filled.text, p.size
	p.verdict, p.why = p.come, p.note
}

// fitBlock shortens a block to so many tokens by whole lines from its end, and reports whether a line is left.
func (p *plan) fitBlock(b *placed, room int) bool {
	lines := strings.Split(b.filled.text, "\n")
	left := room - frameOf(b.Type) - toollimit.Tokens(leftOut) - 2*joint
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
	text := strings.Join(lines[:n], "\n") + fmt.Sprintf(leftOut, len(lines)-n)
	size := toollimit.Tokens(text) + frameOf(b.Type)
	if size > room || size >= b.size {
		return false
	}
	b.text, b.tokens, b.verdict = text, size, Cut
	b.why = fmt.Sprintf("%d of %d lines had room", n, len(lines))
	return true
}

// leftOut stands for lines of a block that had no room.
const leftOut = "\n[… %d more lines]"

// frameOf is what the fence of a block and the blanks around it take, in tokens.
func frameOf(name string) int { return toollimit.Tokens(fence(name, "", "")+"\n\n") + 2*joint }

// order sorts blocks by priority, what they are worth for a token, and name.
func order(blocks []*placed) {
	slices.SortStableFunc(blocks, func(a, b *placed) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(b.worth(), a.worth()), cmp.Compare(a.Type, b.Type))
	})
}

func (p *placed) worth() float64 { return cmp.Or(p.Value, 1) / float64(max(p.size, 1)) }

// chooseSummary shows a summary, or as many of its lines as have room.
func (p *plan) chooseSummary(text string, room int) {
	if text == "" {
		return
	}
	need := toollimit.Tokens(text)
	if need <= room {
		p.summary = text
		p.placeHead()
		p.stats.decide(SectionSummary, summaryTag, Included, "", need)
		return
	}
	if room > framing {
		p.summary, _ = toollimit.Truncate(toollimit.Text, bounded(text), toollimit.Quota{MaxTokens: room})
	}
	p.placeHead()
	p.stats.decide(SectionSummary, summaryTag, Cut, fmt.Sprintf("%d of %d tokens had room", room, need), p.headSize)
}

// leastDigest is the least room that a digest has, in tokens.
const leastDigest = 60

// shownFrom is the number of the first message in the window; behind all if none is.
func (p *plan) shownFrom() int64 {
	if len(p.window) > 0 {
		return p.window[0].first
	}
	if n := len(p.past.turns); n > 0 {
		return p.past.turns[n-1].last + 1
	}
	return 0
}

// uncovered returns the turns that neither window nor summary show, ascending, and whether there are older ones that were
// not even read.
func (p *plan) uncovered() (turns []turn, older bool) {
	covered := p.covered
	if p.summary == "" {
		covered = 0
	}
	before := p.past.turns[:len(p.past.turns)-len(p.window)]
	i, _ := slices.BinarySearchFunc(before, covered, func(t turn, seq int64) int { return cmp.Compare(t.last, seq+1) })
	return before[i:], i == 0 && !p.past.whole && len(p.past.turns) > 0 && p.past.turns[0].first > covered+1
}

// fillGap writes a digest of the turns that neither window nor summary show, in so many tokens: a line each, the newest
// first to have room. What has no line is told by its numbers.
func (p *plan) fillGap(room int) {
	p.digest = ""
	p.placeHead()
	turns, older := p.uncovered()
	if len(turns) == 0 && !older {
		return
	}
	lines := []string{}
	left := max(room, leastDigest) - gapFrame
	for i := len(turns) - 1; i >= 0; i-- {
		line, size := turns[i].line()
		if size > left {
			break
		}
		left -= size
		lines = append(lines, line)
	}
	if rest := len(turns) - len(lines); rest > 0 || older {
		last := p.shownFrom() - 1
		if len(lines) > 0 {
			last = turns[rest].first - 1
		}
		lines = append(lines, fmt.Sprintf("- messages up to [%d] are not shown and in no summary yet", last))
	}
	slices.Reverse(lines)
	p.digest = digestHead + strings.Join(lines, "\n")
	p.placeHead()
}

const digestHead = "Earlier turns that are not shown, by the number of their first message:\n"

// gapFrame is what a digest takes besides its lines, in tokens.
var gapFrame = toollimit.Tokens(digestHead) + toollimit.Tokens(fence(digestTag, "", "")+"\n\n") + 30
