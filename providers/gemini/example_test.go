package gemini_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/gemini"
)

// The service is in the example; without BaseURL it is Google's.
func ExampleNew() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, `data: {"candidates":[{"content":{"role":"model","parts":[{"text":"Good "}]}}]}

data: {"candidates":[{"content":{"role":"model","parts":[{"text":"morning."}]},"finishReason":"STOP"}]}

`)
	}))
	defer server.Close()

	model, err := gemini.New(gemini.Config{Name: "gemini-2.5-flash", Key: "a-key", BaseURL: server.URL, HTTPClient: server.Client()})
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
