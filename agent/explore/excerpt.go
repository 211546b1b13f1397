package explore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/explore/rules"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/testfile"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/locate"
	"github.com/forayhq/foray/tools/report"
	"github.com/forayhq/foray/tools/tree"
)

// An excerpt is a place with its code, or the deciding lines of it. Its lines include the documentation above it.
type excerpt struct {
	report.Place
	code string
}

// A cutter cuts excerpts out of the files of a tree, until its room is used.
type cutter struct {
	source     *tree.Tree
	weigh      func(string) float64 // says how much a line has of the question; nil: nothing
	answer     *report.Report       // cites the lines that decide; nil: none is known
	room, left int                  // tokens
	shares     []float64            // of the room, by excerpt
}

// excerptShares are the shares of the room that the first excerpts may take; later ones may take the last.
var excerptShares = []float64{.2, .15, .12, .1, .08}

// Bounds of an excerpt.
const (
	leastExcerpt = 40  // tokens; no excerpt is cut into less
	headTokens   = 20  // of the line above an excerpt
	commentLines = 12  // shown of the documentation above a definition: the first and the last half of them
	longComment  = 80  // lines of documentation above a definition that are looked at
	longestLine  = 240 // runes
	aroundHit    = 2   // lines shown before and after one that was found
	lineTokens   = 3   // least tokens of a shown line
)

// cut returns the excerpt of a place, the n-th. It reports false if there is no room left, or nothing to read.
func (c *cutter) cut(p report.Place, n int) (excerpt, bool) {
	room := min(c.left, int(c.shares[min(n, len(c.shares)-1)]*float64(c.room))) - headTokens
	if room < leastExcerpt {
		return excerpt{}, false
	}
	_, content, err := c.source.File(context.Background(), p.Path)
	if err != nil {
		return excerpt{}, false
	}
	lines := strings.Split(strings.TrimSuffix(string(c.source.Shown(content)), "\n"), "\n")
	if p.Start < 1 || p.Start > len(lines) {
		return excerpt{}, false
	}
	p.End = min(max(p.End, p.Start), len(lines))
	defined := p.Start
	p.Start = documented(lines, p.Start)
	for p.Start < defined && strings.Trim(lines[p.Start-1], " \t/*#-") == "" {
		p.Start++ // an empty line of the comment
	}
	shown := lines[p.Start-1 : p.End]
	for i, l := range shown {
		shown[i] = line.Truncate(strings.TrimRight(l, " \t\r"), longestLine)
	}
	x := excerpt{Place: p, code: c.fit(shown, p, defined, room)}
	c.left -= toollimit.Tokens(x.code) + headTokens
	return x, true
}

// documented returns the first line of the comment above a line, or the line itself.
func documented(lines []string, at int) int {
	first := at
	for first > 1 && at-first < longComment && isCommentLine(lines[first-2]) {
		first--
	}
	return first
}

// isCommentLine reports whether a line is a comment or an annotation of what follows, in most languages.
func isCommentLine(l string) bool {
	l = strings.TrimSpace(l)
	return slices.ContainsFunc([]string{"//", "# ", "/*", "*", "--", "@", "#["}, func(mark string) bool {
		return strings.HasPrefix(l, mark)
	})
}

// fit returns the lines of a place as one text of at most room tokens. If not all fit, or the documentation is long,
// it keeps the first lines of definition and documentation, then the lines with most of the question and those around
// them, then the others in order.
func (c *cutter) fit(lines []string, p report.Place, defined, room int) string {
	doc := defined - p.Start
	if text := strings.Join(lines, "\n"); doc <= commentLines && toollimit.Tokens(text) <= room {
		return text
	}
	order := []int{doc}
	if c.answer != nil {
		for _, at := range deciding(c.answer, p) {
			for i := at - aroundHit; i <= at+aroundHit; i++ {
				order = append(order, i-p.Start)
			}
		}
	}
	order = append(order, doc+1, 0, 1)
	hits := make([]float64, len(lines))
	var found []int
	for i, l := range lines {
		if c.weigh == nil {
			break
		}
		if hits[i] = c.weigh(l); hits[i] > 0 {
			found = append(found, i)
		}
	}
	slices.SortFunc(found, func(a, b int) int {
		return cmp.Or(cmp.Compare(hits[b], hits[a]), a-b)
	})
	for _, i := range found {
		for at := i - aroundHit; at <= i+aroundHit; at++ {
			order = append(order, at)
		}
	}
	for i := range lines {
		if half := commentLines / 2; i < half || i >= doc-half {
			order = append(order, i)
		}
	}
	return pick(lines, order, p.Start, room)
}

// pick shows the lines of the order that fit, in the order of the file, with a mark in each gap that names the line
// after it. The first line has this number.
func pick(lines []string, order []int, number, room int) string {
	shown := make([]bool, len(lines))
	for _, i := range order {
		if i < 0 || i >= len(lines) || shown[i] {
			continue
		}
		cost := toollimit.Tokens(lines[i]) + lineTokens
		if room < cost {
			break
		}
		room -= cost
		shown[i] = true
	}
	var b strings.Builder
	gap := false
	for i, l := range lines {
		switch {
		case !shown[i]:
			gap = true
			continue
		case gap:
			fmt.Fprintf(&b, "… (line %d)\n", number+i)
		}
		gap = false
		b.WriteString(l + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Bounds of what follows the excerpts.
const (
	maxEdges   = 6
	maxOthers  = 6
	tailTokens = 200 // reserved for both
)

// render writes the excerpts, the calls among them, and the places without room.
func (e *evidence) render() string {
	var b strings.Builder
	b.WriteString(e.lead())
	switch {
	case len(e.excerpts) == 0:
		return strings.TrimSpace(b.String())
	case e.exact:
		b.WriteString("\nThe code:\n")
	default:
		if e.missing != "" {
			fmt.Fprintf(&b, "No file contains %s.\n\n", e.missing)
		}
		b.WriteString("Excerpts from the code, best match first:\n")
	}
	for i, x := range e.excerpts {
		fmt.Fprintf(&b, "\n%d. %s", i+1, x.Citation())
		if x.Symbol != "" {
			b.WriteString(" " + x.Symbol)
		}
		fence := "```"
		for strings.Contains(x.code, fence) {
			fence += "`" // what follows one in the code would read as if foray had written it
		}
		b.WriteString("\n" + fence + "\n" + x.code + "\n" + fence + "\n")
	}
	if edges := e.found.Report.Edges; len(edges) > 0 {
		b.WriteString("\nCalls:\n")
		for _, edge := range edges[:min(len(edges), maxEdges)] {
			fmt.Fprintf(&b, "%s %s %s [%s]\n", edge.From, edge.Kind, edge.To, edge.Citation)
		}
	}
	if len(e.others) > 0 {
		b.WriteString("\nMore places:\n")
		for _, p := range e.others {
			fmt.Fprintf(&b, "%s %s\n", p.Citation(), p.Symbol)
		}
	}
	return strings.TrimSpace(b.String())
}

// isExact reports whether exact tools answered: the question's intent was recognised, and its report is that of a
// definition, callers, a message, a section of a document and so on, and no ranking. Only open questions are ranked; a
// short question may be both ranked and answered by a section.
func isExact(found *Result, records []agent.ToolRecord) bool {
	ranked := slices.ContainsFunc(records, func(rec agent.ToolRecord) bool {
		_, ok := rec.Value.(*locate.Result)
		return ok
	})
	if !ranked || found.Report == nil || len(found.Report.Places) == 0 {
		return !ranked && found.Report != nil
	}
	first := found.Report.Places[0]
	return slices.ContainsFunc(records, func(rec agent.ToolRecord) bool {
		r, ok := rec.Value.(*codebase.SymbolResult)
		return ok && slices.ContainsFunc(r.Items, func(s codebase.Symbol) bool {
			return s.Kind == "heading" && s.Path == first.Path && s.Start == first.Start
		})
	})
}

// Bounds of an exact answer. Its sentences say most, so that a local model need not read much code for it.
const (
	maxLead       = 8   // sentences
	maxLeadRunes  = 600 // of a sentence, which may be a list
	exactShare    = .5  // of the room of an open question
	exactExcerpts = 6
	maxAfter      = 3 // definitions of the question's names after the places of the answer
)

// exactShares are the shares of that room that the first excerpts may take; later ones may take the last.
var exactShares = []float64{.5, .2, .1}

// lead returns the sentences of an exact answer as the model reads them first, with their citations.
func (e *evidence) lead() string {
	if !e.exact {
		return ""
	}
	var b strings.Builder
	b.WriteString("Found by exact search:\n")
	summary := e.found.Report.Summary
	for _, s := range summary[:min(len(summary), maxLead)] {
		b.WriteString("- ")
		if s.Topic != "" {
			b.WriteString(s.Topic + ": ")
		}
		b.WriteString(line.Truncate(line.Flat(s.Text), maxLeadRunes))
		for _, c := range s.Citations {
			fmt.Fprintf(&b, " [%s]", c)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// missingOf returns the names and words of its question that no file contains, in quotes, or "".
func missingOf(r *report.Report) string {
	var missing []string
	if r != nil {
		for _, note := range r.NotCovered {
			if words, ok := strings.CutPrefix(note, rules.InNoFile); ok {
				missing = append(missing, words)
			} else if name, _, ok := strings.Cut(note, rules.WasNotFound); ok {
				missing = append(missing, name)
			}
		}
	}
	return strings.Join(missing, ", ")
}

// exactOrder returns the places of an exact answer in its order, then the definitions of the names in the question.
func exactOrder(found *report.Report, records []agent.ToolRecord) (places []report.Place) {
	if !found.Found {
		return nil // what is merely near would be believed
	}
	places = slices.Clone(found.Places)
	for _, p := range exactPlaces(records) {
		known := slices.ContainsFunc(places, func(o report.Place) bool { return o.Path == p.Path && o.Start == p.Start })
		if !known && !testfile.Is(p.Path) && len(places) < len(found.Places)+maxAfter {
			places = append(places, p)
		}
	}
	return places
}

// deciding returns the lines of a place that the sentences of a report cite, in their order.
func deciding(r *report.Report, p report.Place) (lines []int) {
	for _, s := range r.Summary {
		for _, text := range s.Citations {
			c, err := report.ParseCitation(text)
			if err == nil && c.Path == p.Path && p.Start <= c.Start && c.Start <= p.End {
				lines = append(lines, c.Start)
			}
		}
	}
	return lines
}

// example returns the citation to imitate: the first of the answer, else that of the first excerpt.
func (e *evidence) example() string {
	if e.exact && len(e.found.Report.Summary) > 0 && len(e.found.Report.Summary[0].Citations) > 0 {
		return e.found.Report.Summary[0].Citations[0]
	}
	return e.excerpts[0].Citation().String()
}
