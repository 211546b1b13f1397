package contextwindow_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// page is a log of 8 KB.
func page(n int) string {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "request %d of page %d\n", i, n)
	}
	return b.String()
}

// A window takes whole units, cuts large results on their way in, and makes every request fit.
func Example() {
	w := contextwindow.New(contextwindow.BudgetOf(8_192, 0, contextwindow.Ladder), nil)
	if _, err := w.Append(transcript.Message{Role: transcript.User, Text: "What is in the log?"}); err != nil {
		fmt.Println(err)
	}
	for i := range 20 {
		call := transcript.ToolCall{ID: fmt.Sprint("call", i), Name: "read", Args: json.RawMessage(`{"path":"app.log"}`)}
		head := transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{call}}
		result := transcript.Message{Role: transcript.Tool, CallID: call.ID, Text: page(i)}
		if _, err := w.Append(head, result); err != nil {
			fmt.Println(err)
		}
		if _, err := w.Fit(); err != nil {
			fmt.Println(err)
		}
	}
	u := w.Usage()
	fmt.Println("fits:", u.Tokens <= u.Limit)
	fmt.Println("first:", w.View()[0].Text)
	fmt.Println("compacted:", len(w.Compactions()) > 0)
	// Output:
	// fits: true
	// first: What is in the log?
	// compacted: true
}

// The whole state of a window is its log: saved and loaded, it gives the same view.
func ExampleLoad() {
	b := contextwindow.Budget{Limit: 8_000}
	w := contextwindow.New(b, nil)
	if _, err := w.Append(transcript.Message{Role: transcript.User, Text: "Hello"}); err != nil {
		fmt.Println(err)
	}
	w.Note("status", "nothing done yet")
	saved, err := json.Marshal(w.Entries(0))
	if err != nil {
		fmt.Println(err)
	}
	var entries []contextwindow.Entry
	if err := json.Unmarshal(saved, &entries); err != nil {
		fmt.Println(err)
	}
	loaded, err := contextwindow.Load(entries, b, nil)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(loaded.View()[0].Text)
	// Output:
	// Hello
	//
	// <note kind="status">
	// nothing done yet
	// </note>
}

// What a user may ask of a window: to keep a step, to compact now with a focus, and to take that back.
func ExampleWindow_Compact() {
	w := contextwindow.New(contextwindow.Budget{Limit: 8_000}, nil)
	messages := []transcript.Message{{Role: transcript.User, Text: "Where are requests retried?", Origin: transcript.Prompt}}
	if _, err := w.Append(messages[0]); err != nil {
		fmt.Println(err)
	}
	for i := range 6 {
		id := fmt.Sprint("call_", i)
		call := transcript.ToolCall{ID: id, Name: "read_file", Args: json.RawMessage(fmt.Sprintf(`{"path":"retry%d.go"}`, i))}
		result := transcript.Message{Role: transcript.Tool, CallID: id, Kind: "file", Text: strings.Repeat(fmt.Sprintf("the back-off of file %d\n", i), 80)}
		if _, err := w.Append(transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{call}}, result); err != nil {
			fmt.Println(err)
		}
	}
	if err := w.Pin(3); err != nil {
		fmt.Println(err)
	}
	c, err := w.Compact("back-off")
	fmt.Println(c.Steps, c.After < c.Before, err)
	fmt.Println("evicted:", w.Explain().Evicted, "pinned:", w.Explain().Pinned)
	c, ok := w.Undo(1)
	fmt.Println(c.Steps, w.Explain().Evicted, ok)
	// Output:
	// [compact] true <nil>
	// evicted: 4 pinned: [3]
	// [undo] 0 true
}
