package openai_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/openai"
	"github.com/forayhq/foray/providers/providertest"
	"github.com/forayhq/foray/providers/providertest/strict"
)

// TestStrictService runs a window that compacts, with a note during every third answer, against servers that refuse
// reasoning after a changed prefix: signatures on calls, encrypted details, encrypted items.
func TestStrictService(t *testing.T) {
	for _, form := range []string{"openai", "openrouter", "responses"} {
		t.Run(form, func(t *testing.T) {
			const rounds = 12
			var turns []providertest.Turn
			for i := range rounds + 2 {
				call := providertest.Call{ID: fmt.Sprintf("c%d", i), Name: "read", Args: []string{`{"path":"a.go"}`}}
				turns = append(turns, providertest.Turn{
					Calls: []providertest.Call{call}, Signature: fmt.Sprintf("sealed reasoning %d", i), Finish: providers.Calls,
				})
			}
			bound := strict.New(nil)
			m := serve(t, bound.Handler(providertest.Turns(t, turns, func(w http.ResponseWriter, r *http.Request, turn providertest.Turn) {
				service{w, r, form, turn}.answer()
			})).ServeHTTP, func(c *openai.Config) {
				if form == "responses" {
					onResponses(c)
				}
			})
			w := contextwindow.New(contextwindow.Budget{Limit: 1_500}, nil)
			add := func(head transcript.Message, results ...transcript.Message) {
				if _, err := w.Append(head, results...); err != nil {
					t.Fatal(err)
				}
			}
			add(transcript.Message{Role: transcript.User, Text: "What is in a.go?"})
			for i := range rounds {
				if _, err := w.Fit(); err != nil {
					t.Fatal(err)
				}
				r, err := providers.Ask(t.Context(), m, &providers.Request{Messages: w.View()})
				if err != nil {
					t.Fatalf("round %d: %v", i, err)
				}
				if i%3 == 0 {
					w.Note("status", fmt.Sprintf("round %d", i))
				}
				call := r.Message.Calls[0]
				add(r.Message, transcript.Message{Role: transcript.Tool, CallID: call.ID, Name: call.Name,
					Text: strings.Repeat(fmt.Sprintf("line %d of a.go\n", i), 12)})
			}
			if len(w.Compactions()) == 0 {
				t.Error("nothing was compacted")
			}
			if refused, with := bound.Refused(); refused > 0 || with < rounds/2 {
				t.Errorf("%d of %d requests refused", refused, with)
			}
			changed := append([]transcript.Message{}, w.View()...)
			if _, err := providers.Ask(t.Context(), m, &providers.Request{Messages: changed}); err != nil {
				t.Errorf("an equal request: %v", err)
			}
			changed[0].Text += " "
			_, err := providers.Ask(t.Context(), m, &providers.Request{Messages: changed})
			if refused, _ := bound.Refused(); providers.ClassOf(err) != providers.Invalid || refused != 1 {
				t.Errorf("after a changed byte: %v, %d refused", err, refused)
			}
		})
	}
}
