package codebase

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/toollimit/line"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/report"
	"github.com/forayhq/foray/tools/tree"
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

// A checker reads again what a report cites. Each file is read once.
type checker struct {
	t      *toolbox
	ctx    context.Context
	texts  map[string]line.Text
	errs   map[string]error
	faults []string
	count  int
}

func (c *checker) fault(where, format string, args ...any) {
	c.faults = append(c.faults, where+": "+fmt.Sprintf(format, args...))
}

// lines returns the cited lines and the citation with its path cleaned; false, with a fault, when it does not stand.
func (c *checker) lines(where string, at report.Citation, quote string) (report.Citation, []string, bool) {
	t, err := c.text(&at)
	switch {
	case err != nil:
		c.fault(where, "%v", err)
	case at.Start < 1 || at.End < at.Start:
		c.fault(where, "lines %d-%d are no range", at.Start, at.End)
	case at.End > t.Count():
		c.fault(where, "%s has %s, so there is no line %d", line.Path(at.Path), line.Count(t.Count(), "line"), at.End)
	default:
		var lines []string
		for n := at.Start; n <= at.End; n++ {
			lines = append(lines, showLine(t, n))
		}
		if !holds(t, at, quote) {
			c.fault(where, "the quote %q does not stand in %s", line.Truncate(line.Single(quote), 80), at.String())
			return at, nil, false
		}
		c.count++
		return at, lines, true
	}
	return at, nil, false
}

// holds reports whether the words of quote stand in the lines of at, in their order; how they are spaced does not count.
func holds(t line.Text, at report.Citation, quote string) bool {
	return strings.Contains(line.Flat(string(t.Range(at.Start, at.End))), line.Flat(quote))
}

func (c *checker) text(at *report.Citation) (line.Text, error) {
	p, err := c.t.Clean(at.Path)
	if err != nil {
		return line.Text{}, err
	}
	at.Path = p
	if _, seen := c.errs[p]; !seen {
		_, body, err := c.t.File(c.ctx, p)
		c.errs[p], c.texts[p] = err, line.Split(body.Data)
	}
	return c.texts[p], c.errs[p]
}

// statement checks one sentence and rewrites its citations in their usual form.
func (c *checker) statement(where string, s *report.Statement, found bool) {
	if strings.TrimSpace(s.Text) == "" {
		c.fault(where, "text is blank")
	}
	if len(s.Citations) == 0 && found {
		c.fault(where, "has no citation")
	}
	s.Citations = slices.Clone(s.Citations)
	for i, cited := range s.Citations {
		where := fmt.Sprintf("%s.citations[%d]", where, i)
		at, err := report.ParseCitation(cited)
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

func (c *checker) place(where string, p *report.Place) {
	if p.Confidence < 0 || p.Confidence > 1 {
		c.fault(where, "confidence=%g is not from 0 to 1", p.Confidence)
	}
	at, _, _ := c.lines(where, p.Citation(), p.Quote)
	p.Path = at.Path
}

func (c *checker) edge(where string, e *report.Edge) {
	if strings.TrimSpace(e.From) == "" || strings.TrimSpace(e.To) == "" {
		c.fault(where, "from or to is blank")
	}
	at, err := report.ParseCitation(e.Citation)
	if err != nil {
		c.fault(where, "%v", err)
		return
	}
	at, _, _ = c.lines(where, at, "")
	e.Citation = at.String()
}

// commitForm is the name of a commit, whole or shortened.
var commitForm = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

func (c *checker) change(where string, ch report.Change) {
	if !commitForm.MatchString(ch.Commit) {
		c.fault(where, "commit %q is no hash", line.Truncate(line.Single(ch.Commit), 80))
	}
	if strings.TrimSpace(ch.Subject) == "" {
		c.fault(where, "subject is blank")
	}
}

func (c *checker) excerpt(where string, e *report.Excerpt, r *Receipt) {
	if e.End-e.Start >= maxExcerptLines && e.Start >= 1 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s was cut to %d lines", where, maxExcerptLines))
		e.End = e.Start + maxExcerptLines - 1
	}
	at, lines, _ := c.lines(where, e.Citation(), "")
	e.Path, e.Lines = at.Path, lines
}

// report checks a report and keeps a copy of it with its excerpts filled in.
func (t *toolbox) report(ctx context.Context, in report.Report) (*Receipt, error) {
	r := &Receipt{Report: &in, asJSON: t.json}
	ctx, stop := t.Clock(ctx)
	defer stop()
	c := &checker{t: t, ctx: ctx, texts: map[string]line.Text{}, errs: map[string]error{}}
	c.shape(&in, r)
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
	if err := tree.Expired(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	if len(c.faults) > 0 {
		return nil, c.problem()
	}
	r.Accepted, r.Citations, r.Files = true, c.count, len(c.texts)
	return r, nil
}

// shape checks what needs no file, and lets go of excerpts beyond the third.
func (c *checker) shape(r *report.Report, receipt *Receipt) {
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
		Message: line.Count(len(c.faults), "fault") + " in the report:\n- " + strings.Join(told, "\n- "),
		Try:     "read_file the lines in question, correct or drop what does not stand, and report again",
	}
}

func (r *Receipt) receipt() string {
	var b strings.Builder
	for _, n := range r.Notes {
		b.WriteString("note: " + line.Single(n) + "\n")
	}
	fmt.Fprintf(&b, "status: accepted\nfound: %t\n%s read again in %s, all stand as cited\n",
		r.Report.Found, line.Count(r.Citations, "citation"), line.Count(r.Files, "file"))
	fmt.Fprintf(&b, "%s, %s, %s, %s\n", line.Count(len(r.Report.Summary), "statement"), line.Count(len(r.Report.Places), "place"),
		line.Count(len(r.Report.Edges), "edge"), line.Count(len(r.Report.Excerpts), "excerpt"))
	return b.String()
}

// A Receipt is what the tool report returns: the accepted report for the program, a few counts for the model.
//
//	{"accepted":true,"citations":7,"files":3,"report":{...}}
type Receipt struct {
	Accepted  bool           `json:"accepted"`
	Citations int            `json:"citations"` // how many were read again, places and excerpts among them; all of them stand
	Files     int            `json:"files"`     // in how many files
	Notes     []string       `json:"notes,omitempty"`
	Report    *report.Report `json:"report"`

	asJSON bool
}

// Text writes the JSON form or the receipt.
func (r *Receipt) Text() (toollimit.Kind, string) {
	if r.asJSON {
		return asJSON(r)
	}
	return toollimit.Receipt, r.receipt()
}
