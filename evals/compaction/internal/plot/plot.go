// Package plot draws what the compaction suite measures as SVG: recall against cost, and windows over time. Equal
// figures give equal bytes.
//
// Start with [Recall] and [Windows].
package plot

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
)

// style applies to all pictures. Sizes are in pixels at the natural width of a picture.
const style = `text{font-family:"DejaVu Sans",Verdana,sans-serif;font-size:12px;fill:#222}
.title{font-size:16px;font-weight:bold}.head{font-size:13px;font-weight:bold}.note{fill:#555}
.grid{stroke:#e3e3e3}.axis{stroke:#666}.lead{stroke:#aaa;stroke-width:.8}
.ours{fill:#1f5fbf;stroke:#1f5fbf}.theirs{fill:#c2611f;stroke:#c2611f}text.ours,text.theirs{stroke:none}
circle{stroke-width:1.8}circle.hollow{fill:#fff}
.fixed{fill:#7d8ca3}.record{fill:#e3a53c}.rounds{fill:#a9cdea}
.budget{stroke:#b3202c;stroke-width:1.5}text.budget{fill:#b3202c;stroke:none}` +
	`.compacted{stroke:#333;stroke-width:1;stroke-dasharray:3 2}`

// glyph is the average width of a character in a label, in pixels, rounded up.
const glyph = 7.0

// A canvas collects the elements of a picture.
type canvas struct{ bytes.Buffer }

func newCanvas(width, height int, title string) *canvas {
	c := &canvas{}
	fmt.Fprintf(c, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`+"\n",
		width, height, width, height)
	fmt.Fprintf(c, "<title>%s</title>\n<style>%s</style>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
		escaped(title), style, width, height)
	return c
}

// close ends the picture and returns it.
func (c *canvas) close() []byte {
	c.WriteString("</svg>\n")
	return c.Bytes()
}

// text draws a text on a baseline; anchor is start, middle or end.
func (c *canvas) text(at point, anchor, class, text string) {
	fmt.Fprintf(c, `<text x="%s" y="%s" text-anchor="%s" class="%s">%s</text>`+"\n", px(at.x), px(at.y), anchor, class,
		escaped(text))
}

func (c *canvas) line(from, to point, class string) {
	fmt.Fprintf(c, `<line x1="%s" y1="%s" x2="%s" y2="%s" class="%s"/>`+"\n", px(from.x), px(from.y), px(to.x), px(to.y),
		class)
}

func (c *canvas) dot(at point, class string) {
	fmt.Fprintf(c, `<circle cx="%s" cy="%s" r="4.5" class="%s"/>`+"\n", px(at.x), px(at.y), class)
}

func (c *canvas) rect(b box, class string) {
	fmt.Fprintf(c, `<rect x="%s" y="%s" width="%s" height="%s" class="%s"/>`+"\n", px(b.x), px(b.y), px(b.w), px(b.h),
		class)
}

type point struct{ x, y float64 }

// A box has its origin in the upper left corner.
type box struct{ x, y, w, h float64 }

// overlap returns the area that two boxes share.
func (b box) overlap(o box) float64 {
	w := min(b.x+b.w, o.x+o.w) - max(b.x, o.x)
	h := min(b.y+b.h, o.y+o.h) - max(b.y, o.y)
	return max(w, 0) * max(h, 0)
}

func (b box) area() float64 { return b.w * b.h }

// px formats a coordinate.
func px(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

func escaped(s string) string {
	var b bytes.Buffer
	// Writing to a bytes.Buffer cannot fail.
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}

// step returns the distance of ticks, 1, 2 or 5 times a power of ten, so that at most that many fit a span.
func step(span float64, most int) float64 {
	for unit := 1.0; ; unit *= 10 {
		for _, n := range []float64{1, 2, 5} {
			if span/(n*unit) <= float64(most) {
				return n * unit
			}
		}
	}
}
