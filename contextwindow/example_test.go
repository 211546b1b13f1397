package contextwindow_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/forayhq/foray/contextwindow"
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
	w := contextwindow.New(contextwindow.BudgetFor("gpt-4", contextwindow.Seed), nil)
	if _, err := w.Append(contextwindow.Message{Role: contextwindow.User, Text: "What is in the log?"}); err != nil {
		fmt.Println(err)
	}
	for i := range 20 {
		call := contextwindow.ToolCall{ID: fmt.Sprint("call", i), Name: "read", Args: json.RawMessage(`{"path":"app.log"}`)}
		head := contextwindow.Message{Role: contextwindow.Assistant, Calls: []contextwindow.ToolCall{call}}
		result := contextwindow.Message{Role: contextwindow.Tool, CallID: call.ID, Text: page(i)}
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
	if _, err := w.Append(contextwindow.Message{Role: contextwindow.User, Text: "Hello"}); err != nil {
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
