package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/contextwindow/memory"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/evals/internal/cited"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools/report"
)

// sources returns the questions and the directories of their modules.
func sources(t *testing.T) ([]question, map[string]string) {
	t.Helper()
	all, err := allQuestions(nil)
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{conversationModule}
	for _, q := range all {
		paths = append(paths, q.Module)
	}
	dirs, err := modules(t.Context(), "../..", paths)
	if err != nil {
		t.Skip("the modules cannot be had:", err)
	}
	return all, dirs
}

// Each place is there, so that a version of a module that renames one fails here and not in a long run.
func TestPlacesExist(t *testing.T) {
	all, dirs := sources(t)
	ids := map[string]bool{}
	for _, q := range all {
		if ids[q.ID] {
			t.Errorf("two questions have the id %s", q.ID)
		}
		ids[q.ID] = true
		for _, p := range q.Places {
			if at, err := locate(dirs[q.Module], p); err != nil || at.Start < 1 || at.End < at.Start {
				t.Errorf("%s: %s: %v, %v", q.ID, p, at, err)
			}
		}
	}
}

// TestPlacesOfDirectories asks about sources that are no module, in any language.
func TestPlacesOfDirectories(t *testing.T) {
	here := t.TempDir()
	dirs, err := modules(t.Context(), ".", []string{here})
	if err != nil || dirs[here] != here {
		t.Errorf("%v, %v", dirs, err)
	}
	if at, err := locate(here, "a/b.py:12-30"); err != nil || at != (report.Citation{Path: "a/b.py", Start: 12, End: 30}) {
		t.Errorf("%v, %v", at, err)
	}
	if _, err := locate(here, "a/b.py"); err == nil {
		t.Error("a place without lines")
	}
}

// Answers written by hand get the grade that their author gives them. [N] is the N-th place of the question, [x] a
// place of no question.
func TestGradesByHand(t *testing.T) {
	all, dirs := sources(t)
	raw, err := os.ReadFile(filepath.Join("testdata", "answers.json"))
	if err != nil {
		t.Fatal(err)
	}
	var byHand map[string]map[string][]string
	if err := json.Unmarshal(raw, &byHand); err != nil {
		t.Fatal(err)
	}
	for i := range all {
		q := &all[i]
		if len(byHand[q.ID]["right"]) == 0 || len(byHand[q.ID]["wrong"]) == 0 {
			t.Errorf("%s has no right or no wrong answer in answers.json", q.ID)
		}
		var places []report.Citation
		names := []string{"[x]", "[none.go:1]"}
		for n, p := range q.Places {
			at, err := locate(dirs[q.Module], p)
			if err != nil {
				t.Fatal(err)
			}
			places = append(places, at)
			names = append(names, "["+string(rune('1'+n))+"]", "["+at.String()+"]")
		}
		for grade, answers := range byHand[q.ID] {
			for _, text := range answers {
				a := answered{text: strings.NewReplacer(names...).Replace(text)}
				a.inner = cited.Pattern.FindAllString(a.text, -1)
				s := q.score(a, places, func(string) error { return nil })
				if got := gradeNames[s.grade]; got != grade {
					t.Errorf("%s: %s by hand, %s by the score %+v: %s", q.ID, grade, got, s, a.text)
				}
			}
		}
	}
}

func TestScore(t *testing.T) {
	q := question{ID: "q", Module: "m", Ask: "?", Places: []string{"a.go#F"}, Words: []string{"burst", "error|fail"},
		Not: []string{"no limit"}}
	if err := q.compile(); err != nil {
		t.Fatal(err)
	}
	places := []report.Citation{{Path: "a.go", Start: 10, End: 20}}
	resolve := func(c string) error {
		if strings.HasPrefix(c, "a.go:") {
			return nil
		}
		return os.ErrNotExist
	}
	says := "Above the Burst it FAILS"
	for name, c := range map[string]struct {
		a    answered
		want score
	}{
		"cited in the text": {answered{text: says, inner: []string{"a.go:12"}}, score{right, true, true, 1, 1}},
		"cited in the list": {answered{text: says, list: []string{"a.go#L5-L10"}}, score{right, true, true, 1, 1}},
		"cited elsewhere":   {answered{text: says, list: []string{"a.go:21", "b.go:12"}}, score{half, false, true, 2, 1}},
		"other words":       {answered{text: "burst", list: []string{"a.go:12"}}, score{half, true, false, 1, 1}},
		"neither":           {answered{text: "burst"}, score{wrong, false, false, 0, 0}},
		"what is false": {answered{text: says + " and there is no limit", inner: []string{"a.go:12"}},
			score{wrong, true, false, 1, 1}},
		"the fourth": {answered{text: says, list: []string{"a.go:1", "a.go:2", "a.go:3", "a.go:12"}},
			score{half, false, true, 4, 4}},
		"too wide":        {answered{text: says, list: []string{"a.go:1-900"}}, score{half, false, true, 1, 1}},
		"no citation":     {answered{text: says, list: []string{"a.go"}}, score{half, false, true, 0, 0}},
		"twice the same":  {answered{text: says, inner: []string{"a.go:12"}, list: []string{"a.go:12"}}, score{right, true, true, 1, 1}},
		"an empty answer": {answered{}, score{}},
	} {
		if got := q.score(c.a, places, resolve); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	q.Places = nil
	if s := q.score(answered{text: says, list: []string{"b.go:1"}}, nil, resolve); s.grade != right {
		t.Errorf("a question without a place: %+v", s)
	}
	if s := q.score(answered{text: "burst", list: []string{"b.go:1"}}, nil, resolve); s.grade != wrong {
		t.Errorf("a question without a place: %+v", s)
	}
}

// An answer that a report holds is scored by its statements, not by its excerpts.
func TestAnswerOfReport(t *testing.T) {
	a := answerOf(&explore.Result{Relevant: []string{"a.go:1"}, Report: &report.Report{
		Summary:  []report.Statement{{Text: "It fails, see b.go:7-9.", Citations: []string{"c.go:3"}}},
		Excerpts: []report.Excerpt{{Lines: []string{"burst"}}},
	}})
	if a.text != "It fails, see b.go:7-9.\n" || strings.Join(a.inner, " ") != "c.go:3 b.go:7-9" || a.list[0] != "a.go:1" {
		t.Errorf("%+v", a)
	}
}

// A fallback says first that it is one. Its words are not those of an answer.
func TestAnswerOfFallback(t *testing.T) {
	a := answerOf(&explore.Result{Fallback: "its answer is empty", Report: &report.Report{
		Summary: []report.Statement{{Text: "No usable answer: it provides none."}, {Text: "F limits it."}},
	}})
	if a.text != "F limits it.\n" {
		t.Errorf("%+v", a)
	}
}

func TestPick(t *testing.T) {
	all := []question{{ID: "a"}, {ID: "b"}, {ID: "c"}, {ID: "d"}}
	for list, want := range map[string]string{"": "abcd", "2": "b", "1-2,4": "abd", "3-4": "cd", "4,1": "da"} {
		some, err := pick(all, list)
		got := ""
		for _, q := range some {
			got += q.ID
		}
		if got != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", list, got, err, want)
		}
	}
	for _, list := range []string{"0", "5", "2-1", "1-5", "x", "1,", "1-", "-2", "99999999999999999999"} {
		if some, err := pick(all, list); err == nil {
			t.Errorf("%q picked %d", list, len(some))
		}
	}
}

func TestQuestionsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                    "not a JSON array",
		`[{"id":"a"}]`:          "question 1 (a): it needs id, module, ask and words",
		`[{"id":"a","sort":1}]`: "unknown field",
		`[{"id":"a","module":"m","ask":"?","words":["("]}]`: "missing closing )",
	} {
		if _, err := parseQuestions([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// The whole suite with a model that follows a script: every part gives its rows, and what is written agrees.
func TestRun(t *testing.T) {
	all, dirs := sources(t)
	usage := providers.Usage{Input: 100, Output: 7}
	questionModel := scripted.New(scripted.Repeat(99, scripted.Line{Text: "It runs at the first call. [rate/sometimes.go:46]",
		Usage: usage}))
	chatModel := scripted.New(scripted.Repeat(99, scripted.Line{Text: "Port 7443, client 20. Over.", Usage: usage}))
	formModel := scripted.New(
		scripted.Line{Calls: []scripted.Call{{Name: "search", Args: map[string]string{"pattern": "ErrTimeout"}}}},
		scripted.Line{Calls: []scripted.Call{{Name: "search", Args: map[string]string{"pattern": "other"}}}},
		scripted.Line{Text: "no"}, scripted.Line{Text: "yes"},
		scripted.Line{Calls: []scripted.Call{{Name: "search"}}}, scripted.Line{Text: "yes"})
	answers := 0
	ask := func(providers.Model) memory.Ask {
		return func(_ context.Context, _, prompt string) (string, error) {
			if answers++; strings.Contains(prompt, "<user>") {
				return `[{"content":"The nightly export goes to acme-backups-eu","category":"fact","importance":6}]`, nil
			}
			return "no summary", nil
		}
	}
	var rows, transcripts bytes.Buffer
	said := 0
	r, err := Run(t.Context(), Config{
		Model: questionModel, Dir: "../..", questions: all[:1], Timeout: time.Minute, Now: time.Now, Rows: &rows,
		Transcripts: &transcripts, Say: func(string) { said++ },
		Chat: func(_ context.Context, dir string, wrap func(providers.Model) providers.Model) (*chat.Chat, func() error, error) {
			if dir != dirs[conversationModule] {
				t.Errorf("the conversation is about %s", dir)
			}
			c, err := chat.New(chat.Config{Agent: agent.Config{Model: wrap(chatModel)}})
			return c, func() error { return c.Close(context.Background()) }, err
		},
		Ask: ask, Forms: []string{"native"}, Open: func(string) (providers.Model, error) { return formModel, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Questions) + len(r.Turns) + len(r.Memories) + len(r.Summaries) + len(r.Forms); n != said || strings.Count(rows.String(), "\n") != n {
		t.Errorf("%d rows, %d said, written:\n%s", n, said, rows.String())
	}
	if q := r.Questions[0]; q.Requests < 1 || q.Read != 100*q.Requests || q.Fixed == 0 || q.Seconds <= 0 || q.Stop == "" {
		t.Errorf("%+v", q)
	}
	facts, obeyed := 0, 0
	for _, row := range r.Turns {
		if row.Obeyed {
			obeyed++
		}
		if row.Fact {
			facts++
		}
	}
	if len(r.Turns) != 8 || obeyed != 8 || facts != 2 || r.Turns[7].Turn != 40 {
		t.Errorf("%d turns, %d facts, %d obeyed", len(r.Turns), facts, obeyed)
	}
	found := 0
	for _, m := range r.Memories {
		found += m.With.Found
	}
	if first := r.Memories[0]; len(r.Memories) != 72 || found < 10 || // rules find what the model does not
		first.With.Right != 1 || first.Without.Found != 0 {
		t.Errorf("%d exchanges, %d found, %+v", len(r.Memories), found, first)
	}
	byModel, byRules := r.Summaries[0], r.Summaries[1]
	if byModel.Failed < 8 || byModel.Text != byRules.Text || byRules.held() < 9 || byRules.Stale || answers < len(r.Memories)*3/4+8 { // some messages only ask
		t.Errorf("%+v\n%+v\n%d answers", byModel, byRules, answers)
	}
	if f := r.Forms[0]; f.Calls != 1 || f.Needed != 3 || f.Wrong != 1 || f.Words != 3 {
		t.Errorf("%+v", f)
	}
	var b strings.Builder
	if err := r.WriteMarkdown(&b); err != nil || strings.Count(b.String(), "\n## ") != 4 {
		t.Errorf("%v\n%s", err, b.String())
	}
	if !strings.Contains(transcripts.String(), "[rate/sometimes.go:46]") {
		t.Error("the transcript lacks an answer")
	}
}

// A run that was interrupted asks nothing again, and tells rows of another model from its own.
func TestRunResumes(t *testing.T) {
	all, _ := sources(t)
	var rows bytes.Buffer
	c := Config{Model: scripted.New(scripted.Repeat(9, scripted.Line{Text: "At the first call. [rate/sometimes.go:46]"})),
		Dir: "../..", questions: all[:1], Now: time.Now, Rows: &rows}
	first, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	c.Model, c.questions, c.Rows = scripted.New(), all[:1], nil
	c.Earlier = append(rows.Bytes(), `{"part":"question","mod`...) // torn
	again, err := Run(t.Context(), c)
	if err != nil || !cmp.Equal(first.Questions, again.Questions, cmp.AllowUnexported(questionRow{})) {
		t.Errorf("%v\n%+v\n%+v", err, first.Questions, again.Questions)
	}
	c.Earlier = bytes.ReplaceAll(rows.Bytes(), []byte(`"window":`), []byte(`"window":9`))
	if again, err = Run(t.Context(), c); err != nil || again.Questions[0].Error == "" {
		t.Errorf("a row of another window was taken: %v, %+v", err, again.Questions)
	}
	c.Earlier = []byte("no row\n")
	if _, err = Run(t.Context(), c); err == nil {
		t.Error("a line that is no row is no error")
	}
}

// A model that fails is a row with its error, and worse than none if none is half right.
func TestRunFails(t *testing.T) {
	all, _ := sources(t)
	m := scripted.New(scripted.Repeat(99, scripted.Line{Err: &providers.Error{Class: providers.Auth}}))
	r, err := Run(t.Context(), Config{Model: m, Dir: "../..", questions: all[:1], Now: time.Now})
	if err != nil || len(r.Questions) != 1 || r.Questions[0].Error == "" || r.Questions[0].Seconds < 0 {
		t.Fatalf("%v, %+v", err, r)
	}
	if q := r.Questions[0]; q.Worse != (q.Grade == "wrong" && q.Without != "wrong") {
		t.Errorf("%+v", q)
	}
	if _, err := Run(t.Context(), Config{}); err == nil {
		t.Error("no model is no error")
	}
}

// TestSittings: each story has a database of its own, each sitting a thread of its own, and the memories after a sitting
// are with its last message; what was measured is not measured again.
func TestSittings(t *testing.T) {
	_, _ = sources(t)
	var rows bytes.Buffer
	scratches := make(map[string]int)
	c := Config{Model: scripted.New(), Dir: "../..", Now: time.Now, Rows: &rows}
	model := scripted.New(scripted.Repeat(0, scripted.Text("It goes to acme-backups-us, and Priya reviews it.")))
	c.Sit = func(ctx context.Context, _, scratch string, wrap func(providers.Model) providers.Model) (
		*chat.Chat, func() ([]longterm.Memory, error), error) {
		scratches[scratch]++
		h, err := chat.New(chat.Config{Agent: agent.Config{Model: wrap(model)}})
		return h, func() ([]longterm.Memory, error) {
			return []longterm.Memory{{Content: "old", SupersededBy: "m1"}, {Content: "new"}}, h.Close(ctx)
		}, err
	}
	r, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var all []story
	if err := json.Unmarshal(sittings, &all); err != nil {
		t.Fatal(err)
	}
	if len(scratches) != len(all) {
		t.Errorf("%d databases for %d stories", len(scratches), len(all))
	}
	right := 0
	for _, row := range r.Sittings {
		if row.Checked && row.Right {
			right++
		}
	}
	first := r.Sittings[0]
	if last := r.Sittings[1]; first.Memories != nil || !cmp.Equal(last.Memories, []string{"was: old", "new"}) || right != 1 {
		t.Errorf("%d right\n%+v\n%+v", right, first, last)
	}
	var b strings.Builder
	if err := r.WriteMarkdown(&b); err != nil || !strings.Contains(b.String(), "of 29 whose answers are known, 1 are right") {
		t.Errorf("%v\n%s", err, b.String())
	}
	c.Earlier, c.Rows, c.Sit = rows.Bytes(), nil, func(context.Context, string, string, func(providers.Model) providers.Model) (
		*chat.Chat, func() ([]longterm.Memory, error), error) {
		return nil, nil, errors.New("a story is held again")
	}
	if again, err := Run(t.Context(), c); err != nil || !cmp.Equal(r.Sittings, again.Sittings, cmp.AllowUnexported(sittingRow{})) {
		t.Errorf("%v\n%+v", err, again)
	}
}
