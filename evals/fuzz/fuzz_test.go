package fuzz

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/internal/ostest"
)

// TestRunRepeats plays the same operations on one worker and on several.
func TestRunRepeats(t *testing.T) {
	ostest.SkipRaced(t) // a game at each profile and budget, by the workers that other suites have
	const operations = 2_000
	one, err := Run(t.Context(), operations, 7, &evals.Options{Jobs: 4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := Run(t.Context(), operations, 7, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(alone, one) {
		t.Errorf("one worker: %+v\nfour: %+v", alone, one)
	}
	if want := len(contextwindow.Profiles()) * len(budgets); len(one.Rows) != want {
		t.Errorf("%d rows, want every profile at every budget: %d", len(one.Rows), want)
	}
	for _, v := range one.Violations {
		t.Errorf("%+v", v)
	}
	for _, r := range one.Rows {
		if r.Operations == 0 || r.Requests == 0 {
			t.Errorf("nothing was played: %+v", r)
		}
	}
}

// TestViolationsAreSeen hands the checks what a broken window would show.
func TestViolationsAreSeen(t *testing.T) {
	opened := func() *player {
		p := newPlayer(contextwindow.Budget{Limit: 4_000, Profile: contextwindow.Ladder}, 1)
		p.open()
		p.turn()
		return p
	}
	user := transcript.Message{Role: transcript.User, Text: "x", Origin: transcript.Prompt}
	for want, broken := range map[string]func(p *player){
		"the whole prompt": func(p *player) { p.view([]transcript.Message{user}) },
		"results directly after": func(p *player) {
			p.view(append(p.w.View(), transcript.Message{Role: transcript.Tool, CallID: "nobody's", Text: "x"}))
		},
		"lost messages": func(p *player) { p.request(transcript.Message{Text: "x"}); p.extends(p.w.View()[:1]) },
		"changed without": func(p *player) {
			p.request(transcript.Message{Text: "x"})
			p.copied[0].Text += "y"
			p.before = p.copied
			p.extends(p.w.View())
		},
		"an earlier view": func(p *player) {
			p.request(transcript.Message{Text: "x"})
			p.copied[0].Text += "y"
			p.extends(p.w.View())
		},
		"s9.1 does not resolve":  func(p *player) { p.pointers("[… 3 lines; whole text: read_working_memory id=s9.1]") },
		"s2.1 resolves to other": func(p *player) { p.store["s2.1"] = "other"; p.pointers(`{"_cut":"s2.1"}`) },
		"s2.1a does not resolve": func(p *player) { p.pointers("- [s2.1a] args") },
		"gave up although": func(p *player) {
			p.irreducible(&contextwindow.IrreducibleError{Limit: 100, System: 1, Prompt: 1, Rest: 200})
		},
		"unexpected error": func(p *player) { p.irreducible(contextwindow.ErrNoBody) },
		"a message of the run, by": func(p *player) {
			p.view(append([]transcript.Message{{Role: transcript.User, Text: "y"}}, p.w.View()...))
		},
	} {
		p := opened()
		broken(p)
		if p.wrong == nil || !strings.Contains(p.wrong.Error(), want) {
			t.Errorf("want %q, got %v", want, p.wrong)
		}
	}
	if p := opened(); p.wrong != nil {
		t.Errorf("a sound window: %v", p.wrong)
	}
}

func TestRunEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, 100_000, 1, nil, nil); err == nil {
		t.Error("a cancelled context is no error")
	}
}

func TestMarkdownNamesSeeds(t *testing.T) {
	r := &Report{Operations: 3, Rows: []row{{Profile: "seed", Budget: 500, Violations: 1}},
		Violations: []violation{{"seed", 500, 42, "rule broken: a | b"}}}
	var b strings.Builder
	if err := r.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"3 operations, 1 violations.", "| 42 ", `a \| b`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
}
