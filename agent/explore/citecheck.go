package explore

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools/report"
)

// A citer checks the citations of a model's answer, and gives its sentences those that they lack, from the places
// that it was shown.
type citer struct {
	files  fs.FS
	dir    string         // absolute path of the tree; "": unknown
	places []report.Place // best first
	runs   map[string]int // runs of words of the excerpts, to the index of the first place with them
	notes  []string       // what was corrected and removed

	read map[string][]string // lines of the files that were looked at; nil: none, or no such file
}

// citerOf returns the citer of a run: with its evidence, if there is one, then what it read.
func (t *Tree) citerOf(e *evidence, r *agent.Result) *citer {
	c := &citer{files: t.Files, dir: t.Dir, runs: map[string]int{}}
	if e != nil {
		for i, x := range e.excerpts {
			c.places = append(c.places, x.Place)
			for run := range runsOf(x.code) {
				if _, ok := c.runs[run]; !ok {
					c.runs[run] = i
				}
			}
		}
		c.places = append(c.places, e.others...)
	}
	c.places = append(c.places, readPlaces(r.Tools)...)
	return c
}

// quoteRun is how many words in a row a sentence shares with the code that it repeats.
const quoteRun = 5

// runsOf yields the runs of quoteRun words in a text, in lower case.
func runsOf(text string) iter.Seq[string] {
	words := wordsOf(text)
	return func(yield func(string) bool) {
		for i := 0; i+quoteRun <= len(words); i++ {
			if !yield(strings.Join(words[i:i+quoteRun], " ")) {
				return
			}
		}
	}
}

// runsIn returns the runs of words in a text, as of the first place.
func runsIn(text string) map[string]int {
	runs := make(map[string]int)
	for run := range runsOf(text) {
		runs[run] = 0
	}
	return runs
}

// maxChecked is how many bytes of a file are looked at to check a citation.
const maxChecked = 4 << 20

// lines returns the lines of a file, or nil if it does not exist.
func (c *citer) lines(name string) []string {
	if all, ok := c.read[name]; ok {
		return all
	}
	if c.read == nil {
		c.read = make(map[string][]string)
	}
	c.read[name] = nil
	if !fs.ValidPath(name) {
		return nil
	}
	f, err := c.files.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	content, err := io.ReadAll(io.LimitReader(f, maxChecked))
	if err != nil {
		return nil
	}
	all := strings.Split(string(bytes.TrimSuffix(content, []byte("\n"))), "\n")
	if len(content) == 0 {
		all = []string{}
	}
	c.read[name] = all
	return all
}

// around returns the lines of citations, with the definitions that hold them.
func (c *citer) around(cited []string) string {
	var b strings.Builder
	add := func(file string, first, last int) {
		if all := c.lines(file); first >= 1 && first <= len(all) {
			b.WriteString(strings.Join(all[first-1:min(last, len(all))], "\n") + "\n")
		}
	}
	for _, text := range cited {
		at, err := report.ParseCitation(text)
		if err != nil {
			continue
		}
		add(at.Path, at.Start, at.End)
		i := slices.IndexFunc(c.places, func(p report.Place) bool {
			return p.Path == at.Path && p.Start <= at.Start && at.End <= p.End
		})
		if i >= 0 {
			add(at.Path, c.places[i].Start, c.places[i].End)
		}
	}
	return b.String()
}

// count returns how many lines a file has, or -1 if it does not exist.
func (c *citer) count(name string) int {
	all := c.lines(name)
	if all == nil {
		return -1
	}
	return len(all)
}

// isPlace reports whether the lines of a mention are those of a place, whatever its path.
func (c *citer) isPlace(m mention) bool {
	return slices.ContainsFunc(c.places, func(p report.Place) bool {
		return p.Start < p.End && p.Start == m.start && p.End == m.end
	})
}

// knowsEnding reports whether a place has a file with the ending of a name.
func (c *citer) knowsEnding(name string) bool {
	return slices.ContainsFunc(c.places, func(p report.Place) bool { return path.Ext(p.Path) == path.Ext(name) })
}

func (c *citer) note(format string, args ...any) {
	if n := line.Flat(fmt.Sprintf(format, args...)); !slices.Contains(c.notes, n) {
		c.notes = append(c.notes, n)
	}
}

// check returns the citation to print for a mention in the sentence s: the mention itself if it is right, the corrected
// one if it is wrong and the right place is known, otherwise "". It records each correction.
func (c *citer) check(m mention, s string) string {
	own := m.ordered(c.plainPath(m.path))
	why := c.wrong(own, s)
	if why == "" {
		return own.String()
	}
	for _, other := range c.candidates(own, s) {
		if c.wrong(other, s) == "" {
			c.note("the model cited %s (%s); corrected to %s", m, why, other)
			return other.String()
		}
	}
	c.note("the citation %s was removed: %s", m, why)
	return ""
}

// candidates returns what a wrong citation may mean, the likeliest first: its lines in the file of this name, those
// of the file that exist, the definitions that the sentence names, the places of the file, and the place with its
// lines.
func (c *citer) candidates(own report.Citation, s string) (all []report.Citation) {
	file := own.Path
	if i := c.placeIn(file); i >= 0 && c.count(file) < 0 {
		file = c.places[i].Path
		all = append(all, report.Citation{Path: file, Start: own.Start, End: own.End})
	}
	if n := c.count(file); own.Start <= n && own.End > n {
		all = append(all, report.Citation{Path: file, Start: own.Start, End: n})
	}
	for _, text := range slices.Concat(c.definitions(s, file), c.definitions(s, ""), []string{c.numbered(numbersIn(s))}) {
		if d, err := report.ParseCitation(text); err == nil {
			all = append(all, d)
		}
	}
	if i := firstRun(c.runs, s); i >= 0 {
		all = append(all, c.places[i].Citation())
	}
	for _, p := range c.places {
		if p.Path == file || c.count(own.Path) < 0 && p.Start < p.End && p.Start == own.Start && p.End == own.End {
			all = append(all, p.Citation())
		}
	}
	return all
}

// wrong says what is wrong with a citation in a sentence, or returns "".
func (c *citer) wrong(at report.Citation, s string) string {
	switch n := c.count(at.Path); {
	case !fs.ValidPath(at.Path):
		return "the path leads out of the tree"
	case n < 0:
		return "no such file"
	case at.Start < 1:
		return "lines count from 1"
	case at.End > n:
		return "the file has " + line.Count(n, "line")
	case !c.holds(at, s):
		return "its lines hold nothing that the sentence names"
	}
	return ""
}

// quoted matches words in quotation marks, several at least.
var quoted = lazyregexp.New(`["“«]([^"“”«»\n]*\s[^"“”«»\n]*)["”»]`)

// inTicks matches what is marked as code.
var inTicks = lazyregexp.New("`([^`\n]+)`")

// holds reports whether cited lines hold any of what a sentence names: what it marks as code, names of definitions that
// it was shown, and quotes. A sentence that names nothing but numbers is held by lines with one of them. Any lines hold
// one whose numbers no place has, and that repeats no place: if it does, its lines must say so as well.
func (c *citer) holds(at report.Citation, s string) bool {
	names := c.namesIn(s)
	text := strings.ToLower(strings.Join(c.lines(at.Path)[at.Start-1:at.End], "\n"))
	if len(names) == 0 {
		names = numbersIn(s)
		if c.numbered(names) == "" {
			return firstRun(c.runs, s) < 0 || firstRun(runsIn(text), s) >= 0
		}
	}
	for _, q := range quoted.FindAllStringSubmatch(s, -1) {
		if strings.Contains(text, strings.ToLower(q[1])) {
			return true
		}
	}
	for _, p := range c.places {
		overlaps := p.Path == at.Path && p.Start <= at.End && at.Start <= p.End
		if overlaps && slices.Contains(names, strings.ToLower(lastName(p.Symbol))) {
			return true
		}
	}
	return slices.ContainsFunc(names, func(n string) bool { return hasWord(text, n) })
}

// firstRun returns the index of the first place whose runs of words a sentence repeats, or -1.
func firstRun(runs map[string]int, s string) int {
	for run := range runsOf(s) {
		if i, ok := runs[run]; ok {
			return i
		}
	}
	return -1
}

// namesIn returns the last parts of the names in a sentence, in lower case.
func (c *citer) namesIn(s string) (names []string) {
	add := func(name string) {
		if name = strings.ToLower(lastName(strings.ReplaceAll(name, "::", ":"))); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, m := range inTicks.FindAllStringSubmatch(s, -1) {
		if !c.isFile(m[1]) && pathLines.FindStringSubmatch(m[1]) == nil {
			for _, name := range named.FindAllString(m[1], -1) {
				add(name)
			}
		}
	}
	rest := inTicks.ReplaceAllString(s, " ")
	for _, name := range named.FindAllString(rest, -1) {
		known := func(p report.Place) bool { return p.Symbol != "" && lastName(p.Symbol) == lastName(name) }
		if isIdentifier(lastName(name)) && slices.ContainsFunc(c.places, known) {
			add(name)
		}
	}
	return names
}

// number matches a number that hardly comes up by chance: of two digits at least, or with a point.
var number = lazyregexp.New(`\b(?:\d+(?:\.\d+)+|\d{2,})\b`)

// numbersIn returns the numbers in a sentence, without those of its citations.
func numbersIn(s string) []string {
	for _, citations := range []*lazyregexp.Regexp{group, bare, numberedLines} {
		s = citations.ReplaceAllLiteralString(s, " ")
	}
	return number.FindAllString(s, -1)
}

// numbered returns the citation of the first line of a place that has all of the numbers, "" without one.
func (c *citer) numbered(numbers []string) string {
	if len(numbers) == 0 {
		return ""
	}
	for _, p := range c.places {
		all := c.lines(p.Path)
		for n := p.Start; n <= min(p.End, len(all)); n++ {
			if !slices.ContainsFunc(numbers, func(number string) bool { return !hasWord(all[n-1], number) }) {
				return report.Citation{Path: p.Path, Start: n, End: n}.String()
			}
		}
	}
	return ""
}

// isFile reports whether a text is the path of a file, or of a folder.
func (c *citer) isFile(text string) bool {
	_, err := fs.Stat(c.files, path.Clean(strings.Trim(text, "./ ")))
	return err == nil || strings.Contains(text, "/") && !strings.ContainsAny(text, " (){}=")
}

// hasWord reports whether a text in lower case has a word that is not a part of another one.
func hasWord(text, word string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(word)
		if (at == 0 || !isWordByte(text[at-1])) && (end == len(text) || !isWordByte(text[end])) {
			return true
		}
		from = at + 1
	}
}

func isWordByte(b byte) bool { return b == '_' || 'a' <= b && b <= 'z' || isDigit(b) }

// What may surround a path: the page of a hosting service, a revision, the marks of a diff, and the root.
var (
	hosted   = lazyregexp.New(`^\w+://[^/]+/.*?/(?:blob|tree|raw|src)/[^/]+/`)
	revision = lazyregexp.New(`^[\w~^.@/-]{1,80}:`)
	suffixed = lazyregexp.New(`@[\w~^.-]{1,80}$`)
)

// plainPath returns a path without what surrounds it, cleaned; another revision and directory count as this one.
func (c *citer) plainPath(name string) string {
	name = strings.Trim(strings.ReplaceAll(name, `\`, "/"), "`\"'")
	name = hosted.ReplaceAllString(name, "")
	if c.dir != "" {
		name = strings.TrimPrefix(name, c.dir+"/")
	}
	for _, cut := range []string{name, revision.ReplaceAllString(name, ""), suffixed.ReplaceAllString(name, "")} {
		if total := c.count(path.Clean(cut)); total >= 0 {
			return path.Clean(cut)
		}
	}
	return path.Clean(name)
}

// named matches what may be the name of a definition.
var named = lazyregexp.New(`[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*`)

// meant returns the citation that a path without lines, or with wrong ones, means: the lines of the first place in the
// file with this name, or "".
func (c *citer) meant(citation string) string {
	name := path.Clean(strings.Trim(citation, "`"))
	if parsed, err := report.ParseCitation(citation); err == nil {
		name = parsed.Path
	}
	if i := c.placeIn(name); i >= 0 {
		return c.places[i].Citation().String()
	}
	return ""
}

// placeIn returns the index of the first place in a file, else in one with its base name, else -1.
func (c *citer) placeIn(name string) int {
	if i := slices.IndexFunc(c.places, func(x report.Place) bool { return x.Path == name }); i >= 0 {
		return i
	}
	return slices.IndexFunc(c.places, func(x report.Place) bool { return path.Base(x.Path) == path.Base(name) })
}

// definitions returns the citations of the definitions that a sentence names, in a file or, for "", in any: by the
// whole name, or by its last part if that cannot be an ordinary word there. Each name means the first place with it.
func (c *citer) definitions(s, file string) (all []string) {
	for _, at := range named.FindAllStringIndex(s, -1) {
		name := s[at[0]:at[1]]
		marked := at[0] > 0 && s[at[0]-1] == '`' || strings.HasPrefix(s[at[1]:], "(")
		i := slices.IndexFunc(c.places, func(p report.Place) bool {
			last := lastName(p.Symbol)
			same := name == p.Symbol || lastName(name) == last && (marked || isIdentifier(last))
			return p.Symbol != "" && same && (marked || isIdentifier(name)) && (file == "" || file == p.Path)
		})
		if i < 0 {
			continue
		}
		if citation := c.places[i].Citation().String(); !slices.Contains(all, citation) {
			all = append(all, citation)
		}
	}
	return all
}

// isIdentifier reports whether a name cannot be an ordinary word: it has several parts, or a capital after a small
// letter.
func isIdentifier(name string) bool {
	if strings.ContainsAny(name, "._:$") {
		return true
	}
	for i := 1; i < len(name); i++ {
		if 'A' <= name[i] && name[i] <= 'Z' && 'a' <= name[i-1] && name[i-1] <= 'z' {
			return true
		}
	}
	return false
}
