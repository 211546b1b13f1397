package httpapi_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/agent/chat/httpapi"
	"github.com/forayhq/foray/providers/scripted"
)

func ExampleHandler() {
	model := scripted.New(scripted.Text("Hello.")) // or catalog.Open("openai/gpt-4.1", nil)
	c, err := chat.New(chat.Config{Agent: agent.Config{Model: model}})
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewServer(httpapi.Handler(c, nil)) // or httpapi.Serve(ctx, listener, c, nil)
	defer server.Close()
	made, err := http.Post(server.URL+"/v1/threads", "application/json", strings.NewReader(`{"id":"t"}`))
	if err != nil {
		log.Fatal(err)
	}
	made.Body.Close()
	fmt.Println(made.Status)
	// Output: 201 Created
}
