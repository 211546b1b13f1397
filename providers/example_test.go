package providers_test

import (
	"context"
	"errors"
	"fmt"

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
