package codebase

import (
	"context"
	"fmt"

	"github.com/sourcegraph/conc/iter"

	"github.com/forayhq/foray/tools/symbols"
)

// autoContext is how many lines are shown around hits when the call does not say: the more the fewer hits.
var autoContext = []struct{ hits, lines int }{{1, 20}, {3, 8}}

// decorate adds the enclosing symbols and the lines around the hits that are shown. It reads their files again: one that
// is gone by now keeps its hits and gets a note.
func (t *tree) decorate(ctx context.Context, q *query, out *SearchResult) {
	if q.mode != "content" {
		return
	}
	before, after := q.before, q.after
	if before < 0 {
		before, after = 0, 0
		for i := len(autoContext) - 1; i >= 0; i-- {
			if a := autoContext[i]; out.Hits <= a.hits {
				before, after = a.lines, a.lines
			}
		}
	}
	notes := make([]string, len(out.Items))
	it := iter.Iterator[FileMatches]{MaxGoroutines: t.o.Workers}
	it.ForEachIdx(out.Items, func(i int, f *FileMatches) {
		if expired(ctx) != nil {
			return
		}
		c, err := t.load(f.Path)
		if err != nil {
			notes[i] = fmt.Sprintf("%s vanished during the search; its hits are shown without the lines around them", showPath(f.Path))
			return
		}
		c.data = t.shown(c)
		f.label(t.symbols(ctx, f.Path, c.data))
		f.surround(newText(c.data), before, after)
	})
	for _, n := range notes {
		if n != "" {
			out.note("%s", n)
		}
	}
}

func (f *FileMatches) label(all []symbols.Symbol) {
	for i := range f.Matches {
		if s := symbols.Innermost(all, f.Matches[i].Line); s != nil {
			f.Matches[i].Symbol = s.Name
		}
	}
}

// surround adds lines before and after each hit, and the further lines of a hit that crosses lines.
func (f *FileMatches) surround(t text, before, after int) {
	for i := range f.Matches {
		m := &f.Matches[i]
		last := max(m.Line, min(m.EndLine, m.Line+maxContext))
		for n := max(m.Line-before, 1); n < m.Line && n <= t.count(); n++ {
			m.Before = append(m.Before, t.show(n))
		}
		for n := m.Line + 1; n <= min(last+after, t.count()); n++ {
			m.After = append(m.After, t.show(n))
		}
	}
}

// maxContext is the most lines that are shown after the first line of a hit that crosses lines.
const maxContext = 20

// show is line n as it is printed beside a hit.
func (t text) show(n int) string { return around(t.line(n), 0, 0) }
