package canaries

import (
	"context"
	"slices"
	"testing"

	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// A heard session is a thread of a chat.
type heard []contextbuilder.Message

func (t heard) Recent(_ context.Context, _ string, before int64, limit int) ([]contextbuilder.Message, error) {
	end := len(t)
	if before > 0 {
		end = min(int(before)-1, end)
	}
	return t[max(0, end-limit):end], nil
}

// specsOf returns the sessions of a config.
func specsOf(t *testing.T, cfg Config) []*spec {
	t.Helper()
	plan, err := cfg.plan()
	if err != nil {
		t.Fatal(err)
	}
	specs, err := plan.specs()
	if err != nil {
		t.Fatal(err)
	}
	return specs
}

// TestBuilderBringsBack asks a chat's context for what the user said early: with a question that asks about nothing, and
// with the sentence itself, its value left out. What was corrected must not come back alone.
func TestBuilderBringsBack(t *testing.T) {
	cfg := Config{Budgets: []int{6_000}, Policies: []string{"lean"}, Windows: []int{3}, Languages: []string{"en", "de", "zh"},
		Sessions: 2, Split: "test", Seed: 7}
	gaps, without, with, stale := 0, 0, 0, 0
	for _, spec := range specsOf(t, cfg) {
		s := spec.session()
		var th heard
		for _, m := range slices.Concat(s.units...) {
			th = append(th, contextbuilder.Message{Seq: int64(len(th) + 1), Message: m})
		}
		b, err := contextbuilder.New(contextbuilder.Config{Total: s.budget, Recent: th.Recent})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		holds := func(g *item, input string) bool {
			got, err := b.Build(context.Background(), contextbuilder.Query{System: s.system, Input: input, Thread: "t"})
			if err != nil {
				t.Fatal(err)
			}
			shown := append(slices.Clone(got.History), transcript.Message{Role: transcript.User, Text: got.Prompt.Text})
			return g.judge((&checker{session: &session{}}).read(shown, 0)).Alive
		}
		own := slices.DeleteFunc(slices.Clone(s.items), func(i *item) bool { return !i.own() })
		for _, g := range gapsOf(own, spec.phrasebook) {
			gaps++
			if holds(g.item, "??") {
				without++
			}
			switch {
			case holds(g.item, g.question):
				with++
			case g.old != nil && holds(&item{Statement: *g.old}, g.question):
				stale++
			}
		}
	}
	t.Logf("of %d sentences, the context has %d, %d if it is asked about them, and of %d only what was corrected",
		gaps, without, with, stale)
	if with < gaps*4/5 || without > gaps/10 || stale > gaps/20 {
		t.Error("want at least four fifths, and not more than a twentieth of what was corrected")
	}
}
