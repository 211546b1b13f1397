package scenario

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
)

func prompt() Request {
	return Request{System: System, Messages: []transcript.Message{{Role: transcript.User, Text: Prompt}}}
}

func TestModelIsTheSameForAll(t *testing.T) {
	play := func() (said string) {
		r := NewRun(Options{Calls: 3})
		for i := range 5 {
			req := prompt()
			req.Messages[0].Text += strings.Repeat("x", i) // what it is asked does not change what it answers
			turn, err := r.Ask(t.Context(), req)
			said += fmt.Sprint(turn.CallID, turn.Args, turn.Text, err, "\n")
			s, err := r.Summarise(t.Context(), req)
			if err != nil || !strings.Contains(s.Text, Goal) || !strings.Contains(s.Text, Rule) {
				t.Errorf("the summary of a prompt is %q, %v", s.Text, err)
			}
		}
		return said
	}
	first, want := play(), "call_0{\"n\":0}<nil>\ncall_1{\"n\":1}<nil>\ncall_2{\"n\":2}<nil>\n"+
		strings.Repeat(Answer+"<nil>\n", 2)
	if first != want || play() != first {
		t.Errorf("it said\n%swant\n%s", first, want)
	}
}

func TestPages(t *testing.T) {
	r, again, seen := NewRun(Options{Calls: 50}), pages(50), map[string]bool{}
	for i := range 50 {
		text, err := r.Read(i)
		if err != nil || len(text) != pageBytes || text != again[i] || seen[text] {
			t.Fatalf("page %d has %d bytes, is a repetition or changed: %v", i, len(text), err)
		}
		seen[text] = true
	}
	for _, n := range []int{-1, 50} {
		if _, err := r.Read(n); err == nil {
			t.Errorf("page %d was read", n)
		}
	}
}

func TestRefusals(t *testing.T) {
	long := prompt()
	long.Messages[0].Text += strings.Repeat("x", Budget*bytesAToken)
	r := NewRun(Options{Calls: 2, Enforce: true, Dead: true})
	if _, err := r.Ask(t.Context(), long); !errors.Is(err, ErrOverflow) {
		t.Errorf("a request over the budget: %v", err)
	}
	if _, err := r.Summarise(t.Context(), prompt()); !errors.Is(err, ErrDead) {
		t.Errorf("a summary of a dead summariser: %v", err)
	}
	if turn, err := r.Ask(t.Context(), prompt()); err != nil || turn.N != 0 {
		t.Errorf("after a refusal it calls for page %d, %v; want the first", turn.N, err)
	}
	if _, err := NewRun(Options{Calls: 1, Enforce: true}).Summarise(t.Context(), long); !errors.Is(err, ErrOverflow) {
		t.Errorf("a request for a summary over the budget: %v", err)
	}
}

func TestEndlessLibraryIsStopped(t *testing.T) {
	row := Measure(NewRun(Options{Calls: 1}), func(ctx context.Context, r *Run) error {
		for {
			if _, err := r.Ask(ctx, prompt()); err != nil {
				return err
			}
		}
	})
	if row.Error != errEndless.Error() || row.Survived(1) {
		t.Errorf("%+v", row)
	}
}

func TestPanicEndsOnePlay(t *testing.T) {
	row := Measure(NewRun(Options{Calls: 1}), func(context.Context, *Run) error { panic("no such library") })
	if row.Error != "panic: no such library" {
		t.Errorf("the error is %q", row.Error)
	}
}

func TestAudit(t *testing.T) {
	user := func(text string) transcript.Message { return transcript.Message{Role: transcript.User, Text: text} }
	call := transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{Call("a", ToolName, "{}")}}
	result := transcript.Message{Role: transcript.Tool, CallID: "a", Text: strings.Repeat("r", 400)}
	r := NewRun(Options{Calls: 9, Audit: true})
	for _, ms := range [][]transcript.Message{
		{user(Prompt)},
		{user(Prompt), call, result},                  // grows
		{user(Prompt), call, user("and then?")},       // the result is gone: a break, and invalid
		{user(Goal), call, result},                    // another first message, without the rule
		{user("go ahead"), call, result},              // without both
		{user("go ahead"), call, result, user("now")}, // grows
	} {
		if _, err := r.Ask(t.Context(), Request{System: "s", Messages: ms}); err != nil {
			t.Fatal(err)
		}
	}
	row := r.row
	if row.Breaks != 3 || row.Invalid != 1 || row.NoGoal != 2 || row.NoRule != 3 || row.Requests != 6 {
		t.Errorf("%+v", row)
	}
	// The system prompt is 5 tokens, the prompt p+4, the call 20, the result 104, "go ahead" 6, the goal g+4.
	p, g := Tokens(Prompt), Tokens(Goal)
	shared := (5 + p + 4) + (5 + p + 4 + 20) + (5 + len(Goal)/bytesAToken) + 5 + (5 + 6 + 20 + 104)
	sent := (5 + p + 4 + 124) + (5 + p + 4 + 20 + 7) + (5 + g + 4 + 124) + (5 + 6 + 124) + (5 + 6 + 124 + 5)
	if row.Shared != shared || row.Sent != sent || row.Fresh != sent-shared+5+p+4 {
		t.Errorf("shared %d of %d, fresh %d; want %d of %d, fresh %d",
			row.Shared, row.Sent, row.Fresh, shared, sent, sent-shared+5+p+4)
	}
}
