package toollimit

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Reading says which part of a stored text to show again.
type Reading struct {
	ID     string // of the stored text
	Line   int    // first line, from 1; 0 means 1
	Offset int    // bytes to skip from the start of that line
	Lines  int    // most lines; 0 means as many as fit
	Find   string // show only the lines that contain this, in any case; "" shows all
}

// Read returns an [Excerpt] of a stored text in at most maxTokens tokens (0: no bound): whole lines, or a piece of a
// line that alone is too long, and a footer that says which part it is and how to read on. It returns "" if not even
// the footer fits. A Find shows each line that contains it after its number; of a long line it shows what surrounds
// each hit, with the offset. Read returns an error if the part begins after the end of the text, or if nothing is
// found. Invalid UTF-8 is replaced.
func Read(text string, r Reading, maxTokens int) (string, error) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	lines := linesOf(text)
	if len(lines) == 0 {
		return fmt.Sprintf("[%s is empty]\n", r.ID), nil
	}
	e := passage{id: r.ID, first: max(r.Line, 1), last: len(lines), total: len(lines), most: r.Lines}
	e.from = max(r.Offset, 0)
	for e.first <= len(lines) && e.from > 0 && e.from >= len(lines[e.first-1].of(text)) {
		e.from -= len(lines[e.first-1].of(text))
		e.first++
	}
	if e.first > len(lines) {
		return "", &readError{fmt.Sprintf("%s ends at line %d", r.ID, len(lines)), "past_end",
			fmt.Sprintf("give a start_line from 1 to %d", len(lines))}
	}
	start := lines[e.first-1]
	switch {
	case r.Find != "":
		e.find(text, lines, r.Find)
		if len(e.rows) == 0 {
			return "", &readError{fmt.Sprintf("no line of %s from %d on contains %q", r.ID, e.first, r.Find), "not_found",
				"find a shorter text, or read by start_line"}
		}
	case e.from > 0:
		e.content = strings.TrimSuffix(text[start.at:start.end], "\n")
		for e.from < len(e.content) && !utf8.RuneStart(e.content[e.from]) {
			e.from++
		}
		e.from = min(e.from, len(e.content))
		e.size, e.last, e.content = len(e.content), e.first, e.content[e.from:]
	default:
		if r.Lines > 0 && r.Lines <= e.last-e.first {
			e.last = e.first + r.Lines - 1
		}
		e.content = text[start.at:lines[e.last-1].end]
	}
	return e.within(Quota{MaxTokens: maxTokens}.room()), nil
}

// ReadOn returns where an excerpt ended, as the reading that continues there: at the line after the last one if it
// reached the end. It returns false for an excerpt of lines that were found, and no ID for a text that is not an
// excerpt.
func ReadOn(excerpt string) (Reading, bool) {
	e, ok := parsePassage(excerpt)
	if !ok || e.found {
		return Reading{ID: e.id}, false
	}
	line, offset := e.next()
	return Reading{ID: e.id, Line: line, Offset: offset}, true
}

// A readError says why there is nothing to read, in the form that tools give to a model.
type readError struct{ text, code, try string }

func (e *readError) Error() string { return e.text }

// Problem returns a code for programs, and what to do about the error.
func (e *readError) Problem() (code, try string) { return e.code, e.try }

// A passage is an excerpt in its parts: whole lines, a piece of one line, or rows that were found.
type passage struct {
	id          string
	first, last int // lines, from 1
	total       int // lines of the stored text
	from, size  int // of a piece: its first byte in the line, and the bytes of the line; size 0: whole lines
	found       bool
	rows        []row
	most        int    // rows to show; 0: all
	content     string // of lines or a piece
}

// A row is what was found at one place.
type row struct {
	line, offset int
	text         string // with its newline
}

// Bounds of the rows of one line, in bytes: a longer line shows what surrounds each hit.
const (
	longRow = 400
	aside   = 120 // on each side of a hit
)

// find collects the rows of the lines from the first one on.
func (e *passage) find(text string, lines []span, what string) {
	e.found = true
	re := regexp.MustCompile("(?i)" + regexp.QuoteMeta(strings.ToValidUTF8(what, "\uFFFD")))
	for n := e.first; n <= len(lines); n++ {
		s := strings.TrimSuffix(lines[n-1].of(text), "\n")
		if len(s) <= longRow {
			if re.MatchString(s) {
				e.rows = append(e.rows, row{line: n, text: fmt.Sprintf("L%d %s\n", n, s)})
			}
			continue
		}
		for at := min(e.from, len(s)); at < len(s); {
			hit := re.FindStringIndex(s[at:])
			if hit == nil {
				break
			}
			from, to := max(at, at+hit[0]-aside), min(at+hit[1]+aside, len(s))
			part := strings.ToValidUTF8(s[from:to], "")
			e.rows = append(e.rows, row{n, from, fmt.Sprintf("L%d offset=%d …%s…\n", n, from, part)})
			at = to
		}
		e.from = 0
	}
}

// next returns the line and the offset in it where the passage ends.
func (e *passage) next() (line, offset int) {
	if to := e.from + len(e.content); e.size > 0 && to < e.size {
		return e.first, to
	}
	return e.last + 1, 0
}

// footer says what part of its text the passage is, and how to read on from a place.
func (e *passage) footer(line, offset int) string {
	s := fmt.Sprintf("[lines %d-%d of %d of %s", e.first, e.last, e.total, e.id)
	switch {
	case e.found:
		s = fmt.Sprintf("[%d found in lines %d-%d of %d of %s", len(e.rows), e.first, e.last, e.total, e.id)
	case e.size > 0:
		s += fmt.Sprintf(", bytes %d-%d of %d of line %d", e.from, e.from+len(e.content), e.size, e.first)
	}
	switch {
	case line > e.total:
		return s + "; end of " + e.id + "]\n"
	case offset > 0:
		return s + fmt.Sprintf("; next: start_line=%d offset=%d]\n", line, offset)
	}
	return s + fmt.Sprintf("; next: start_line=%d]\n", line)
}

// within returns as much of the passage as fits, with its footer. It is "" if not even a footer and a little fit.
func (e passage) within(room size) string {
	given := room
	for {
		short := e.about(given)
		over := sizeOf(short).minus(room)
		if short == "" || over.cost <= 0 && over.runes <= 0 {
			return short
		}
		given = given.minus(size{max(over.cost, 0), max(over.runes, 0)})
	}
}

// about is within for a room that the joints of the parts may exceed by a little.
func (e passage) about(room size) string {
	longest := passage{id: e.id, first: e.total, last: e.total, total: e.total, size: max(e.size, len(e.content))}
	longest.from = longest.size
	room = room.minus(sizeOf(longest.footer(e.total, longest.size)))
	switch {
	case !(size{}).within(room):
		return ""
	case e.found:
		return e.rowsWithin(room)
	}
	if e.size == 0 {
		ls := linesOf(e.content)
		if n, _ := take(e.content, slices.All(ls), room); n > 0 {
			e.last, e.content = e.first+n-1, e.content[:ls[n-1].end]
			return strings.TrimSuffix(e.content, "\n") + "\n" + e.footer(e.next())
		}
		e.content = strings.TrimSuffix(ls[0].of(e.content), "\n")
		e.size, e.last = len(e.content), e.first
	}
	if e.content = prefix(e.content, room); e.content == "" && e.from < e.size {
		return ""
	}
	return e.content + "\n" + e.footer(e.next())
}

func (e *passage) rowsWithin(room size) string {
	var b strings.Builder
	used := size{}
	for i, r := range e.rows {
		used = used.plus(sizeOf(r.text))
		if i == 0 && !used.within(room) {
			return ""
		}
		if !used.within(room) || e.most > 0 && i == e.most {
			e.rows, e.last = e.rows[:i], e.rows[i-1].line
			return b.String() + e.footer(r.line, r.offset)
		}
		b.WriteString(r.text)
	}
	return b.String() + e.footer(e.last+1, 0)
}

var (
	passageFooter = regexp.MustCompile(`^\[(?:(\d+) found in )?lines (\d+)-(\d+) of (\d+) of (\S+?)` +
		`(?:, bytes (\d+)-\d+ of (\d+) of line \d+)?; (?:next: start_line=(\d+)(?: offset=(\d+))?|end of \S+)\]$`)
	foundRow = regexp.MustCompile(`^L(\d+) (?:offset=(\d+) …)?`)
)

// parsePassage takes an excerpt apart. It returns false, and a passage without an id, for any other text.
func parsePassage(text string) (passage, bool) {
	body := strings.TrimSuffix(text, "\n")
	at := strings.LastIndexByte(body, '\n') + 1
	m := passageFooter.FindStringSubmatch(body[at:])
	if m == nil {
		return passage{}, false
	}
	var errs []error
	number := func(s string) int {
		if s == "" {
			return 0
		}
		n, err := strconv.Atoi(s)
		errs = append(errs, err)
		return n
	}
	e := passage{id: m[5], found: m[1] != "", content: body[:at]}
	e.first, e.last, e.total = number(m[2]), number(m[3]), number(m[4])
	if m[7] != "" {
		e.from, e.size, e.content = number(m[6]), number(m[7]), strings.TrimSuffix(e.content, "\n")
	}
	if e.found {
		for l := range strings.Lines(e.content) {
			n := foundRow.FindStringSubmatch(l)
			if n == nil {
				return passage{}, false
			}
			e.rows = append(e.rows, row{number(n[1]), number(n[2]), l})
		}
		e.content = ""
	}
	sound := e.first >= 1 && e.last <= e.total && e.from+len(e.content) <= max(e.size, len(e.content)) &&
		(e.found || e.size > 0 || strings.Count(e.content, "\n") == e.last-e.first+1)
	if !sound || errors.Join(errs...) != nil {
		return passage{}, false
	}
	return e, true
}

// excerptForm shortens an excerpt of a stored text. Its pointer is the id of that text.
func (t *truncation) excerptForm(room size) string {
	e, ok := parsePassage(t.text)
	if !ok {
		return ""
	}
	return e.within(room)
}
