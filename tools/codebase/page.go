package codebase

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/toollimit/line"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/tree"
)

// A Page says how much of what there is a result holds, what was left out and why, and how to go on. It is a part of
// every result, beside its items.
type Page struct {
	Total       int          `json:"total"`                  // how many there are: entries, paths, hits, lines, symbols
	Returned    int          `json:"returned"`               // how many of them are in items
	Truncated   bool         `json:"truncated"`              // whether returned falls short of total
	TruncatedBy string       `json:"truncated_by,omitempty"` // "limit", "max_per_file", "lines", "bytes", "columns" or "deadline"
	Next        int          `json:"next,omitempty"`         // the offset (read_file: the start_line) that goes on; 0: nothing does
	Skipped     tree.Skipped `json:"skipped"`
	TimedOut    bool         `json:"timed_out"`       // the deadline came first: what is here is true, but there may be more
	Notes       []string     `json:"notes,omitempty"` // sentences for the reader: a limit that was clamped, a hint, a file that vanished

	asJSON bool // Options.JSON: Text writes the JSON form
}

func (p *Page) note(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

// head is the note lines, which open every text form.
func (p *Page) head(b *strings.Builder) {
	for _, n := range p.Notes {
		b.WriteString("note: ")
		b.WriteString(line.Single(n))
		b.WriteByte('\n')
	}
	if p.TimedOut {
		b.WriteString("note: the deadline came first; there may be more\n")
	}
}

// foot is the last line: what there is, what is shown, what was skipped, how to go on.
func (p *Page) foot(b *strings.Builder, noun string) {
	fmt.Fprintf(b, "%d of %d %s", p.Returned, p.Total, noun)
	if s := p.Skipped.String(); s != "" {
		b.WriteString("; skipped: " + s)
	}
	if p.Next > 0 {
		fmt.Fprintf(b, "; next: offset=%d", p.Next)
	}
	b.WriteByte('\n')
}

// cut sets the page for n of total items that begin at offset.
func (p *Page) cut(total, offset, n int) {
	p.Total, p.Returned = total, n
	if offset+n < total {
		p.Truncated, p.TruncatedBy, p.Next = true, "limit", offset+n
	}
}

func asJSON(v any) (toollimit.Kind, string) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return toollimit.Error, "encoding the result: " + err.Error()
	}
	return toollimit.JSON, string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

func (p *Page) ended(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		p.TimedOut, p.Truncated, p.TruncatedBy = true, true, "deadline"
		return nil
	case ctx.Err() != nil:
		return tree.Expired(ctx)
	default:
		return err
	}
}

func (p *Page) pastEnd(offset, n int, noun string) {
	if offset > 0 && offset >= n && n > 0 {
		p.note("offset=%d is past the end: there are %d %s", offset, n, noun)
	}
}

// A bound is the range of a whole number that a model may give, and what holds when it gives none.
type bound struct {
	name         string
	def, low, up int
}

// of is the value to use: an error below the range, clamped with a note above it.
func (b bound) of(given *int, page *Page) (int, error) {
	switch {
	case given == nil:
		return b.def, nil
	case *given < b.low:
		return 0, &tools.Problem{Code: "bad_arguments", Message: fmt.Sprintf("%s=%d is out of range", b.name, *given), Try: fmt.Sprintf("%s from %d to %d; default %d", b.name, b.low, b.up, b.def)}
	case *given > b.up:
		page.note("%s=%d was lowered to its maximum %d", b.name, *given, b.up)
		return b.up, nil
	default:
		return *given, nil
	}
}

// maxOffset bounds offsets and line numbers: larger than any tree or file that is read.
const maxOffset = 1 << 30

var offsetBound = bound{"offset", 0, 0, maxOffset}

func blank(field, try string) error {
	return &tools.Problem{Code: "bad_arguments", Message: field + " is blank", Try: try}
}

// window is the part of n items that an offset and a limit show.
func window(n, offset, limit int) (from, to int) {
	from = min(offset, n)
	return from, min(from+limit, n)
}
func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
