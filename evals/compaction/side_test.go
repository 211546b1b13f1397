package compaction_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/compaction"
)

// Rule: side by side, a policy that keeps everything loses nothing, and one that drops the past loses what a later call
// needs; what is lost is named.
func TestSideBySide(t *testing.T) {
	messages := []transcript.Message{{Role: transcript.User, Text: "Rename the handler."}}
	turn := func(n int, args, result string) {
		id := fmt.Sprint("c", n)
		messages = append(messages,
			transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: id, Name: "read", Args: json.RawMessage(args)}}},
			transcript.Message{Role: transcript.Tool, CallID: id, Name: "read", Text: result})
	}
	turn(0, `{"path":"list.txt"}`, "src/handlerRegistryOfThings.go is where it is\n")
	for n := range 30 {
		turn(n+1, fmt.Sprintf(`{"path":"other%d.go"}`, n), strings.Repeat(fmt.Sprintf("filler %d of the file\n", n), 120))
	}
	turn(99, `{"path":"src/handlerRegistryOfThings.go"}`, "func f() {}\n")
	cfg := compaction.Config{Budgets: []int{4_000}, Policies: []string{"none", "trim"}, Counter: "foray"}
	side, err := compaction.SideBySide(t.Context(), "s", "be brief", messages, cfg)
	if err != nil {
		t.Fatal(err)
	}
	none, trim := side.Columns[0], side.Columns[1]
	if side.Requests != 32 || len(none.Losses) != 0 || none.MaxTokens <= 4_000 || none.Compactions != 0 {
		t.Errorf("none: %d requests, %+v", side.Requests, none)
	}
	if n := len(trim.Losses); n == 0 || !strings.Contains(fmt.Sprint(trim.Losses[n-1]), "handlerRegistryOfThings") || trim.MaxTokens > 4_000 {
		t.Errorf("trim: %+v", trim)
	}
	var b strings.Builder
	if err := side.WriteMarkdown(&b); err != nil || !strings.Contains(b.String(), "before `read {") {
		t.Errorf("%v:\n%s", err, &b)
	}
	if _, err := compaction.SideBySide(t.Context(), "s", "", messages[:1], cfg); err == nil {
		t.Error("a conversation without an answer is compared")
	}
}
