package contextwindow

import (
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/forayhq/foray/contextwindow/internal/names"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/identifier"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
)

// The most that call lines and lists of identifiers may take of the room of the details. Key lines get the rest.
const (
	callsShare = .10
	namesShare = .08
	focusShare = .50 // of the room of key lines, for those with a word of the focus
	fillShare  = .50 // of the room that all these leave, which every later request pays for
)

// The fence of the digest. The tag is older than the name digest and stays, because saved logs hold it.
const (
	digestOpen  = "<record>\n"
	digestClose = "</record>"
)

// Bounds of the work and the output of the details.
const (
	focusRunes   = 3   // shortest word of a focus that is searched for
	lastLines    = 20  // of a part, which are searched for one that is unlike others: verdicts come last
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
	unit    *Unit       // of the part
	pointer string      // id by which it can be read; "" until it is asked for
	call    *callBrief  // nil if the part is no result
	line    string      // of the call; "" without room
	lines   names.Lines // candidates for key lines
	kept    []int       // which of lines are key lines
	names   []string    // listed
}

// details are the details of evicted parts that the digest may show something from, in the order of their steps.
type details struct {
	*state
	going   []int
	evicted evictedParts // including those of going
	old     int          // units up to this step are beyond the pool
	shown   map[partID][]int
	list    []*detail
}

// detailsOf writes the details of all evicted units, and of those that are going, in at most room tokens: for each call
// a line, its key lines, and identifiers that are visible nowhere else.
func (s *state) detailsOf(going []int, room int) (string, []KeptLines) {
	d, most := newDetails(s, going), room
	calls := d.callLines(roomOf(room, callsShare))
	room -= calls
	namesRoom := roomOf(room, namesShare)
	shown := make([][]int32, 0, 64)
	show := func(names []int32) {
		s.units.names.Show(names, 1)
		shown = append(shown, names)
	}
	defer func() { s.view.showNames(shown, -1) }()
	for _, p := range d.list {
		switch {
		case p.line == "":
		case p.line == p.call.full:
			show(p.call.fullNames)
		default:
			show(p.call.briefNames)
		}
	}
	room -= d.keyLines(room-namesRoom, s.units.names.Weight)
	room -= d.fileLines(room - namesRoom)
	for _, p := range d.list {
		for _, k := range p.kept {
			show(p.lines.Names[k].Names)
		}
	}
	d.fill(room-d.listNames(min(room, namesRoom)), calls)
	return d.text(most), d.keptLines()
}

// fill spends fillShare of the remaining room: half of it on one line from each result that shows none yet, the line
// least like the other results, and the rest on the lines of older calls.
func (d *details) fill(left, calls int) {
	room := roomOf(left, fillShare)
	if room <= 0 {
		return
	}
	var parts []*detail
	var words []names.Words
	for _, p := range d.list {
		if len(p.kept) == 0 && isResult(p.id) {
			parts, words = append(parts, p), append(words, d.units.lastWords(p.id, p.lines, p.id.step > d.old))
		}
	}
	left = room / 2
	for i, k := range slices.Backward(d.units.names.Unlike(words)) {
		if k < 0 {
			continue
		}
		p := parts[i]
		k += max(0, len(p.lines.Texts)-lastLines)
		if len(p.lines.Texts[k]) > mostFileLine {
			continue
		}
		if tokens := p.idTokens() + lineTokens(p.lines.Texts[k]); tokens <= left {
			left, room = left-tokens, room-tokens
			p.kept = append(p.kept, k)
		}
	}
	d.callLines(calls + room)
}

// newDetails returns the details of the units that may have key lines: those in the pool, and older ones that the last
// digest showed a line from.
func newDetails(s *state, going []int) *details {
	s.units.countNames()
	d := &details{state: s, going: going, evicted: s.evicted.with(&s.units, going), shown: shownLines(s.evicted.lines)}
	steps := d.evicted.steps
	if len(steps) > pool {
		d.old = steps[len(steps)-pool-1]
		older := make([]int, 0, len(s.evicted.lines))
		for _, k := range s.evicted.lines {
			if _, evicted := slices.BinarySearch(steps, k.Step); evicted && k.Step <= d.old {
				older = append(older, k.Step)
			}
		}
		slices.Sort(older)
		steps = append(slices.Compact(older), steps[len(steps)-pool:]...)
	}
	for _, step := range steps {
		for part := range d.partsOf(step) {
			d.list = append(d.list, d.newDetail(part))
		}
	}
	return d
}

// partsOf yields the parts of an evicted unit that have details. Arguments have some if they hold lines of text.
func (d *details) partsOf(step int) iter.Seq[partID] {
	return func(yield func(partID) bool) {
		u := d.units.at(step)
		if u.Messages[0].Role == transcript.User {
			return
		}
		for part := range u.Messages {
			if !yield(partID{step: step, part: part}) {
				return
			}
		}
		for i := range u.Messages[0].Calls {
			if id := (partID{step, i + 1, true}); d.hasLines(id) && !yield(id) {
				return
			}
		}
	}
}

// hasLines reports whether arguments have details.
func (d *details) hasLines(id partID) bool {
	return (id.step > d.old || len(d.shown[id]) > 0) && len(d.candidates(id).Texts) > 0
}

// candidates returns the lines of an old part that the last digest showed, and all lines of any other.
func (d *details) candidates(id partID) names.Lines {
	return d.units.candidates(id, id.step > d.old, d.shown[id])
}

func (d *details) newDetail(id partID) *detail {
	p := &detail{id: id, unit: d.units.at(id.step), lines: d.candidates(id)}
	if isResult(id) && p.unit.isOwn(id) { // the line of an excerpt's source says enough
		p.call = d.units.brief(id.step, id.part)
	}
	return p
}

// at returns the detail of a part, a new one if it has none yet.
func (d *details) at(id partID) *detail {
	i, found := slices.BinarySearchFunc(d.list, id, func(p *detail, id partID) int { return p.id.compare(id) })
	if !found {
		d.list = slices.Insert(d.list, i, d.newDetail(id))
	}
	return d.list[i]
}

// callLines gives the newest calls their full line, older ones a brief one, and the oldest none; errors and edits lose
// theirs last. It returns the size of the lines.
func (d *details) callLines(room int) (used int) {
	lines := make([]*detail, 0, 64)
	take := func(calls []partID) (all bool) {
		for _, id := range slices.Backward(calls) {
			b := d.units.brief(id.step, id.part)
			if used+b.briefTokens > room {
				return false
			}
			used += b.briefTokens
			p := d.at(id)
			p.line = b.brief
			lines = append(lines, p)
		}
		return true
	}
	if take(d.evicted.important) {
		take(d.evicted.plain)
	}
	slices.SortFunc(lines, func(a, b *detail) int { return b.id.compare(a.id) })
	for _, p := range lines {
		if more := p.call.fullTokens - p.call.briefTokens; used+more <= room {
			used += more
			p.line = p.call.full
		}
	}
	return used
}

// keyLines chooses the key lines of all parts together, those with a word of the focus first, and returns their size.
func (d *details) keyLines(room int, weigh func(int32) int) (used int) {
	texts := make([][]identifier.Line, len(d.list))
	for i, p := range d.list {
		texts[i] = p.lines.Names
	}
	take := func(p *detail, line, room int) bool {
		tokens := p.idTokens() + lineTokens(p.lines.Texts[line])
		if used+tokens > room {
			return false
		}
		used += tokens
		p.kept = append(p.kept, line)
		return true
	}
	focused := make(map[[2]int]bool)
	for _, at := range d.linesAbout(d.state.evicted.focus) {
		focused[at] = take(d.list[at[0]], at[1], roomOf(room, focusShare))
	}
	d.units.names.Cover(texts, weigh, func(text, line int) bool {
		return focused[[2]int{text, line}] || take(d.list[text], line, room)
	})
	for _, p := range d.list {
		slices.Sort(p.kept)
	}
	return used
}

// linesAbout returns the lines that hold a word of the focus, the newest first, as indexes of a detail and in it.
func (d *details) linesAbout(focus string) (found [][2]int) {
	words := strings.FieldsFunc(strings.ToLower(focus), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	})
	words = slices.DeleteFunc(words, func(word string) bool { return line.Runes(word) < focusRunes })
	if len(words) == 0 {
		return nil
	}
	for i, p := range slices.Backward(d.list) {
		for k, line := range slices.Backward(p.lines.Texts) {
			line = strings.ToLower(line)
			if slices.ContainsFunc(words, func(word string) bool { return strings.Contains(line, word) }) {
				found = append(found, [2]int{i, k})
			}
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
	shown := d.view.linesOutside(d.going)
	for _, p := range d.list {
		for _, k := range p.kept {
			shown[p.lines.Texts[k]] = true
		}
	}
	for _, p := range slices.Backward(d.list) {
		if p.id.part == 0 || !edited[d.units.brief(p.id.step, p.id.part).file] {
			continue
		}
		for k, line := range p.lines.Texts {
			if shown[line] || len(line) > mostFileLine {
				continue
			}
			tokens := p.idTokens() + lineTokens(line)
			if used+tokens > room {
				continue
			}
			used += tokens
			shown[line] = true
			p.kept = append(p.kept, k)
		}
		slices.Sort(p.kept)
	}
	return used
}

// listNames lists identifiers that are visible nowhere else, each once and the newest parts first. The first pass takes
// those that the agent wrote, in its texts and arguments; the second takes those in results. A result's line also
// lists the names in the arguments of its call. It returns the size of the lists.
func (d *details) listNames(room int) (used int) {
	table := &d.units.names
	var listed []int32
	defer func() { table.Show(listed, -1) }()
	for _, written := range []bool{true, false} {
		for id := range d.newestParts() {
			if !written && !isResult(id) {
				continue
			}
			source := id
			source.args = source.args || written && isResult(id)
			for _, number := range d.units.namesOf(source) {
				if table.Shown(number) {
					continue
				}
				name := table.Name(number)
				cost := 1 + toollimit.Tokens(name)
				p := d.at(id)
				if len(p.names) == 0 {
					cost += p.idTokens() + toollimit.Tokens(namesMark+"\n")
				}
				if used+cost >= room {
					return used
				}
				used += cost
				listed = append(listed, number)
				table.Show(listed[len(listed)-1:], 1)
				p.names = append(p.names, name)
			}
		}
	}
	return used
}

// newestParts yields the newest evicted parts whose identifiers may be listed, the newest first.
func (d *details) newestParts() iter.Seq[partID] {
	return func(yield func(partID) bool) {
		left := namesParts
		for _, step := range slices.Backward(d.evicted.steps) {
			u := d.units.at(step)
			if u.Messages[0].Role == transcript.User {
				continue
			}
			for i := len(u.Messages[0].Calls) + len(u.Messages) - 1; i >= 0; i-- { // backwards through partsOf
				id := partID{step: step, part: i}
				if args := i - len(u.Messages); args >= 0 {
					if id = (partID{step, args + 1, true}); !d.hasLines(id) {
						continue
					}
				}
				if left--; left < 0 || !yield(id) {
					return
				}
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

// text writes the details, which take at most room tokens.
func (d *details) text(room int) string {
	const bytesPerToken, most = 3, 64_000 // roughly, to allocate once; a budget may be as good as unlimited
	var b strings.Builder
	b.Grow(min(max(room, 0), most) * bytesPerToken)
	for _, p := range d.list {
		if p.line == "" && len(p.kept) == 0 && len(p.names) == 0 {
			continue
		}
		b.WriteString(p.headLine())
		for _, k := range p.kept {
			b.WriteString(lineMark)
			b.WriteString(p.lines.Texts[k])
			b.WriteString("\n")
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
			k.Lines = append(k.Lines, int(p.lines.Indexes[line]))
		}
		all = append(all, k)
	}
	return all
}

// escape keeps a quoted text from closing the digest, and from beginning a line of it in another way than by "\n". It
// replaces what is not UTF-8.
func escape(text string) string {
	text = toValid(text)
	for _, end := range lineEnds {
		if strings.Contains(text, end) {
			text = strings.ReplaceAll(text, end, " ")
		}
	}
	if !strings.Contains(text, "<") || !digestTag.MatchString(text) {
		return text // uncopied
	}
	return digestTag.ReplaceAllString(text, `<\$1`)
}

// lineEnds are the other characters that end a line.
var lineEnds = []string{"\r", "\v", "\f", "\u0085", "\u2028", "\u2029"}

// digestTag finds what could be taken for the end of a digest.
var digestTag = regexp.MustCompile(`(?i)<([\s\p{Z}\p{C}]*/[\s\p{Z}\p{C}]*record\b)`)

// idTokens is the size of the part's id, which precedes the first thing that is shown of it.
func (p *detail) idTokens() int {
	if p.line != "" || len(p.kept) > 0 {
		return 0
	}
	return toollimit.Tokens(p.headLine())
}

// headLine is the first line that the digest shows of a part.
func (p *detail) headLine() string {
	if p.pointer == "" {
		p.pointer = p.unit.pointer(p.id)
	}
	return headLine(p.pointer, p.line)
}

// lineTokens is the size of a key line. Sums of it are exact but for rounding up.
func lineTokens(line string) int { return toollimit.Tokens(lineMark + line + "\n") }
