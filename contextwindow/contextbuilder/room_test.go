package contextbuilder_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// lined is a block of numbered lines.
func lined(name string, p contextbuilder.Priority, lines int) contextbuilder.Source {
	var text strings.Builder
	for i := range lines {
		fmt.Fprintf(&text, "line %d of block %s\n", i, name)
	}
	return source{block: contextbuilder.Block{Type: name, Priority: p, Text: text.String()}}
}

func TestWhatFitsGoesIn(t *testing.T) {
	for _, lines := range [][3]int{{200, 30, 30}, {500, 100, 100}, {100, 700, 10}, {20, 10, 800}} {
		sources := []contextbuilder.Source{
			lined("zero", contextbuilder.P0, lines[0]), lined("one", contextbuilder.P1, lines[1]), lined("two", contextbuilder.P2, lines[2]),
		}
		got := build(t, contextbuilder.Config{Total: 12_000, Sources: sources, Recent: chat(4).Recent},
			contextbuilder.Query{Input: "hello", Thread: "t"})
		in := got.Stats.Injection
		if len(in.Injected) != 3 || len(in.Shortened)+len(in.Dropped) > 0 || got.Stats.Tokens > 9_600 {
			t.Errorf("%v lines: %d of 12,000 tokens used, blocks %+v", lines, got.Stats.Tokens, in)
		}
	}
}

// A P1 block is shortened before it is dropped, however much of the room P0 takes and whatever its lines are.
func TestP1IsShortenedFirst(t *testing.T) {
	long := source{block: contextbuilder.Block{Type: "one", Priority: contextbuilder.P1, Text: strings.Repeat("one line that never ends ", 2_000)}}
	for name, s := range map[string]contextbuilder.Source{"lines": lined("one", contextbuilder.P1, 2_000), "one line": long} {
		got := build(t, contextbuilder.Config{Total: 12_000, Recent: chat(400).Recent, Sources: []contextbuilder.Source{
			lined("zero", contextbuilder.P0, 500), s, lined("two", contextbuilder.P2, 500),
		}}, contextbuilder.Query{Input: "hello", Thread: "t"})
		in := got.Stats.Injection
		if !slices.Equal(in.Injected, []string{"zero", "one"}) || !slices.Equal(in.Shortened, []string{"one"}) {
			t.Errorf("%s: %+v", name, in)
		}
	}
}

// Where turns want the room, the ceiling of retrieved blocks binds, and P0 does not count against it.
func TestCeilingBindsWhereTurnsWantRoom(t *testing.T) {
	for _, zero := range []int{10, 300} {
		th := chat(19)
		for i := range th {
			th[i].Text += strings.Repeat(fmt.Sprintf(" more of message %d,", i), 60)
		}
		got := build(t, contextbuilder.Config{Total: 12_000, Recent: th.Recent, Sources: []contextbuilder.Source{
			lined("zero", contextbuilder.P0, zero), lined("one", contextbuilder.P1, 3_000),
		}}, contextbuilder.Query{Input: "hello", Thread: "t"})
		one := 0
		for _, d := range got.Stats.Decisions {
			if d.What == "one" {
				one = d.Tokens
			}
		}
		if one == 0 || one > 3_000 || got.Stats.Window.Turns == 0 || got.Stats.Window.Turns == 19 {
			t.Errorf("P0 of %d lines: P1 takes %d tokens beside %d turns\n%+v", zero, one, got.Stats.Window.Turns, got.Stats.Injection)
		}
	}
}

// What is shortened of P0 is as much as has room, and never less than its short form says.
func TestShortFormIsTheLongestThatFits(t *testing.T) {
	tests := map[string]contextbuilder.Block{
		"lines":    {Text: strings.Repeat("a line of what is known of the user\n", 5_000), Short: "5000 lines. Still missing: rent"},
		"one line": {Text: strings.Repeat("what is known of the user ", 5_000), Short: "Still missing: rent"},
		"no short": {Text: strings.Repeat("a line of what is known of the user\n", 5_000)},
	}
	for name, block := range tests {
		block.Type, block.Priority = "zero", contextbuilder.P0
		got := build(t, contextbuilder.Config{Total: 12_000, Sources: []contextbuilder.Source{source{block: block}}},
			contextbuilder.Query{Input: "hello", Thread: "t"})
		if n := got.Stats.Tokens; n < 11_000 || n > 12_000 {
			t.Errorf("%s: %d of 12,000 tokens used\n%+v", name, n, got.Stats.Decisions)
		}
		if !strings.Contains(got.Prompt.Text, block.Short) && name != "one line" {
			t.Errorf("%s: the short form is missing:\n%.500s", name, got.Prompt.Text)
		}
		if !got.Stats.Injection.Compacted || !slices.Equal(got.Stats.Injection.Shortened, []string{"zero"}) {
			t.Errorf("%s: %+v", name, got.Stats.Injection)
		}
	}
}

// twice is a memory that is both among the most important and near to the message.
type twice struct{}

func (twice) Top(context.Context, string, int) ([]contextbuilder.Memory, error) {
	return []contextbuilder.Memory{
		{Text: "Is 35 years old.", Category: "fact"}, {Text: "Wants short answers.", Category: "user_preference"},
	}, nil
}

func (twice) Search(_ context.Context, q contextbuilder.MemoryQuery) ([]contextbuilder.Memory, error) {
	return []contextbuilder.Memory{
		{Text: "wants short answers.", Category: "user_preference", Thread: "a"},
		{Text: "Prefers trains to cars, said about " + q.Text, Category: "user_preference"},
	}, nil
}

// All memories are in one block, each of them once.
func TestMemoriesAreOneBlock(t *testing.T) {
	b := newBuilder(t, contextbuilder.Config{Memories: twice{}})
	q := contextbuilder.Query{Input: "travel", Thread: "t", User: "u"}
	got, err := b.Build(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	in := got.Stats.Injection
	if len(in.Injected) != 1 || in.Memories != 3 || len(got.Known) != 1 {
		t.Errorf("%+v", in)
	}
	for _, text := range []string{"35 years old", "hort answers.\n", "about travel\n"} {
		if strings.Count(got.Prompt.Text, text) != 1 {
			t.Errorf("%q in\n%s", text, got.Prompt.Text)
		}
	}
	if n := strings.Count(strings.ToLower(got.Prompt.Text), "short answers"); n != 1 {
		t.Errorf("a memory is given %d times:\n%s", n, got.Prompt.Text)
	}
	if notes, _, err := b.Refresh(t.Context(), q, got.Known); err != nil || len(notes) > 0 {
		t.Errorf("nothing has changed: %v %v", notes, err)
	}
	q.Input = "food" // what is near changes with the message, and what is important stays
	if got, err = b.Build(t.Context(), q); err != nil || !strings.Contains(got.Prompt.Text, "about food") || got.Stats.Injection.Hits != 1 {
		t.Errorf("%v %+v\n%s", err, got.Stats.Injection, got.Prompt.Text)
	}
}

// Turns that do not fit under 80 % of the room are summarised before they are left to a digest, once as long as the
// same ones are left out. Turns beyond the window's number of turns, which have room, are not.
func TestTurnsWithoutRoomAreSummarised(t *testing.T) {
	for _, older := range []int{0, 30} {
		th := chat(older)
		for i := range 12 {
			th.say("user", fmt.Sprintf("long question %d %s", i, prose(300)))
			th.say("assistant", fmt.Sprintf("long answer %d %s", i, prose(300)))
		}
		calls := 0
		b := newBuilder(t, contextbuilder.Config{
			Total: 6_000, Recent: th.Recent, Summarise: func(_ context.Context, turns string, _ int) (string, error) {
				calls++
				if older > 0 && !strings.Contains(turns, "question 29") || !strings.Contains(turns, "long question 1 ") {
					t.Errorf("asked to summarise\n%s", turns)
				}
				return "They discussed the plan.", nil
			},
		})
		for range 2 {
			got, err := b.Build(t.Context(), contextbuilder.Query{Input: "and now?", Thread: "t", System: "Be brief."})
			if err != nil {
				t.Fatal(err)
			}
			steps := got.Stats.Compactions
			if calls != 1 || !strings.Contains(got.History[0].Text, "They discussed the plan.") || len(steps) != 1 || got.Stats.Tokens > 4_800 {
				t.Errorf("%d calls, %d tokens, steps %+v, head:\n%.400s", calls, got.Stats.Tokens, steps, got.History[0].Text)
			}
		}
	}
	short := newBuilder(t, contextbuilder.Config{Recent: chat(30).Recent, Summarise: func(context.Context, string, int) (string, error) {
		t.Error("asked to summarise turns that have room")
		return "", nil
	}})
	if _, err := short.Build(t.Context(), contextbuilder.Query{Input: "and now?", Thread: "t"}); err != nil {
		t.Error(err)
	}
}

func TestSlidingWindowAlone(t *testing.T) {
	th := chat(30) // 4 messages a turn
	all := 0
	for _, m := range th[40:] {
		all += m.Tokens()
	}
	ms, w := contextbuilder.SlidingWindow(th, 41, all, 50)
	if len(ms) != 80 || w.From != 41 || w.Excluded != 0 || w.Turns != 20 || w.Messages != 80 || w.Tokens != all || ms[0].Text != th[40].Text {
		t.Errorf("everything from 41 on fits: %d messages, %+v", len(ms), w)
	}
	if ms, w = contextbuilder.SlidingWindow(th, 1, all, 5); len(ms) != 20 || w.From != 101 || w.Excluded != 100 {
		t.Errorf("5 turns: %d messages, %+v", len(ms), w)
	}
	ms, w = contextbuilder.SlidingWindow(th, 41, all/4, 50)
	if w.Tokens > all/4 || w.Turns < 5 || w.Excluded != w.From-41 || len(ms)+int(w.Excluded) != 80 {
		t.Errorf("a quarter of the room: %d messages, %+v", len(ms), w)
	}
	next := transcript.Message{Role: transcript.User, Text: "next"}
	if err := transcript.Check(append(slices.Clone(ms), next), transcript.AnyProvider); err != nil {
		t.Error(err)
	}
	th.say(transcript.User, prose(3_000))
	if ms, w = contextbuilder.SlidingWindow(th, 41, 100, 50); len(ms) != 1 || w.Tokens > 100 || w.From != 121 || w.Excluded != 80 {
		t.Errorf("the newest turn alone is too long: %d messages, %+v", len(ms), w)
	}
	for name, got := range map[string]func() ([]transcript.Message, contextbuilder.WindowStats){
		"nothing said": func() ([]transcript.Message, contextbuilder.WindowStats) {
			return contextbuilder.SlidingWindow(nil, 1, 100, 5)
		},
		"all summarised": func() ([]transcript.Message, contextbuilder.WindowStats) {
			return contextbuilder.SlidingWindow(th, 500, 100, 5)
		},
	} {
		if ms, w := got(); len(ms) != 0 || w != (contextbuilder.WindowStats{}) {
			t.Errorf("%s: %d messages, %+v", name, len(ms), w)
		}
	}
	if ms, w := contextbuilder.SlidingWindow(th, 41, 0, 5); len(ms) != 0 || w.Excluded != 81 {
		t.Errorf("no room: %d messages, %+v", len(ms), w)
	}
}

// slow is memories that take a while for each question.
type slow struct{ twice }

func (s slow) Top(ctx context.Context, user string, limit int) ([]contextbuilder.Memory, error) {
	time.Sleep(100 * time.Millisecond)
	return s.twice.Top(ctx, user, limit)
}

func (s slow) Search(ctx context.Context, q contextbuilder.MemoryQuery) ([]contextbuilder.Memory, error) {
	time.Sleep(100 * time.Millisecond)
	return s.twice.Search(ctx, q)
}

// The most important memories and the nearest ones are asked for side by side.
func TestMemoriesAreAskedSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBuilder(t, contextbuilder.Config{Sources: []contextbuilder.Source{contextbuilder.UserMemory(slow{})}})
		began := time.Now()
		if _, err := b.Build(t.Context(), contextbuilder.Query{Input: "hello", Thread: "t", User: "u"}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 100*time.Millisecond {
			t.Errorf("it took %s", took)
		}
	})
}

// The instruction repeats how a long message begins, unless that only introduces what is pasted before a question.
func TestGoalOfALongMessage(t *testing.T) {
	var paste strings.Builder
	for i := range 300 {
		fmt.Fprintf(&paste, "row %d of the log holds %d\n", i, i*i)
	}
	for _, test := range []struct{ input, goal string }{
		{"Why does this fail?\n\n" + paste.String(), "Why does this fail?"},
		{"Find the fault in this log:\n\n" + paste.String(), "Find the fault in this log:"},
		{"Find the fault in this log:\n\n" + paste.String() + "\nIs it the disk.", "Find the fault in this log:"},
		{"Here is the log:\n\n" + paste.String() + "\nWhat is odd in it?", ""},
		{"Why?", ""},
	} {
		got := build(t, contextbuilder.Config{}, contextbuilder.Query{Input: test.input, Thread: "t"})
		text := ""
		for _, n := range got.Notes {
			text += n.Text
		}
		if test.goal == "" && text != "" || !strings.Contains(text, test.goal) || strings.Contains(text, "row 1 ") {
			t.Errorf("%.30q: the note is %q, want %q", test.input, text, test.goal)
		}
	}
}
