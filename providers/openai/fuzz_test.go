package openai_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/openai"
)

// FuzzStream has a server that answers with anything: the answer is of the form of the contract, and no error shows
// the key.
func FuzzStream(f *testing.F) {
	f.Add(calls(`{"index":0,"id":"a","function":{"name":"list","arguments":"{\"p\":1}"}}`, `{"index":-5}`))
	f.Add("data: {\"choices\":[{\"delta\":{\"tool_calls\":[null],\"content\":{},\"reasoning_details\":[1,null]}}]}\n\n" + stop)
	fuzz(f, streamTraps)
}

// FuzzResponses is the same on the responses wire.
func FuzzResponses(f *testing.F) {
	f.Add(began + items(reasoned, message, called) + completed)
	f.Add(`data: {"type":"response.function_call_arguments.delta","output_index":-5,"delta":{}}` + "\n\n" + completed)
	f.Add(`data: {"type":"response.completed","response":{"output":[null,7,{"type":"function_call"}]}}` + "\n\n")
	fuzz(f, responsesTraps, onResponses)
}

func fuzz(f *testing.F, traps []trap, change ...func(*openai.Config)) {
	for _, tt := range traps {
		if len(tt.wire) < 2000 {
			f.Add(tt.wire)
		}
	}
	f.Add("[1,2]")
	f.Add("data: " + key + "\n\n")
	var wire atomic.Pointer[string]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { stream(*wire.Load())(w, r) }))
	f.Cleanup(server.Close)
	m := newModel(f, server.URL, change...)
	f.Fuzz(func(t *testing.T, text string) {
		wire.Store(&text)
		r, err := providers.Ask(t.Context(), m, &providers.Request{})
		switch {
		case err == nil && r.Finish == "", err != nil && r.Finish != "":
			t.Errorf("finish %q with the error %v", r.Finish, err)
		case err != nil && (providers.ClassOf(err) == "" || strings.Contains(err.Error(), key)):
			t.Errorf("error %v", err)
		}
		for _, c := range r.Message.Calls {
			if c.ID == "" || !json.Valid(c.Args) {
				t.Errorf("call %+v", c)
			}
		}
	})
}
