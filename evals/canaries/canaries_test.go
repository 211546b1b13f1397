package canaries

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/evals/internal/planted"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/ostest"
)

var update = flag.Bool("update", false, "rewrite testdata")

func defaultNoise(t *testing.T) *noiseText {
	t.Helper()
	n, err := readNoise("")
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func sessionOf(t *testing.T, language string, split string, windows int) *session {
	t.Helper()
	b, err := phrasebookOf(language)
	if err != nil {
		t.Fatal(err)
	}
	return (&spec{b, defaultNoise(t), split, windows, 4_000, 7, 1}).session()
}

// TestPhrasebooks checks that each language can say every kind in either split, that no sentence names its value or
// subject twice, and that both sentences of a pair take a value of the same kind.
func TestPhrasebooks(t *testing.T) {
	for _, language := range languages {
		b, err := phrasebookOf(language)
		if err != nil {
			t.Fatal(err)
		}
		for _, split := range []string{"dev", "test"} {
			d := deck{phrasebook: b, split: split}
			for _, kind := range kinds {
				for _, speaker := range []string{user, assistant} {
					if len(d.templatesOf(kind, speaker)) < 2 {
						t.Errorf("%s: fewer than two sentences of kind %s for %s in %s", language, kind, speaker, split)
					}
				}
			}
		}
		for _, tmpl := range b.templates {
			for _, text := range []string{tmpl.old, tmpl.text} {
				if text == "" {
					continue
				}
				if strings.Count(text, "{unit}") != 1 || strings.Count(text, "{=") != 1 {
					t.Errorf("%s: %q has not one subject and one value", language, text)
				}
				if got := (&template{text: text}).valueKind(); got != tmpl.valueKind() {
					t.Errorf("%s: %q takes a %s after a %s", language, tmpl.text, tmpl.valueKind(), got)
				}
			}
			if pair := tmpl.kind == "correction" || tmpl.kind == "state"; pair != (tmpl.old != "") || pair != (tmpl.wording != "") {
				t.Errorf("%s: %q: only corrections and changed states are pairs with a wording", language, tmpl.text)
			}
		}
	}
}

// TestSessions checks what doc.go promises of a session, and that its noise holds no item by accident.
func TestSessions(t *testing.T) {
	noise := (&checker{session: &session{}}).read([]transcript.Message{{Text: defaultNoise(t).text}}, 0)
	for i, language := range languages {
		s := sessionOf(t, language, []string{"dev", "test", "all"}[i], 3)
		c := &checker{session: s, heads: make(map[string]bool)}
		lines := c.read(flat(s, len(s.units)), len(s.units))
		values := make(map[string]bool)
		if len(s.items) != len(kinds)*perKind {
			t.Errorf("%s: %d items", s.id, len(s.items))
		}
		for _, it := range s.items {
			if values[it.Value] {
				t.Errorf("%s: two items have the value %q", s.id, it.Value)
			}
			values[it.Value] = true
			if it.judge(noise).Alive {
				t.Errorf("%s: the noise holds %q", s.id, it.Text)
			}
			if v := it.judge(lines); v != (planted.Verdict{Alive: true}) {
				t.Errorf("%s: %q in the whole session: %+v", s.id, it.Text, v)
			}
			said := make(map[int]bool)
			for _, l := range lines {
				if it.In(l.Text) {
					said[l.Message] = true
				}
			}
			if len(said) != 1 {
				t.Errorf("%s: %q is said in %d messages", s.id, it.Text, len(said))
			}
			if rest := float64(s.tokens-it.at) / float64(s.budget); rest < 1.1 {
				t.Errorf("%s: %q is said %.2f budgets before the end", s.id, it.Text, rest)
			}
		}
	}
}

func flat(s *session, units int) (view []transcript.Message) {
	for _, u := range s.units[:units] {
		view = append(view, u...)
	}
	return view
}

func TestVerdicts(t *testing.T) {
	rule := &item{Statement: say("[Never] restart {unit} before {=time}.", "the mail relay", "04:37")}
	old := say("{unit} retries {=number} times.", "the mail relay", "3000")
	now := &item{old: &old, Statement: say("Sorry: {unit} retries {=number} times.", "the mail relay", "4000")}
	digest := func(text string) transcript.Message {
		return transcript.Message{Role: transcript.User, Origin: transcript.Runtime, Text: text}
	}
	said := func(text string) transcript.Message { return transcript.Message{Role: transcript.User, Text: text} }
	for _, test := range []struct {
		name string
		item *item
		view []transcript.Message
		want planted.Verdict
	}{
		{"as it was said", rule, []transcript.Message{said("x\nNever restart the mail relay before 04:37.\ny")},
			planted.Verdict{Alive: true}},
		{"in a digest, with a gap", rule, []transcript.Message{digest("- [s3.0] … Never restart … mail relay before 04:37")},
			planted.Verdict{Alive: true, Distance: 1. / 8}},
		{"wrapped", rule, []transcript.Message{digest("- Never restart the mail\n  relay before 04:37.")}, planted.Verdict{Alive: true}},
		{"without its negation", rule, []transcript.Message{digest("- restart the mail relay before 04:37")},
			planted.Verdict{Distance: 1}},
		{"in two lines", rule, []transcript.Message{digest("- Never restart the mail relay\n- before 04:37")},
			planted.Verdict{Distance: 1}},
		{"a longer word", rule, []transcript.Message{digest("Never restart the mail relay before 104:37")},
			planted.Verdict{Distance: 1}},
		{"words far apart", rule, []transcript.Message{digest("Never mail a relay" + strings.Repeat(" x", 60) + " 04:37")},
			planted.Verdict{Distance: 1}},
		{"marked as replaced", rule,
			[]transcript.Message{digest("[replaced by s9.0] Never restart the mail relay before 04:37.")},
			planted.Verdict{Alive: true, Wrong: true}},
		{"replaced by another", rule, []transcript.Message{digest("- the tariff may restart at 05:00 [replaces s3.0: 04:37]")},
			planted.Verdict{Distance: 1, Wrong: true}},
		{"only the older", now, []transcript.Message{digest("- The mail relay retries 3000 times.")},
			planted.Verdict{Distance: 1, Stale: true, OnlyOld: true}},
		{"both in the digest", now, []transcript.Message{digest("The mail relay retries 3000 times.\nSorry: the mail relay retries 4000 times.")},
			planted.Verdict{Alive: true, Stale: true}},
		{"the newer first", now, []transcript.Message{digest("Sorry: the mail relay retries 4000 times.\nThe mail relay retries 3000 times.")},
			planted.Verdict{Alive: true, Stale: true, OnlyOld: true}},
		{"the older as it was said", now, []transcript.Message{said("Sorry, the mail relay. The mail relay retries 3000 times.")},
			planted.Verdict{Distance: 1, OnlyOld: true}},
		{"the newer in a later message", now,
			[]transcript.Message{digest("The mail relay retries 3000 times."), said("Sorry: the mail relay retries 4000 times.")},
			planted.Verdict{Alive: true}},
		{"marked", now, []transcript.Message{digest("- the mail relay retries 4000 times [replaces s5.0: 3000]")},
			planted.Verdict{Alive: true, Distance: 1. / 7}},
		{"the older marked", now, []transcript.Message{digest("- The mail relay retries 3000 times. [replaced by s9.0: 4000]")},
			planted.Verdict{Distance: 1}},
	} {
		c := &checker{session: &session{}, heads: map[string]bool{"Sorry: the mail relay re": true, "Sorry, the mail relay. T": true}}
		got := test.item.judge(c.read(test.view, 0))
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.name, diff)
		}
	}
}

// TestChinese checks that words are found between characters, which no blanks divide.
func TestChinese(t *testing.T) {
	s := say("{unit}每小时发的邮件[不能]超过{=number}封。", "预发的账单导出", "3141")
	if !s.In("- [s3.0] 预发的账单导出每小时发的邮件不能超过3141封。") || s.In("账单导出每小时的邮件不能超过3141封") {
		t.Error("the prefix of a subject must stay, and nothing else")
	}
}

func TestDeterministic(t *testing.T) {
	policies := []string{"lean", "truncate-users"}
	var reports []string
	for _, jobs := range []int{1, 4} {
		r, err := Run(context.Background(), Config{Budgets: []int{4_000}, Policies: policies, Windows: []int{3},
			Split: "dev", Seed: 3, Options: &evals.Options{Jobs: jobs}})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		reports = append(reports, string(text))
	}
	if diff := cmp.Diff(strings.SplitAfter(reports[0], "},"), strings.SplitAfter(reports[1], "},")); diff != "" {
		t.Errorf("two runs differ:\n%s", diff)
	}
	a, b := sessionOf(t, "en", "dev", 3), sessionOf(t, "en", "test", 3)
	if a.items[0].Text == b.items[0].Text {
		t.Error("both splits say the same")
	}
}

// TestReport compares the reports of hand-made outcomes with files.
func TestReport(t *testing.T) {
	s := func(id, language string) *session {
		return &session{id: id, language: language, windows: 3, budget: 4_000, tokens: 12_000, items: []*item{
			{kind: "rule", carrier: short, at: 1_000},
			{kind: "state", carrier: inside, wording: "free", old: &planted.Statement{}, at: 5_000},
		}}
	}
	specs := []*spec{{budget: 4_000}, {budget: 4_000}}
	outcomes := []evals.Outcome[*tally]{
		{Output: &tally{session: s("a", "en"), requests: 10, sent: 7.5, over: 1, fates: []fate{
			{end: planted.Verdict{Alive: true, Distance: .25}, checks: 2, alive: 2}, {end: planted.Verdict{Distance: 1}, checks: 1, stale: true, only: true}}}},
		{Output: &tally{session: s("b", "de"), requests: 10, sent: 8.5, fates: []fate{
			{end: planted.Verdict{Distance: 1}, checks: 2, alive: 1, wrong: true}, {end: planted.Verdict{Alive: true}}}}},
	}
	policies := []string{"lean"}
	plan, err := (&Config{Budgets: []int{4_000}, Policies: policies, Split: "dev", Seed: 1, noise: &noiseText{name: "a.log"}}).plan()
	if err != nil {
		t.Fatal(err)
	}
	r := newReport(plan, specs, outcomes)
	var markdown, text bytes.Buffer
	if err := r.WriteMarkdown(&markdown); err != nil {
		t.Fatal(err)
	}
	if err := line.WriteJSON(&text, r, "  "); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"testdata/report.md": markdown.String(), "testdata/report.json": text.String()} {
		if *update {
			if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestLoadNoise(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/short.txt", []byte("a line\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{dir + "/short.txt", dir + "/missing", dir} {
		if err := new(Config).LoadNoise(file); err == nil {
			t.Errorf("%s: no error", file)
		}
	}
	var text strings.Builder
	for range 300 {
		text.WriteString("The first_name of a person comes before the last one here.\n\n")
	}
	if err := os.WriteFile(dir+"/long.txt", []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := new(Config).LoadNoise(dir + "/long.txt"); err != nil {
		t.Error(err)
	}
}

// A threshold is what a policy must reach at a budget, on some items. Nil thresholds demand nothing.
type threshold struct {
	Policy string `json:"policy"`
	Budget int    `json:"budget"`
	By     string `json:"by"`

	Own   *float64 `json:"least_own"`
	Alive *float64 `json:"least_alive"`
	Stale *float64 `json:"most_stale"`
	Wrong *float64 `json:"most_wrongly_replaced"`
	Over  *float64 `json:"most_over_budget"`
}

// TestGates fails if a window shows less of what people said than testdata/gates.json demands, on one session of 3 and
// one of 10 windows in each language. Of the policy none nothing is lost, or the measure itself is wrong.
func TestGates(t *testing.T) {
	if ostest.RaceDetector {
		t.Skip("long, and the other tests have its goroutines")
	}
	data, err := os.ReadFile("testdata/gates.json")
	if err != nil {
		t.Fatal(err)
	}
	var gates []threshold
	if err := json.Unmarshal(data, &gates); err != nil {
		t.Fatal(err)
	}
	policies := []string{"lean", "none"}
	r, err := Run(context.Background(), Config{Budgets: []int{8_000, 16_000}, Policies: policies, Windows: []int{3, 10},
		Split: "all", Seed: 1, Options: &evals.Options{Jobs: 2}})
	if err != nil || len(r.Failed) > 0 {
		t.Fatal(err, r.Failed)
	}
	for _, g := range gates {
		at := slices.IndexFunc(r.Rows, func(r row) bool { return r.Policy == g.Policy && r.Budget == g.Budget && r.By == g.By })
		if at < 0 {
			t.Fatalf("no row for the gate of %s at %d by %s", g.Policy, g.Budget, g.By)
		}
		got := r.Rows[at]
		for _, c := range []struct {
			name       string
			got, bound *float64
			sign       float64 // 1: the bound is the least; -1: the most
		}{
			{"own", got.Own, g.Own, 1},
			{"alive", got.Alive, g.Alive, 1},
			{"stale", got.Stale, g.Stale, -1},
			{"wrongly replaced", got.Wrong, g.Wrong, -1},
			{"over budget", &got.Over, g.Over, -1},
		} {
			if c.bound == nil {
				continue
			}
			t.Logf("%s at %d by %s: %s %.3f", g.Policy, g.Budget, g.By, c.name, *c.got)
			if c.sign*(*c.got) < c.sign*(*c.bound) {
				t.Errorf("%s at %d by %s: %s is %.3f, the gate %.3f", g.Policy, g.Budget, g.By, c.name, *c.got, *c.bound)
			}
		}
	}
}
