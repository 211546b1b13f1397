package agent_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// roles tells the messages of a request in short.
func roles(req providers.Request) (lines []string) {
	for _, m := range req.Messages {
		text := m.Text
		if len(m.Calls) > 0 {
			text = "calls " + m.Calls[0].Name
		}
		lines = append(lines, fmt.Sprintf("%s %s", m.Role, text))
	}
	return lines
}

func TestMessagesJoinAtTheNextStep(t *testing.T) {
	var box agent.Inbox
	box.Send("before")
	look := tools.New("look", "Look.", func(context.Context, struct{}) (string, error) {
		box.Send("first")
		box.Send("second")
		return "looked", nil
	})
	a, model := start(t, agent.Config{Tools: []tools.Tool{look}}, scripted.Calls(scripted.Call{Name: "look"}), scripted.Func(func(*providers.Request) scripted.Line {
		box.Send("too late")
		return scripted.Text("answer")
	}))
	var joined []string
	var result *agent.Result
	for e, err := range a.Stream(t.Context(), agent.Task{Prompt: "prompt", Inbox: &box}) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case agent.MessageInjected:
			joined = append(joined, fmt.Sprint(e.Step, " ", e.Text))
		case agent.RunFinished:
			result = e.Result
		}
	}
	want := []string{"user prompt", "user before", "assistant calls look", "tool looked", "user first", "user second"}
	if diff := cmp.Diff(want, roles(model.Requests()[1])); diff != "" {
		t.Errorf("the last request (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"0 before", "1 first", "1 second"}, joined); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if !slices.Equal(result.Unread, []string{"too late"}) || result.Text != "answer" || !slices.Equal(box.Left(), result.Unread) {
		t.Errorf("unread %q, %q is left, %q", result.Unread, box.Left(), result.Text)
	}
	if box.Send("after") || box.Send("") {
		t.Error("a message is taken after the end")
	}
	if _, err := a.Do(t.Context(), agent.Task{Prompt: "prompt", Inbox: &box}); err == nil {
		t.Error("a second run takes the inbox")
	}
}

func TestMessagesJoinBehindAnAnswerThatGoesOn(t *testing.T) {
	var box agent.Inbox
	say := func(text, message string, finish providers.Finish) scripted.Line {
		return scripted.Func(func(*providers.Request) scripted.Line {
			box.Send(message)
			return scripted.Line{Text: text, Finish: finish}
		})
	}
	model := scripted.New(say("half ", "during", providers.Length), say("whole", "behind", providers.Stop), say("closing words", "never read", providers.Stop))
	a, _ := start(t, agent.Config{Model: model, Guide: func() agent.Guide { return on }, Limits: agent.Limits{Steps: 3}})
	result, err := a.Do(t.Context(), agent.Task{Prompt: "prompt", Inbox: &box})
	if err != nil || result.Text != "closing words" {
		t.Fatalf("%v, %+v", err, result)
	}
	if got := strings.Join(roles(model.Requests()[1]), "\n"); strings.Contains(got, "during") || !strings.Contains(got, "Go on") {
		t.Errorf("a message parts the pieces of an answer:\n%s", got)
	}
	var users []string
	for _, m := range model.Requests()[2].Messages {
		if m.Role == transcript.User {
			users = append(users, m.Text[:6])
		}
	}
	if !slices.Contains(users, "during") || !slices.Contains(users, "behind") || !slices.Equal(result.Unread, []string{"never read"}) {
		t.Errorf("the closing request has %q, unread %q", users, result.Unread)
	}
}

// Every message is either in the conversation or unread, whoever sends it and whenever.
func TestNoMessageIsLost(t *testing.T) {
	var box agent.Inbox
	var taken sync.Map
	var wg sync.WaitGroup
	sent := make(chan struct{}, 200)
	look := tools.New("look", "Look.", func(context.Context, numberInput) (string, error) { <-sent; return "looked", nil })
	for sender := range 4 {
		wg.Go(func() {
			for i := range 50 {
				if text := fmt.Sprintf("message %d of %d", i, sender); box.Send(text) {
					taken.Store(text, true)
				}
				sent <- struct{}{} // each step waits for one
				runtime.Gosched()
			}
		})
	}
	a, _ := start(t, agent.Config{Tools: []tools.Tool{look}}, append(steps("look", 20), scripted.Text("done"))...)
	result, err := a.Do(t.Context(), agent.Task{Prompt: "prompt", Inbox: &box})
	if err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	seen := make(map[string]int)
	for _, e := range result.Transcript {
		if e.Unit != nil && e.Unit.Messages[0].Role == transcript.User {
			seen[e.Unit.Messages[0].Text]++
		}
	}
	for _, text := range result.Unread {
		seen[text]++
	}
	delete(seen, "prompt")
	count := 0
	taken.Range(func(text, _ any) bool {
		count++
		if seen[text.(string)] != 1 {
			t.Errorf("%q came %d times", text, seen[text.(string)])
		}
		return true
	})
	if len(seen) != count || count == 0 {
		t.Errorf("%d messages taken, %d came", count, len(seen))
	}
}

func TestRunThatIsBrokenOffLeavesItsMessages(t *testing.T) {
	var box agent.Inbox
	a, _ := start(t, agent.Config{}, scripted.Text("answer"))
	for e := range a.Stream(t.Context(), agent.Task{Prompt: "prompt", Inbox: &box}) {
		if _, ok := e.(agent.Text); ok {
			box.Send("left")
			break
		}
	}
	if !slices.Equal(box.Left(), []string{"left"}) || box.Send("more") {
		t.Errorf("%q is left", box.Left())
	}
}

func TestInboxOfARunThatIsUnderWay(t *testing.T) {
	var box agent.Inbox
	a, _ := start(t, agent.Config{}, scripted.Text("answer"))
	for e := range a.Stream(t.Context(), agent.Task{Prompt: "prompt", Inbox: &box}) {
		if _, ok := e.(agent.Text); !ok {
			continue
		}
		if _, err := a.Do(t.Context(), agent.Task{Prompt: "prompt", Inbox: &box}); err == nil || !box.Send("still open") {
			t.Errorf("another run takes the inbox (%v), or closes it", err)
		}
	}
	if !slices.Equal(box.Left(), []string{"still open"}) {
		t.Errorf("%q is left", box.Left())
	}
}

// steps are lines with one call each, of one number more.
func steps(tool string, n int) []scripted.Line {
	lines := make([]scripted.Line, n)
	for i := range lines {
		lines[i] = scripted.Calls(scripted.Call{Name: tool, Args: map[string]int{"n": i}})
	}
	return lines
}
