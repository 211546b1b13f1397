package compare

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/evals/trial"
)

// gateRuns are a good run, a worse one, one that ended early and one with a torn line.
var gateRuns = map[string]run{
	"good":   {set: "s", hash: "1", subjects: [][2]string{{"rules", words("+", 36, "-", 4)}}},
	"worse":  {set: "s", hash: "1", subjects: [][2]string{{"rules", words("+", 24, "-", 16)}}},
	"early":  {set: "s", hash: "1", subjects: [][2]string{{"rules", words("+", 30, ".", 10)}}},
	"torn":   {set: "s", hash: "1", subjects: [][2]string{{"rules", words("+", 40)}}, broken: "{\n"},
	"trials": {set: "s", hash: "1", subjects: [][2]string{{"rules", "++- +++ P++ ---"}, {"lean", "+++ +++ +++ +++"}}},
}

// Each gate fails on one side of its bound and holds on the other.
func TestCheck(t *testing.T) {
	names := []string{"good", "worse", "early", "torn", "trials"}
	loaded := load(t, gateRuns, names...)
	of := func(name string) *Results { return loaded[slices.Index(names, name)] }
	for _, c := range []struct {
		run   string
		gates Gates
		want  string // of each finding: subject, gate and whether it held
	}{
		{"good", Gates{Pass: new(.9)}, "rules --min-pass 0.9 true"},
		{"good", Gates{Pass: new(.91)}, "rules --min-pass 0.91 false"},
		{"good", Gates{Score: new(.9)}, "rules --min-score 0.9 true"},
		{"good", Gates{Score: new(.95)}, "rules --min-score 0.95 false"},
		{"good", Gates{Cost: new(.009)}, "rules --max-cost 0.009 false"},
		{"good", Gates{Cost: new(.011)}, "rules --max-cost 0.011 true"},
		{"good", Gates{Seconds: new(1.)}, "rules --max-seconds 1 false"},
		{"good", Gates{Seconds: new(1.1)}, "rules --max-seconds 1.1 true"},
		{"worse", Gates{Tags: []TagGate{{"easy", .6}, {"hard", .61}}}, "rules --min-tag easy=0.6 true, rules --min-tag hard=0.61 false"},
		{"worse", Gates{Baseline: of("good")}, "rules --baseline good false"},
		{"good", Gates{Baseline: of("worse")}, "rules --baseline worse true"},
		{"early", Gates{Pass: new(.9)}, "rules complete false, rules --min-pass 0.9 true"},
		{"torn", Gates{Pass: new(.9)}, "rules complete false, rules --min-pass 0.9 true"},
		{"trials", Gates{Pass: new(.9)}, "rules --min-pass 0.9 false, lean --min-pass 0.9 true"},
		{"trials", Gates{Pass: new(.9), Subjects: []string{"lean"}}, "lean --min-pass 0.9 true"},
	} {
		found, err := Check(t.Context(), of(c.run), c.gates)
		if err != nil {
			t.Errorf("%s: %v", c.run, err)
		}
		var got []string
		for _, f := range found {
			got = append(got, fmt.Sprintf("%s %s %t", f.Subject, f.Gate, f.Held))
			if f.Text == "" {
				t.Errorf("%s: no figure for %s", c.run, f.Gate)
			}
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: found %q, want %q", c.run, s, c.want)
		}
	}
	if _, err := Check(t.Context(), of("good"), Gates{Tags: []TagGate{{"eesy", 1}}}); err == nil ||
		!strings.Contains(err.Error(), `no task of rules has the tag "eesy"; there are: easy, hard`) {
		t.Errorf("an unknown tag: %v", err)
	}
}

// A baseline of other tasks says how few it was compared on.
func TestBaselineOfOtherTasks(t *testing.T) {
	all := words("+", 6)
	runs := map[string]run{
		"before": {set: "s", hash: "1", subjects: [][2]string{{"rules", all}}},
		"after": {set: "s", hash: "2", subjects: [][2]string{{"rules", all + "+"}},
			prompts: map[string]string{"t01": " now", "t03": " now"}},
	}
	loaded := load(t, runs, "before", "after")
	found, err := Check(t.Context(), loaded[1], Gates{Baseline: loaded[0]})
	const want = " The baseline lacks 1 task: t07. 2 tasks have changed since the baseline and do not count: t01, t03."
	if err != nil || len(found) != 1 || !found[0].Held || !strings.HasSuffix(found[0].Text, want) {
		t.Errorf("%v, %+v, want one that ends:%s", err, found, want)
	}
}

// What is written is what an XML parser reads, also of texts that XML cannot hold.
func TestWriteJUnit(t *testing.T) {
	r := load(t, gateRuns, "trials")[0]
	failed := slices.IndexFunc(r.Rows, func(row trial.Row) bool { return row.Task == "t01" && !row.Passed })
	r.Rows[failed].Checks[0].Why = "<b>\x01&\"]]>"
	found, err := Check(t.Context(), r, Gates{Pass: new(.9)})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := WriteJUnit(&b, r, nil, found); err != nil {
		t.Fatal(err)
	}
	var read junitSuites
	if err := xml.Unmarshal([]byte(b.String()), &read); err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	if len(read.Suites) != 2 || read.Suites[0].Name != "rules" || read.Suites[1].Name != "lean" {
		t.Fatalf("suites: %+v", read.Suites)
	}
	s := read.Suites[0]
	if s.Tests != 5 || s.Failures != 3 || s.Errors != 1 || s.Cases[0].Failure == nil || s.Cases[0].Class != "gate" {
		t.Errorf("%d tests, %d failures, %d errors in\n%s", s.Tests, s.Failures, s.Errors, b.String())
	}
	if got := s.Cases[1].Failure; got == nil || got.Type != "wrong" || !strings.HasPrefix(got.Message, "2 of 3 trials passed: contains: <b>") {
		t.Errorf("the first task: %+v", got)
	}
	if got := s.Cases[3].Error; got == nil || got.Type != "provider" || !strings.Contains(got.Text, "trial 1: provider: 503 overloaded") {
		t.Errorf("the third task: %+v", got)
	}
	if s := read.Suites[1]; s.Tests != 5 || s.Failures+s.Errors != 0 {
		t.Errorf("lean: %+v", s)
	}
}

// A subject that was to run and has no result fails, in the findings and in the XML.
func TestCheckWithoutResults(t *testing.T) {
	r := load(t, gateRuns, "good")[0]
	r.Info.Subjects = append(r.Info.Subjects, "lean")
	found, err := Check(t.Context(), r, Gates{Pass: new(.5)})
	if err != nil || len(found) != 2 || found[1].Subject != "lean" || found[1].Held {
		t.Fatalf("found %+v, %v", found, err)
	}
	var b strings.Builder
	if err := WriteJUnit(&b, r, nil, found); err != nil || !strings.Contains(b.String(), `<testsuite name="lean" tests="1" failures="1"`) {
		t.Errorf("%v in\n%s", err, b.String())
	}
}

// 55 of 100 are .55, though .55 × 100 is more than 55 in floating point.
func TestRateAtItsBound(t *testing.T) {
	c := checker{e: &entrant{}}
	c.rate("g", "", 55, 100, .55)
	if !c.found[0].Held {
		t.Errorf("%+v", c.found[0])
	}
}

// A task that names a tag twice counts once.
func TestTagTwice(t *testing.T) {
	r := load(t, gateRuns, "good")[0]
	for i := range r.Rows {
		r.Rows[i].Tags = []string{"same", "same"}
	}
	report, err := Of(t.Context(), []*Results{r, r}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Tags) != 1 || report.Tags[0].Tasks != 40 || report.Tags[0].Trials != 40 {
		t.Errorf("%+v", report.Tags)
	}
}
