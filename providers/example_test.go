package providers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
)

// The class of an error is the decision: here, how much to shrink the request.
func ExampleAsk() {
	model := scripted.Options{Limit: 8}.New(scripted.Text("Fine, thank you."))
	for _, question := range []string{"How are you, on this very fine morning in spring?", "How are you?"} {
		req := &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: question}}}
		answer, err := providers.Ask(context.Background(), model, req)
		var e *providers.Error
		switch {
		case errors.As(err, &e) && e.Class == providers.Overflow:
			fmt.Println("too long: the limit is", e.Limit, "tokens")
		case err != nil:
			fmt.Println(err)
		default:
			fmt.Println(answer.Message.Text)
		}
	}
	// Output:
	// too long: the limit is 8 tokens
	// Fine, thank you.
}

// page is a page of 20 KB.
func page(n int) string {
	var b strings.Builder
	for i := range 800 {
		fmt.Fprintf(&b, "line %d of the page %d\n", i, n)
	}
	return b.String()
}

// A loop of one's own over a window, which keeps each request within the budget.
func Example_window() {
	system, tool := "Count the pages.", transcript.ToolSchema{Name: "read", Schema: json.RawMessage(`{"type":"object"}`)}
	model := scripted.New(scripted.Repeat(30, scripted.Calls(scripted.Call{Name: "read"})), scripted.Text("30 pages."))
	w := contextwindow.New(contextwindow.Budget{Limit: 8_000}, nil)
	w.Open(contextwindow.Prefix{System: system, Tools: []transcript.ToolSchema{tool}})
	unit := []transcript.Message{{Role: transcript.User, Text: "How many pages are there?", Origin: transcript.Prompt}}
	for answered := false; !answered; {
		if _, err := w.Append(unit[0], unit[1:]...); err != nil { // a message with the results of all its calls
			log.Fatal(err)
		}
		if _, err := w.Fit(); err != nil {
			log.Fatal(err)
		}
		request := &providers.Request{System: system, Messages: w.View(), Tools: []transcript.ToolSchema{tool}}
		answer, err := providers.Ask(context.Background(), model, request)
		if err != nil {
			log.Fatal(err)
		}
		w.Observe(answer.Usage.Input) // corrects the estimates
		unit = []transcript.Message{answer.Message}
		for _, c := range answer.Message.Calls {
			text := page(w.Usage().Entries)
			unit = append(unit, transcript.Message{Role: transcript.Tool, CallID: c.ID, Name: c.Name, Text: text})
		}
		answered = len(unit) == 1
	}
	fmt.Println(unit[0].Text, w.Usage().Tokens <= 8_000, len(w.Compactions()) > 0)
	// Output: 30 pages. true true
}
