package locate

import (
	"bytes"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/textsearch"
	"github.com/forayhq/foray/tools/symbols"
)

// Stats are the words and definitions of a file, about a tenth of its size. They do not change.
type Stats struct {
	bag       bag
	chunks    []chunk
	names     bag // words of the names of definitions
	lines     int
	imports   []string
	generated bool // the file says that it was generated
}

// A chunk is a definition with its words, except those of inner definitions.
type chunk struct {
	name       string // qualified; "" for text outside all definitions
	kind       string
	start, end int
	bag        part
	doc        part // words of the comment above it
	number     bool // a constant or variable with a number
}

// Measure returns the statistics of the file called name, or nil if it is neither source, documentation nor settings.
// It calls read only if it needs the content.
func Measure(name string, read func() ([]byte, error)) (*Stats, error) {
	if !indexedName(name) {
		return nil, nil
	}
	text, err := read()
	if err != nil {
		return nil, err
	}
	return measure(name, text, symbols.Of(name, text)), nil
}

// measure is [Measure] for given definitions.
func measure(name string, text []byte, definitions []symbols.Symbol) *Stats {
	s := &Stats{imports: importsOf(name, text), generated: isGenerated(text)}
	m := measurer{stats: s}
	m.lay(definitions)
	m.run(text)
	s.lines = m.line
	s.names = m.names()
	m.document(text)
	return s
}

// lay makes the chunks: one for each definition, and a last one for the rest.
func (m *measurer) lay(definitions []symbols.Symbol) {
	s := m.stats
	s.chunks = make([]chunk, 0, len(definitions)+1)
	m.parents = make([]int, 0, len(definitions))
	var open []int
	for _, d := range definitions {
		for len(open) > 0 && s.chunks[open[len(open)-1]].end < d.Start {
			open = open[:len(open)-1]
		}
		parent := -1
		if len(open) > 0 {
			parent = open[len(open)-1]
		}
		open = append(open, len(s.chunks))
		m.parents = append(m.parents, parent)
		s.chunks = append(s.chunks, chunk{name: d.Name, kind: d.Kind, start: d.Start, end: d.End})
	}
	s.chunks = append(s.chunks, chunk{})
}

// A measurer walks through a text line by line and collects the terms of the current chunk.
type measurer struct {
	stats   *Stats
	split   splitter
	parents []int // by chunk: the enclosing one, or -1
	line    int
	at      int // the chunk of this line
	next    int // the first chunk that is still to come
	terms   [][]term
	whole   []term // the distinct terms of the text, sorted
}

func (m *measurer) run(text []byte) {
	m.terms = make([][]term, len(m.stats.chunks))
	m.at = len(m.stats.chunks) - 1
	for len(text) > 0 {
		m.line++
		m.enter()
		n := bytes.IndexByte(text, '\n') + 1
		if n == 0 {
			n = len(text)
		}
		line := text[:n]
		text = text[n:]
		textsearch.Names(line, func(from, to int) {
			m.split.terms(line[from:to], func(t term) { m.terms[m.at] = append(m.terms[m.at], t) })
		})
	}
	m.whole = slices.Concat(m.terms...)
	m.stats.bag = newBag(m.whole)
	m.whole = slices.Compact(m.whole)
	for i := range m.terms {
		m.stats.chunks[i].bag = newPart(m.terms[i], m.whole)
	}
}

// names collects the words of the names of definitions.
func (m *measurer) names() bag {
	var terms []term
	for _, c := range m.stats.chunks {
		m.split.terms([]byte(lastPart(c.name)), func(t term) { terms = append(terms, t) })
	}
	return newBag(terms)
}

// enter moves to the innermost definition around the line.
func (m *measurer) enter() {
	chunks := m.stats.chunks
	outside := len(chunks) - 1
	for m.at != outside && chunks[m.at].end < m.line {
		if m.at = m.parents[m.at]; m.at < 0 {
			m.at = outside
		}
	}
	for m.next < outside && chunks[m.next].start <= m.line {
		if chunks[m.next].end >= m.line {
			m.at = m.next
		}
		m.next++
	}
}

func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
