package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/line"
)

// The layout of a picture of recall, in pixels.
const (
	recallWidth  = 1000
	recallHeight = 480
	panelTop     = 88
	panelWidth   = 416
	panelHeight  = 310
	panelPitch   = 496
)

// A Chart is what policies reached at one budget. Identifiers and Lines count what there was to recall.
type Chart struct {
	Budget             int // tokens
	Requests, Runs     int
	Identifiers, Lines int
	Points             []Point
}

// A Point is one policy: what it cost relative to the ladder profile, and the shares that it recalled.
type Point struct {
	Policy             string
	Cost               float64
	Identifiers, Lines float64
	Ours               bool // a profile of foray
	Flawed             bool // some requests are over budget, or break a provider's rule
}

// Recall draws long-range recall against cost, two panels side by side with one point for each policy. It returns the
// name of the file, too.
func Recall(chart *Chart) (name string, svg []byte) {
	c := newCanvas(recallWidth, recallHeight, fmt.Sprintf("Recall against cost, budget %d", chart.Budget))
	c.text(point{marginLeft, 24}, "start", "title",
		fmt.Sprintf("What views hold against what they cost, budget %s tokens", line.Number(chart.Budget)))
	c.text(point{marginLeft, 44}, "start", "note", fmt.Sprintf("%s requests of %d recorded runs; upper left is better",
		line.Number(chart.Requests), chart.Runs))
	for k, of := range []struct {
		what    string
		counted int
		share   func(Point) float64
	}{
		{"Long-range identifiers, without lists", chart.Identifiers, func(p Point) float64 { return p.Identifiers }},
		{"Long-range lines", chart.Lines, func(p Point) float64 { return p.Lines }},
	} {
		marks := chart.marks(of.share)
		p := newPanel(c, box{float64(marginLeft + k*panelPitch), panelTop, panelWidth, panelHeight}, marks)
		p.text(point{p.x, p.y - 14}, "start", "head", fmt.Sprintf("%s: share of %s", of.what, line.Number(of.counted)))
		p.draw(marks, of.counted > 0)
	}
	legend(c)
	return fmt.Sprintf("recall-%d.svg", chart.Budget), c.close()
}

// marks returns the marks of all policies.
func (c *Chart) marks(share func(Point) float64) []mark {
	all := make([]mark, len(c.Points))
	for i, p := range c.Points {
		all[i] = mark{names: []string{p.Policy}, cost: p.Cost, share: share(p), class: "theirs", hollow: p.Flawed}
		if p.Ours {
			all[i].class = "ours"
		}
	}
	return all
}

func legend(c *canvas) {
	const y = recallHeight - 16
	x := float64(marginLeft)
	for _, entry := range []struct{ class, text string }{
		{"ours", "profile of foray"}, {"theirs", "baseline"},
		{"theirs hollow", "hollow: some requests are over budget, or break a provider's rule"},
	} {
		c.dot(point{x, y - 4}, entry.class)
		c.text(point{x + 12, y}, "start", "", entry.text)
		x += 12 + glyph*float64(len(entry.text)) + 30
	}
}

// A mark is a point with the policies at it.
type mark struct {
	names       []string
	cost, share float64
	class       string
	hollow      bool
}

// A panel plots shares, from 0 to 1, against costs on a logarithmic scale.
type panel struct {
	*canvas
	box
	low, high float64 // of costs
}

func newPanel(c *canvas, frame box, marks []mark) panel {
	p := panel{c, frame, .7, 1.5}
	for _, m := range marks {
		p.low, p.high = min(p.low, m.cost/1.35), max(p.high, m.cost*1.35)
	}
	return p
}

func (p panel) at(cost, share float64) point {
	return point{p.x + p.w*math.Log(cost/p.low)/math.Log(p.high/p.low), p.y + p.h*(1-share/1.04)}
}

func (p panel) draw(marks []mark, counted bool) {
	for i := range 6 {
		at := p.at(p.low, float64(i)/5)
		p.line(at, point{p.x + p.w, at.y}, "grid")
		p.text(point{p.x - 8, at.y + 4}, "end", "", fmt.Sprintf("%.1f", float64(i)/5))
	}
	for _, v := range p.costs() {
		at := p.at(v, 0)
		p.line(point{at.x, p.y}, at, "grid")
		p.text(point{at.x, at.y + 18}, "middle", "", fmt.Sprintf("%g×", v))
	}
	p.line(p.at(p.low, 0), p.at(p.high, 0), "axis")
	p.text(point{p.x + p.w/2, p.y + p.h + 38}, "middle", "note", "cost, relative to ladder")
	if !counted {
		p.text(point{p.x + p.w/2, p.y + p.h/2}, "middle", "note", "nothing to recall")
		return
	}
	p.label(p.merged(marks))
}

// costs returns the ticks: powers of two, and 1.5 times these while the range is small.
func (p panel) costs() []float64 {
	var ticks []float64
	for v := .0625; v < p.high; v *= 2 {
		for _, t := range []float64{v, 1.5 * v} {
			if t > p.low && t < p.high && (t == v || p.high/p.low < 6) {
				ticks = append(ticks, t)
			}
		}
	}
	return ticks
}

// merged joins marks that would hide each other, from left to right.
func (p panel) merged(marks []mark) []mark {
	var all []mark
	for _, m := range marks {
		at := p.at(m.cost, m.share)
		i := slices.IndexFunc(all, func(o mark) bool {
			other := p.at(o.cost, o.share)
			return math.Hypot(at.x-other.x, at.y-other.y) < 3 && o.class == m.class && o.hollow == m.hollow
		})
		if i < 0 {
			m.names = slices.Clone(m.names)
			all = append(all, m)
		} else {
			all[i].names = append(all[i].names, m.names...)
		}
	}
	slices.SortStableFunc(all,
		func(a, b mark) int { return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(b.share, a.share)) })
	return all
}

// label draws marks with their names. A name is next to its mark, moved as far as needed to stay readable.
func (p panel) label(marks []mark) {
	var taken []box
	for _, m := range marks {
		at := p.at(m.cost, m.share)
		taken = append(taken, box{at.x - 6, at.y - 6, 12, 12})
	}
	for _, m := range marks {
		at, text := p.at(m.cost, m.share), strings.Join(m.names, ", ")
		place, anchor := p.place(at, glyph*float64(len([]rune(text))), taken)
		taken = append(taken, place)
		if near := (point{min(max(at.x, place.x), place.x+place.w), place.y + place.h/2}); math.Abs(near.y-at.y) > 16 {
			p.line(at, near, "lead")
		}
		x := place.x + place.w*map[string]float64{"start": 0, "middle": .5, "end": 1}[anchor]
		p.text(point{x, place.y + 11}, anchor, m.class, text)
	}
	for _, m := range marks {
		class := m.class
		if m.hollow {
			class += " hollow"
		}
		p.dot(p.at(m.cost, m.share), class)
	}
}

// sides are the places of a name relative to its mark: the origin of its box, in widths and in pixels, and its text
// anchor.
var sides = []struct {
	widths, pixels float64
	anchor         string
}{{0, 9, "start"}, {-1, -9, "end"}, {-.5, 0, "middle"}}

// place returns the nearest free box for a name next to a point, or the one that hides least. It ignores gains of
// less than a pixel.
func (p panel) place(at point, width float64, taken []box) (best box, anchor string) {
	const height = 14
	least := math.Inf(1)
	for _, off := range []float64{0, -9, 9, -18, 18, -30, 30, -44, 44, -60, 60} {
		for _, side := range sides {
			if side.anchor == "middle" && math.Abs(off) < 14 {
				continue
			}
			b := box{at.x + side.widths*width + side.pixels, at.y - height/2 + off, width, height}
			hidden := b.area() - b.overlap(box{p.x, p.y - 6, p.w, p.h + 6})
			for _, t := range taken {
				hidden += b.overlap(t)
			}
			if hidden < least-1 {
				best, anchor, least = b, side.anchor, hidden
			}
		}
	}
	return best, anchor
}
