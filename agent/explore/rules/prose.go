package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/comments"
	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/testfile"
	"github.com/forayhq/foray/tools/report"
)

// testsOf returns lines of tests that name a picked block, first those in the test of its file.
func (r *prose) testsOf(chosen []*block) []report.Place {
	var all []report.Place
	for _, own := range []bool{true, false} {
		for _, b := range chosen {
			if r.namedInTests(b) {
				all = r.addTests(all, b, own)
			}
		}
	}
	return all
}

// namedInTests reports whether the name of b is distinct enough to look for in tests.
func (r *prose) namedInTests(b *block) bool {
	name := lastPart(b.Name)
	return len(name) > shortestName && !plainNames[name] && !testfile.Is(b.Path) &&
		(b.Kind == "func" || b.Kind == "method" || len(identParts(name)) > 1)
}

// addTests adds the lines of tests that name b: those in the test of its file if own is set, else the others.
func (r *prose) addTests(all []report.Place, b *block, own bool) []report.Place {
	name := lastPart(b.Name)
	of := make(map[string]int)
	for _, u := range r.usesOf(name) {
		if !testfile.Is(u.path) || isTestOf(u.path, b.Path) != own ||
			!own && len(identParts(name)) < 2 || u.kind == "import" {
			continue
		}
		listed := slices.ContainsFunc(all, func(p report.Place) bool {
			return p.Path == u.path && (p.Start == u.line || p.Symbol != "" && p.Symbol == u.in)
		})
		if !listed && of[u.path] < fewTests && len(all) < maxTests {
			of[u.path]++
			all = append(all, report.Place{Path: u.path, Start: u.line, End: u.line, Symbol: u.in, Why: "names " + name})
		}
	}
	return all
}

// commits returns the commits that changed a file of the report, newest first, each once.
func (r *prose) commits(places []report.Place) []report.Change {
	var all []report.Change
	for _, c := range r.e.changes {
		listed := slices.ContainsFunc(all, func(o report.Change) bool { return o.Commit == c.Commit })
		if !listed && slices.ContainsFunc(places, func(p report.Place) bool { return p.Path == c.Path }) {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b report.Change) int { return cmp.Compare(b.Date, a.Date) })
	return all[:min(len(all), maxCommits)]
}

// prose writes what a report says about a definition.
type prose struct{ *links }

// statement quotes the documentation of a block, or else its first line, and the line that contains most of the
// question's words.
func (r *prose) statement(b *block, first bool) (report.Statement, bool) {
	start, end := r.span(b)
	at, quote, shown := r.docOf(b)
	documented := at > 0
	if !documented {
		for at = b.Start; at <= b.End; at++ {
			if text, ok := r.e.line(b.Path, at); ok && strings.TrimSpace(text) != "" {
				quote, shown = strings.TrimSpace(text), "`"+line.Truncate(strings.TrimSpace(text), maxQuoteRunes)+"`"
				break
			}
		}
	}
	if quote == "" {
		return report.Statement{}, false
	}
	head := fmt.Sprintf("`%s` in %s", b.Name, b.Path)
	if b.Name == "" {
		head = b.Path
	}
	if first {
		head += fitsBest
	}
	s := report.Statement{Text: head + ": " + shown, Citations: []string{cite(b.Path, min(at, start), max(at, end))},
		Quote: quotable(quote)}
	n, text := r.keyLine(b)
	says := n > 0 && n != at && n != b.Start && !(documented && r.repeats(text, b.Name+shown))
	if says {
		key := fmt.Sprintf("ine %d: `%s`", n, line.Truncate(strings.TrimSpace(text), maxQuoteRunes))
		switch {
		case documented:
			s.Text += " L" + key
		case first: // what is said of the place is not said of the line
			s.Text = head + ". L" + key
		default:
			s.Text = head + ", l" + key // the definition's own line says no more than its name
		}
		if at, text := r.inside(b, n, text); at > 0 {
			s.Text += fmt.Sprintf(", then `%s`", line.Truncate(strings.TrimSpace(text), maxQuoteRunes))
			s.Citations = append(s.Citations, cite(b.Path, n, at))
		} else {
			s.Citations = append(s.Citations, cite(b.Path, n, n))
		}
		if name, at, value := r.valueIn(b, ofConstant(r, b, text)); first && at > 0 {
			s.Text += fmt.Sprintf(". `%s` is set in line %d: `%s`", name, at,
				line.Truncate(strings.TrimSpace(value), maxQuoteRunes))
			s.Citations = append(s.Citations, cite(b.Path, at, at))
		}
	}
	return s, first || documented || says
}

// opensBlock matches a line that says when the lines below it run, and passesOn one that only passes an error on.
var (
	opensBlock = lazyregexp.New(`^\s*\}?\s*(?:(?:else\s+)?if|elif|elsif|unless|when|case|for|foreach|while|until|` +
		`except|catch|rescue)\b`)
	passesOn = lazyregexp.New(`\berr\b`)
)

// inside returns the first line that runs if the line at n of a block opens one; 0 if it does not.
func (r *prose) inside(b *block, n int, opening string) (at int, text string) {
	text, ok := r.e.line(b.Path, n+1)
	if !ok || n >= b.End || !opensBlock.MatchString(opening) || passesOn.MatchString(opening) ||
		indent(text) <= indent(opening) || comments.Is(text) || decides(text) <= dullLine ||
		strings.HasSuffix(strings.TrimSpace(text), "{") {
		return 0, ""
	}
	return n + 1, text
}

// indent returns how many bytes of white space a line begins with.
func indent(text string) int { return len(text) - len(strings.TrimLeft(text, " \t")) }

// span returns the lines of a block to cite.
func (r *prose) span(b *block) (int, int) {
	if b.End > b.Start || b.Kind != "" || len(b.lines) == 0 {
		return b.Start, b.End
	}
	return b.lines[0], b.lines[len(b.lines)-1]
}

// quotable returns the part of a line that the tool report can find again: nothing of a truncated or redacted line.
func quotable(text string) string { return lookup.Quotable(text, maxQuoteRunes) }

// leastDoc is how many words a documentation that says something has.
const leastDoc = 3

// docOf finds the documentation of a block among the lines that were read. It returns the number of its first line (0:
// no documentation), that line as a quote, and its first sentence to show.
func (r *prose) docOf(b *block) (at int, quote, shown string) {
	doc := strings.TrimSpace(b.Doc)
	if len(strings.Fields(doc)) < leastDoc {
		return 0, "", ""
	}
	says := func(n int) bool {
		text, ok := r.e.line(b.Path, n)
		return ok && strings.Contains(text, strings.TrimSuffix(doc, "…"))
	}
	for n := b.Start; n <= min(b.End, b.Start+docLines) && at == 0; n++ {
		if says(n) {
			at = n
		}
	}
	for n := b.Start - 1; n >= max(1, b.Start-docLines) && at == 0; n-- {
		if says(n) {
			at = n
		}
	}
	if at > 0 {
		text, _ := r.e.line(b.Path, at)
		return at, strings.TrimSpace(text), "“" + r.sentence(b.Path, at) + "”"
	}
	return 0, "", ""
}

// sentence returns the first sentence of the comment or docstring at line n, and after it the one that has more words
// of the question than the first, if any: what a definition does when is often said further down.
func (r *prose) sentence(p string, n int) string {
	var all []string
	lines := func(n int) (string, bool) { return r.e.line(p, n) }
	for _, paragraph := range comments.Paragraphs(lines, n, docLines) {
		all = append(all, comments.Sentences(paragraph)...)
	}
	first, best, most := all[0], "", 0.0
	_, whole := r.worths()
	known := r.nameWorth(first)
	for _, s := range all[1:] {
		worth, added := r.nameWorth(s), r.adds(s, first)
		says := worth > moreWorth*known || added >= moreShare*whole
		if says && worth+added > most && len(s) <= maxQuoteRunes {
			best, most = s, worth+added
		}
	}
	if best == "" {
		return line.Truncate(first, maxQuoteRunes)
	}
	if best != all[1] || !comments.Ends(first) {
		best = "… " + best
	}
	return line.Truncate(first, maxQuoteRunes) + " " + best
}

// What another sentence than the first needs to be shown: so many times its worth, or such a share of the question
// besides what that has.
const (
	moreWorth = 1.5
	moreShare = .15
)

// adds returns the worth of the words of the question in a text that another one lacks.
func (r *prose) adds(text, to string) (worth float64) {
	for i, w := range r.q.words {
		if w.in(text) && !w.in(to) {
			worth += r.worth(i)
		}
	}
	return worth
}

// keyLine returns the line of code of a block, after its first, that matches the question best.
func (r *prose) keyLine(b *block) (at int, text string) {
	best := 0.0
	for _, l := range r.code(b) {
		worth := (r.lineWorth(l.Text) - knownShare*r.worthOf(b.inName, l.Text)) * r.q.decides(l.Text) * fullness(l.Text)
		for _, id := range r.q.idents {
			if id.re.MatchString(l.Text) {
				worth += identUsed
			}
		}
		if worth > best {
			best, at, text = worth, l.Line, l.Text
		}
	}
	return at, text
}

// repeats reports whether what a line has of the question is in the text of a message only, and was said: what is wrong
// there may be something else.
func (r *prose) repeats(text, said string) bool {
	bare := inStrings.ReplaceAllString(text, "")
	return !slices.ContainsFunc(r.q.words, func(w word) bool { return w.in(text) && (w.in(bare) || !w.in(said)) }) &&
		!slices.ContainsFunc(r.q.idents, func(id ident) bool { return id.re.MatchString(bare) })
}

// knownShare is how much less a word of the question says in a line if the name of its definition has it.
const knownShare = .5

// worthOf returns the worth of some words of the question in a line.
func (r *prose) worthOf(words []int, text string) (worth float64) {
	for _, i := range words {
		if r.q.words[i].in(text) {
			worth += r.worth(i)
		}
	}
	return worth
}

// quoteShare is the least share of the question in a quoted text that convinces. Of 11 first places without enough of
// the question in their heads and with such a text, 9 were right: of 19 without, seven.
const quoteShare = .4

// saysSo reports whether the line that an answer quotes of a block has, in quotes, two words of the question and much
// of it. They rarely meet in the text of an error by chance, and it says what happens, though not how something is
// done.
func (r *prose) saysSo(b *block) bool {
	_, text := r.keyLine(b)
	text = strings.Join(inStrings.FindAllString(text, -1), " ")
	worths, whole := r.worths()
	words, here := 0, 0.0
	for i, w := range r.q.words {
		if w.re.MatchString(text) {
			words++
			here += worths[i]
		}
	}
	return words > 1 && here >= quoteShare*whole && !r.q.how
}

// fullness prefers, among lines with the same words of the question, those that say more.
func fullness(text string) float64 {
	return .9 + .1*float64(len(identifier.FindAllString(text, fullWords)))/fullWords
}

var identifier = lazyregexp.New(`[\pL_$][\pL\d_$]*`)

const fullWords = 6 // identifiers of a line that says enough

func (r *prose) place(b *block) (report.Place, bool) {
	start, end := r.span(b)
	why := cmp.Or(b.why(r.q, r.e.files[b.Path]), "best match in its file")
	p := report.Place{Path: b.Path, Start: start, End: end, Symbol: b.Name, Why: why}
	return p, start > 0
}

// excerpt returns the lines of a block to print: its start, or the part around its key line if that comes late.
func (r *prose) excerpt(b *block) (report.Excerpt, bool) {
	start, end := r.span(b)
	if end-start >= excerptLines {
		if n, _ := r.keyLine(b); n-start > excerptLines*2/3 {
			start = max(start, min(n-excerptLines/2, end-excerptLines+1))
		}
		end = min(end, start+excerptLines-1)
	}
	return report.Excerpt{Path: b.Path, Start: start, End: end}, start > 0
}

// why says in a few words what makes b likely. Where f has another word for one of the question, it is added.
func (b *block) why(q *question, f *file) string {
	var parts, body []string
	if b.ident != "" {
		parts = append(parts, "defines "+b.ident)
	}
	if b.uses != "" {
		parts = append(parts, "uses "+b.uses)
	}
	if m := ofTrait.FindStringSubmatch(b.Signature); b.Kind == "impl" && m != nil && !strings.HasPrefix(m[1], b.Name) {
		parts = append(parts, "implements "+m[1])
	} else if b.Kind == "impl" && !strings.Contains(b.Signature, " for ") {
		parts = append(parts, "its methods")
	}
	for _, n := range b.lines {
		body = append(body, f.hits[n].Text)
	}
	for _, s := range []struct {
		words []int
		where string
		texts []string
	}{
		{b.inName, "in its name", []string{lastPart(b.Name)}},
		{b.inDoc, "in its signature or comment", []string{b.Signature, b.Doc}},
		{b.inBody, "in its code", body},
	} {
		words := s.words
		if len(parts) > 0 { // what it defines or uses has the parts of its name
			words = slices.DeleteFunc(slices.Clone(words), func(i int) bool { return q.words[i].part })
		}
		if len(words) > 0 {
			parts = append(parts, quoted(q, words, s.texts)+" "+s.where)
		}
	}
	return strings.Join(parts, ", ")
}

// ofTrait matches the head of a block that implements a trait for a type. Its group is the trait.
var ofTrait = lazyregexp.New(`([\w:]+(?:<\S*>)?)\s+for\s`)

// quoted lists words of a question: “a”, “b” and “c” (as “d”).
func quoted(q *question, words []int, texts []string) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = "“" + q.words[w].text + "”"
		if other := q.words[w].otherIn(texts); other != "" {
			all[i] += " (as “" + other + "”)"
		}
	}
	if n := len(all); n > 1 {
		all[n-2] += " and " + all[n-1]
		all = all[:n-1]
	}
	return strings.Join(all, ", ")
}
