package contextbuilder

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
)

const (
	longText = 1 << 20 // bytes; a longer text is counted as a token a byte, because it is truncated anyway
)

// A turn is a message of the user and everything until the next one. It is never split. Turns in a cache are shared and
// never modified.
type turn struct {
	first, last int64 // numbers of its messages
	messages    []transcript.Message
	sizes       []int                // of messages, images included, in tokens
	tokens      int                  // the sum of sizes
	received    []transcript.Message // set in a clone: the messages before any was shortened
	digest      string               // of a turn too old for the window: its line in a digest; nothing else is set then
	digestSize  int                  // in tokens
	said        []string             // beside a digest: what was said in the turn, each at most keptBytes
}

const keptBytes = 2_000 // of a message of the user or of an answer, in a turn too old for the window

// keepSaid keeps what is searched when a later input asks about it.
func (t *turn) keepSaid(n int, message func(i int) *transcript.Message) {
	for i := range n {
		if m := message(i); m.Role != transcript.Tool && m.Text != "" {
			t.said = append(t.said, strings.Clone(ends(m.Text, keptBytes, "")))
		}
	}
}

// endOfTurn follows a turn while it is checked, because the next turn begins with the user.
var endOfTurn = transcript.Message{Role: transcript.User, Text: "-"}

// newTurn makes a turn of messages. A turn for the window is measured, and repaired where a service would reject it;
// an old one gets a line for the digest.
func newTurn(ms []Message, old bool) turn {
	t := turn{first: ms[0].Seq, last: ms[len(ms)-1].Seq}
	if old {
		message := func(i int) *transcript.Message { return &ms[i].Message }
		t.digest, t.digestSize = lineOfTurn(t.first, len(ms), message)
		t.keepSaid(len(ms), message)
		return t
	}
	t.messages = make([]transcript.Message, len(ms), len(ms)+1)
	for i := range ms {
		t.messages[i] = ms[i].Message
		t.messages[i].Origin = transcript.History
	}
	repaired, _ := transcript.Repair(append(t.messages, endOfTurn))
	t.messages = slices.Clone(repaired[:len(repaired)-1])
	t.measure()
	return t
}

// measure counts the messages of a turn.
func (t *turn) measure() {
	t.sizes, t.tokens = make([]int, len(t.messages)), 0
	for i := range t.messages {
		t.messages[i].Origin = transcript.History
		t.sizes[i] = sizeOf(t.messages[i])
		t.tokens += t.sizes[i]
	}
}

// longest returns the size of the longest message; 0 for a turn whose messages all were empty.
func (t *turn) longest() (tokens int) {
	for _, size := range t.sizes {
		tokens = max(tokens, size)
	}
	return tokens
}

// sizeOf estimates a message, in tokens.
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

// inWords returns a turn whose pictures are words.
func (t turn) inWords() turn {
	shows := func(m transcript.Message) bool { return len(m.Images) > 0 }
	if !slices.ContainsFunc(t.messages, shows) {
		return t
	}
	t = t.clone()
	for i := range t.messages {
		if shows(t.messages[i]) {
			t.describe(i)
		}
	}
	return t
}

// describe replaces the pictures of a message by words.
func (t *turn) describe(i int) {
	t.replace(i, t.messages[i].Described())
	m := &t.messages[i]
	freed := m.ImageTokens()
	m.Images = nil
	t.sizes[i] -= freed
	t.tokens -= freed
}

// replace changes the text of a message. Provider data that was bound to the old text goes.
func (t *turn) replace(i int, text string) {
	m := &t.messages[i]
	before := sizeOf(*m)
	m.Text, m.ProviderData = text, nil
	freed := before - sizeOf(*m)
	t.sizes[i] -= freed
	t.tokens -= freed
}

const digestRunes = 120 // of a message in a digest

// reduce leaves only the line of a turn that is too old for the window, and what was said.
func (t *turn) reduce() {
	if t.digest != "" {
		return
	}
	text, size := t.line()
	old := turn{first: t.first, last: t.last, digest: text, digestSize: size}
	old.keepSaid(len(t.messages), func(i int) *transcript.Message { return &t.messages[i] })
	*t = old
}

// line returns the line that represents a turn in a digest, and its size in tokens.
func (t *turn) line() (string, int) {
	if t.digest != "" {
		return t.digest, t.digestSize
	}
	return lineOfTurn(t.first, len(t.messages), func(i int) *transcript.Message { return &t.messages[i] })
}

// lineOfTurn is turn.line for n messages, whatever holds them.
func lineOfTurn(first int64, n int, message func(int) *transcript.Message) (string, int) {
	var asked, answered string
	calls := 0
	for i := range n {
		m := message(i)
		calls += len(m.Calls)
		switch {
		case m.Text == "":
		case m.Role == transcript.User && asked == "":
			asked = oneLine(m.Described(), digestRunes)
		case m.Role == transcript.Assistant:
			answered = m.Text
		}
	}
	said, made := "", ""
	if answered = oneLine(answered, digestRunes); answered != "" {
		said = " | assistant: "
	}
	if calls > 0 {
		made = " | " + strconv.Itoa(calls) + " calls"
	}
	text := "- [" + strconv.FormatInt(first, 10) + "] user: " + escape(asked) + said + escape(answered) + made + "\n"
	return strings.TrimSuffix(text, "\n"), toollimit.Tokens(text) + 1
}

// oneLine returns the beginning of a text on one line: so many runes and "…".
func oneLine(text string, runes int) string {
	if text = text[:min(len(text), 4*runes+64)]; !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "")
	}
	if n := 2 * runes; n < len(text) { // holds what is shown of most texts
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		if flat := line.Flat(text[:n]); utf8.RuneCountInString(flat) > runes+1 {
			return line.Truncate(flat, runes+1)
		}
	}
	return line.Truncate(line.Flat(text), runes+1)
}

// steadyStart returns the turn at which a window begins that has room for turns[from:]. It may leave out the oldest
// quarter of them, so that the window keeps its first turn while the thread grows by a few turns, and requests keep
// their prefix. Within that quarter it takes the turn whose number and the one before it differ in the highest bit: a
// milestone that stays the best choice for many turns.
func steadyStart(turns []turn, from int) int {
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
