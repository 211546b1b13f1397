package contextwindow

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/internal/repeat"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// indexNames counts the identifiers of the view.
func (s *state) indexNames() {
	v := &s.view
	if !v.named {
		v.named = true
		s.units.names.Show(s.units.names.Names(v.system), 1)
	}
	for _, sl := range readSlots(v) {
		if !sl.indexed {
			sl.indexed, sl.names = true, s.units.namesIn(sl)
			v.showNames(sl.names, 1)
		}
	}
}

// namesIn returns the identifiers of the texts of a slot. Those that it shows as they were received are scanned once.
func (u *units) namesIn(sl *slot) [][]int32 {
	var all [][]int32
	var received []transcript.Message
	var scanned []scannedPart
	if sl.step > 0 {
		received, scanned = u.at(sl.step).Messages, u.scan(sl.step, false).parts
	}
	for n := range sl.messages {
		if m := &sl.messages[n]; sl.step > 0 && m.Text == received[n].Text {
			all = append(all, scanned[n].names)
		} else {
			all = append(all, u.names.Names(m.Text))
		}
	}
	if sl.step > 0 {
		for k, call := range sl.messages[0].Calls {
			if string(call.Args) == string(received[0].Calls[k].Args) {
				all = append(all, scanned[len(received)+k].names)
			} else {
				all = append(all, u.names.Names(string(call.Args)))
			}
		}
	}
	for _, n := range sl.notes {
		all = append(all, u.names.Names(n.Text))
	}
	return all
}

// forget takes a slot whose messages change, or which is removed, out of the indexes.
func (v *view) forget(sl *slot) {
	if sl.lined {
		v.lined = false
	}
	v.forgetNames(sl)
}

// forgetNames takes a slot whose notes change out of the index of names.
func (v *view) forgetNames(sl *slot) {
	if sl.indexed {
		v.showNames(sl.names, -1)
		sl.indexed, sl.names = false, nil
	}
}

// showNames counts the identifiers of n slots more or fewer.
func (v *view) showNames(all [][]int32, n int32) {
	for _, names := range all {
		v.table.Show(names, n)
	}
}

// linesOutside returns the trimmed lines of the view, except those of units of some steps.
func (v *view) linesOutside(steps []int) map[string]bool {
	shown := make(map[string]bool)
	for _, sl := range v.slots {
		if sl.step == 0 || slices.Contains(steps, sl.step) {
			continue
		}
		for _, m := range sl.messages {
			for line := range strings.Lines(m.Text) {
				shown[strings.TrimSpace(line)] = true
			}
		}
	}
	return shown
}

// repeatMessages is within how many messages the same call, made again, gets its result whole: a model that asks twice
// wants the text.
const repeatMessages = 8

// A dropper takes out of the results of a turn what the reader already sees. Without an index it takes out nothing.
type dropper struct {
	*state
	turn *repeat.Index[partID] // the arguments of the turn's calls
}

func newDropper(s *state, u *Unit) dropper {
	d := dropper{s, new(repeat.Index[partID])}
	for k, call := range u.Messages[0].Calls {
		addArguments(d.turn, partID{u.Step, k + 1, true}, call)
	}
	return d
}

// drop replaces the runs of lines of a result that the view or the turn already shows by one line each. It returns the
// number of each remaining line in the result, and the number after the last; or nil if it replaces nothing.
func (d dropper) drop(cut *Truncation, call transcript.ToolCall, m transcript.Message) []int {
	if d.turn == nil || !hasLines(m) || d.calledLately(call) {
		return nil
	}
	d.indexLines()
	text := toValid(m.Text)
	runs := repeat.Find(text, d.turn, &d.view.lines)
	if len(runs) == 0 {
		return nil
	}
	lines := strings.Split(text, "\n")
	var kept []string
	var numbers []int
	at := 0
	keep := func(end int) {
		for ; at < end; at++ {
			kept, numbers = append(kept, lines[at]), append(numbers, at+1)
		}
	}
	for _, r := range runs {
		mark := d.mark(cut, r)
		if toollimit.Tokens(mark) >= toollimit.Tokens(strings.Join(lines[r.First-1:r.Last], "\n")) {
			continue
		}
		keep(r.First - 1)
		kept, numbers = append(kept, mark), append(numbers, r.First)
		at = r.Last
		cut.Repeats = append(cut.Repeats, r.Of.step)
	}
	if len(cut.Repeats) == 0 {
		return nil
	}
	keep(len(lines))
	cut.Text = strings.Join(kept, "\n")
	return append(numbers, len(lines)+1)
}

// indexLines brings the index of lines up to date. It appends new slots; any other change rebuilds it, so that a loaded
// window finds what the original finds.
func (d dropper) indexLines() {
	v := &d.view
	built := v.lined
	if v.lined = true; !built {
		v.lines.Reset()
	}
	for _, sl := range readSlots(v) {
		if built && sl.lined || sl.step == 0 {
			continue
		}
		sl.lined = true
		received := d.units.at(sl.step).Messages
		for n := range sl.messages {
			if received[n].Kind == toollimit.Excerpt {
				continue // its lines have the numbers of another text
			}
			v.lines.Add(partID{step: sl.step, part: n}, received[n].Text, sl.messages[n].Text)
		}
		for k, call := range sl.messages[0].Calls {
			addArguments(&v.lines, partID{sl.step, k + 1, true}, call)
		}
	}
}

func addArguments(x *repeat.Index[partID], id partID, call transcript.ToolCall) {
	if text := argumentText(call.Args); text != "" {
		x.Add(id, text, text)
	}
}

// mark is the line that replaces a run. The first one of a result says how to read it whole.
func (d dropper) mark(cut *Truncation, r repeat.Run[partID]) string {
	const longest = 60
	var of string
	switch {
	case r.Of.args && r.Of.step == cut.Step:
		of = "the arguments of this call"
	case r.Of.args:
		of = "the arguments of " + d.nameOf(r.Of)
	default:
		of = fmt.Sprintf("lines %d-%d of %s", r.At, r.At+r.Last-r.First, d.nameOf(r.Of))
	}
	whole := ""
	if len(cut.Repeats) == 0 {
		whole = "; " + wholeText(d.state, cut.id().String())
	}
	return fmt.Sprintf("[… lines %d-%d repeat %s, above: from %q to %q%s]",
		r.First, r.Last, of, firstRunes(r.From, longest), firstRunes(r.To, longest), whole)
}

// nameOf is the id of a part, with the call that it belongs to if an earlier turn made it.
func (d dropper) nameOf(id partID) string {
	name := partID{step: id.step, part: id.part}.String()
	if id.part == 0 || id.step > d.units.last() {
		return name
	}
	call := d.units.calls(id.step)[id.part-1]
	return name + " (" + call.Name + " " + firstRunes(strings.Join(strings.Fields(string(call.Args)), " "), briefRunes) + ")"
}

// hasLines reports whether a result is a text of lines, so that one line may replace several.
func hasLines(m transcript.Message) bool {
	switch m.Kind {
	case toollimit.Text, toollimit.File, toollimit.Output:
		text := strings.TrimSpace(m.Text)
		return !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") || !json.Valid([]byte(text))
	}
	return false
}

// calledLately reports whether the same call was made within the last few messages of the view.
func (d dropper) calledLately(call transcript.ToolCall) bool {
	key, messages := callKey(call), 0
	same := func(c transcript.ToolCall) bool { return callKey(c) == key }
	for _, sl := range slices.Backward(readSlots(&d.view)) {
		if sl.step > 0 && slices.ContainsFunc(d.units.calls(sl.step), same) {
			return true
		}
		if messages += len(sl.messages); messages >= repeatMessages {
			break
		}
	}
	return false
}

// hasCompacted reports whether the view shows a slot with what a service made of all before it.
func hasCompacted(sl *slot) bool {
	return sl.data != nil && sl.data.Compacts && sl.messages[0].ProviderData != nil
}

// findFirst finds the first slot that the service reads. The slots before it leave the indexes, since the model sees
// none of them. It reports whether the slot is another one than before.
func findFirst(v *view) bool {
	if !v.compacts {
		return false
	}
	var first *slot
	for _, sl := range slices.Backward(v.slots) {
		if hasCompacted(sl) {
			first = sl
			break
		}
	}
	if first == v.first {
		return false
	}
	v.first, v.lined = first, false
	for _, sl := range v.slots[:len(v.slots)-len(readSlots(v))] {
		v.forgetNames(sl)
	}
	return true
}

// readSlots returns the slots that the service reads.
func readSlots(v *view) []*slot {
	if v.first == nil {
		return v.slots
	}
	return v.slots[max(slices.Index(v.slots, v.first), 0):]
}

// readTokens returns the size of what the service reads of the view, and of the prompt in it, in raw tokens.
func readTokens(s *state) (view, prompt int) {
	if s.view.first == nil {
		return s.view.tokens, s.promptTokens
	}
	return s.view.tokensFrom(len(s.view.slots) - len(readSlots(&s.view))), 0
}

// dropData hides the provider data of units for good.
func dropData(v *view, steps []int) {
	for i, sl := range v.slots {
		if slices.Contains(steps, sl.step) {
			v.unrender(i)
			sl.dropped = true
		}
	}
}
