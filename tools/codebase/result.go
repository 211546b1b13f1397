package codebase

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/tree"
)

// A Page says which part of the whole a result holds, what was left out and why, and where to continue.
type Page struct {
	Total       int          `json:"total"`                  // how many there are: entries, paths, hits, lines, symbols
	Returned    int          `json:"returned"`               // how many of them are in items
	Truncated   bool         `json:"truncated"`              // returned is less than total
	TruncatedBy string       `json:"truncated_by,omitempty"` // limit, max_per_file, lines, bytes, budget or deadline
	Next        int          `json:"next,omitempty"`         // offset or start_line to continue with; 0: at the end
	Skipped     tree.Skipped `json:"skipped"`
	TimedOut    bool         `json:"timed_out"`       // the result is partial: the time ran out
	Notes       []string     `json:"notes,omitempty"` // sentences for the reader: a clamped limit, a hint, a vanished file

	JSON bool `json:"-"` // whether [Page.Render] writes JSON

	lacks *tools.Problem // why the tree is not whole, if that matters here
}

// NotePartial notes that t is not the whole tree, on the page of a result that it makes partial: one that needs names
// that are not known, or contents that could not be read.
func (p *Page) NotePartial(t *tree.Tree) {
	lack := t.Partial()
	if lack == nil || lack.Code == "absent" && p.Skipped.Unreadable == 0 {
		return
	}
	p.lacks = lack
	p.Note("this result is partial: %s", lack.Message)
}

// Incomplete says why the result may lack what the tree has; nil if it lacks nothing but what Skipped counts.
func (p *Page) Incomplete() *tools.Problem {
	if p.TimedOut {
		return &tools.Problem{Code: "deadline", Message: "the deadline passed", Try: "a path or a narrower pattern"}
	}
	return p.lacks
}

// Note adds a note.
func (p *Page) Note(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

// cut sets the page for n of total items from offset.
func (p *Page) cut(total, offset, n int) {
	p.Total, p.Returned = total, n
	if offset+n < total {
		p.Truncated, p.TruncatedBy, p.Next = true, "limit", offset+n
	}
}

// pastEnd notes an offset past the end of n items.
func (p *Page) pastEnd(offset, n int, noun string) {
	if offset > 0 && offset >= n && n > 0 {
		p.Note("offset=%d is past the end: there are %d %s", offset, n, noun)
	}
}

// partial handles the error of a walk: it marks the result as partial after a deadline, and returns any other error.
// Where the time of a caller is up, a walk may end with the error of a cancellation.
func (p *Page) partial(ctx context.Context, err error) error {
	late := tree.Expired(ctx)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, context.Canceled) && errors.Is(late, context.DeadlineExceeded):
		p.TimedOut, p.Truncated, p.TruncatedBy = true, true, "deadline"
		return nil
	case late != nil:
		return late
	default:
		return err
	}
}

// Render writes v, the result that contains p, as JSON or as text of that kind: the notes, the body and, unless noun is
// empty, a line that counts the items.
func (p *Page) Render(v any, kind toollimit.Kind, noun string, body func(b *strings.Builder)) (toollimit.Kind, string) {
	if p.JSON {
		return tools.RenderJSON(v)
	}
	var b strings.Builder
	for _, n := range p.Notes {
		b.WriteString("note: " + line.Single(n) + "\n")
	}
	if p.TimedOut {
		b.WriteString("note: the deadline passed; there may be more\n")
	}
	body(&b)
	p.foot(&b, noun)
	return kind, b.String()
}

func (p *Page) foot(b *strings.Builder, noun string) {
	if noun == "" {
		return
	}
	fmt.Fprintf(b, "%d of %d %s", p.Returned, p.Total, noun)
	if s := p.Skipped.String(); s != "" {
		b.WriteString("; skipped: " + s)
	}
	if p.Next > 0 {
		fmt.Fprintf(b, "; next: offset=%d", p.Next)
	}
	b.WriteByte('\n')
}

// A checker checks the arguments of a call. It keeps the first error, and notes what it clamped.
type checker struct {
	page *Page
	err  error
}

func (c *checker) fail(try, format string, args ...any) {
	c.err = cmp.Or(c.err, tools.Problemf("bad_arguments", try, format, args...))
}

// Number returns an optional number, or def if it is not given. A number below low is a [tools.Problem]; one above up
// is lowered to up, with a note.
func (p *Page) Number(name string, given *int, def, low, up int) (int, error) {
	switch {
	case given == nil:
		return def, nil
	case *given < low:
		try := fmt.Sprintf("%s from %d to %d; default %d", name, low, up, def)
		return 0, tools.Problemf("bad_arguments", try, "%s=%d is out of range", name, *given)
	case *given > up:
		p.Note("%s=%d was lowered to its maximum %d", name, *given, up)
		return up, nil
	}
	return *given, nil
}

func (c *checker) number(name string, given *int, def, low, up int) int {
	n, err := c.page.Number(name, given, def, low, up)
	c.err = cmp.Or(c.err, err)
	return n
}

// maxOffset bounds offsets and line numbers: larger than any tree or file that is read.
const maxOffset = 1 << 30

func (c *checker) offset(given *int) int { return c.number("offset", given, 0, 0, maxOffset) }

func (c *checker) oneOf(field, value string, allowed ...string) {
	if value != "" && !slices.Contains(allowed, value) {
		c.fail(field+" = "+strings.Join(allowed, " or "), "%s has an unknown value", field)
	}
}

// slicePage returns limit items from offset on, and describes them in the page as a part of total.
func slicePage[T any](p *Page, items []T, total, offset, limit int, noun string) []T {
	from := min(offset, len(items))
	to := min(from+limit, len(items))
	p.cut(total, from, to-from)
	p.pastEnd(offset, total, noun)
	return items[from:to]
}
