package openai_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/openai"
)

// Any server that speaks the dialect will do; this one is in the example.
func ExampleNew() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, `data: {"choices":[{"delta":{"content":"Good "}}]}

data: {"choices":[{"delta":{"content":"morning."},"finish_reason":"stop"}]}

data: [DONE]

`)
	}))
	defer server.Close()

	model, err := openai.New(openai.Config{Name: "some-model", BaseURL: server.URL + "/v1", HTTPClient: server.Client()})
	if err != nil {
		fmt.Println(err)
		return
	}
	req := &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: "Good morning"}}}
	for delta, err := range model.Stream(context.Background(), req) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%q ", delta.Text+string(delta.Finish))
	}
	// Output: "Good " "morning." "stop"
}

// A wrong address is told from a model that fails.
func ExampleNew_wrongAddress() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<html>Welcome to the dashboard</html>")
	}))
	defer server.Close()

	model, err := openai.New(openai.Config{Name: "some-model", BaseURL: server.URL, HTTPClient: server.Client()})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = providers.Ask(context.Background(), model, &providers.Request{})
	fmt.Println(providers.ClassOf(err))
	// Output: malformed
}
