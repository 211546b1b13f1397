package contextbuilder_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
)

// A thread of any size grows turn by turn, with a summary that covers any part of it: no request shows a summary next to
// messages that it covers, each message is shown, covered or in the gap, and a window that kept its first turn only grew.
func TestASummaryIsNeverNextToWhatItSumsUp(t *testing.T) {
	ostest.SkipRaced(t)
	rapid.Check(t, func(t *rapid.T) {
		var th thread
		sum := &movingSummary{}
		b, err := contextbuilder.New(contextbuilder.Config{
			Recent: threadAt{&th}.Recent, Summary: sum, Deadline: patient, Turns: rapid.IntRange(1, 12).Draw(t, "window"),
			Total: rapid.IntRange(600, 12_000).Draw(t, "total"),
		})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		var last contextbuilder.Built
		for turn := range rapid.IntRange(1, 25).Draw(t, "turns") {
			if rapid.IntRange(0, 3).Draw(t, "moves") == 0 {
				sum.last = int64(rapid.IntRange(int(sum.last), len(th)).Draw(t, "covered"))
			}
			w := last.Stats.Window
			q := contextbuilder.Query{Input: fmt.Sprintf("now %d", turn), Thread: "t", From: w.From, Whole: w.Whole, Store: &bodies{}}
			got, err := b.Build(context.Background(), q)
			if err != nil && !errors.Is(err, contextwindow.ErrIrreducible) {
				t.Fatal(err)
			}
			if err == nil {
				checkParts(t, th, sum, got)
				fresh := buildAnew(t, b, q)
				if was, is := fmt.Sprint(got.History[got.Head:]), fmt.Sprint(fresh.History[fresh.Head:]); was != is { // a digest may go back further
					t.Fatalf("a past that was read in parts differs:\n%s\n%s", was, is)
				}
				last = got
			}
			th.say(transcript.User, fmt.Sprintf("u%d ", turn)+anyText(300).Draw(t, "user"))
			for k := range rapid.IntRange(0, 2).Draw(t, "calls") {
				th.call(fmt.Sprintf("c%d.%d", turn, k), `{"path":"p"}`, anyText(600).Draw(t, "result"))
			}
			th.say(transcript.Assistant, fmt.Sprintf("a%d ", turn)+anyText(300).Draw(t, "assistant"))
		}
	})
}

func buildAnew(t *rapid.T, b *contextbuilder.Builder, q contextbuilder.Query) contextbuilder.Built {
	b.Clear("t")
	got, err := b.Build(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// checkParts checks that summary, digest and window divide the thread.
func checkParts(t *rapid.T, th thread, sum *movingSummary, got contextbuilder.Built) {
	w := got.Stats.Window
	head := ""
	if got.Head > 0 {
		head = got.History[0].Text
	}
	if strings.Contains(head, "<thread_summary") {
		if w.Covered != sum.last || w.From > 0 && w.From <= w.Covered {
			t.Fatalf("a summary of messages up to %d next to them: %+v", sum.last, w)
		}
	} else if w.Covered != 0 {
		t.Fatalf("no summary covers %d messages", w.Covered)
	}
	first := int64(len(th)) + 1
	if w.From > 0 {
		first = w.From
	}
	if w.Covered+1 < first && !strings.Contains(head, "<earlier_turns>") {
		t.Fatalf("messages %d to %d are nowhere: %+v", w.Covered+1, first-1, w)
	}
	if w.Covered+1 == first && strings.Contains(head, "<earlier_turns>") {
		t.Fatalf("a digest of nothing: %q", head)
	}
}

// A movingSummary covers more and more.
type movingSummary struct{ last int64 }

func (s *movingSummary) Through(context.Context, string) (string, int64, error) {
	if s.last == 0 {
		return "", 0, nil
	}
	return fmt.Sprintf("of %d", s.last), s.last, nil
}

func (s *movingSummary) Update(string) {}

// A thread that is summarised to its last turn but fits is shown whole, and one whose window begins after the summary is not.
func TestTurnsThatFitNeedNoSummary(t *testing.T) {
	c := contextbuilder.Config{Recent: chat(6).Recent, Summary: summary{text: "Main topics", last: 20}}
	for _, test := range []struct{ from, first, covered int64 }{{0, 1, 0}, {1, 1, 0}, {9, 1, 0}, {21, 21, 20}} {
		w := build(t, c, contextbuilder.Query{Input: "now?", Thread: "t", From: test.from}).Stats.Window
		if w.From != test.first || w.Covered != test.covered {
			t.Errorf("from %d: %+v", test.from, w)
		}
	}
}
