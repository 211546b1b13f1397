package compaction

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// drawn is a report with what pictures are made of: points of both kinds, two that coincide, one that is over budget, a
// name that XML would take for markup, and a budget at which nothing was counted.
func drawn() *Report {
	r := &Report{}
	for _, x := range []Row{
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
		r.Details = append(r.Details, Detail{LongRange: 80, LongLines: 2_000})
	}
	r.Details[7] = Detail{}
	return r
}

func drawnTimeline() *Timeline {
	return &Timeline{Trajectory: "own/<run>", Budget: 1_000, Tracks: []Track{
		{Policy: "lean", Requests: []Request{{100, 0, 300, false}, {100, 0, 850, false}, {100, 200, 100, true}}},
		{Policy: "ladder", Requests: []Request{{100, 0, 0, false}}},
		{Policy: "empty"},
	}}
}

func TestPicturesGolden(t *testing.T) {
	pictures := append(drawn().Pictures(), drawnTimeline().Picture())
	again := append(drawn().Pictures(), drawnTimeline().Picture())
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
	for what, n := range map[string]int{">lean, wide<": 1, ">lean<": 1, ">none<": 2, "irreducible": 0, "elsewhere": 0, "nothing was referred to": 0} {
		if got := strings.Count(first, what); got != n {
			t.Errorf("%q stands %d times in %s, not %d times", what, got, pictures[0].Name, n)
		}
	}
	if got := bytes.Count(pictures[1].SVG, []byte("nothing was referred to")); got != 2 {
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

// TestFollow holds timelines against what the suite measures on the same trajectory.
func TestFollow(t *testing.T) {
	c, err := Load(t.Context(), "testdata")
	if err != nil {
		t.Fatal(err)
	}
	c.Trajectories = append(c.Trajectories, lengthy())
	for _, id := range []string{"", "own/lengthy"} {
		cfg := Config{Budgets: []int{100_000, 1_000, 500, 50_000}, Counter: &Counters()[0], Split: All}
		line, err := Follow(t.Context(), c, cfg, id)
		if err != nil {
			t.Fatal(err)
		}
		if line.Trajectory != "own/lengthy" || line.Budget != 1_000 || len(line.Tracks) != 2 {
			t.Fatalf("%q: %s at %d, %d tracks", id, line.Trajectory, line.Budget, len(line.Tracks))
		}
		for _, track := range line.Tracks {
			policies, err := Choose(track.Policy)
			if err != nil {
				t.Fatal(err)
			}
			y, err := play(t.Context(), prepare(c.find(line.Trajectory), cfg.Counter), policies[0], line.Budget, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(track.Requests) != y.Requests || track.compactions() != y.Compactions {
				t.Errorf("%s, %s: %d requests, %d compactions; the suite has %d and %d", line.Trajectory, track.Policy,
					len(track.Requests), track.compactions(), y.Requests, y.Compactions)
			}
			sent, recorded := 0, false
			for _, r := range track.Requests {
				sent += r.Fixed + r.Record + r.Rounds
				recorded = recorded || r.Record > 0
			}
			if off := sent - tokens(y.Quarters); off < 0 || off > 3*y.Requests {
				t.Errorf("%s, %s: %d tokens sent, the suite has %d", line.Trajectory, track.Policy, sent, tokens(y.Quarters))
			}
			if !recorded || y.Compactions == 0 {
				t.Errorf("%s never folds %s", track.Policy, line.Trajectory)
			}
		}
	}
}

// lengthy is a run of rounds that do not fit into a window of 1,000 tokens.
func lengthy() *Trajectory {
	run := recordedRun{Messages: []recordedMessage{{Role: "system", Content: "Be brief."}, {Role: "user", Content: "Find the reader."}}}
	for i := range 30 {
		id := fmt.Sprint("c", i)
		run.Messages = append(run.Messages,
			recordedMessage{Role: "assistant", Calls: []recordedCall{{ID: id, Name: "grep", Args: []byte(fmt.Sprintf(`{"pattern":"read_part_%d"}`, i))}}},
			recordedMessage{Role: "tool", CallID: id, Content: strings.Repeat(fmt.Sprintf("src/part_%d.go: func read_part_%d()\n", i, i), 12)})
	}
	t := &Trajectory{ID: "lengthy", Source: "own"}
	t.arrange(run, make(map[string]int))
	return t
}

func TestFollowNothing(t *testing.T) {
	c, err := Load(t.Context(), "testdata")
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Budgets: []int{50_000}, Counter: &Counters()[0], Split: All}
	for _, id := range []string{"", "hand"} {
		if line, err := Follow(t.Context(), c, cfg, id); line != nil || err != nil {
			t.Errorf("%q: %v, %v where nothing counts", id, line, err)
		}
	}
	if _, err := Follow(t.Context(), c, cfg, "missing"); err == nil || c.Has("missing") {
		t.Error("a run that is not there is drawn")
	}
	if !c.Has("hand") {
		t.Error("a run that is there cannot be named")
	}
}
