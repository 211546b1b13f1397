package answerpage

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools/report"
)

// A callMap is a picture of relations: names in columns, from what calls to what is called.
type callMap struct {
	Width, Height int
	Names         []name
	Arrows        []arrow
	More          int // relations that are left out
}

// A name is a box. All places are in pixels of the picture.
type name struct {
	X, Y, Width, Height int
	Text, Full          string
}

// An arrow is a relation from box to box.
type arrow struct {
	Path       string // of SVG
	LabelX     int
	LabelY     int
	Kind       string // "" for calls, which most are
	Title, To  string
	Back, Self bool
}

// Sizes of the picture.
const (
	mostEdges   = 40
	boxHeight   = 28
	rowHeight   = 46
	columnSpace = 90
	letterWidth = 7.3
	mostLetters = 34
)

// drawCalls draws relations; nil without any. Target returns where a citation leads.
func drawCalls(edges []report.Edge, target func(string) string) *callMap {
	if len(edges) == 0 {
		return nil
	}
	more := max(len(edges)-mostEdges, 0)
	edges = edges[:len(edges)-more]
	g := graphOf(edges)
	m := &callMap{Names: make([]name, len(g.names)), More: more}
	x := 10
	for _, column := range g.columns() {
		widest := 0
		for row, n := range column {
			text := line.Truncate(line.Visible(g.names[n]), mostLetters)
			width := int(letterWidth*float64(utf8.RuneCountInString(text))) + 20
			widest = max(widest, width)
			m.Names[n] = name{X: x, Y: 10 + row*rowHeight, Width: width, Height: boxHeight, Text: text,
				Full: line.Visible(g.names[n])}
			m.Height = max(m.Height, 10+row*rowHeight+boxHeight+10)
		}
		for _, n := range column {
			m.Names[n].Width = widest
		}
		x += widest + columnSpace
	}
	m.Width = x - columnSpace + 10
	for _, e := range edges {
		m.connect(g.index[e.From], g.index[e.To], e, target)
	}
	return m
}

// connect draws one relation. One that does not lead to a later column goes around the right of its boxes.
func (m *callMap) connect(from, to int, e report.Edge, target func(string) string) {
	a, b := m.Names[from], m.Names[to]
	x1, y1, x2, y2 := a.X+a.Width, a.Y+boxHeight/2, b.X-2, b.Y+boxHeight/2
	d := arrow{To: target(e.Citation),
		Title: line.Visible(fmt.Sprintf("%s %s %s, %s", e.From, e.Kind, e.To, e.Citation))}
	if e.Kind != "calls" {
		d.Kind = line.Truncate(line.Visible(e.Kind), 14)
	}
	if x2 > x1 {
		mid := (x1 + x2) / 2
		d.Path = fmt.Sprintf("M%d %d C%d %d %d %d %d %d", x1, y1, mid, y1, mid, y2, x2, y2)
		d.LabelX, d.LabelY = mid, (y1+y2)/2-4
	} else {
		out := max(x1, b.X+b.Width) + columnSpace/2
		d.Back, d.Self = true, from == to
		end := b.Y + boxHeight/2
		if d.Self {
			y1, end = y1-7, end+7
		}
		d.Path = fmt.Sprintf("M%d %d C%d %d %d %d %d %d", x1, y1, out, y1, out, end, b.X+b.Width+2, end)
		d.LabelX, d.LabelY = out-10, (y1+end)/2-4
		m.Width = max(m.Width, out+20)
	}
	m.Arrows = append(m.Arrows, d)
}

// A graph is names and who follows them.
type graph struct {
	names  []string
	index  map[string]int
	next   [][]int
	before [][]int
}

func graphOf(edges []report.Edge) *graph {
	g := &graph{index: make(map[string]int)}
	of := func(text string) int {
		n, ok := g.index[text]
		if !ok {
			n = len(g.names)
			g.index[text] = n
			g.names, g.next, g.before = append(g.names, text), append(g.next, nil), append(g.before, nil)
		}
		return n
	}
	for _, e := range edges {
		from, to := of(e.From), of(e.To)
		if from != to && !slices.Contains(g.next[from], to) {
			g.next[from], g.before[to] = append(g.next[from], to), append(g.before[to], from)
		}
	}
	return g
}

// columns puts each name one column after the last of those that lead to it, leaving out what closes a cycle, and
// orders each column by where its callers are (Sugiyama, Tagawa and Toda, 1981).
func (g *graph) columns() [][]int {
	depth, state := make([]int, len(g.names)), make([]int, len(g.names))
	var order []int // each after all that follow it
	var visit func(n int)
	forward := make([][]int, len(g.names))
	visit = func(n int) {
		state[n] = 1
		for _, to := range g.next[n] {
			if state[to] == 1 {
				continue // closes a cycle
			}
			forward[n] = append(forward[n], to)
			if state[to] == 0 {
				visit(to)
			}
		}
		state[n] = 2
		order = append(order, n)
	}
	for n := range g.names {
		if state[n] == 0 && len(g.before[n]) == 0 {
			visit(n)
		}
	}
	for n := range g.names {
		if state[n] == 0 {
			visit(n)
		}
	}
	deepest := 0
	for _, n := range slices.Backward(order) {
		for _, to := range forward[n] {
			depth[to] = max(depth[to], depth[n]+1)
			deepest = max(deepest, depth[to])
		}
	}
	columns := make([][]int, deepest+1)
	for n, d := range depth {
		columns[d] = append(columns[d], n)
	}
	row := make([]float64, len(g.names))
	for i, column := range columns {
		middle := make(map[int]float64)
		for _, n := range column {
			sum, count := 0.0, 0
			for _, from := range g.before[n] {
				if depth[from] < i {
					sum, count = sum+row[from], count+1
				}
			}
			middle[n] = sum / float64(max(count, 1))
		}
		slices.SortStableFunc(column, func(a, b int) int { return cmp.Compare(middle[a], middle[b]) })
		for at, n := range column {
			row[n] = float64(at)
		}
	}
	return columns
}
