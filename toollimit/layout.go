package toollimit

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/identifier"
	"github.com/forayhq/foray/internal/line"
)

// A share says how a kind of text divides the room, in percent: what its head and its tail get. The rest is for lines
// picked from the middle. Unused room goes to the head.
type share struct {
	head, tail int
	ends       [2]int // head and tail if the middle shows key lines; 0: it never does

	// What the middle shows: lines by rank (1 first, 0 never), then key lines.
	ranks   func(x *layout, missing []span) []uint8
	ranked  int // of the middle, for ranked lines if key lines follow
	keyed   bool
	notes   bool                         // keep the notes at the beginning and at the end
	seen    func(identifier string) bool // what is visible elsewhere; unless nil, missing identifiers are listed
	numbers []int                        // of the lines, as in a Quota

	// How the gap line describes what is missing; gap leaves its tokens open.
	gap    func(x *layout, missing []span) gap
	bare   bool // name no line numbers: the text is only a part of the whole
	moved  bool // name no offset: cleaning the text changed its offsets
	quoted bool // write the gap line as a JSON string
}

// The ranks of output lines: an error of a new form, other errors, the line before an error (which often says what
// was compared), other lines near it, warnings.
const (
	newError = iota + 1
	moreErrors
	beforeError
	nearError
	warning
	maxRank = warning
)

// errorReach is how many lines before and after an error count as near.
const errorReach = 2

func byLine(rank func(string) int) func(*layout, []span) []uint8 {
	return func(x *layout, missing []span) []uint8 {
		ranks := make([]uint8, len(missing))
		for i, l := range missing {
			ranks[i] = uint8(rank(l.of(x.text)))
		}
		return ranks
	}
}

// A layout keeps head, tail and some lines of the middle of a text.
type layout struct {
	text        string
	share       share
	body        []span // without the notes
	lead        int    // lines before the body
	all, kept   size   // sizes of the body, and of the part that is kept
	h, t        int    // how many lines the head and the tail keep
	front, back string // pieces of the first and the last missing line, next to an empty head or tail
	picks       []pick
	between     string // a line between picks that are not neighbours; "" if lines are numbered
	list        string // the line that lists missing identifiers, with its newline
	*scanned           // if identifiers are tracked
}

func (x *layout) missing() []span { return x.body[x.h : len(x.body)-x.t] }

// maxPick is the most runes of a picked line.
const maxPick = 200

type pick struct {
	index int // in the body
	text  string
	size  // including a mark before it
}

// leftOut separates picks that are not neighbours, unless lines are numbered.
const leftOut = "…\n"

// markShare is the share of the middle, in percent, that one leftOut may take. If it would take more, all are omitted.
const markShare = 10

// pick chooses lines of the middle within room, by rank and then as key lines, and returns their size.
func (x *layout) pick(room size) (used size) {
	sh, miss := x.share, x.missing()
	if len(miss) == 0 || sh.ranks == nil && !sh.keyed {
		return size{}
	}
	if !sh.quoted && numberEnd(x.text, miss) == "" && sizeOf(leftOut).within(room.share(markShare)) {
		x.between = leftOut
	}
	if sh.ranks != nil {
		part := room
		if sh.keyed {
			part = room.share(sh.ranked)
		}
		used = x.pickRanked(part, sh.ranks(x, miss))
	}
	if sh.keyed {
		used = used.plus(x.keyLines(room.minus(used)))
		slices.SortFunc(x.picks, func(a, b pick) int { return a.index - b.index })
	}
	return used
}

// pickRanked takes lines by rank, in text order within a rank. Lines near an error follow only a line that was taken.
func (x *layout) pickRanked(room size, ranks []uint8) (used size) {
	miss := x.missing()
	taken := make([]bool, len(miss))
	for want := uint8(1); want <= maxRank; want++ {
		for i, l := range miss {
			near := taken[max(i-errorReach, 0):min(i+errorReach+1, len(taken))]
			if ranks[i] != want || (want == beforeError || want == nearError) && !slices.Contains(near, true) {
				continue
			}
			s := line.Truncate(strings.TrimRight(l.of(x.text), " \t\r\n"), maxPick)
			z := x.add(i, s+"\n", room.minus(used))
			used, taken[i] = used.plus(z), z != size{}
		}
	}
	slices.SortFunc(x.picks, func(a, b pick) int { return a.index - b.index })
	return used
}

// keyLines picks the key lines of the middle, within room, and returns their size.
func (x *layout) keyLines(room size) (used size) {
	miss := x.missing()
	lines := make([]identifier.Line, len(miss))
	for i := range miss {
		lines[i] = x.line(x.h + i)
	}
	for _, p := range x.picks {
		lines[p.index-x.h] = identifier.Line{}
	}
	x.words.Cover([][]identifier.Line{lines}, func(number int32) int {
		if x.isSeen(number) {
			return 0
		}
		return 1
	}, func(_, i int) bool {
		z := x.add(i, trimmedLine(miss[i].of(x.text)), room.minus(used))
		used = used.plus(z)
		return z != size{}
	})
	return used
}

// trimmedLine returns a line without trailing white space but its newline, with one if it has none.
func trimmedLine(s string) string {
	n := len(strings.TrimRight(s, " \t\r\n"))
	if strings.HasPrefix(s[n:], "\n") {
		return s[:n+1]
	}
	return s[:n] + "\n"
}

// add picks missing line i, shown as a text with its newline, if it fits into room, and returns its size.
func (x *layout) add(i int, text string, room size) size {
	z := sizeOf(text).plus(sizeOf(x.between))
	if !z.within(room) {
		return size{}
	}
	x.picks = append(x.picks, pick{x.h + i, text, z})
	if x.share.seen != nil {
		x.show(text)
	}
	return z
}

func (x *layout) writePicks(b *strings.Builder) {
	next := x.h
	for i, p := range x.picks {
		if i > 0 && p.index > next {
			b.WriteString(x.between)
		}
		b.WriteString(p.text)
		next = p.index + 1
	}
	if len(x.picks) > 0 && next < len(x.body)-x.t {
		b.WriteString(x.between)
	}
}

// markEnds records that the identifiers of head and tail are shown.
func (x *layout) markEnds() {
	for x.scanned.head < x.h {
		x.showLine(x.scanned.head)
		x.scanned.head++
	}
	for x.scanned.tail < x.t {
		x.scanned.tail++
		x.showLine(len(x.body) - x.scanned.tail)
	}
}

func (x *layout) showLine(i int) {
	for _, number := range x.line(i).Names {
		x.seen[number] = shown
	}
}
