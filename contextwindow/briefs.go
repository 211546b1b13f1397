package contextwindow

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// How long the arguments of a call are in its line, in runes, and how long once they are coarsened.
const (
	callRunes  = 120
	briefRunes = 30
)

// changes reports whether a call's arguments are those of an edit.
func changes(call transcript.ToolCall) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(call.Args, &fields) != nil {
		return false
	}
	return slices.ContainsFunc(changeArguments, func(name string) bool { return fields[name] != nil })
}

// callLine is a call as one line: its tool, its arguments, and how it failed.
func callLine(call transcript.ToolCall, result transcript.Message, runes int) string {
	line := call.Name + " " + firstRunes(strings.Join(strings.Fields(string(call.Args)), " "), runes)
	if result.Failed {
		first, _, _ := strings.Cut(strings.TrimSpace(result.Text), "\n")
		line += " → failed: " + firstRunes(first, runes)
	}
	return line
}

func firstRunes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	r := []rune(text)
	if len(r) <= n {
		return text
	}
	return string(r[:n]) + "…"
}

// A callBrief is a call in one line, whole and coarse, and what the lines take.
type callBrief struct {
	whole, coarse             string
	wholeTokens, coarseTokens int
	important                 bool   // an error or an edit: its line is the last to go
	file                      string // that it read or changed; "": none
	edited                    bool   // it changed the file
}

// briefOf returns the brief of a call, which never changes.
func (w *Window) briefOf(step, part int) *callBrief {
	key := Cut{Step: step, Part: part}
	if b := w.briefs[key]; b != nil {
		return b
	}
	u := w.units[step-1]
	call, result := u.Messages[0].Calls[part-1], u.Messages[part]
	b := &callBrief{whole: callLine(call, result, callRunes), coarse: callLine(call, result, briefRunes), important: result.Failed || changes(call)}
	b.wholeTokens, b.coarseTokens = toollimit.Tokens(headLine(key, b.whole)), toollimit.Tokens(headLine(key, b.coarse))
	for _, f := range w.facts(call, result) {
		if f.Kind == FactRead || f.Kind == FactModified {
			b.file, b.edited = f.Ref, f.Kind == FactModified
		}
	}
	if w.briefs == nil {
		w.briefs = make(map[Cut]*callBrief)
	}
	w.briefs[key] = b
	return b
}

// callLines gives the newest calls their whole line, older ones a coarse one, and the oldest none, errors and edits
// last. It returns what they take.
func callLines(ds []detail, room int) (least int) {
	for i := range ds {
		if b := ds[i].call; b != nil {
			ds[i].line = b.coarse
			least += b.coarseTokens
		}
	}
	for _, important := range []bool{false, true} {
		for i := range ds {
			if d := &ds[i]; least > room && d.line != "" && d.call.important == important {
				least -= d.call.coarseTokens
				d.line = ""
			}
		}
	}
	for i := len(ds) - 1; i >= 0; i-- {
		d := &ds[i]
		if d.line == "" {
			continue
		}
		if more := d.call.wholeTokens - d.call.coarseTokens; least+more <= room {
			least += more
			d.line = d.call.whole
		}
	}
	return least
}

// headLine is the first line of what the record shows of a part: its id, and the line of a call.
func headLine(of Cut, line string) string {
	return pointer(of.Step, of.Part, of.Args) + " " + line + "\n"
}
