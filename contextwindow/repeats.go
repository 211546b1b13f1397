package contextwindow

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// A run of lines that stands in the view already is not shown again if it has at least so many lines and characters,
// unless the same call was made within the last so many messages: who asks twice wants the text (compaction: on the way
// in).
const (
	repeatLines    = 5
	repeatRunes    = 150
	repeatMessages = 8
)

// A lineIndex finds runs of lines in the view: by the hash of repeatLines lines, where they stand. Like a nameIndex it
// follows from the slots and is brought up to date when it is asked. Of several places it knows the newest.
type lineIndex map[uint64]linePlace

// A linePlace is a line of a message of the view.
type linePlace struct {
	slot    *slotLines
	message int
	line    int
}

// slotLines are the lines of the messages of one slot.
type slotLines struct {
	messages [][]string
}

// indexLines brings the index up to date with the slots. Slots that were added are indexed behind the others; after any
// other change the index is made anew, so that it follows from the slots alone and a window that was loaded finds what
// one that went on does.
func (s *state) indexLines() {
	made := s.runs != nil
	if !made {
		s.runs = make(lineIndex)
	}
	for i := range s.slots {
		sl := &s.slots[i]
		if made && sl.lines != nil || sl.step == 0 {
			continue
		}
		sl.lines = &slotLines{messages: make([][]string, len(sl.messages))}
		for m := range sl.messages {
			lines := splitLines(sl.messages[m].Text)
			sl.lines.messages[m] = lines
			for at, hash := range hashRuns(lines) {
				s.runs[hash] = linePlace{sl.lines, m, at}
			}
		}
	}
}

func splitLines(text string) []string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r")
	}
	return lines
}

// runSeed is the seed of the hashes, which never leave the process.
var runSeed = maphash.MakeSeed()

// hashRuns returns the hash of each run of repeatLines lines, by its first line.
func hashRuns(lines []string) []uint64 {
	if len(lines) < repeatLines {
		return nil
	}
	const prime = 1_099_511_628_211 // of the 64-bit FNV hash
	each := make([]uint64, len(lines))
	for i, line := range lines {
		each[i] = maphash.String(runSeed, line)
	}
	hashes := make([]uint64, len(lines)-repeatLines+1)
	for at := range hashes {
		for _, hash := range each[at : at+repeatLines] {
			hashes[at] = hashes[at]*prime + hash
		}
	}
	return hashes
}

// longest returns how many lines from at on stand as one run in the view, given the hashes of all runs.
func (x lineIndex) longest(lines []string, hashes []uint64, at int) int {
	if at >= len(hashes) {
		return 0
	}
	place, known := x[hashes[at]]
	if !known {
		return 0
	}
	there := place.slot.messages[place.message][place.line:]
	n := 0
	for n < len(there) && at+n < len(lines) && there[n] == lines[at+n] {
		n++
	}
	return n
}

// withoutRepeats replaces the runs of a result that stand in the view already by one line each. It returns the text as
// it is, and false, if there are none or if the same call was made a short while ago.
func (w *Window) withoutRepeats(call transcript.ToolCall, m transcript.Message, id string) (string, bool) {
	text := m.Text
	if len(text) < repeatRunes || !hasLines(m) || w.calledLately(call) {
		return text, false
	}
	w.indexLines()
	lines := splitLines(valid(text))
	hashes := hashRuns(lines)
	var kept []string
	found := false
	for at := 0; at < len(lines); {
		n := w.runs.longest(lines, hashes, at)
		if mark := repeatMark(lines[at:at+n], id); mark != "" {
			kept = append(kept, mark)
			at += n
			found = true
			continue
		}
		kept = append(kept, lines[at])
		at++
	}
	if !found {
		return text, false
	}
	return strings.Join(kept, "\n"), true
}

// hasLines reports whether a result is a text by lines, in which a line may stand for others.
func hasLines(m transcript.Message) bool {
	switch m.Kind {
	case toollimit.Text, toollimit.File, toollimit.Output:
		return !strings.HasPrefix(m.Text, "{") && !strings.HasPrefix(m.Text, "[")
	}
	return false
}

// repeatMark stands for a run of lines: its first and last line, and where the whole text is. It is "" for a run that is
// too short, or not larger than its mark.
func repeatMark(run []string, id string) string {
	const longest = 60
	text := strings.Join(run, "\n")
	if len(run) < repeatLines || toollimit.Runes(text) < repeatRunes {
		return ""
	}
	first, last := strings.TrimSpace(run[0]), strings.TrimSpace(run[len(run)-1])
	mark := fmt.Sprintf("[… %d lines stand further up, from %q to %q; whole text: %s id=%s]",
		len(run), firstRunes(first, longest), firstRunes(last, longest), toollimit.ReadTool, id)
	if toollimit.Tokens(mark) >= toollimit.Tokens(text) {
		return ""
	}
	return mark
}

// calledLately reports whether the same call was made within the last few messages of the view.
func (w *Window) calledLately(call transcript.ToolCall) bool {
	messages := 0
	for i := len(w.slots) - 1; i >= 0 && messages < repeatMessages; i-- {
		sl := &w.slots[i]
		messages += len(sl.messages)
		if len(sl.messages) == 0 || sl.step == 0 {
			continue
		}
		if slices.ContainsFunc(w.units[sl.step-1].Messages[0].Calls, func(c transcript.ToolCall) bool {
			return c.Name == call.Name && string(c.Args) == string(call.Args)
		}) {
			return true
		}
	}
	return false
}
