package codebase

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/report"
	"github.com/forayhq/foray/tools/tree"
)

// A Receipt is the result of report: the accepted report for the program, a few counts for the model.
//
//	{"accepted":true,"citations":7,"files":3,"report":{...}}
type Receipt struct {
	Accepted  bool           `json:"accepted"`
	Citations int            `json:"citations"` // how many were verified, including places and excerpts
	Files     int            `json:"files"`     // in how many files
	Notes     []string       `json:"notes,omitempty"`
	Report    *report.Report `json:"report"`

	json bool
}

// Bounds of a report.
const (
	maxExcerpts     = 3
	maxExcerptLines = 28
	maxEdgeNodes    = 8
	maxStatements   = 20
	maxPlaces       = 100
	maxChanges      = 20
	maxFaults       = 40 // in one problem
)

// A verifier compares the citations of a report with the files. It reads each file once.
type verifier struct {
	t      *toolbox
	ctx    context.Context
	texts  map[string]line.Text
	errs   map[string]error
	faults []string
	count  int
}

func (c *verifier) fault(where, format string, args ...any) {
	c.faults = append(c.faults, where+": "+fmt.Sprintf(format, args...))
}

// lines returns the citation with a clean path, and the cited lines. For a wrong citation it adds a fault and returns
// no lines.
func (c *verifier) lines(where string, at report.Citation, quote string) (report.Citation, []string) {
	t, err := c.text(&at)
	switch {
	case err != nil:
		c.fault(where, "%v", err)
	case at.Start < 1 || at.End < at.Start:
		c.fault(where, "lines %d-%d are not a range", at.Start, at.End)
	case at.End > t.Count():
		c.fault(where, "%s has only %s, so line %d does not exist", line.Path(at.Path), line.Count(t.Count(), "line"), at.End)
	default:
		var lines []string
		for n := at.Start; n <= at.End; n++ {
			lines = append(lines, showLine(t, n))
		}
		if !strings.Contains(line.Flat(string(t.Range(at.Start, at.End))), line.Flat(quote)) {
			c.fault(where, "the quote %q is not in %s", line.Truncate(line.Single(quote), 80), at.String())
			return at, nil
		}
		c.count++
		return at, lines
	}
	return at, nil
}

func (c *verifier) text(at *report.Citation) (line.Text, error) {
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

// statement checks one sentence, and rewrites its citations in the usual form.
func (c *verifier) statement(where string, s *report.Statement, found bool) {
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
		at, _ = c.lines(where, at, quote)
		s.Citations[i] = at.String()
	}
}

func (c *verifier) place(where string, p *report.Place) {
	if p.Confidence < 0 || p.Confidence > 1 {
		c.fault(where, "confidence=%g is not between 0 and 1", p.Confidence)
	}
	at, _ := c.lines(where, p.Citation(), p.Quote)
	p.Path = at.Path
}

func (c *verifier) edge(where string, e *report.Edge) {
	if strings.TrimSpace(e.From) == "" || strings.TrimSpace(e.To) == "" {
		c.fault(where, "from or to is blank")
	}
	at, err := report.ParseCitation(e.Citation)
	if err != nil {
		c.fault(where, "%v", err)
		return
	}
	at, _ = c.lines(where, at, "")
	e.Citation = at.String()
}

// commitForm is the hash of a commit, whole or abbreviated.
var commitForm = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

func (c *verifier) change(where string, ch *report.Change) {
	if !commitForm.MatchString(ch.Commit) {
		c.fault(where, "commit %q is not a hash", line.Truncate(line.Single(ch.Commit), 80))
	}
	if strings.TrimSpace(ch.Subject) == "" {
		c.fault(where, "subject is blank")
	}
}

func (c *verifier) excerpt(where string, e *report.Excerpt, r *Receipt) {
	if e.End-e.Start >= maxExcerptLines && e.Start >= 1 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s was truncated to %d lines", where, maxExcerptLines))
		e.End = e.Start + maxExcerptLines - 1
	}
	at, lines := c.lines(where, e.Citation(), "")
	e.Path, e.Lines = at.Path, lines
	if len(lines) > 0 && !aboveIt.MatchString(lines[0]) {
		c.withComment(e)
	}
}

// aboveIt matches a line of what comes before a definition: a comment or an attribute.
var aboveIt = regexp.MustCompile(`^\s*(?://|/\*|\*|#[^!]|--\s|@\w|\[\w)`)

// maxAbove is how many lines a comment above a definition may have to be part of an excerpt: a longer one has examples.
const maxAbove = 8

// maxBetween is how many lines may be between a comment and an excerpt of one line: a Ruby setting is declared there.
const maxBetween = 1

// withComment adds a short comment above an excerpt, which says what it is for. It drops as many lines from the end as
// are too many.
func (c *verifier) withComment(e *report.Excerpt) {
	t := c.texts[e.Path]
	var above []string
	between, found := 0, false
	if len(e.Lines) == 1 {
		between = maxBetween
	}
	for n := e.Start - 1; n >= 1 && len(above) <= maxAbove; n-- {
		comment := aboveIt.Match(t.Line(n))
		if !comment && (found || between == 0 || len(bytes.TrimSpace(t.Line(n))) == 0) {
			break
		}
		if found = comment; !comment {
			between--
		}
		above = append(above, showLine(t, n))
	}
	if !found || len(above) > maxAbove {
		return
	}
	slices.Reverse(above)
	e.Start -= len(above)
	e.Lines = append(above, e.Lines...)
	e.Lines = e.Lines[:min(len(e.Lines), maxExcerptLines)]
	e.End = e.Start + len(e.Lines) - 1
}

// report checks a report, and returns a copy with its excerpts filled in.
func (t *toolbox) report(ctx context.Context, in report.Report) (*Receipt, error) {
	r := &Receipt{Report: &in, json: t.json}
	c := &verifier{t: t, ctx: ctx, texts: map[string]line.Text{}, errs: map[string]error{}}
	c.shape(&in, r)
	each("summary", in.Summary, func(where string, s *report.Statement) { c.statement(where, s, in.Found) })
	each("places", in.Places, c.place)
	each("edges", in.Edges, c.edge)
	each("excerpts", in.Excerpts, func(where string, e *report.Excerpt) { c.excerpt(where, e, r) })
	each("tests", in.Tests, c.place)
	each("commits", in.Commits, c.change)
	if err := tree.Expired(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	if len(c.faults) > 0 {
		return nil, c.problem()
	}
	r.Accepted, r.Citations, r.Files = true, c.count, len(c.texts)
	return r, nil
}

func each[T any](field string, items []T, check func(where string, item *T)) {
	for i := range items {
		check(fmt.Sprintf("%s[%d]", field, i), &items[i])
	}
}

// shape checks what needs no file, and drops surplus excerpts.
func (c *verifier) shape(r *report.Report, receipt *Receipt) {
	if len(r.Summary) == 0 {
		c.fault("summary", "is empty; say in one sentence what was found, or that nothing was")
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

func (c *verifier) problem() error {
	listed := c.faults
	if len(listed) > maxFaults {
		listed = append(slices.Clone(listed[:maxFaults]), fmt.Sprintf("and %d more", len(c.faults)-maxFaults))
	}
	const try = "read_file the lines in question, correct or drop what is wrong, and report again"
	return tools.Problemf("refused", try, "%s in the report:\n- %s", line.Count(len(c.faults), "fault"),
		strings.Join(listed, "\n- "))
}

// Text writes the JSON form or the counts.
func (r *Receipt) Text() (toollimit.Kind, string) {
	if r.json {
		return tools.RenderJSON(r)
	}
	var b strings.Builder
	for _, n := range r.Notes {
		b.WriteString("note: " + line.Single(n) + "\n")
	}
	fmt.Fprintf(&b, "status: accepted\nfound: %t\n%s verified in %s\n",
		r.Report.Found, line.Count(r.Citations, "citation"), line.Count(r.Files, "file"))
	fmt.Fprintf(&b, "%s, %s, %s, %s\n",
		line.Count(len(r.Report.Summary), "statement"), line.Count(len(r.Report.Places), "place"),
		line.Count(len(r.Report.Edges), "edge"), line.Count(len(r.Report.Excerpts), "excerpt"))
	return toollimit.Receipt, b.String()
}
