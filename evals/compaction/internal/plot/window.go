package plot

import (
	"fmt"
	"strconv"

	"github.com/forayhq/foray/internal/line"

	"github.com/forayhq/foray/evals/internal/words"
)

// The layout of a picture of windows, in pixels.
const (
	windowWidth  = 900
	windowTop    = 62  // of the first plot
	windowHeight = 190 // of a plot
	windowPitch  = 250 // from one plot to the next
	windowFoot   = 40
	marginLeft   = 64
	marginRight  = 20
	idRunes      = 60 // of a trajectory's name, beside the title
)

// sectionNames lists the sections of a request from the bottom up, with their style classes.
var sectionNames = []struct{ class, name string }{
	{"fixed", "system prompt and prompt"}, {"record", "digest"}, {"rounds", "turns"},
}

// A Timeline is the window of one run, request by request.
type Timeline struct {
	Run    string // source/id
	Budget int    // tokens
	Tracks []Track
}

// A Track is the window that one policy kept.
type Track struct {
	Policy   string
	Requests []Request
}

// A Request is the size of one request by section, in tokens.
type Request struct {
	Fixed     int // system prompt and prompt
	Digest    int // the digest of evicted turns
	Turns     int // turns
	Compacted bool
}

// Compactions returns how many requests followed a compaction.
func (t *Track) Compactions() int {
	n := 0
	for _, r := range t.Requests {
		if r.Compacted {
			n++
		}
	}
	return n
}

// Windows draws windows over time: the tokens of each request by section, the budget, and the compactions. It
// returns the name of the file, too.
func Windows(t *Timeline) (name string, svg []byte) {
	c := newCanvas(windowWidth, windowTop+len(t.Tracks)*windowPitch+windowFoot-20, "The window over time: "+t.Run)
	c.text(point{marginLeft, 24}, "start", "title",
		fmt.Sprintf("The window over time, budget %s tokens", line.Number(t.Budget)))
	most, top := 1, t.Budget
	for _, track := range t.Tracks {
		most = max(most, len(track.Requests))
		for _, r := range track.Requests {
			top = max(top, r.Fixed+r.Digest+r.Turns)
		}
	}
	for i, track := range t.Tracks {
		frame := box{marginLeft, float64(windowTop + i*windowPitch), windowWidth - marginLeft - marginRight, windowHeight}
		timePlot{c, frame, float64(most), float64(top) * 1.08}.draw(track, t.Budget)
	}
	foot := float64(windowTop + len(t.Tracks)*windowPitch)
	c.text(point{windowWidth - marginRight, 24}, "end", "note", words.FirstRunes(t.Run, idRunes))
	x := float64(marginLeft)
	for _, s := range sectionNames {
		c.rect(box{x, foot - 10, 12, 12}, s.class)
		c.text(point{x + 18, foot}, "start", "", s.name)
		x += 18 + glyph*float64(len(s.name)) + 24
	}
	c.line(point{x, foot - 12}, point{x, foot + 4}, "compacted")
	c.text(point{x + 10, foot}, "start", "", "compaction")
	c.line(point{x + 110, foot - 4}, point{x + 134, foot - 4}, "budget")
	c.text(point{x + 142, foot}, "start", "", "budget")
	return fmt.Sprintf("window-%d.svg", t.Budget), c.close()
}

// A timePlot draws one track into a frame.
type timePlot struct {
	*canvas
	box
	requests, top float64 // ends of the axes
}

func (p timePlot) at(request, tokens float64) point {
	return point{p.x + p.w*request/p.requests, p.y + p.h*(1-tokens/p.top)}
}

func (p timePlot) draw(track Track, budget int) {
	sent := 0
	for _, r := range track.Requests {
		sent += r.Fixed + r.Digest + r.Turns
	}
	p.text(point{p.x, p.y - 8}, "start", "head", track.Policy)
	p.text(point{p.x + p.w, p.y - 8}, "end", "note", fmt.Sprintf("%d requests, %d compactions, %s tokens sent",
		len(track.Requests), track.Compactions(), line.Number(sent)))
	for v, d := 0.0, step(p.top, 6); v <= p.top; v += d {
		at := p.at(0, v)
		p.line(at, point{p.x + p.w, at.y}, "grid")
		p.text(point{p.x - 8, at.y + 4}, "end", "", line.Number(int(v)))
	}
	p.areas(track.Requests)
	for i, r := range track.Requests {
		if r.Compacted {
			p.line(p.at(float64(i), 0), p.at(float64(i), p.top), "compacted")
		}
	}
	p.line(p.at(0, float64(budget)), p.at(p.requests, float64(budget)), "budget")
	p.line(p.at(0, 0), p.at(p.requests, 0), "axis")
	for v, d := 0.0, step(p.requests, 10); v <= p.requests; v += d {
		at := p.at(v, 0)
		p.line(at, point{at.x, at.y + 4}, "axis")
		p.text(point{at.x, at.y + 17}, "middle", "", strconv.Itoa(int(v)))
	}
	p.text(point{p.x + p.w, p.y + p.h + 32}, "end", "note", "requests")
}

// areas stacks the sections. Each request is a step, because nothing lies between two requests.
func (p timePlot) areas(requests []Request) {
	for s := len(sectionNames) - 1; s >= 0; s-- {
		start := p.at(0, 0)
		fmt.Fprintf(p, `<path class="%s" d="M%s %s`, sectionNames[s].class, px(start.x), px(start.y))
		for i, r := range requests {
			top := 0
			for _, tokens := range []int{r.Fixed, r.Digest, r.Turns}[:s+1] {
				top += tokens
			}
			end := p.at(float64(i+1), float64(top))
			fmt.Fprintf(p, "V%sH%s", px(end.y), px(end.x))
		}
		fmt.Fprintf(p, "V%sZ\"/>\n", px(start.y))
	}
}
