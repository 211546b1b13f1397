package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestRun plays a service that is busy once, asks for a call of a code tool, and answers.
func TestRun(t *testing.T) {
	var requests []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		requests = append(requests, string(body))
		if len(requests) == 1 {
			w.Header().Set("Retry-After", "0")
			http.Error(w, `{"error":{"message":"busy"}}`, http.StatusTooManyRequests)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		delta, finish := `"content":"In main.go."`, "stop"
		if len(requests) == 2 {
			call := `{"index":0,"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"main.go\"}"}}`
			delta, finish = `"tool_calls":[`+call+`]`, "tool_calls"
		}
		const chunk = `{"choices":[{"index":0,"delta":{%s},"finish_reason":%s}]}`
		fmt.Fprintf(w, "data: "+chunk+"\n\n", `"role":"assistant",`+delta, "null")
		fmt.Fprintf(w, "data: "+chunk+"\n\ndata: [DONE]\n\n", "", `"`+finish+`"`)
	}))
	defer server.Close()
	t.Setenv("OPENAI_BASE_URL", server.URL)
	t.Setenv("OPENAI_API_KEY", "test")
	var out strings.Builder
	if err := run(t.Context(), &out, "where is main?"); err != nil || out.String() != "In main.go.\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	if len(requests) != 3 || !strings.Contains(requests[2], "func main()") {
		t.Errorf("%d requests, the last one: %.2000s", len(requests), requests[len(requests)-1])
	}
}
