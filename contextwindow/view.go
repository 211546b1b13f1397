package contextwindow

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/internal/names"
	"github.com/forayhq/foray/contextwindow/internal/prefix"
	"github.com/forayhq/foray/contextwindow/internal/repeat"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// A slot is one unit as the view shows it, or the digest, with the notes that were written after it.
type slot struct {
	step     int // of the unit; 0 for the digest
	messages []transcript.Message
	sizes    []int     // of messages, in tokens
	owned    bool      // messages and sizes are copies of the unit's
	lined    bool      // its lines are in the index of lines
	indexed  bool      // names are counted in the index of names
	names    [][]int32 // identifiers of messages and notes, by text
	repeats  [][]int   // by message: the steps that its marks name
	notes    []shownNote
	tokens   int // of messages and notes
	at       int // index of its first message in the view, once rendered

	left   map[int]LeftText // messages that show texts which were left in a store: only while a log is loaded
	filled bool             // they are read

	data    *transcript.ProviderData // of its first message, as it was received
	dropped bool                     // data does not come back: the message was edited, or the view would grow
	before  prefix.Sum               // of the request before its first message, once summed
}

// A shownNote is a note with its number among all notes, which distinguishes equal notes.
type shownNote struct {
	Note
	number int
}

// A view is what the next request shows: its slots, and their messages once rendered. Both indexes follow from the
// slots, are brought up to date on demand, and are not built in windows that never need them.
type view struct {
	slots  []*slot
	tokens int // of all slots
	system string
	plain  bool // notes have no tags

	messages []transcript.Message
	rendered int // slots whose messages are in messages
	handed   int // messages that a caller may hold
	kept     int // slots that no change has reached since it was last set

	bound    bool       // a unit with provider data was added: the prefix of its slot matters
	frame    prefix.Sum // of what precedes the messages
	sum      prefix.Sum // of the request up to the slot summed
	summed   int        // slots in sum; the others are summed when a slot with provider data follows
	returned []*slot    // slots whose provider data came back since it was last cleared

	failed error // the first text that could not be read

	compacts bool  // a unit was added that a service compacted for
	first    *slot // the first that the service reads, since it compacted those before; nil: it reads all

	table *names.Table // of the window
	named bool         // it counts the slots that are indexed
	lines repeat.Index[partID]
	lined bool // lines holds all slots that are lined, and no others
}

// handOut returns the rendered messages, which the view will not change from now on.
func (v *view) handOut() []transcript.Message {
	v.handed = max(v.handed, len(v.messages))
	return v.messages[:len(v.messages):len(v.messages)]
}

// find returns the index of the slot that shows a unit, or -1.
func (v *view) find(step int) int {
	if step == 0 {
		return -1
	}
	if last := len(v.slots) - 1; last >= 0 && v.slots[last].step == step {
		return last
	}
	return slices.IndexFunc(v.slots, func(sl *slot) bool { return sl.step == step })
}

func (v *view) steps() []int {
	steps := make([]int, 0, len(v.slots))
	for _, sl := range v.slots {
		if sl.step > 0 {
			steps = append(steps, sl.step)
		}
	}
	return steps
}

// shows returns an error unless the view shows units in the order of their steps, and none of them is the prompt.
func (v *view) shows(steps []int, prompt int) error {
	if len(steps) == 0 {
		return nil
	}
	at := max(v.find(steps[0]), 0)
	for _, step := range steps {
		if at = v.seek(at, step); at == len(v.slots) || step <= 0 || step == prompt {
			return fmt.Errorf("step %d is the prompt, out of order or not in the view", step)
		}
	}
	return nil
}

// turnStart returns the index of the slot at which the last n turns begin; a turn is an assistant message with what
// follows it. With fewer turns it is 0, with n = 0 the number of slots.
func (v *view) turnStart(n int) int {
	if n == 0 {
		return len(v.slots)
	}
	for i, sl := range slices.Backward(v.slots) {
		if sl.step > 0 && sl.messages[0].Role == transcript.Assistant {
			if n--; n == 0 {
				return i
			}
		}
	}
	return 0
}

// tokensFrom returns the size of the slots from an index on.
func (v *view) tokensFrom(from int) int {
	tokens := 0
	for _, sl := range v.slots[from:] {
		tokens += sl.tokens
	}
	return tokens
}

// seek returns the index of the slot that shows a unit, from at on, or the number of slots.
func (v *view) seek(at, step int) int {
	for at < len(v.slots) && v.slots[at].step != step {
		at++
	}
	return at
}

// withData returns the steps whose units show their provider data.
func (v *view) withData() []int {
	var steps []int
	for _, sl := range v.slots {
		if sl.data != nil && sl.messages[0].ProviderData != nil {
			steps = append(steps, sl.step)
		}
	}
	return steps
}

// lost counts the steps that showed their provider data before and do not now. Both are ascending.
func lost(before, now []int) int {
	n := 0
	for _, step := range before {
		if _, found := slices.BinarySearch(now, step); !found {
			n++
		}
	}
	return n
}

func (v *view) insert(at int, sl slot) {
	sl.data = sl.messages[0].ProviderData
	v.bound = v.bound || sl.data != nil
	v.compacts = v.compacts || sl.data != nil && sl.data.Compacts
	v.tokens += sl.tokens
	v.slots = slices.Insert(v.slots, at, &sl)
}

// showDigest puts the digest after the prompt, or at the front while history comes before the prompt.
func (v *view) showDigest(text string, prompt int) {
	if text == "" {
		return
	}
	m := transcript.Message{Role: transcript.User, Text: text, Origin: transcript.Runtime}
	size, at := m.Tokens(), 0
	if len(v.slots) > 0 && v.slots[0].step == prompt {
		at = 1
	}
	v.insert(at, slot{messages: []transcript.Message{m}, sizes: []int{size}, tokens: size})
}

// restore shows an evicted unit again, in its place and as it was received. The digest stays until the next
// compaction.
func (v *view) restore(u *Unit, sizes []int) {
	at := slices.IndexFunc(v.slots, func(sl *slot) bool { return sl.step > u.Step })
	if at < 0 {
		at = len(v.slots)
	}
	v.unrender(max(at-1, 0))
	v.insert(at, slot{step: u.Step, messages: u.Messages, sizes: sizes, tokens: sum(sizes)})
	v.lined = false // the unit precedes slots that are indexed
}

func (v *view) remove(leaves func(*slot) bool) []*slot {
	v.unrender(0)
	var removed []*slot
	v.slots = slices.DeleteFunc(v.slots, func(sl *slot) bool {
		if !leaves(sl) {
			return false
		}
		v.tokens -= sl.tokens
		v.forget(sl)
		removed = append(removed, sl)
		return true
	})
	return removed
}

// truncate shows parts of units shortened and returns the index of the first slot that changed, -1 for none. The
// truncations are in the order of their steps, as the slots are.
func (v *view) truncate(cuts []Truncation) int {
	if len(cuts) == 0 {
		return -1
	}
	first := v.find(cuts[0].Step)
	if first < 0 {
		return -1
	}
	v.unrender(first)
	at := first
	for _, c := range cuts {
		if at = v.seek(at, c.Step); at < len(v.slots) {
			v.replace(v.slots[at], c)
		}
	}
	return first
}

// replace shows one part of a slot shortened. Editing a message drops its provider data.
func (v *view) replace(sl *slot, c Truncation) {
	sl.own()
	v.forget(sl)
	index := c.id().message()
	m := &sl.messages[index]
	sl.dropped = sl.dropped || index == 0
	if c.Args {
		m.Calls = slices.Clone(m.Calls)
		m.Calls[c.Part-1].Args = json.RawMessage(c.Text)
	} else {
		m.Text = c.Text
		delete(sl.left, index)
		if c.NoImages {
			m.Images = nil
		}
		sl.setRepeats(index, c.Repeats)
	}
	m.ProviderData = nil
	v.resize(sl, index)
}

// setRepeats sets the steps that the marks of a message name.
func (sl *slot) setRepeats(index int, steps []int) {
	if sl.repeats == nil && len(steps) > 0 {
		sl.repeats = make([][]int, len(sl.messages))
	}
	if sl.repeats != nil {
		sl.repeats[index] = steps
	}
}

// own gives a slot messages that may be changed.
func (sl *slot) own() {
	if !sl.owned {
		sl.messages, sl.sizes, sl.owned = slices.Clone(sl.messages), slices.Clone(sl.sizes), true
	}
}

func (v *view) resize(sl *slot, index int) {
	delta := sl.messages[index].Tokens() - sl.sizes[index]
	sl.sizes[index] += delta
	sl.tokens += delta
	v.tokens += delta
}

// bind shows the provider data of a slot that is about to be rendered, or hides it if the service would refuse it.
func (v *view) bind(i int) {
	sl := v.slots[i]
	if sl.data == nil {
		return
	}
	shows := sl.messages[0].ProviderData != nil
	if v.keepsData(i) == shows {
		return
	}
	sl.own()
	if shows {
		sl.messages[0].ProviderData = nil
	} else {
		sl.messages[0].ProviderData = sl.data
		v.returned = append(v.returned, sl)
	}
	v.resize(sl, 0)
}

// keepsData reports whether the provider data of a slot belongs to its message and follows the bytes that it was issued
// for. Providers that merge neighbouring messages of the assistant would not find it where they wrote it.
func (v *view) keepsData(i int) bool {
	sl := v.slots[i]
	if sl.dropped {
		return false
	}
	if i > 0 {
		before := v.slots[i-1]
		last := len(before.messages) - 1
		if last >= 0 && len(before.notes) == 0 && before.messages[last].Role == transcript.Assistant {
			return false
		}
	}
	return sl.data.Unbound || v.sumTo(i).Answer(sl.messages[0]).Is(sl.data.Prefix)
}

// sumTo returns the sum of the request before a slot, whose predecessors are rendered. It sums each slot once.
func (v *view) sumTo(i int) prefix.Sum {
	if i < v.summed {
		return v.slots[i].before
	}
	for ; v.summed < i; v.summed++ {
		fillForSum(v, v.summed)
		sl, end := v.slots[v.summed], len(v.messages)
		if next := v.summed + 1; next < v.rendered {
			end = v.slots[next].at
		}
		sl.before = v.sum
		v.sum = v.sum.Messages(v.messages[sl.at:end])
	}
	return v.sum
}

// dropReturned hides provider data that came back since returned was cleared.
func (v *view) dropReturned() {
	for _, sl := range v.returned {
		sl.dropped = true
	}
	v.returned = nil
	v.unrender(0)
	v.render()
}

// attach adds a note to a slot and returns its size in tokens.
func (v *view) attach(sl *slot, n shownNote) int {
	tokens := toollimit.Tokens(v.note(n.Note))
	v.forgetNames(sl)
	sl.notes = append(slices.Clip(sl.notes), n)
	sl.tokens += tokens
	v.tokens += tokens
	return tokens
}

func (v *view) dropNotes(from int, drop func(shownNote) bool) {
	for i, sl := range v.slots {
		if i < from || !slices.ContainsFunc(sl.notes, drop) {
			continue
		}
		v.forgetNames(sl)
		sl.notes = slices.DeleteFunc(slices.Clone(sl.notes), drop)
		tokens := sum(sl.sizes)
		for _, n := range sl.notes {
			tokens += toollimit.Tokens(v.note(n.Note))
		}
		v.tokens += tokens - sl.tokens
		sl.tokens = tokens
	}
}

func (v *view) render() {
	for ; v.rendered < len(v.slots); v.rendered++ {
		sl := v.slots[v.rendered]
		sl.at = len(v.messages)
		v.bind(v.rendered)
		if !sl.blank() {
			v.messages = append(v.messages, sl.messages...)
		}
		if len(sl.notes) > 0 {
			v.renderNotes(sl)
		}
	}
}

// blank reports whether a slot has nothing to send: an answer that was nothing but provider data, while that is hidden.
// Services refuse an empty message.
func (sl *slot) blank() bool {
	if len(sl.messages) == 0 {
		return true
	}
	m := &sl.messages[0]
	return m.Role == transcript.Assistant && m.Text == "" && len(m.Calls) == 0 && m.ProviderData == nil
}

// renderNotes shows notes after the newest message. The runtime never speaks as the assistant: after an assistant
// message, notes are a message of their own.
func (v *view) renderNotes(sl *slot) {
	var b strings.Builder
	for _, n := range sl.notes {
		b.WriteString(v.note(n.Note))
	}
	last := len(v.messages) - 1
	if sl.blank() || v.messages[last].Role == transcript.Assistant {
		text := strings.TrimLeft(b.String(), "\n")
		v.messages = append(v.messages, transcript.Message{Role: transcript.User, Text: text, Origin: transcript.Runtime})
		return
	}
	v.messages[last].Text += b.String()
}

// unrender removes the messages of the slots from an index on, until render adds them again. If a caller may hold some
// of them, the view continues in a new array.
func (v *view) unrender(from int) {
	if from >= v.rendered {
		return
	}
	v.kept = min(v.kept, from)
	if from < v.summed {
		v.sum, v.summed = v.slots[from].before, from
	}
	at := 0
	if from > 0 {
		at = v.slots[from].at
	}
	if v.handed > at {
		v.messages = append(make([]transcript.Message, 0, at+16), v.messages[:at]...) // with room for more
		v.handed = 0
	} else {
		v.messages = v.messages[:at]
	}
	v.rendered = from
}

// setPrefix replaces what precedes the messages. The identifiers of the system prompt are visible too.
func (v *view) setPrefix(p Prefix) {
	if v.named {
		v.table.Show(v.table.Names(v.system), -1)
		v.table.Show(v.table.Names(p.System), 1)
	}
	v.system = p.System
	frame := prefix.Of(p.System, p.Tools)
	if frame == v.frame {
		return
	}
	if v.frame = frame; v.bound {
		v.unrender(0)
	}
	v.sum, v.summed = frame, 0
}

// textTokens is the size of the text of a message of a slot, in tokens.
func (sl *slot) textTokens(n int) int {
	m := &sl.messages[n]
	if m.Role != transcript.Tool && (len(m.Calls) > 0 || m.ProviderData != nil) {
		return toollimit.Tokens(m.Text)
	}
	return sl.sizes[n] - m.Framing() - m.ImageTokens()
}

var fenceTag = regexp.MustCompile(`(?i)<([\s\p{Z}\p{C}]*/?[\s\p{Z}\p{C}]*note\b)`)

// fence renders a note as the suffix of a message. Tags of a fence in its text are escaped.
func fence(n Note) string {
	return "\n\n<note kind=\"" + n.Kind + "\">\n" + fenceTag.ReplaceAllString(n.Text, `<\$1`) + "\n</note>"
}

// note renders a note as the suffix of a message: in a fence, or as plain sentences.
func (v *view) note(n Note) string {
	if v.plain {
		return "\n\n" + n.Text
	}
	return fence(n)
}

// noteKind replaces what would need escaping in a fence.
func noteKind(kind string) string {
	if kind == "" {
		return "_"
	}
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, kind)
}
