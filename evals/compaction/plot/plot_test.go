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

	"github.com/forayhq/foray/evals/compaction"
	"github.com/google/go-cmp/cmp"
)

// drawn is a report with what pictures are made of: points of both kinds, two that coincide, one that is over budget, a
// name that XML would take for markup, and a budget at which nothing was counted.
func drawn() *compaction.Report {
	r := &compaction.Report{}
	for _, x := range []compaction.Row{
		{Policy: "ladder", Budget: 8_000, Source: "all", Cost: 1_000, LongRangeBare: .5, LongRangeLines: .4, Requests: 1_200, Trajectories: 7},
		{Policy: "lean", Budget: 8_000, Source: "all", Cost: 900, LongRangeBare: .95, LongRangeLines: .7},
		{Policy: "wide", Budget: 8_000, Source: "all", Cost: 900, LongRangeBare: .95, LongRangeLines: .75},
		{Policy: "<a & \"b\">\x00", Budget: 8_000, Source: "all", Cost: 2_500, LongRangeBare: .5, LongRangeLines: 0, Invalid: .01},
		{Policy: "none", Budget: 8_000, Source: "all", Cost: 6_000, LongRangeBare: 1, LongRangeLines: 1, OverBudget: .5},
		{Policy: "elsewhere", Budget: 8_000, Source: "one", Cost: 6_000},
		{Policy: "irreducible", Budget: 8_000, Source: "all"},
		{Policy: "ladder", Budget: 16_000, Source: "all", Cost: 10, LongRangeBare: 1, LongRangeLines: 1},
		{Policy: "lean", Budget: 24_000, Source: "all", Cost: 10},
	} {
		r.Rows = append(r.Rows, x)
		r.Details = append(r.Details, compaction.Detail{LongRange: 80, LongLines: 2_000})
	}
	r.Details[7] = compaction.Detail{}
	return r
}

func drawnTimeline() *compaction.Timeline {
	return &compaction.Timeline{Trajectory: "own/<run>", Budget: 1_000, Tracks: []compaction.Track{
		{Policy: "lean", Requests: []compaction.Request{{Fixed: 100, Digest: 0, Turns: 300, Compacted: false}, {Fixed: 100, Digest: 0, Turns: 850, Compacted: false}, {Fixed: 100, Digest: 200, Turns: 100, Compacted: true}}},
		{Policy: "ladder", Requests: []compaction.Request{{Fixed: 100, Digest: 0, Turns: 0, Compacted: false}}},
		{Policy: "empty"},
	}}
}

func TestPicturesGolden(t *testing.T) {
	pictures := append(Recall(drawn()), Windows(drawnTimeline()))
	again := append(Recall(drawn()), Windows(drawnTimeline()))
	var names []string
	for i, p := range pictures {
		names = append(names, p.Name)
		wellFormed(t, p)
		if !bytes.Equal(p.SVG, again[i].SVG) {
			t.Errorf("%s differs on a second run", p.Name)
		}
		golden(t, "testdata/"+p.Name, string(p.SVG))
	}
	if diff := cmp.Diff([]string{"recall-8000.svg", "recall-16000.svg", "window-1000.svg"}, names); diff != "" {
		t.Error(diff)
	}
	first := string(pictures[0].SVG)
	for what, n := range map[string]int{">lean, wide<": 1, ">lean<": 1, ">none<": 2, "irreducible": 0, "elsewhere": 0, "nothing to recall": 0} {
		if got := strings.Count(first, what); got != n {
			t.Errorf("%q stands %d times in %s, not %d times", what, got, pictures[0].Name, n)
		}
	}
	if got := bytes.Count(pictures[1].SVG, []byte("nothing to recall")); got != 2 {
		t.Errorf("%d panels of nothing say so, not 2", got)
	}
}

func wellFormed(t *testing.T, p Picture) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(p.SVG))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		if start, ok := token.(xml.StartElement); ok {
			for _, a := range start.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("%s: %s has %s=%q", p.Name, start.Name.Local, a.Name.Local, a.Value)
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
