package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/gemini"
	"github.com/forayhq/foray/providers/openai"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// statuses is a guide that says much: a status that changes now and then, and a nudge.
func statuses(s agent.Step) agent.Move {
	m := agent.Move{Stop: s.Number > 0 && len(s.Calls) == 0, Status: fmt.Sprint("phase ", s.Number/7)}
	if s.Number%5 == 4 {
		m.Nudge = fmt.Sprintf("Step %d: look elsewhere.", s.Number)
	}
	return m
}

// sentBy runs the loop for so many calls of 4 KB, side by side two at a time, and returns each request as its JSON, and
// before which of them the window was compacted.
func sentBy(t *testing.T, profile contextwindow.Profile, calls int) (requests []string, compacted []bool) {
	t.Helper()
	read := tools.New("read", "Read a page.", func(_ context.Context, in numberInput) (string, error) {
		var b strings.Builder
		for i := range 60 { // no line comes twice
			fmt.Fprintf(&b, "func page%dLine%d() int { return value%d }\n", in.N, i, (in.N*61+i)*7919%10_007)
		}
		return b.String(), nil
	})
	list := tools.New("list", "List the pages.", func(context.Context, numberInput) (map[string]int, error) {
		return map[string]int{"a": 1, "b": 2, "c": 3, "d": 4}, nil
	})
	var lines []scripted.Line
	for i := range calls {
		lines = append(lines, scripted.Line{
			Text:         fmt.Sprint("I read page ", i),
			Calls:        []scripted.Call{{Name: "read", Args: map[string]int{"n": i}}, {Name: "list", Args: map[string]int{"n": i}}},
			ProviderData: &transcript.ProviderData{Dialect: "scripted", Model: "script", Data: []byte{0xff, byte(i)}, Tokens: 3},
		})
	}
	a, model := start(t, agent.Config{
		System: systemPrompt, Tools: []tools.Tool{read, list}, Guide: func() agent.Guide { return statuses }, Limits: agent.Limits{Steps: calls + 2},
		Budget: contextwindow.Budget{Limit: 24_000, Profile: profile},
	}, append(lines, scripted.Text("done"))...)
	shorter := false
	for e, err := range a.Stream(t.Context(), agent.Task{Prompt: "Read all pages."}) {
		if err != nil {
			t.Fatal(err)
		}
		switch e.(type) {
		case agent.WindowCompacted:
			shorter = true
		case agent.RequestSent:
			compacted, shorter = append(compacted, shorter), false
		}
	}
	for _, req := range model.Requests() {
		raw, err := json.Marshal(req)
		if err != nil {
			t.Fatal(err)
		}
		requests = append(requests, string(raw))
	}
	return requests, compacted
}

// TestSameConversationSameBytes runs a conversation twice under each profile: the requests are equal byte for byte, and
// each begins with the one before it, unless the window was compacted between them.
func TestSameConversationSameBytes(t *testing.T) {
	profiles := contextwindow.Profiles()
	if ostest.RaceDetector {
		profiles = []contextwindow.Profile{contextwindow.Lean, contextwindow.Off}
	}
	for _, profile := range profiles {
		calls := 60
		if profile == contextwindow.Off {
			calls = 12
		}
		first, compacted := sentBy(t, profile, calls)
		second, _ := sentBy(t, profile, calls)
		if len(first) != calls+1 || len(first) != len(second) {
			t.Fatalf("%s: %d and %d requests", profile, len(first), len(second))
		}
		extended := 0
		for i := range first {
			if first[i] != second[i] {
				t.Fatalf("%s: request %d differs between the runs", profile, i+1)
			}
			if i == 0 || compacted[i] {
				continue
			}
			extended++
			before, now := messagesOf(t, first[i-1]), messagesOf(t, first[i])
			if !bytes.HasPrefix(now, before) {
				t.Errorf("%s: request %d does not begin with the one before it", profile, i+1)
			}
		}
		t.Logf("%s: %d of %d requests extend the one before", profile, extended, calls)
		if extended < calls/2 || (extended == calls) != (profile == contextwindow.Off) {
			t.Errorf("%s: %d requests of %d extend the one before", profile, extended, calls)
		}
	}
}

// messagesOf is the array of messages of a request, without its last bracket.
func messagesOf(t *testing.T, request string) []byte {
	t.Helper()
	var parts struct{ Messages, Tools, System json.RawMessage }
	if err := json.Unmarshal([]byte(request), &parts); err != nil {
		t.Fatal(err)
	}
	return append(append(parts.System, parts.Tools...), bytes.TrimSuffix(parts.Messages, []byte("]"))...)
}

// A service is one of the wires: how it says a call and a text, where the conversation stands in its requests, and the
// model that speaks with it.
type service struct {
	call, text, list string
	model            func(url string, c *http.Client) (providers.Model, error)
}

var services = map[string]service{
	"chat": {
		call: `data: {"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"call_%[1]d_a","type":"function","function":{"name":"read","arguments":"{\"n\":%[1]d}"}}]}}]}` + "\n\n" +
			`data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\n" +
			`data: {"choices":[],"usage":{"prompt_tokens":%[2]d,"completion_tokens":9,"prompt_tokens_details":{"cached_tokens":%[3]d}}}` + "\n\ndata: [DONE]\n\n",
		text: `data: {"choices":[{"index":0,"delta":{"content":"done"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n",
		list: "messages",
		model: func(url string, c *http.Client) (providers.Model, error) {
			return openai.New(openai.Config{Name: "gpt-4o", BaseURL: url + "/v1", Key: "sk-test", Wire: openai.Chat, HTTPClient: c})
		},
	},
	"responses": {
		call: `data: {"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"fc_%[1]d","call_id":"call_%[1]d_a","name":"read","arguments":"{\"n\":%[1]d}"}}` + "\n\n" +
			`data: {"type":"response.completed","response":{"status":"completed","output":[{"type":"function_call","id":"fc_%[1]d","call_id":"call_%[1]d_a","name":"read","arguments":"{\"n\":%[1]d}"}],"usage":{"input_tokens":%[2]d,"output_tokens":9,"input_tokens_details":{"cached_tokens":%[3]d}}}}` + "\n\n",
		text: `data: {"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"done"}` + "\n\n" +
			`data: {"type":"response.completed","response":{"status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}]}}` + "\n\n",
		list: "input",
		model: func(url string, c *http.Client) (providers.Model, error) {
			return openai.New(openai.Config{Name: "gpt-5", BaseURL: url + "/v1", Key: "sk-test", Wire: openai.Responses, HTTPClient: c})
		},
	},
	"gemini": {
		call: `data: {"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"read","args":{"n":%[1]d}},"thoughtSignature":"c2ln"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":%[2]d,"cachedContentTokenCount":%[3]d,"candidatesTokenCount":9}}` + "\n\n",
		text: `data: {"candidates":[{"content":{"role":"model","parts":[{"text":"done"}]},"finishReason":"STOP"}]}` + "\n\n",
		list: "contents",
		model: func(url string, c *http.Client) (providers.Model, error) {
			return gemini.New(gemini.Config{Name: "gemini-2.5-pro", BaseURL: url, Key: "test", HTTPClient: c})
		},
	},
}

// bodies runs the loop against a service for so many calls, and returns the bodies of the requests.
func bodies(t *testing.T, s service, calls int) ([][]byte, *agent.Result) {
	t.Helper()
	var all [][]byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		all = append(all, raw)
		w.Header().Set("Content-Type", "text/event-stream")
		if n := len(all); n <= calls {
			fmt.Fprintf(w, s.call, n, 100*n+50, 100*(n-1))
		} else {
			io.WriteString(w, s.text)
		}
	}))
	defer server.Close()
	defer server.Client().CloseIdleConnections()
	model, err := s.model(server.URL, server.Client())
	if err != nil {
		t.Fatal(err)
	}
	read := tools.New("read", "Read a page.", func(_ context.Context, in numberInput) (string, error) { return page(in.N), nil })
	a, err := agent.New(agent.Config{Model: model, System: "You read code.", Tools: []tools.Tool{read, echo}, Guide: func() agent.Guide { return statuses }})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Run(t.Context(), "Read all pages & <tell> 级别.")
	if err != nil || result.Text != "done" || len(result.Tools) != calls {
		t.Fatalf("%v, %+v", err, result)
	}
	return all, result
}

// TestSameBytesOnTheWire holds the bodies of two runs equal over each wire, and each to begin with the one before it as
// far as its messages go, which is what a service's cache needs. The service's count of cached tokens is in the result.
func TestSameBytesOnTheWire(t *testing.T) {
	const calls = 10
	for name, s := range services {
		first, result := bodies(t, s, calls)
		second, _ := bodies(t, s, calls)
		if len(first) != calls+1 || len(second) != calls+1 {
			t.Fatalf("%s: %d and %d requests", name, len(first), len(second))
		}
		for i := range first {
			if !bytes.Equal(first[i], second[i]) {
				t.Errorf("%s: request %d differs:\n%s\n%s", name, i+1, first[i], second[i])
			}
			if i == 0 {
				continue
			}
			before, rest := conversation(t, s, first[i-1])
			now, restNow := conversation(t, s, first[i])
			if !bytes.HasPrefix(now, before) || rest != restNow {
				t.Errorf("%s: request %d does not extend the one before it", name, i+1)
			}
		}
		if want := 100 * calls * (calls - 1) / 2; result.Usage.Cached != want {
			t.Errorf("%s: %d cached tokens, want %d", name, result.Usage.Cached, want)
		}
	}
}

// conversation returns the list of messages of a body without its last bracket, and the rest of the body.
func conversation(t *testing.T, s service, body []byte) ([]byte, string) {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		t.Fatal(err)
	}
	list := fields[s.list]
	if len(list) < 3 {
		t.Fatalf("no %s in %s", s.list, body)
	}
	return bytes.TrimSuffix(bytes.TrimSpace(list), []byte("]")), strings.Replace(string(body), string(list), "", 1)
}
