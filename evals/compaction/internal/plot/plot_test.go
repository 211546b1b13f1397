package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// drawn are charts with what pictures are made of: points of both kinds, two that coincide, one that is over budget, a
// name that XML would take for markup, and a budget at which nothing was counted.
func drawn() []*Chart {
	return []*Chart{
		{Budget: 8_000, Requests: 1_200, Runs: 7, Identifiers: 80, Lines: 2_000, Points: []Point{
			{Policy: "ladder", Cost: 1, Identifiers: .5, Lines: .4, Ours: true},
			{Policy: "lean", Cost: .9, Identifiers: .95, Lines: .7, Ours: true},
			{Policy: "wide", Cost: .9, Identifiers: .95, Lines: .75, Ours: true},
			{Policy: "<a & \"b\">\x00", Cost: 2.5, Identifiers: .5, Flawed: true},
			{Policy: "none", Cost: 6, Identifiers: 1, Lines: 1, Flawed: true},
		}},
		{Budget: 16_000, Points: []Point{{Policy: "ladder", Cost: 1, Identifiers: 1, Lines: 1, Ours: true}}},
	}
}

// A picture is one SVG file.
type picture struct {
	name string
	svg  []byte
}

func draw() (all []picture) {
	for _, c := range drawn() {
		name, svg := Recall(c)
		all = append(all, picture{name, svg})
	}
	name, svg := Windows(drawnTimeline())
	return append(all, picture{name, svg})
}

func drawnTimeline() *Timeline {
	return &Timeline{Run: "own/<run>", Budget: 1_000, Tracks: []Track{
		{Policy: "lean", Requests: []Request{{Fixed: 100, Digest: 0, Turns: 300, Compacted: false}, {Fixed: 100, Digest: 0, Turns: 850, Compacted: false}, {Fixed: 100, Digest: 200, Turns: 100, Compacted: true}}},
		{Policy: "ladder", Requests: []Request{{Fixed: 100, Digest: 0, Turns: 0, Compacted: false}}},
		{Policy: "empty"},
	}}
}

func TestPicturesGolden(t *testing.T) {
	pictures, again := draw(), draw()
	var names []string
	for i, p := range pictures {
		names = append(names, p.name)
		wellFormed(t, p)
		if !bytes.Equal(p.svg, again[i].svg) {
			t.Errorf("%s differs on a second run", p.name)
		}
		golden(t, "testdata/"+p.name, string(p.svg))
	}
	if diff := cmp.Diff([]string{"recall-8000.svg", "recall-16000.svg", "window-1000.svg"}, names); diff != "" {
		t.Error(diff)
	}
	first := string(pictures[0].svg)
	for what, n := range map[string]int{">lean, wide<": 1, ">lean<": 1, ">none<": 2, "nothing to recall": 0} {
		if got := strings.Count(first, what); got != n {
			t.Errorf("%q stands %d times in %s, not %d times", what, got, pictures[0].name, n)
		}
	}
	if got := bytes.Count(pictures[1].svg, []byte("nothing to recall")); got != 2 {
		t.Errorf("%d panels of nothing say so, not 2", got)
	}
}

func wellFormed(t *testing.T, p picture) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(p.svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		if start, ok := token.(xml.StartElement); ok {
			for _, a := range start.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("%s: %s has %s=%q", p.name, start.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
	}
}

// TestNamesDoNotOverlap crowds a panel as much as fifteen policies do.
func TestNamesDoNotOverlap(t *testing.T) {
	p := newPanel(newCanvas(recallWidth, recallHeight, ""), box{marginLeft, panelTop, panelWidth, panelHeight}, []mark{{cost: 8}})
	var taken, names []box
	for i := range 15 {
		at := p.at(1+float64(i%4)/3, .9-float64(i)/60)
		name, _ := p.place(at, 60, taken)
		for j, other := range names {
			if name.overlap(other) > name.area()/10 {
				t.Errorf("name %d hides name %d", i, j)
			}
		}
		if inside := name.overlap(box{p.x, p.y - 6, p.w, p.h + 6}); inside < name.area()-1 {
			t.Errorf("name %d is outside", i)
		}
		taken, names = append(taken, box{at.x - 6, at.y - 6, 12, 12}, name), append(names, name)
	}
}

var update = flag.Bool("update", false, "rewrite the goldens")

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-update rewrites it):\n%s", file, diff)
	}
}
