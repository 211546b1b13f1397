package contextwindow

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// The most that the calls' lines and the lists of identifiers may take of the room of the detailed record. Key lines
// have what they leave.
const (
	callsShare = .10
	namesShare = .08
)

// pool is how many of the newest folded units take part in the choice of key lines with all their lines. Of older ones
// only those do that the last record showed, so that a compaction does not grow with the run.
const pool = 120

// Marks of the detailed record. A list of identifiers stands on a line of its own behind namesMark.
const (
	lineMark  = "  "
	namesMark = "  also: "
)

// A detail is what the record says of one part of a folded unit: a line for a call, its key lines, and further
// identifiers.
type detail struct {
	step, part int
	args       bool
	call       *callBrief // nil: the part is no result
	line       string     // of the call, as long as there is room for it; "": none
	lines      []string   // of the part's text that may be key lines
	indexes    []int      // of these lines in the text
	kept       []int      // which of lines are key lines
	names      []string   // listed
}

// details writes the detailed part of the record: for each folded call, in at most room tokens, a line, its key lines,
// and identifiers that stand nowhere else. Visible tells what stands in the view that stays.
func (w *Window) details(folded []int, room int, visible func(string) bool) (string, []KeptLines) {
	ds := w.detailsOf(folded)
	room -= callLines(ds, roomOf(room, callsShare))
	names := roomOf(room, namesShare)
	shown := make(map[string]bool)
	see := func(text string) {
		for name := range toollimit.Identifiers(text) {
			shown[name] = true
		}
	}
	for i := range ds {
		see(ds[i].line)
	}
	seen := func(name string) bool { return shown[name] || visible(name) }
	room -= w.keyLines(ds, room-names, w.weigh(seen))
	room -= w.fileLines(ds, folded, room-names)
	for i := range ds {
		for _, k := range ds[i].kept {
			see(ds[i].lines[k])
		}
	}
	w.listNames(ds, min(room, names), seen)
	return renderDetails(ds), keptLines(ds)
}

func roomOf(room int, share float64) int { return int(share * float64(room)) }

// detailsOf collects the parts of folded units, in the order of their steps.
func (w *Window) detailsOf(folded []int) []detail {
	steps := slices.Sorted(slices.Values(folded))
	old := 0 // units up to this step are beyond the pool
	if len(steps) > pool {
		old = steps[len(steps)-pool-1]
	}
	last := make(map[Cut][]int, len(w.lines))
	for _, k := range w.lines {
		last[Cut{Step: k.Step, Part: k.Part, Args: k.Args}] = k.Lines
	}
	var ds []detail
	for _, step := range steps {
		u := w.units[step-1]
		head := u.Messages[0]
		if head.Role == transcript.User {
			continue
		}
		for part, m := range u.Messages {
			ds = append(ds, detailOf(Cut{Step: step, Part: part}, m.Text, step <= old, last))
			if part > 0 {
				ds[len(ds)-1].call = w.briefOf(step, part)
			}
		}
		for i, call := range head.Calls {
			if step <= old && len(last[Cut{Step: step, Part: i + 1, Args: true}]) == 0 {
				continue // its texts need not be looked for
			}
			d := detailOf(Cut{Step: step, Part: i + 1, Args: true}, argumentText(call.Args), step <= old, last)
			if len(d.lines) > 0 {
				ds = append(ds, d)
			}
		}
	}
	return ds
}

// detailOf is what may be shown of one part: of an old one, the lines that the last record showed.
func detailOf(of Cut, text string, old bool, last map[Cut][]int) detail {
	d := detail{step: of.Step, part: of.Part, args: of.Args}
	if old {
		kept := last[of]
		if len(kept) == 0 {
			return d
		}
		lines := strings.Split(text, "\n")
		for _, i := range kept {
			if i < len(lines) {
				d.lines, d.indexes = append(d.lines, lines[i]), append(d.indexes, i)
			}
		}
		return d
	}
	for i, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) != "" {
			d.lines, d.indexes = append(d.lines, line), append(d.indexes, i)
		}
	}
	return d
}

// argumentText is the strings of several lines in a call's arguments, however deep they stand, in the order of their
// names: what was written, replaced or planned.
func argumentText(args json.RawMessage) string {
	var v any
	if bytes.IndexByte(args, '\\') < 0 || json.Unmarshal(args, &v) != nil { // a newline is escaped
		return ""
	}
	return strings.Join(longTexts(nil, v), "\n")
}

// longTexts appends the strings of several lines in a value of JSON.
func longTexts(texts []string, v any) []string {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, "\n") {
			texts = append(texts, v)
		}
	case []any:
		for _, item := range v {
			texts = longTexts(texts, item)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			texts = longTexts(texts, v[name])
		}
	}
	return texts
}

// keyLines chooses the key lines of all parts together, those with a word of the focus first, and returns what they
// take.
func (w *Window) keyLines(ds []detail, room int, weigh func(string) int) (used int) {
	var lines []string
	var owners, first []int // of lines, and of parts
	for i := range ds {
		first = append(first, len(lines))
		for range ds[i].lines {
			owners = append(owners, i)
		}
		lines = append(lines, ds[i].lines...)
	}
	take := func(i, room int) bool {
		d := &ds[owners[i]]
		tokens := d.idTokens() + lineTokens(lines[i])
		if used+tokens > room {
			return false
		}
		used += tokens
		d.kept = append(d.kept, i-first[owners[i]])
		return true
	}
	focused := make(map[int]bool)
	for _, i := range w.focusLines(lines) {
		focused[i] = take(i, roomOf(room, focusShare))
	}
	toollimit.KeyLines(lines, weigh, func(i int) bool { return focused[i] || take(i, room) })
	for i := range ds {
		slices.Sort(ds[i].kept)
	}
	return used
}

// focusShare is the part of the room of key lines that those with a word of the focus may take.
const focusShare = .5

// focusRunes is the shortest word of a focus that lines are looked at for, in runes.
const focusRunes = 3

// focusLines returns the lines that hold a word of the focus, the newest first.
func (w *Window) focusLines(lines []string) []int {
	words := strings.FieldsFunc(strings.ToLower(w.focus), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	words = slices.DeleteFunc(words, func(word string) bool { return toollimit.Runes(word) < focusRunes })
	if len(words) == 0 {
		return nil
	}
	var found []int
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.ToLower(lines[i])
		if slices.ContainsFunc(words, func(word string) bool { return strings.Contains(line, word) }) {
			found = append(found, i)
		}
	}
	return found
}

// idTokens is what the first thing that is shown of a part takes besides, in tokens: the part's id.
func (d *detail) idTokens() int {
	if d.line != "" || len(d.kept) > 0 {
		return 0
	}
	return toollimit.Tokens(d.head())
}

func (d *detail) head() string {
	return headLine(Cut{Step: d.step, Part: d.part, Args: d.args}, d.line)
}

// lineTokens is what a key line takes. Sums of it are exact, but for rounding up.
func lineTokens(line string) int { return toollimit.Tokens(lineMark + strings.TrimSpace(line) + "\n") }

// namesParts is how many of the newest parts are looked at for identifiers to list.
const namesParts = 600

// listNames lists identifiers that stand nowhere else, each once, those of the newest parts first, and what the agent
// wrote itself before what it was given.
func (w *Window) listNames(ds []detail, room int, seen func(string) bool) {
	listed := make(map[string]bool)
	for _, written := range []bool{true, false} {
		for i := len(ds) - 1; i >= max(0, len(ds)-namesParts); i-- {
			d := &ds[i]
			u := w.units[d.step-1]
			text := u.Messages[d.part].Text
			if d.args || written && d.part > 0 {
				text = string(u.Messages[0].Calls[d.part-1].Args)
			}
			if (d.args || d.part == 0) && !written {
				continue
			}
			for name := range toollimit.Identifiers(text) {
				if listed[name] || seen(name) {
					continue
				}
				cost := 1 + toollimit.Tokens(name)
				if len(d.names) == 0 {
					cost += d.idTokens() + toollimit.Tokens(namesMark+"\n")
				}
				if room -= cost; room <= 0 {
					return
				}
				listed[name] = true
				d.names = append(d.names, name)
			}
		}
	}
}

func renderDetails(ds []detail) string {
	var b strings.Builder
	for i := range ds {
		d := &ds[i]
		if d.line == "" && len(d.kept) == 0 && len(d.names) == 0 {
			continue
		}
		b.WriteString(d.head())
		for _, k := range d.kept {
			b.WriteString(lineMark + strings.TrimSpace(d.lines[k]) + "\n")
		}
		if len(d.names) > 0 {
			b.WriteString(namesMark + strings.Join(d.names, " ") + "\n")
		}
	}
	return disarm(b.String())
}

func keptLines(ds []detail) []KeptLines {
	var kept []KeptLines
	for i := range ds {
		d := &ds[i]
		if len(d.kept) == 0 {
			continue
		}
		k := KeptLines{Step: d.step, Part: d.part, Args: d.args}
		for _, line := range d.kept {
			k.Lines = append(k.Lines, d.indexes[line])
		}
		kept = append(kept, k)
	}
	return kept
}
