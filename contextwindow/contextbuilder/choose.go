package contextbuilder

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/toollimit"
)

// choose fills the sections. Fixed parts and P0 blocks come first. Summary and retrieved blocks then reserve room within
// their own shares, and recent turns take the rest up to compactMark, or their share if that is more. What the turns
// leave goes to the retrieved blocks, and what these leave to the summary.
func (p *plan) choose(summary string) {
	mark := p.room.part(compactMark)
	p.blocks.measure() // of P0 alone: no other block is shown yet
	reserved := p.used()
	summaryNeed := toollimit.Tokens(summary)
	summaryRoom := min(summaryNeed, p.ownRoom(SectionSummary, reserved, 0))
	retrievedRoom := min(p.blocks.need(), p.ownRoom(SectionRetrieved, reserved, p.blocks.tokens))
	taken := reserved + summaryRoom + retrievedRoom

	recent := max(p.room.share(SectionRecent), mark-taken)
	p.chooseTurns(min(recent, p.room.ceiling(SectionRecent), p.room.total-taken))
	taken += p.window.tokens

	ceiling := p.room.ceiling(SectionRetrieved) - p.blocks.tokens // P0 blocks are in the same section
	retrievedRoom += max(0, min(p.blocks.need()-retrievedRoom, mark-taken, ceiling-retrievedRoom))
	p.blocks.choose(retrievedRoom)
	taken = p.used() + summaryRoom

	ceiling = p.room.ceiling(SectionSummary)
	summaryRoom += max(0, min(summaryNeed-summaryRoom, mark-taken, ceiling-summaryRoom))
	p.chooseSummary(summary, summaryRoom)
	p.fillGap(max(p.room.share(SectionSummary), p.room.floor(SectionSummary)) - p.head.tokens)
}

// ownRoom returns what a section may take before it borrows from others: its share less what it holds already, but at
// least its floor, and never more than the reserved parts leave.
func (p *plan) ownRoom(s Section, reserved, held int) int {
	return max(0, min(max(p.room.share(s)-held, p.room.floor(s)), p.room.total-reserved))
}

const wholeTurns = 2 // the newest turns, whose tool results stay whole when older ones are shortened

// chooseTurns shows the newest turns that fit, whole. If not all fit, it shortens tool results of older turns to fit
// more. The newest turn is always shown, shortened if needed.
func (p *plan) chooseTurns(room int) {
	turns := p.past.turns
	most := min(len(turns), p.b.config.Turns)
	fitting := p.fitTurns(room, most)
	if len(fitting) < most && !p.b.config.NoCompression {
		fitting = p.fitTurns(room, wholeTurns)
	}
	from := len(turns) - len(fitting)
	if from > 0 || !p.past.whole {
		fitting = fitting[steadyStart(turns, from)-from:]
	}
	p.window.turns = fitting
	p.window.measure()
}

// fitTurns returns the newest turns that fit a room, ascending. It shortens tool results in all but the newest intact
// turns.
func (p *plan) fitTurns(room, intact int) []turn {
	turns := p.past.turns
	taken := 0
	var fitting []turn
	for i := len(turns) - 1; i >= 0 && len(fitting) < p.b.config.Turns; i-- {
		t := p.shorten.limit(turns[i], p.b.config.MaxMessageTokens)
		newest := i == len(turns)-1
		if (len(fitting) >= intact || newest && t.tokens > room) && !p.b.config.NoCompression {
			t, _ = p.shorten.compress(t)
		}
		if newest && t.tokens > room {
			t = p.shorten.squeeze(t, room)
		} else if taken+t.tokens > room {
			break
		}
		fitting, taken = append(fitting, t), taken+t.tokens
	}
	slices.Reverse(fitting)
	return fitting
}

// chooseSummary shows a summary, or as many of its lines as fit.
func (p *plan) chooseSummary(text string, room int) {
	if text == "" {
		return
	}
	need := toollimit.Tokens(text)
	if need <= room {
		p.head.summary = text
		p.head.measure()
		p.stats.decide(SectionSummary, summaryTag, Included, "", need)
		return
	}
	if room > framing {
		p.head.summary, _ = toollimit.Truncate(toollimit.Text, bounded(text), toollimit.Quota{MaxTokens: room})
	}
	p.head.measure()
	why := fmt.Sprintf("%d of %d tokens had room", room, need)
	p.stats.decide(SectionSummary, summaryTag, Truncated, why, p.head.tokens)
}

const (
	minDigest  = 60 // tokens
	digestHead = "Earlier turns that are not shown, by the number of their first message:\n"
)

// digestFrame is what a digest takes besides its lines, in tokens.
var digestFrame = toollimit.Tokens(digestHead) + toollimit.Tokens(fence(digestTag, "", "")+"\n\n") + 30

// fillGap writes a digest of the turns that neither window nor summary show, one line a turn. If room is short, the
// newest turns get a line, and one more line names the numbers of the others.
func (p *plan) fillGap(room int) {
	p.head.digest = ""
	p.head.measure()
	turns, older := p.uncovered()
	if len(turns) == 0 && !older {
		return
	}
	lines := []string{}
	left := max(room, minDigest) - digestFrame
	for i := len(turns) - 1; i >= 0; i-- {
		line, size := turns[i].line()
		if size > left {
			break
		}
		left -= size
		lines = append(lines, line)
	}
	if rest := len(turns) - len(lines); rest > 0 || older {
		last := p.firstShown() - 1
		if len(lines) > 0 {
			last = turns[rest].first - 1
		}
		lines = append(lines, fmt.Sprintf("- messages up to [%d] are not shown and in no summary yet", last))
	}
	slices.Reverse(lines)
	p.head.digest = digestHead + strings.Join(lines, "\n")
	p.head.measure()
}

// uncovered returns the turns that neither window nor summary show, ascending, and whether the thread has even older
// ones that were not read.
func (p *plan) uncovered() (turns []turn, older bool) {
	covered := p.head.covered
	if p.head.summary == "" {
		covered = 0
	}
	all := p.past.turns
	before := all[:len(all)-len(p.window.turns)]
	i, _ := slices.BinarySearchFunc(before, covered, func(t turn, seq int64) int { return cmp.Compare(t.last, seq+1) })
	return before[i:], i == 0 && !p.past.whole && len(all) > 0 && all[0].first > covered+1
}
