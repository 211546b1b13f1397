package rules

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// testsOf are lines of tests that name one of the best blocks, first those of a test of its file.
func (r *prose) testsOf(chosen []*block) []place {
	var all []place
	for _, own := range []bool{true, false} {
		for _, b := range chosen {
			if r.namedInTests(b) {
				all = r.addTests(all, b, own)
			}
		}
	}
	return all
}

// namedInTests reports whether the name of b is telling enough to be looked for in tests.
func (r *prose) namedInTests(b *block) bool {
	name := lastPart(b.name)
	return len(name) > shortestName && !notCalled[name] && !goodTestPath.MatchString(b.path) && (b.kind == "func" || b.kind == "method" || len(identParts(name)) > 1)
}

func (r *prose) addTests(all []place, b *block, own bool) []place {
	name := lastPart(b.name)
	of := make(map[string]int)
	for _, u := range r.usesOf(name) {
		if !goodTestPath.MatchString(u.path) || isTestOf(u.path, b.path) != own || !own && len(identParts(name)) < 2 || u.kind == "import" {
			continue
		}
		known := slices.ContainsFunc(all, func(p place) bool {
			return p.Path == u.path && (p.Start == u.line || p.Symbol != "" && p.Symbol == u.in)
		})
		if !known && of[u.path] < fewTests && len(all) < maxTests {
			of[u.path]++
			all = append(all, place{Path: u.path, Start: u.line, End: u.line, Symbol: u.in, Why: "names " + name})
		}
	}
	return all
}

// commits are those that touched the files of the report, newest first, each once.
func (r *prose) commits(places []place) []change {
	var all []change
	for _, c := range r.e.changes {
		told := slices.ContainsFunc(all, func(o change) bool { return o.Commit == c.Commit })
		if !told && slices.ContainsFunc(places, func(p place) bool { return p.Path == c.Path }) {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b change) int { return cmp.Compare(b.Date, a.Date) })
	return all[:min(len(all), maxCommits)]
}

// prose writes what a report says of a definition.
type prose struct{ *links }

// statement says of a block what its documentation says, or shows its first line; and the line that holds most of the
// question's words. Both are quoted.
func (r *prose) statement(b *block) (statement, bool) {
	start, end := r.span(b)
	at, quote, shown := r.docOf(b)
	if at == 0 {
		for at = b.start; at <= b.end; at++ {
			if text, ok := r.e.line(b.path, at); ok && strings.TrimSpace(text) != "" {
				quote, shown = strings.TrimSpace(text), "`"+clip(strings.TrimSpace(text), maxQuoteRunes)+"`"
				break
			}
		}
	}
	if quote == "" {
		return statement{}, false
	}
	head := fmt.Sprintf("`%s` (%s): ", b.name, b.path)
	if b.name == "" {
		head = b.path + ": "
	}
	s := statement{Text: head + shown, Citations: []string{cite(b.path, min(at, start), max(at, end))}, Quote: quotable(quote)}
	if n, text := r.keyLine(b); n > 0 && n != at && n != b.start {
		s.Text += fmt.Sprintf("; line %d: `%s`", n, clip(strings.TrimSpace(text), maxQuoteRunes))
		s.Citations = append(s.Citations, cite(b.path, n, n))
	}
	return s, true
}

// span are the lines of a block to cite.
func (r *prose) span(b *block) (int, int) {
	if b.end > b.start || len(b.lines) == 0 {
		return b.start, b.end
	}
	return b.lines[0], b.lines[len(b.lines)-1]
}

// quotable is what of a line is sure to be found again in it.
func quotable(line string) string {
	line = strings.TrimSpace(line)
	if strings.Contains(line, "…") || strings.Contains(line, "[redacted") {
		return ""
	}
	return strings.TrimSuffix(clip(line, maxQuoteRunes), "…")
}

var commentMark = regexp.MustCompile(`^\s*(?://[/!]?|#+|/\*\*?|\*/?|--+|[rRuU]?"""|''')\s?`)

// docOf finds the documentation of a block in what was read: the number of its first line, a quote of that, and its
// first sentence as it is shown; 0 when there is none.
func (r *prose) docOf(b *block) (at int, quote, shown string) {
	doc := strings.TrimSpace(b.doc)
	if len(strings.Fields(doc)) < 3 {
		return 0, "", ""
	}
	for n := max(1, b.start-3*docLines); n <= min(b.end, b.start+3*docLines); n++ {
		text, ok := r.e.line(b.path, n)
		if !ok || !strings.Contains(text, strings.TrimSuffix(doc, "…")) {
			continue
		}
		return n, strings.TrimSpace(text), "“" + r.sentence(b.path, n) + "”"
	}
	return 0, "", ""
}

// sentence joins the lines of a comment or docstring from line n up to the end of its first sentence.
func (r *prose) sentence(p string, n int) string {
	var b strings.Builder
	first, _ := r.e.line(p, n)
	comment := isComment(first) && !strings.Contains(first, `"""`) && !strings.Contains(first, "'''")
	for i := range 4 {
		text, ok := r.e.line(p, n+i)
		part := strings.TrimSpace(commentMark.ReplaceAllString(text, ""))
		if !ok || part == "" || comment && !isComment(text) {
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(part)
		closed := strings.HasSuffix(part, `"""`) || strings.HasSuffix(part, "'''") || strings.HasSuffix(part, "*/")
		if closed || strings.HasSuffix(part, ".") || sentenceEnd.MatchString(part) || b.Len() > maxQuoteRunes {
			break
		}
	}
	s := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(b.String(), `"""`), "'''"), "*/")
	if at := sentenceEnd.FindStringIndex(s); at != nil && at[0] > 20 {
		s = s[:at[0]+strings.Index(s[at[0]:], ". ")+1]
	}
	return clip(strings.TrimSpace(s), maxQuoteRunes)
}

// sentenceEnd is where a sentence ends and another begins: not behind "e.g.".
var sentenceEnd = regexp.MustCompile(`[\pL\d)\]"'` + "`" + `]\. \p{Lu}`)

// keyLine is the line of code of a block, behind its first, that holds most of the question.
func (r *prose) keyLine(b *block) (at int, line string) {
	best := 0.0
	for _, l := range r.code(b) {
		worth := r.nameWorth(l.text)
		for _, id := range r.q.idents {
			if id.re.MatchString(l.text) {
				worth += identStands
			}
		}
		if worth > best {
			best, at, line = worth, l.line, l.text
		}
	}
	return at, line
}

func (r *prose) place(b *block) (place, bool) {
	start, end := r.span(b)
	p := place{Path: b.path, Start: start, End: end, Symbol: b.name, Why: cmp.Or(b.why(r.q), "best in a candidate")}
	return p, start > 0
}

// excerpt is the part of a block to print: around the line that holds most of the question.
func (r *prose) excerpt(b *block) (excerpt, bool) {
	start, end := r.span(b)
	if end-start >= excerptLines {
		if n, _ := r.keyLine(b); n-start > excerptLines*2/3 {
			start = max(start, min(n-excerptLines/2, end-excerptLines+1))
		}
		end = min(end, start+excerptLines-1)
	}
	return excerpt{b.path, start, end}, end-start >= 2
}
