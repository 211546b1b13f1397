package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// What is pinned of a history stays whole in every request while the turns behind it are folded.
func TestPinnedHistory(t *testing.T) {
	read := tools.New("read", "Read.", func(_ context.Context, in struct{ N int }) (string, error) {
		return strings.Repeat(fmt.Sprintf("a line of page %d that nobody needs\n", in.N), 60), nil
	})
	history := []transcript.Message{{Role: transcript.User, Text: "SUMMARY " + strings.Repeat("of what was said before. ", 60) + "PORT 6543"}}
	for i := range 12 {
		history = append(history, transcript.Message{Role: transcript.User, Text: fmt.Sprintf("question %d %s", i, strings.Repeat("with many words, ", 40))},
			transcript.Message{Role: transcript.Assistant, Text: fmt.Sprintf("answer %d %s", i, strings.Repeat("and so on and so forth, ", 30))})
	}
	for _, pinned := range []int{0, 1} {
		var lines []scripted.Line
		for n := range 14 {
			lines = append(lines, scripted.Calls(scripted.Call{Name: "read", Args: map[string]int{"N": n}}))
		}
		model := scripted.New(append(lines, scripted.Text("done"))...)
		a, err := agent.New(agent.Config{Model: model, Tools: []tools.Tool{read}, Budget: contextwindow.Budget{Limit: 4_000}})
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Budget().Limit; got != 4_000 {
			t.Errorf("a budget of %d tokens", got)
		}
		done, err := a.Do(t.Context(), agent.Task{Prompt: "Read all pages.", History: history, Pinned: pinned})
		if err != nil {
			t.Fatal(err)
		}
		requests := model.Requests()
		last := fmt.Sprint(requests[len(requests)-1].Messages)
		whole := strings.Contains(last, history[0].Text)
		if pinned == 1 != whole || done.Context.Compactions == 0 {
			t.Errorf("pinned %d: the head is whole: %v\n%s", pinned, whole, done.Context)
		}
	}
}
