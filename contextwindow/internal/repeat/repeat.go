// Package repeat finds runs of lines that a reader already has in front of it.
//
// Start with [Index.Add] and [Find]. Lines are compared without trailing blanks, line numbers and the prefixes of
// grep, so that a file that was searched, read or listed with numbers repeats itself in any of these forms. Numbers
// of lines count from 1 in a text as it is stored, even if only parts of it are shown.
package repeat

import (
	"hash/maphash"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// The shortest run that is worth a reference.
const (
	minLines = 5
	minRunes = 150 // without line numbers
)

// An Index holds the runs of shown texts by their hashes. If a run occurs in several, it knows the one that was added
// last. The zero value is empty.
type Index[K any] struct {
	runs map[uint64]place[K] // by the hash of minLines lines
	last scanned             // a text that was searched for is usually the next to be added
}

// A scanned text, with the hashes of its runs.
type scanned struct {
	*lined
	hashes []uint64 // valid until the next scan
}

func (x *Index[K]) scan(text string) scanned {
	if x.last.lined == nil || x.last.text != text {
		x.last = scanned{&lined{text: text}, hashRuns(text, x.last.hashes[:0])}
	}
	return x.last
}

type place[K any] struct {
	source *source[K]
	at     int // the first of the lines in the shown text
}

type source[K any] struct {
	key           K
	shown, stored *lined
}

// lined is a text with its lines as they are compared. Most texts repeat nothing, so their lines are never asked for.
type lined struct {
	text  string
	lines []string
}

func (t *lined) bare() []string {
	if t.lines == nil {
		t.lines = slices.AppendSeq(make([]string, 0, strings.Count(t.text, "\n")+1), bareLines(t.text))
	}
	return t.lines
}

// Reset empties an index but keeps its memory.
func (x *Index[K]) Reset() { clear(x.runs) }

// A Run is a range of lines of a text that another text also shows.
type Run[K any] struct {
	First, Last int    // lines of the text
	Of          K      // the other text
	At          int    // its first line, as it is stored
	From, To    string // the first and the last of the lines, without blanks around them
}

// Add adds a text that the reader is shown. Stored is the whole text; shown may be an excerpt of it.
func (x *Index[K]) Add(key K, stored, shown string) {
	if x.runs == nil {
		x.runs = make(map[uint64]place[K])
	}
	scan := x.scan(shown)
	s := &source[K]{key: key, shown: scan.lined}
	if s.stored = s.shown; stored != shown {
		s.stored = &lined{text: stored}
	}
	for at, hash := range slices.Backward(scan.hashes) { // of a run that comes again, the first is the longest
		x.runs[hash] = place[K]{s, at}
	}
}

// Find returns the runs of a text's lines that the indexes hold, in their order. They do not overlap, and begin with a
// line that is not blank. Of two runs that begin at the same line, it takes the longer one, then that of the earlier
// index. It needs at least one index; the last remembers the lines of the text.
func Find[K any](text string, indexes ...*Index[K]) []Run[K] {
	scan := indexes[len(indexes)-1].scan(text)
	hashes := scan.hashes
	var runs []Run[K]
	for at := 0; at < len(hashes); at++ {
		var best Run[K]
		n := 0
		for _, x := range indexes {
			p, ok := x.runs[hashes[at]]
			if !ok || scan.bare()[at] == "" {
				continue
			}
			lines := scan.bare()[at:]
			start, same := p.source.find(lines[:common(lines, p.source.shown.bare()[p.at:])])
			if same > n {
				n, best.Of, best.At = same, p.source.key, start+1
			}
		}
		if n < minLines {
			continue
		}
		lines := scan.bare()
		for n > minLines && lines[at+n-1] == "" {
			n--
		}
		if runeCount(lines[at:at+n]) < minRunes {
			continue
		}
		best.First, best.Last = at+1, at+n
		best.From, best.To = strings.TrimSpace(lines[at]), strings.TrimSpace(lines[at+n-1])
		runs = append(runs, best)
		at += n - 1
	}
	return runs
}

// find returns where a run of shown lines begins in the stored text, and how many of its lines follow each other
// there: an excerpt may show lines side by side that are not neighbours.
func (s *source[K]) find(run []string) (start, n int) {
	if len(run) < minLines {
		return 0, 0 // equal hashes of different lines
	}
	whole := s.stored.bare()
	for at, line := range whole {
		if line != run[0] {
			continue
		}
		if same := common(run, whole[at:]); same > n {
			start, n = at, same
		}
	}
	return start, n
}

func common(a, b []string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func runeCount(lines []string) int {
	n := len(lines) - 1
	for _, line := range lines {
		n += utf8.RuneCountInString(line)
	}
	return n
}

var seed = maphash.MakeSeed() // the hashes never leave the process

// hashRuns appends the hash of each run of minLines lines of a text, by its first line, to no hashes.
func hashRuns(text string, hashes []uint64) []uint64 {
	const prime = 1_099_511_628_211 // of the 64-bit FNV hash
	for line := range bareLines(text) {
		hashes = append(hashes, maphash.String(seed, line))
	}
	runs := max(len(hashes)-minLines+1, 0)
	for at := range runs { // over the hash of the line, which no later run has
		run := uint64(0)
		for _, hash := range hashes[at : at+minLines] {
			run = run*prime + hash
		}
		hashes[at] = run
	}
	return hashes[:runs]
}

// bareLines yields the lines of a text as they are compared.
func bareLines(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		before := number{n: -1}
		line, rest, more := strings.Cut(text, "\n")
		this := numberOf(line)
		for {
			var after string
			next, last := number{n: -1}, !more
			if !last {
				after, rest, more = strings.Cut(rest, "\n")
				next = numberOf(after)
			}
			if this.precedes(next) || before.precedes(this) {
				line = this.rest
			} else {
				line = withoutPath(line)
			}
			end := len(line)
			for end > 0 && (line[end-1] == ' ' || line[end-1] == '\t' || line[end-1] == '\r') {
				end-- // strings.TrimRight makes a table first
			}
			if !yield(line[:end]) || last {
				return
			}
			before, this, line = this, next, after
		}
	}
}

// A number is the number of a line, and the line without it. N is -1 if the line has none.
type number struct {
	n    int
	end  string // what separates the number and the rest
	rest string
}

// numberEnds are what may follow a line number: in foray, cat -n, and other agents. Foray writes a blank after its own.
var numberEnds = []string{"│ ", "│", "\t", "→", ":"}

func numberOf(line string) number {
	at := 0
	for at < len(line) && line[at] == ' ' {
		at++
	}
	end, n := at, 0
	for end < len(line) && end-at < 9 && line[end] >= '0' && line[end] <= '9' {
		n = 10*n + int(line[end]-'0')
		end++
	}
	if end > at && end < len(line) && (line[end] == '\t' || line[end] == ':' || line[end] >= utf8.RuneSelf) {
		for _, sep := range numberEnds {
			if rest, ok := strings.CutPrefix(line[end:], sep); ok {
				return number{n, strings.TrimSpace(sep), rest}
			}
		}
	}
	return number{n: -1}
}

// precedes reports whether two lines are numbered consecutively, which proves that they are numbered.
func (a number) precedes(b number) bool { return a.n >= 0 && b.n == a.n+1 && a.end == b.end }

// withoutPath returns a line without the path and the number that grep writes before a match.
func withoutPath(line string) string {
	path, rest, ok := strings.Cut(line, ":")
	if !ok || !strings.ContainsAny(path, "./") || strings.ContainsAny(path, " \t\"'()") {
		return line
	}
	if digits, text, ok := strings.Cut(rest, ":"); ok && digits != "" && strings.Trim(digits, "0123456789") == "" {
		return text
	}
	return line
}
