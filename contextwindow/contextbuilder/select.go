package contextbuilder

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/forayhq/foray/toollimit"
)

// fill fills the sections. Fixed parts and P0 blocks come first. The summary reserves what it needs, up to its ceiling,
// and retrieved blocks reserve room within their own share. Recent turns take the rest up to compactMark, or their
// share if that is more. What the turns leave goes to the retrieved blocks.
//
// What precedes the newest message must stay the same for many turns, so that a provider's cache keeps it. Summary and
// digest therefore never get what happens to be left.
func (p *plan) fill(summary string) {
	mark := p.room.part(compactMark)
	p.blocks.measure() // of P0 alone: no other block is shown yet
	reserved := p.used()
	summary = p.withoutOverlap(summary, mark-reserved)
	summaryRoom := max(0, min(toollimit.Tokens(summary), p.room.ceiling(SectionSummary), p.room.total-reserved))
	need := p.blocks.need()
	if p.q.From > 0 || p.q.Whole > 0 { // the window left something out before
		need += earlierRoom
	}
	retrievedRoom := min(need, p.ownRoom(SectionRetrieved, reserved, p.blocks.tokens))
	taken := reserved + summaryRoom + retrievedRoom
	p.fillSummary(summary, summaryRoom)

	over := max(p.input.tokens-p.room.share(SectionInput), 0) // the next build counts the input among the turns
	recent := func(taken int) int {
		room := max(p.room.share(SectionRecent)-over, p.room.floor(SectionRecent), mark-taken)
		return min(room, p.room.ceiling(SectionRecent), p.room.total-taken)
	}
	p.selectTurns(recent(taken))
	digestRoom := max(p.room.share(SectionSummary), p.room.floor(SectionSummary)) - p.head.tokens
	if turns, older := p.uncovered(); digestRoom > 0 && (len(turns) > 0 || older) {
		p.selectTurns(recent(taken + digestRoom))
	}
	p.fillGap(digestRoom)
	p.recall()
	free := mark - p.used()
	if p.leftOut() || p.head.summary != summary {
		free = min(free, p.room.ceiling(SectionRetrieved))
	}
	p.blocks.fill(max(retrievedRoom, free))
}

// leftOut reports whether the window shows fewer turns than it may for lack of room.
func (p *plan) leftOut() bool {
	turns := p.past.turns[p.oldest:]
	turns = turns[max(len(turns)-p.b.config.Turns, 0):]
	return len(p.window.turns) < len(turns) &&
		p.used()-p.window.tokens+tokensOf(turns) > p.room.part(compactMark)
}

// ownRoom returns what a section may take before it borrows from others: its share less what it holds already, but at
// least its floor, and never more than the reserved parts leave.
func (p *plan) ownRoom(s Section, reserved, held int) int {
	return max(0, min(max(p.room.share(s)-held, p.room.floor(s)), p.room.total-reserved))
}

const wholeTurns = 2 // the newest turns, whose messages stay whole when those of older ones are shortened

// withoutOverlap keeps a summary apart from the messages that it sums up: the window begins after them. If that leaves
// no turn, or if the window shows some of them already and still fits a room, the turns are shown instead, and the
// summary is left out.
func (p *plan) withoutOverlap(summary string, room int) string {
	turns := p.past.turns
	if summary == "" {
		p.head.covered = 0
		return ""
	}
	p.oldest = p.at(p.head.covered + 1)
	from := p.at(p.q.From)
	fits := len(turns)-from <= p.b.config.Turns && tokensOf(turns[from:]) <= room && (p.q.From > 0 || p.past.whole)
	if len(turns) == 0 || p.oldest < len(turns) && (from >= p.oldest || !fits) {
		return summary
	}
	p.head.covered, p.oldest = 0, 0
	p.stats.decide(SectionSummary, summaryTag, Dropped, "the turns that it sums up are shown", toollimit.Tokens(summary))
	return ""
}

// The window moves in steps. It keeps its first turn while all turns from there on fit. If they do not, long messages
// of older turns are shortened; if that frees too little, it begins anew with the turns that fit lowMark of its room.
const (
	lowMark  = .60
	lowTurns = .75 // of [Config.Turns], where these are the limit
)

// selectTurns shows the newest turns that fit. The newest is always shown, shortened if needed.
func (p *plan) selectTurns(room int) {
	turns := p.past.turns
	from := max(p.at(p.q.From), p.oldest)
	fitting, whole := p.fitTurns(room, p.at(p.q.Whole))
	tight := len(turns)-len(fitting) > from && len(fitting) < p.b.config.Turns
	if tight && !p.b.config.NoCompression {
		fitting, whole = p.fitTurns(room, max(len(turns)-wholeTurns, 0))
	}
	start := len(turns) - len(fitting)
	low := len(turns) - len(newest(fitting, lowMark*float64(room), int(math.Ceil(lowTurns*float64(p.b.config.Turns)))))
	switch full := tight && tokensOf(fitting[max(from-start, 0):]) > int((1+lowMark)/2*float64(room)); {
	case p.q.From == 0 && (start > p.oldest || !p.past.whole && p.oldest == 0):
		start = steadyStart(turns, start)
	case start > from || full:
		start = max(start, low, p.oldest)
	default: // the window keeps its first turn, or takes back what it has ample room for
		start = max(start, min(from, low), p.oldest)
	}
	p.window.turns = fitting[start-(len(turns)-len(fitting)):]
	p.window.measure()
	switch {
	case whole < len(turns):
		p.window.whole = turns[whole].first
	case len(turns) > 0:
		p.window.whole = turns[len(turns)-1].last + 1
	}
}

// at returns the index of the first turn that begins with a message or after it.
func (p *plan) at(seq int64) int {
	i, _ := slices.BinarySearchFunc(p.past.turns, seq, func(t turn, seq int64) int { return cmp.Compare(t.first, seq) })
	return i
}

// newest returns the newest turns that fit a room, at least two and at most so many.
func newest(turns []turn, room float64, most int) []turn {
	n, taken := 0, 0.
	for _, t := range slices.Backward(turns) {
		if taken += float64(t.tokens); n >= wholeTurns && (taken > room || n == most) {
			break
		}
		n++
	}
	return turns[len(turns)-n:]
}

func tokensOf(turns []turn) (tokens int) {
	for _, t := range turns {
		tokens += t.tokens
	}
	return tokens
}

// fitTurns returns the newest turns that fit a room, ascending. It shortens those before whole, and others if they do
// not fit otherwise, and returns the index of the first turn that is not shortened.
func (p *plan) fitTurns(room, whole int) ([]turn, int) {
	turns := p.past.turns
	taken := 0
	var fitting []turn
	for i := len(turns) - 1; i >= p.oldest && len(fitting) < p.b.config.Turns; i-- {
		by := entire
		if i < whole {
			by = short
		}
		t := p.shortened(turns[i], by)
		for i >= whole-1 && by < short && taken+t.tokens > room {
			by++
			t, whole = p.shortened(turns[i], by), i+1
		}
		if i == len(turns)-1 && t.tokens > room {
			t = p.shorten.squeeze(t, room)
		} else if taken+t.tokens > room {
			break
		}
		fitting, taken = append(fitting, t), taken+t.tokens
	}
	slices.Reverse(fitting)
	return fitting, whole
}

// A form is how much of a turn is shown.
type form int

const (
	entire form = iota // but for messages over [Config.MessageShare]
	stubs              // results of tools are stubs, and pictures words, too
	short              // other messages are short, too
)

// shortened returns a turn in a form. The past remembers it for the next build.
func (p *plan) shortened(t turn, f form) turn {
	if p.b.config.NoCompression {
		f = entire
	}
	most := p.b.config.messageLimit(p.room, f == short)
	key := shortForm{t.first, f, most, p.q.Store != nil}
	if p.past.forms != nil {
		if found, ok := p.past.forms.Load(key); ok {
			known := found.(shortTurn)
			for _, text := range known.kept {
				p.shorten.keep(text)
			}
			return known.turn
		}
	}
	var kept []string
	s := shortener{store: p.shorten.store, stats: p.stats, kept: &kept}
	if f >= stubs {
		t, _ = s.compress(t.inWords())
	}
	t = s.limit(t, most)
	if p.past.forms != nil {
		p.past.forms.Store(key, shortTurn{t, kept})
	}
	return t
}

// A shortForm names a form of a turn that begins with a message: with so many tokens a message, with pointers or not.
type shortForm struct {
	first    int64
	form     form
	most     int
	pointers bool
}

// A shortTurn is a turn in a form, with the texts that it points to.
type shortTurn struct {
	turn
	kept []string
}

// fillSummary shows a summary, or as many of its lines as fit.
func (p *plan) fillSummary(text string, room int) {
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
	if p.head.summary == "" {
		p.head.covered = 0
	}
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
		missing := fmt.Sprintf("messages [%d] to [%d] are not shown", p.head.covered+1, last)
		if len(lines) == 0 {
			p.head.digest = "The " + missing + "."
			p.head.measure()
			return
		}
		lines = append(lines, "- "+missing)
	}
	slices.Reverse(lines)
	p.head.digest = digestHead + strings.Join(lines, "\n")
	p.head.measure()
}

// uncovered returns the turns that neither window nor summary show, ascending, and whether the thread has even older
// ones that were not read.
func (p *plan) uncovered() (turns []turn, older bool) {
	covered := p.head.covered
	all := p.past.turns
	before := all[:len(all)-len(p.window.turns)]
	i, _ := slices.BinarySearchFunc(before, covered, func(t turn, seq int64) int { return cmp.Compare(t.last, seq+1) })
	return before[i:], i == 0 && !p.past.whole && len(all) > 0 && all[0].first > covered+1
}
