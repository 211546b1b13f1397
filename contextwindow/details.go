package contextwindow

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// The most that call lines and lists of identifiers may take of the room of the details. Key lines get the rest.
const (
	callsShare = .10
	namesShare = .08
	focusShare = .50 // of the room of key lines, for those with a word of the focus
)

// The fence of the digest. The tag is older than the name digest and stays, because saved logs hold it.
const (
	digestOpen  = "<record>\n"
	digestClose = "</record>"
)

// Bounds of the work and the output of the details.
const (
	pool         = 120 // newest evicted units, all of whose lines are candidates; of older ones only lines shown before
	namesParts   = 600 // newest parts that are searched for identifiers to list
	focusRunes   = 3   // shortest word of a focus that is searched for
	mostFileLine = 400 // longest line shown only because it belongs to an edited file, in bytes
)

// Marks of the details. Identifiers are listed on a line of their own after namesMark.
const (
	lineMark  = "  "
	namesMark = "  also: "
)

// A detail is what the digest says of one part of an evicted unit: a line for a call, key lines, and more identifiers.
type detail struct {
	id      partID
	pointer string     // reads it
	call    *callBrief // nil if the part is no result
	line    string     // of the call; "" without room
	lines   []string   // candidates for key lines
	indexes []int      // of these lines in the part
	kept    []int      // which of lines are key lines
	names   []string   // listed
}

// details are the details of all evicted parts, in the order of their steps.
type details struct {
	*state
	steps []int // of evicted units
	list  []*detail
}

// detailsOf writes the details of evicted units in at most room tokens: for each call a line, its key lines, and
// identifiers that are visible nowhere else. Visible reports whether the rest of the view shows an identifier.
func (s *state) detailsOf(evicted []int, room int, visible func(string) bool) (string, []KeptLines) {
	d := &details{s, evicted, s.evictedParts(evicted)}
	room -= d.callLines(roomOf(room, callsShare))
	namesRoom := roomOf(room, namesShare)
	shown := make(map[string]bool)
	show := func(text string) {
		for name := range toollimit.Identifiers(text) {
			shown[name] = true
		}
	}
	for _, p := range d.list {
		show(p.line)
	}
	seen := func(name string) bool { return shown[name] || visible(name) }
	room -= d.keyLines(room-namesRoom, s.units.weigher(seen))
	room -= d.fileLines(room - namesRoom)
	for _, p := range d.list {
		for _, k := range p.kept {
			show(p.lines[k])
		}
	}
	d.listNames(min(room, namesRoom), seen)
	return d.text(), d.keptLines()
}

func (s *state) evictedParts(evicted []int) []*detail {
	steps := slices.Sorted(slices.Values(evicted))
	old := 0 // units up to this step are beyond the pool
	if len(steps) > pool {
		old = steps[len(steps)-pool-1]
	}
	shown := make(map[partID][]int, len(s.evicted.lines))
	for _, k := range s.evicted.lines {
		shown[k.id()] = k.Lines
	}
	var list []*detail
	for _, step := range steps {
		u := s.units.at(step)
		head := u.Messages[0]
		if head.Role == transcript.User {
			continue
		}
		for part, m := range u.Messages {
			id := partID{step: step, part: part}
			d := newDetail(id, m.Text, step <= old, shown[id])
			if part > 0 {
				d.pointer = s.units.pointer(id)
			}
			if part > 0 && d.pointer == id.String() { // the line of an excerpt's source says enough
				d.call = s.units.brief(step, part)
			}
			list = append(list, d)
		}
		for i, call := range head.Calls {
			id := partID{step, i + 1, true}
			if step <= old && len(shown[id]) == 0 {
				continue // saves decoding its arguments
			}
			if d := newDetail(id, argumentText(call.Args), step <= old, shown[id]); len(d.lines) > 0 {
				list = append(list, d)
			}
		}
	}
	return list
}

// newDetail returns the detail of a part. Candidates for key lines are the lines of an old part that the last digest
// showed, and all lines of any other that are not blank.
func newDetail(id partID, text string, old bool, shown []int) *detail {
	d := &detail{id: id, pointer: id.String()}
	if old && len(shown) == 0 {
		return d
	}
	for i, line := range strings.Split(text, "\n") {
		if old && slices.Contains(shown, i) || !old && strings.TrimSpace(line) != "" {
			d.lines, d.indexes = append(d.lines, line), append(d.indexes, i)
		}
	}
	return d
}

// argumentText joins the multi-line strings in a call's arguments, at any depth and in the order of their names: what
// was written, replaced or planned.
func argumentText(args json.RawMessage) string {
	var v any
	if bytes.IndexByte(args, '\\') < 0 || json.Unmarshal(args, &v) != nil { // a newline is escaped
		return ""
	}
	return strings.Join(longTexts(nil, v), "\n")
}

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

// callLines gives the newest calls their full line, older ones a brief one, and the oldest none; errors and edits lose
// theirs last. It returns the size of the lines.
func (d *details) callLines(room int) (used int) {
	for _, p := range d.list {
		if p.call != nil {
			p.line = p.call.brief
			used += p.call.briefTokens
		}
	}
	for _, important := range []bool{false, true} {
		for _, p := range d.list {
			if used > room && p.line != "" && p.call.important == important {
				used -= p.call.briefTokens
				p.line = ""
			}
		}
	}
	for _, p := range slices.Backward(d.list) {
		if p.line == "" {
			continue
		}
		if more := p.call.fullTokens - p.call.briefTokens; used+more <= room {
			used += more
			p.line = p.call.full
		}
	}
	return used
}

// keyLines chooses the key lines of all parts together, those with a word of the focus first, and returns their size.
func (d *details) keyLines(room int, weigh func(string) int) (used int) {
	var lines []string
	var owners, first []int // of lines, and of parts
	for i, p := range d.list {
		first = append(first, len(lines))
		owners = append(owners, slices.Repeat([]int{i}, len(p.lines))...)
		lines = append(lines, p.lines...)
	}
	take := func(i, room int) bool {
		p := d.list[owners[i]]
		tokens := p.idTokens() + lineTokens(lines[i])
		if used+tokens > room {
			return false
		}
		used += tokens
		p.kept = append(p.kept, i-first[owners[i]])
		return true
	}
	focused := make(map[int]bool)
	for _, i := range linesAbout(d.evicted.focus, lines) {
		focused[i] = take(i, roomOf(room, focusShare))
	}
	toollimit.KeyLines(lines, weigh, func(i int) bool { return focused[i] || take(i, room) })
	for _, p := range d.list {
		slices.Sort(p.kept)
	}
	return used
}

func roomOf(room int, share float64) int { return int(share * float64(room)) }

// linesAbout returns the indexes of the lines that hold a word of the focus, the newest first.
func linesAbout(focus string, lines []string) []int {
	words := strings.FieldsFunc(strings.ToLower(focus), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	})
	words = slices.DeleteFunc(words, func(word string) bool { return toollimit.Runes(word) < focusRunes })
	if len(words) == 0 {
		return nil
	}
	var found []int
	for i, line := range slices.Backward(lines) {
		line = strings.ToLower(line)
		if slices.ContainsFunc(words, func(word string) bool { return strings.Contains(line, word) }) {
			found = append(found, i)
		}
	}
	return found
}

// fileLines gives the room that key lines leave to further lines of files that the agent changed, the newest parts
// first, and returns their size: an agent that edits by quoting needs a file word for word, and most of its lines
// hold no identifier.
func (d *details) fileLines(room int) (used int) {
	edited := d.units.editedFiles()
	if len(edited) == 0 {
		return 0
	}
	shown := d.view.linesOutside(d.steps)
	for _, p := range d.list {
		for _, k := range p.kept {
			shown[strings.TrimSpace(p.lines[k])] = true
		}
	}
	for _, p := range slices.Backward(d.list) {
		if p.id.part == 0 || !edited[d.units.brief(p.id.step, p.id.part).file] {
			continue
		}
		for k, line := range p.lines {
			text := strings.TrimSpace(line)
			tokens := p.idTokens() + lineTokens(line)
			if shown[text] || len(text) > mostFileLine || used+tokens > room {
				continue
			}
			used += tokens
			shown[text] = true
			p.kept = append(p.kept, k)
		}
		slices.Sort(p.kept)
	}
	return used
}

// listNames lists identifiers that are visible nowhere else, each once and the newest parts first. The first pass takes
// those that the agent wrote, in its texts and arguments; the second takes those in results. A result's line also
// lists the names in the arguments of its call.
func (d *details) listNames(room int, seen func(string) bool) {
	listed := make(map[string]bool)
	for _, written := range []bool{true, false} {
		for _, p := range slices.Backward(d.list[max(0, len(d.list)-namesParts):]) {
			if !written && !isResult(p.id) {
				continue
			}
			source := p.id
			source.args = source.args || written && isResult(p.id)
			for name := range toollimit.Identifiers(d.units.at(source.step).text(source)) {
				if listed[name] || seen(name) {
					continue
				}
				cost := 1 + toollimit.Tokens(name)
				if len(p.names) == 0 {
					cost += p.idTokens() + toollimit.Tokens(namesMark+"\n")
				}
				if room -= cost; room <= 0 {
					return
				}
				listed[name] = true
				p.names = append(p.names, name)
			}
		}
	}
}

// MaskLists removes the lists of identifiers and references that the runtime wrote from a text of the view, for
// measures that should not reward a bare list.
func MaskLists(text string) string {
	if strings.Contains(text, digestOpen) {
		var b strings.Builder
		for line := range strings.Lines(text) {
			if !isList(line) {
				b.WriteString(line)
			}
		}
		text = b.String()
	}
	return toollimit.StripNames(text)
}

func isList(line string) bool {
	return strings.HasPrefix(line, namesMark) || slices.ContainsFunc(ledgerKinds[:], func(k ledgerKind) bool {
		return strings.HasPrefix(line, k.title+" (")
	})
}

func (d *details) text() string {
	var b strings.Builder
	for _, p := range d.list {
		if p.line == "" && len(p.kept) == 0 && len(p.names) == 0 {
			continue
		}
		b.WriteString(headLine(p.pointer, p.line))
		for _, k := range p.kept {
			b.WriteString(lineMark + strings.TrimSpace(p.lines[k]) + "\n")
		}
		if len(p.names) > 0 {
			b.WriteString(namesMark + strings.Join(p.names, " ") + "\n")
		}
	}
	return escape(b.String())
}

func (d *details) keptLines() []KeptLines {
	var all []KeptLines
	for _, p := range d.list {
		if len(p.kept) == 0 {
			continue
		}
		k := KeptLines{Step: p.id.step, Part: p.id.part, Args: p.id.args}
		for _, line := range p.kept {
			k.Lines = append(k.Lines, p.indexes[line])
		}
		all = append(all, k)
	}
	return all
}

// escape keeps a quoted text from closing the digest, and replaces what is not UTF-8.
func escape(text string) string { return digestTag.ReplaceAllString(toValid(text), `<\$1`) }

// digestTag finds what could be taken for the end of a digest.
var digestTag = regexp.MustCompile(`(?i)<(\s*/\s*record\b)`)

// idTokens is the size of the part's id, which precedes the first thing that is shown of it.
func (p *detail) idTokens() int {
	if p.line != "" || len(p.kept) > 0 {
		return 0
	}
	return toollimit.Tokens(headLine(p.pointer, p.line))
}

// lineTokens is the size of a key line. Sums of it are exact but for rounding up.
func lineTokens(line string) int { return toollimit.Tokens(lineMark + strings.TrimSpace(line) + "\n") }
