package explore

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/forayhq/foray/agent"
)

// drawSteps draws the steps of a run, as a model of no good will makes them.
func drawSteps(t *rapid.T) []agent.Step {
	kinds := rapid.SampledFrom([]func(int) agent.Step{
		readNew, searchNew,
		func(int) agent.Step { return again },
		func(int) agent.Step { return text },
		func(int) agent.Step { return submitted },
		func(int) agent.Step { return planText },
		func(int) agent.Step { return agent.Step{Text: "1. first\n2. second\n3. third?"} },
		func(int) agent.Step { return called(call("plan", `{"steps":["a b","c d"]}`, "ok"), again.Calls[0]) },
		func(int) agent.Step { return called(call("search", `{"patterns":["a","b"]}`, "a.go (1 hit)\n  3: a")) },
	})
	var s script
	for range rapid.IntRange(0, 70).Draw(t, "steps") {
		s = append(s, kinds.Draw(t, "kind")(rapid.IntRange(0, 9).Draw(t, "which")))
	}
	return numberedSteps(rapid.IntRange(-1, 40).Draw(t, "limit"), s)
}

func drawOptions(t *rapid.T) *Options {
	n := func(name string) int { return rapid.IntRange(-1, 30).Draw(t, name) }
	return &Options{Steps: n("steps"), SearchSteps: n("searches"), Submissions: n("submissions"), SoftSubmissions: n("soft"), Idle: n("idle"), Grace: n("grace")}
}

func moves(g *Guide, steps []agent.Step) []agent.Move {
	all := make([]agent.Move, 0, len(steps))
	for _, s := range steps {
		all = append(all, g.Next(s))
	}
	return all
}

// The same steps give the same moves; a guide that goes on after a resume gives those that the first would have given, also
// when the steps were written and read; and every run ends by the guide's own limit, and stays ended.
func TestGuideIsAFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan := plans()[rapid.IntRange(0, len(plans())-1).Draw(t, "plan")]
		o, steps := drawOptions(t), drawSteps(t)
		whole := New(plan, o)
		all := moves(whole, steps)
		if diff := cmp.Diff(all, moves(New(plan, o), steps)); diff != "" {
			t.Fatalf("the same steps: %s", diff)
		}
		at := rapid.IntRange(0, len(steps)).Draw(t, "at")
		resumed := New(plan, o)
		moves(resumed, rewritten(t, steps[:at]))
		if diff := cmp.Diff(all[at:], moves(resumed, steps[at:])); diff != "" {
			t.Fatalf("resumed after %d: %s", at, diff)
		}
		if diff := cmp.Diff(whole.Firings(), resumed.Firings(), cmpopts.EquateEmpty()); diff != "" || whole.Quality() != resumed.Quality() {
			t.Fatalf("resumed after %d: %s%v %v", at, diff, whole.Quality(), resumed.Quality())
		}
		own := o.withDefaults().Steps
		for i, m := range all {
			if i >= own && !m.Stop || i > 0 && all[i-1].Stop && !m.Stop {
				t.Fatalf("move %d of a guide of %d steps: %+v", i, own, m)
			}
			if m.Stop == (m.Status != "") || m.Stop && m.Nudge != "" {
				t.Fatalf("move %d: %+v", i, m)
			}
		}
		if q := whole.Quality(); q.Score < 0 || q.Score > 100 || q.Score != q.Depth+q.Breadth+q.Evidence+q.Coherence || max(q.Depth, q.Breadth, q.Evidence, q.Coherence) > 25 {
			t.Fatalf("%v", q)
		}
	})
}

func rewritten(t *rapid.T, steps []agent.Step) []agent.Step {
	raw, err := json.Marshal(steps)
	if err != nil {
		t.Fatal(err)
	}
	var again []agent.Step
	if err := json.Unmarshal(raw, &again); err != nil {
		t.Fatal(err)
	}
	return again
}

// Whatever a step holds, the guide takes it, moves as before when it is given again, and ends.
func FuzzNext(f *testing.F) {
	f.Add([]byte(`[{"number":0,"limit":24},{"number":1,"calls":[{"name":"search","args":{"patterns":["a"]},"result":"{\"items\":[{\"path\":\"a.go\"}]}"}]}]`))
	f.Add([]byte(`[{},{"number":-3,"limit":-9},{"number":99999999999,"text":"1. a\n2. b\n1) c"},{"number":1,"calls":[{"name":"plan","args":{"plan":[{"content":"x"},3,null]}}]}]`))
	f.Add([]byte(`[{"number":1,"calls":[{"name":"read_file","args":"no"},{"name":"submit_finding","failed":true}]}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var steps []agent.Step
		if json.Unmarshal(raw, &steps) != nil || len(steps) > 200 {
			t.Skip()
		}
		for _, p := range plans() {
			one, two := New(p, nil), New(p, nil)
			if diff := cmp.Diff(moves(one, steps), moves(two, steps)); diff != "" {
				t.Fatal(diff)
			}
			for n := range defaultSteps + 1 {
				if m := one.Next(agent.Step{Number: n + 1}); m.Stop {
					return
				}
			}
			t.Fatalf("%s does not end", p.Name)
		}
	})
}

func TestPlanOfAText(t *testing.T) {
	for text, want := range map[string][]string{
		"1. read the parser\n2. read the lexer":          {"read the parser", "read the lexer"},
		"Plan:\n  1) one thing\n  2) another\nthen more": {"one thing", "another"},
		"1. only one": nil,
		"1. which file is meant?\n2. and which line?":                 nil,
		"1. 哪个文件？\n2. 读取解析器\n3. 读取打印器":                                {"读取解析器", "读取打印器"},
		"**1. bold**\n**2. as well**":                                 {"bold", "as well"},
		"1. old one\n2. old two\nBetter:\n1. new one\n2. new two":     {"new one", "new two"},
		"in 2024. things\n12 apples":                                  nil,
		"- not\n- numbered":                                           nil,
		"1.no space\n2.no space":                                      nil,
		"It takes\n1. a question?\n2. a real point\n3. another point": {"a real point", "another point"},
	} {
		if diff := cmp.Diff(want, planOf(agent.Step{Text: text}, "plan")); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	for args, want := range map[string][]string{
		`{"plan":["a","b"]}`: {"a", "b"},
		`{"todos":[{"content":"x","status":"open"},{"content":"y"},{"no":"text"}]}`: {"x", "y"},
		`{"steps":"1. not an array"}`: nil,
		`[]`:                          nil,
		`{"plan":[]}`:                 nil,
	} {
		got := planOf(called(call("plan", args, "ok")), "plan")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", args, diff)
		}
	}
}

// A run is measured against what should be done by now, and not against the whole plan.
func TestDeviationIsFromTheExpectedProgress(t *testing.T) {
	plan := agent.Step{Text: "1. look at the parser\n2. look at the printer\n3. look at the lexer\n4. look at the linker"}
	for name, test := range map[string]struct {
		steps script
		off   int
	}{
		"one of four after two steps": {script{plan, parsed("parser"), readNew(1)}, 0},
		"two of four after six steps": {join(script{plan, parsed("parser"), parsed("printer")}, each(4, readNew)), 0},
		"none after six steps":        {join(script{plan}, each(6, readNew)), 4},
		"caught up":                   {join(script{plan}, each(6, readNew), script{parsed("parser"), parsed("linker")}), 0},
		"a new plan":                  {join(script{plan}, each(6, readNew), script{plan}), 0},
	} {
		g, _ := play(Analyst(), &Options{Steps: 20}, 20, test.steps)
		if g.state.plan.lag != test.off {
			t.Errorf("%s: %d steps of lag, want %d", name, g.state.plan.lag, test.off)
		}
	}
}

// What counts as new, call by call.
func TestNewInformation(t *testing.T) {
	jsonHits := `{"items":[{"path":"a.go","matches":[{"line":1}]},{"path":"b.go"}],"total":2}`
	textHits := "a.go (2 hits)\n  3: x\nc/d.go (1 hit)\n  9: y\n2 of 2 hits in 2 files"
	var counted coverage
	for i, test := range []struct {
		name, args, result string
		fresh              int
	}{
		{"list_dir", `{}`, "a.go", 1},
		{"list_dir", `{"path":"."}`, "a.go", 0},
		{"list_dir", `{"path":"src/"}`, "b.go", 1},
		{"list_dir", `{"path":"./src"}`, "b.go", 0},
		{"search", `{"pattern":"x"}`, jsonHits, 3},
		{"search", `{"pattern":"x"}`, textHits, 1},
		{"search", `{"patterns":["x","y"]}`, "", 1},
		{"glob", `{"pattern":"*.md"}`, `{"items":["README.md","a.go"]}`, 2},
		{"grep", `{"pattern":"none"}`, "src/e.go:12: text\nno path here\n", 2},
		{"read_file", `{"path":"a.go"}`, "text", 1},
		{"read_file", `{"path":"./a.go"}`, "text", 0},
		{"read_file", `{"path":"a.go","start_line":400}`, "text", 1},
		{"read_file", `{"paths":["a.go","z.go"]}`, "text", 1},
		{"weather", `{"place":"x", "day":1}`, "sun", 1},
		{"weather", `{"day":1,"place":"x"}`, "rain", 0},
		{"weather", `not json`, "?", 1},
		{"read_working_memory", `{"id":"s2.1"}`, "a\n[lines 1-1 of 2 of s2.1; next: start_line=2]\n", 1},
		{"read_working_memory", `{"id":"s2.1"}`, "b\n[lines 2-2 of 2 of s2.1; end of s2.1]\n", 1},
		{"read_working_memory", `{"id":"s2.1","start_line":2}`, "b\n[lines 2-2 of 2 of s2.1; end of s2.1]\n", 0},
	} {
		if got := counted.add(call(test.name, test.args, test.result)); got != test.fresh {
			t.Errorf("%d: %s %s: %d new, want %d", i, test.name, test.args, got, test.fresh)
		}
	}
	failed := call("search", `{"pattern":"never"}`, "d.go (1 hit)")
	failed.Failed = true
	if counted.add(failed) != 0 {
		t.Error("a failed call told something")
	}
	g, _ := play(Producer(), nil, 24, times(3, submitted))
	if g.state.stale != 3 {
		t.Errorf("submissions are new information: %d stale steps of 3", g.state.stale)
	}
}

// More looking, more evidence and a plan that is kept make an exploration better.
func TestQuality(t *testing.T) {
	found := called(call("search", `{"patterns":["a","b","c","d","e","f","g","h"]}`, "a/f0.go (1 hit)\nb/f1.go (1 hit)\nc/f2.go (1 hit)\nd/f3.go (1 hit)\nd/f4.go (1 hit)\nd/f5.go (1 hit)"))
	reads := called(call("read_file", `{"paths":["a/f0.go","b/f1.go","c/f2.go","d/f3.go","d/f4.go","d/f5.go"]}`, "text"))
	answer := agent.Step{Text: "It is so [a/f0.go:1], [b/f1.go:2-4], [c/f2.go:3], [d/f3.go:9] and [d/f4.go:1]."}
	invented := agent.Step{Text: "It is so [no/such.go:1], [b/f1.go:2]."}
	score := func(s ...agent.Step) Quality { return Assess(numberedSteps(24, s), nil) }
	best := score(found, reads, answer)
	if best.Depth != 25 || best.Breadth != 25 || best.Evidence != 25 || best.Coherence < 15 || best.Score < 90 {
		t.Errorf("a whole exploration: %v", best)
	}
	if q := score(found, reads, invented); q.Evidence >= 5 || q.Score >= best.Score {
		t.Errorf("an invented citation: %v", q)
	}
	if q := score(text); q.Score != 0 {
		t.Errorf("nothing but a text: %v", q)
	}
	if q := score(found, again, again, again, answer); q.Depth != 0 || q.Coherence >= 10 || q.Score >= best.Score-25 {
		t.Errorf("nothing read: %v", q)
	}
	if q := Assess(nil, nil); q != (Quality{}) {
		t.Errorf("no steps: %v", q)
	}
}

// TestUnread names files that the guide knows and no call has read: those it was given, then those that searches found.
func TestUnread(t *testing.T) {
	g := New(Analyst(), &Options{Places: []string{"best.go", "./read.go"}})
	g.Next(agent.Step{})
	if got := fmt.Sprint(g.unread()); got != "[best.go read.go]" {
		t.Error(got)
	}
	g.Next(agent.Step{Number: 1, Calls: []agent.StepCall{
		{Name: "search", Args: json.RawMessage(`{"pattern":"x"}`), Result: "found.go (2 hits)\nread.go:3: x\nlast.go:9: x\nmore.go:1: x\n"},
		{Name: "read_file", Args: json.RawMessage(`{"path":"read.go"}`), Result: "x"},
	}})
	if got := fmt.Sprint(g.unread()); got != "[best.go found.go last.go]" {
		t.Error(got)
	}
}
