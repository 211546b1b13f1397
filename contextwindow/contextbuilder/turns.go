package contextbuilder

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// imageTokens is what an image counts whose size is unknown (requirements).
const imageTokens = 1_000

// A turn is a message of the user and everything until the next. It is never split. Turns that are kept in a cache are
// shared and never modified.
type turn struct {
	first, last int64 // numbers of its messages
	messages    []transcript.Message
	sizes       []int                // of messages, images included, in tokens
	tokens      int                  // the sum
	received    []transcript.Message // of a clone: as they were before anything was cut
	told        string               // of a turn that is too old for the window: the line that tells it, and nothing else
	toldSize    int                  // in tokens
}

// A past is what a thread has before the input, read as far as a build may need it.
type past struct {
	turns []turn // ascending; the newest is the last
	whole bool   // there is nothing before the first turn
}

// The bounds of what is read of a thread: pages of so many messages; and how many turns behind the window are read for the
// digest of what no summary covers.
const (
	pageSize    = 64
	digestTurns = 100
)

// readPast reads the newest turns that are older than a message, until there are enough for the window and for the digest
// of those that a summary does not cover.
func readPast(ctx context.Context, t Threads, thread string, before, covered int64, window int) (past, error) {
	var pages [][]Message
	turns := 0
	for {
		page, err := t.Recent(ctx, thread, before, pageSize)
		if err != nil {
			return past{}, fmt.Errorf("reading thread: %w", err)
		}
		if err := checkPage(page, before); err != nil {
			return past{}, fmt.Errorf("reading thread: %w", err)
		}
		if len(page) > 0 {
			pages = append(pages, page)
			before = page[0].Seq
			for _, m := range page {
				if m.Role == transcript.User {
					turns++
				}
			}
		}
		if len(page) < pageSize {
			return past{turns: split(pages, window), whole: true}, nil
		}
		if turns > window && (before <= covered+1 || turns > window+digestTurns) || len(pages)*pageSize > (window+digestTurns)*pageSize {
			all := split(pages, window)
			return past{turns: all[min(1, len(all)-1):]}, nil // the first may have begun on the page before
		}
	}
}

// checkPage returns what is wrong with what a thread gave.
func checkPage(page []Message, before int64) error {
	if len(page) > pageSize {
		return fmt.Errorf("got %d messages, asked for %d", len(page), pageSize)
	}
	last := int64(0)
	for _, m := range page {
		if m.Seq <= last || before > 0 && m.Seq >= before {
			return fmt.Errorf("message %d is out of order", m.Seq)
		}
		last = m.Seq
	}
	return nil
}

// split parts pages, the newest first, into turns, ascending. Those that are too old for a window of so many turns are told
// in a line.
func split(pages [][]Message, window int) []turn {
	var spans [][]Message
	var open []Message
	for _, page := range slices.Backward(pages) {
		for _, m := range page {
			if m.Role == transcript.User && len(open) > 0 {
				spans = append(spans, open)
				open = nil
			}
			open = append(open, m)
		}
	}
	if len(open) > 0 {
		spans = append(spans, open)
	}
	turns := make([]turn, 0, len(spans))
	for i, span := range spans {
		if t := newTurn(span, len(spans)-i > window); len(t.messages) > 0 {
			turns = append(turns, t)
		}
	}
	return turns
}

// following stands behind a turn while it is checked: the next turn begins with the user.
var following = transcript.Message{Role: transcript.User, Text: "-"}

// newTurn makes a turn of messages. One that can be in the window is measured, and what a service would refuse in it is
// repaired.
func newTurn(ms []Message, old bool) turn {
	t := turn{first: ms[0].Seq, last: ms[len(ms)-1].Seq, messages: make([]transcript.Message, len(ms), len(ms)+1)}
	images := 0
	for i := range ms {
		t.messages[i] = ms[i].Message
		t.messages[i].Origin = transcript.History
		images += ms[i].Images
	}
	if old {
		t.tell()
		return t
	}
	repaired, _ := transcript.Repair(append(t.messages, following))
	t.messages = slices.Clone(repaired[:len(repaired)-1])
	t.count()
	if len(t.sizes) > 0 {
		t.sizes[0] += images * imageTokens
		t.tokens += images * imageTokens
	}
	return t
}

// count measures the messages of a turn. What repair wrote has no images.
func (t *turn) count() {
	t.sizes, t.tokens = make([]int, len(t.messages)), 0
	for i := range t.messages {
		t.messages[i].Origin = transcript.History
		t.sizes[i] = sizeOf(t.messages[i])
		t.tokens += t.sizes[i]
	}
}

// longText is the length in bytes from which on a text is not measured: it counts a token a byte, and is cut in any case.
const longText = 1 << 20

// sizeOf returns the estimate of a message, in tokens.
func sizeOf(m transcript.Message) int {
	long := 0
	if len(m.Text) > longText {
		long, m.Text = len(m.Text), ""
	}
	return m.Tokens() + long
}

// clone returns a turn whose messages may be modified.
func (t turn) clone() turn {
	if t.received == nil {
		t.received = t.messages
	}
	t.messages, t.sizes = slices.Clone(t.messages), slices.Clone(t.sizes)
	return t
}

// replace puts a text in place of that of a message. What a provider sealed with the old text goes.
func (t *turn) replace(i int, text string) {
	m := &t.messages[i]
	before := sizeOf(*m)
	m.Text, m.ProviderData = text, nil
	freed := before - sizeOf(*m)
	t.sizes[i] -= freed
	t.tokens -= freed
}

// steady returns from which turn on a window shows a thread that could show it from a turn on, so that it begins at the
// same turn while the thread grows by some turns, and with it the request's prefix: within the oldest quarter of the window,
// at the turn before which the numbers pass the largest power of two. It depends on nothing but the numbers.
func steady(turns []turn, from int) int {
	best, level := from, -1
	for i := from; i <= from+(len(turns)-from)/4 && i < len(turns); i++ {
		before := turns[i].first - 1
		if i > 0 {
			before = turns[i-1].first
		}
		if l := bits.Len64(uint64(before ^ turns[i].first)); l >= level {
			best, level = i, l
		}
	}
	return best
}

// lineRunes is how much of a message a digest shows.
const lineRunes = 120

// line returns the line that tells a turn, and its size in tokens.
func (t *turn) line() (string, int) {
	if t.told == "" {
		fresh := turn{first: t.first, messages: t.messages}
		fresh.tell()
		return fresh.told, fresh.toldSize
	}
	return t.told, t.toldSize
}

// tell writes the line that tells a turn.
func (t *turn) tell() {
	var asked, answered string
	calls := 0
	for i := range t.messages {
		m := &t.messages[i]
		calls += len(m.Calls)
		switch {
		case m.Text == "":
		case m.Role == transcript.User && asked == "":
			asked = clip(m.Text, lineRunes)
		case m.Role == transcript.Assistant:
			answered = clip(m.Text, lineRunes)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "- [%d] user: %s", t.first, escape(asked))
	if answered != "" {
		b.WriteString(" | assistant: " + escape(answered))
	}
	if calls > 0 {
		fmt.Fprintf(&b, " | %d calls", calls)
	}
	t.told = b.String()
	t.toldSize = toollimit.Tokens(t.told+"\n") + 1
}

// clip returns the first runes of a text on one line.
func clip(text string, runes int) string {
	text = text[:min(len(text), 4*runes+64)]
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if toollimit.Runes(text) <= runes {
		return text
	}
	return string([]rune(text)[:runes]) + "…"
}
