package codebase

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/tools"
)

// Bounds of a report.
const (
	maxExcerpts     = 3
	maxExcerptLines = 20
	maxEdgeNodes    = 8
	maxStatements   = 20
	maxPlaces       = 100
	maxChanges      = 20
	maxFaults       = 40 // faults that are told at once
)

// A citation is lines of a file.
type citation struct {
	path       string
	start, end int
}

func (c citation) String() string {
	if c.start == c.end {
		return c.path + ":" + strconv.Itoa(c.start)
	}
	return fmt.Sprintf("%s:%d-%d", c.path, c.start, c.end)
}

var citationForm = regexp.MustCompile(`^(.+?)(?::|#)L?(\d{1,9})(?:-L?(\d{1,9}))?$`)

// parseCitation reads path:12-30 and path:12, with or without an L before the numbers.
func parseCitation(s string) (citation, error) {
	m := citationForm.FindStringSubmatch(strings.Trim(strings.TrimSpace(s), "[]`"))
	if m == nil {
		return citation{}, fmt.Errorf("%q is not of the form path:12-30", clip(oneLine(s), 200))
	}
	start, _ := strconv.Atoi(m[2]) // nine digits at most, by the pattern
	end := start
	if m[3] != "" {
		end, _ = strconv.Atoi(m[3])
	}
	return citation{m[1], start, end}, nil
}

// A checker reads again what a report cites. Each file is read once.
type checker struct {
	t      *tree
	ctx    context.Context
	texts  map[string]text
	errs   map[string]error
	faults []string
	count  int
}

func (c *checker) fault(where, format string, args ...any) {
	c.faults = append(c.faults, where+": "+fmt.Sprintf(format, args...))
}

// lines returns the cited lines and the citation with its path cleaned; false, with a fault, when it does not stand.
func (c *checker) lines(where string, at citation, quote string) (citation, []string, bool) {
	t, err := c.text(&at)
	switch {
	case err != nil:
		c.fault(where, "%v", err)
	case at.start < 1 || at.end < at.start:
		c.fault(where, "lines %d-%d are no range", at.start, at.end)
	case at.end > t.count():
		c.fault(where, "%s has %s, so there is no line %d", showPath(at.path), plural(t.count(), "line"), at.end)
	default:
		var lines []string
		for n := at.start; n <= at.end; n++ {
			lines = append(lines, t.show(n))
		}
		if !holds(t, at, quote) {
			c.fault(where, "the quote %q does not stand in %s", clip(oneLine(quote), 80), showPath(at.String()))
			return at, nil, false
		}
		c.count++
		return at, lines, true
	}
	return at, nil, false
}

// holds reports whether the words of quote stand in the lines of at, in their order; how they are spaced does not count.
func holds(t text, at citation, quote string) bool {
	to := len(t.data)
	if at.end < t.count() {
		to = t.starts[at.end]
	}
	have := strings.Join(strings.Fields(string(t.data[t.starts[at.start-1]:to])), " ")
	return strings.Contains(have, strings.Join(strings.Fields(quote), " "))
}

func (c *checker) text(at *citation) (text, error) {
	p, err := c.t.clean(at.path)
	if err != nil {
		return text{}, err
	}
	at.path = p
	if _, seen := c.errs[p]; !seen {
		_, body, err := c.t.file(c.ctx, p)
		c.errs[p], c.texts[p] = err, newText(body.data)
	}
	return c.texts[p], c.errs[p]
}

// statement checks one sentence and rewrites its citations in their usual form.
func (c *checker) statement(where string, s *Statement, found bool) {
	if strings.TrimSpace(s.Text) == "" {
		c.fault(where, "text is blank")
	}
	if len(s.Citations) == 0 && found {
		c.fault(where, "has no citation")
	}
	s.Citations = slices.Clone(s.Citations)
	for i, cited := range s.Citations {
		where := fmt.Sprintf("%s.citations[%d]", where, i)
		at, err := parseCitation(cited)
		if err != nil {
			c.fault(where, "%v", err)
			continue
		}
		quote := ""
		if i == 0 {
			quote = s.Quote
		}
		at, _, _ = c.lines(where, at, quote)
		s.Citations[i] = at.String()
	}
}

func (c *checker) place(where string, p *Place) {
	if p.Confidence < 0 || p.Confidence > 1 {
		c.fault(where, "confidence=%g is not from 0 to 1", p.Confidence)
	}
	at, _, _ := c.lines(where, citation{p.Path, p.Start, p.End}, p.Quote)
	p.Path = at.path
}

func (c *checker) edge(where string, e *Edge) {
	if strings.TrimSpace(e.From) == "" || strings.TrimSpace(e.To) == "" {
		c.fault(where, "from or to is blank")
	}
	at, err := parseCitation(e.Citation)
	if err != nil {
		c.fault(where, "%v", err)
		return
	}
	at, _, _ = c.lines(where, at, "")
	e.Citation = at.String()
}

// commitForm is the name of a commit, whole or shortened.
var commitForm = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

func (c *checker) change(where string, ch Change) {
	if !commitForm.MatchString(ch.Commit) {
		c.fault(where, "commit %q is no hash", clip(oneLine(ch.Commit), 80))
	}
	if strings.TrimSpace(ch.Subject) == "" {
		c.fault(where, "subject is blank")
	}
}

func (c *checker) excerpt(where string, e *Excerpt, r *ReportReceipt) {
	if e.End-e.Start >= maxExcerptLines && e.Start >= 1 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s was cut to %d lines", where, maxExcerptLines))
		e.End = e.Start + maxExcerptLines - 1
	}
	at, lines, _ := c.lines(where, citation{e.Path, e.Start, e.End}, "")
	e.Path, e.Lines = at.path, lines
}

// report checks a report and keeps a copy of it with its excerpts filled in.
func (t *tree) report(ctx context.Context, in Report) (*ReportReceipt, error) {
	r := &ReportReceipt{Report: &in, asJSON: t.o.JSON}
	ctx, stop := t.clock(ctx)
	defer stop()
	c := &checker{t: t, ctx: ctx, texts: map[string]text{}, errs: map[string]error{}}
	in.shape(c, r)
	for i := range in.Summary {
		c.statement(fmt.Sprintf("summary[%d]", i), &in.Summary[i], in.Found)
	}
	for i := range in.Places {
		c.place(fmt.Sprintf("places[%d]", i), &in.Places[i])
	}
	for i := range in.Edges {
		c.edge(fmt.Sprintf("edges[%d]", i), &in.Edges[i])
	}
	for i := range in.Excerpts {
		c.excerpt(fmt.Sprintf("excerpts[%d]", i), &in.Excerpts[i], r)
	}
	for i := range in.Tests {
		c.place(fmt.Sprintf("tests[%d]", i), &in.Tests[i])
	}
	for i := range in.Commits {
		c.change(fmt.Sprintf("commits[%d]", i), in.Commits[i])
	}
	if err := expired(ctx); err != nil && !errors.Is(err, errDeadline) {
		return nil, err
	}
	if len(c.faults) > 0 {
		return nil, c.problem()
	}
	r.Accepted, r.Citations, r.Files = true, c.count, len(c.texts)
	return r, nil
}

// shape checks what needs no file, and lets go of excerpts beyond the third.
func (r *Report) shape(c *checker, receipt *ReportReceipt) {
	if len(r.Summary) == 0 {
		c.fault("summary", "is empty; say in a sentence what was found, or that nothing was")
	}
	if len(r.Summary) > maxStatements {
		c.fault("summary", "has %d statements; the maximum is %d", len(r.Summary), maxStatements)
	}
	if len(r.Places)+len(r.Tests) > maxPlaces {
		c.fault("places", "are %d with the tests; the maximum is %d", len(r.Places)+len(r.Tests), maxPlaces)
	}
	if len(r.Commits) > maxChanges {
		c.fault("commits", "are %d; the maximum is %d", len(r.Commits), maxChanges)
	}
	nodes := map[string]bool{}
	for _, e := range r.Edges {
		nodes[e.From], nodes[e.To] = true, true
	}
	if len(nodes) > maxEdgeNodes {
		c.fault("edges", "name %d things; the maximum is %d", len(nodes), maxEdgeNodes)
	}
	if n := len(r.Excerpts); n > maxExcerpts {
		receipt.Notes = append(receipt.Notes, fmt.Sprintf("of %d excerpts the first %d are kept", n, maxExcerpts))
		r.Excerpts = r.Excerpts[:maxExcerpts]
	}
}

func (c *checker) problem() error {
	told := c.faults
	if len(told) > maxFaults {
		told = append(slices.Clone(told[:maxFaults]), fmt.Sprintf("and %d more", len(c.faults)-maxFaults))
	}
	return &tools.Problem{
		Code:    "refused",
		Message: plural(len(c.faults), "fault") + " in the report:\n- " + strings.Join(told, "\n- "),
		Try:     "read_file the lines in question, correct or drop what does not stand, and report again",
	}
}
