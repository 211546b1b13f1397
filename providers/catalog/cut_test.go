package catalog

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/providers"
)

// TestCut cuts a stream of each dialect at every byte, with a clean close and with an abrupt one. What comes is the
// whole answer, if the cut is behind all that counts, or an error that is worth another request: never malformed, never
// a shorter answer, never a cut call.
func TestCut(t *testing.T) {
	noKeys(t)
	archive, err := txtar.ParseFile("testdata/cuts.txtar")
	if err != nil {
		t.Fatal(err)
	}
	step := 1
	if testing.Short() || ostest.RaceDetector {
		step = 7
	}
	for _, f := range archive.Files {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			target, _, _ := strings.Cut(f.Name, ":")
			stream := string(f.Data)
			whole, err := askCut(t, target, stream, io.EOF)
			if err != nil {
				t.Fatal(err)
			}
			counts := map[providers.Class]int{}
			for _, end := range []error{io.EOF, io.ErrUnexpectedEOF} {
				for n := 0; n <= len(stream); n += step {
					got, err := askCut(t, target, stream[:n], end)
					counts[providers.ClassOf(err)]++
					if strings.HasSuffix(f.Name, "a finish with each piece") && end == io.EOF && between(stream[:n]) {
						continue // nothing tells it from the end
					}
					if fault := cutFault(whole, got, err); fault != "" {
						t.Errorf("%d of %d bytes, then %v: %s: %v\n…%s", n, len(stream), end, fault, err, stream[max(n-120, 0):n])
					}
				}
			}
			t.Logf("%d bytes: %v", len(stream), counts)
		})
	}
}

// between reports whether a stream ends between two events.
func between(stream string) bool { return strings.Count(stream, "{") == strings.Count(stream, "}") }

// cutFault returns what is wrong with the answer of a cut stream.
func cutFault(whole, got *providers.Response, err error) string {
	got.Usage, got.Finish = whole.Usage, whole.Finish // what is counted may be missing
	e, _ := errors.AsType[*providers.Error](err)
	switch {
	case err == nil:
		return cmp.Diff(whole, got)
	case e == nil || !slices.Contains([]providers.Class{providers.Network, providers.Transient}, e.Class):
		return "an error that is not worth another request"
	case !strings.HasPrefix(whole.Message.Text, got.Message.Text) || !strings.HasPrefix(whole.Reasoning, got.Reasoning):
		return "another text"
	case len(got.Message.Calls) > 0:
		return "calls of a broken answer"
	}
	return ""
}

// askCut asks a model whose server answers with a stream that ends with the error end.
func askCut(t *testing.T, name, stream string, end error) (*providers.Response, error) {
	target, err := Resolve(name, &Options{Key: "sk-0123456789", HTTPClient: &http.Client{Transport: cutStream{stream, end}}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := target.Open()
	if err != nil {
		t.Fatal(err)
	}
	return providers.Ask(t.Context(), m, &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: "?"}}})
}

// A cutStream answers each request with a text and then an error.
type cutStream struct {
	text string
	end  error
}

func (c cutStream) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		req.Body.Close()
	}
	body := io.MultiReader(strings.NewReader(c.text), brokenOff{c.end})
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(body), Request: req}, nil
}

// A brokenOff reads nothing but an error.
type brokenOff struct{ err error }

func (b brokenOff) Read([]byte) (int, error) { return 0, b.err }

// TestCounts has counts that cannot be true, in each dialect: the answer counts, and the counts do not.
func TestCounts(t *testing.T) {
	noKeys(t)
	for target, stream := range map[string]string{
		"deepseek/m": `data: {"choices":[{"index":0,"delta":{"content":"ok"}}]}` + "\n\n" +
			`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n" +
			`data: {"choices":[],"usage":{"prompt_tokens":COUNT,"completion_tokens":COUNT}}` + "\n\ndata: [DONE]\n\n",
		"openai/gpt-5": `data: {"type":"response.completed","response":{"status":"completed","output":[{"type":"message",` +
			`"content":[{"type":"output_text","text":"ok"}]}],"usage":{"input_tokens":COUNT,"output_tokens":COUNT}}}` + "\n\n",
		"gemini/gemini-2.5-pro": `data: {"candidates":[{"content":{"parts":[{"text":"ok"}]},"finishReason":"STOP"}],` +
			`"usageMetadata":{"promptTokenCount":COUNT,"candidatesTokenCount":COUNT}}` + "\n\n",
		"generativeai/gemini-2.0-flash": `data: {"candidates":[{"content":{"parts":[{"text":"ok"}]},"finishReason":"STOP"}],` +
			`"usageMetadata":{"promptTokenCount":COUNT,"candidatesTokenCount":COUNT,"totalTokenCount":COUNT}}` + "\n\n",
		"anthropic/claude-sonnet-4-5": `data: {"type":"message_start","message":{"usage":{"input_tokens":COUNT}}}` + "\n\n" +
			`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"ok"}}` + "\n\n" +
			`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":COUNT,"cache_read_input_tokens":COUNT}}` + "\n\n",
		"ollama/qwen3": `{"message":{"content":"ok"},"done":true,"done_reason":"stop","prompt_eval_count":COUNT,"eval_count":COUNT}` + "\n",
	} {
		for _, count := range []string{
			"-1", "-9223372036854775808", "9223372036854775807", "9223372036854775808", "9007199254740993", "2147483647", "1e30", "1.5", `"12"`, "null", "{}", "true",
		} {
			r, err := askCut(t, target, strings.ReplaceAll(stream, "COUNT", count), io.EOF)
			if err != nil || r.Message.Text != "ok" || r.Usage != (providers.Usage{}) {
				t.Errorf("%s: %s: %q, %+v, error %v", target, count, r.Message.Text, r.Usage, err)
			}
		}
	}
}

// TestLongNames has a call whose name and id have a million bytes: what comes is short.
func TestLongNames(t *testing.T) {
	noKeys(t)
	long := strings.Repeat("A", 1_000_000)
	for target, stream := range map[string]string{
		"deepseek/m": `data: {"choices":[{"index":0,"delta":{"reasoning_content":"hm","tool_calls":[{"index":0,"id":"N","function":{"name":"N","arguments":"{}"}}]}}]}` +
			"\n\n" + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\n",
		"openai/gpt-5": `data: {"type":"response.completed","response":{"status":"completed","output":[{"type":"function_call",` +
			`"call_id":"N","name":"N","arguments":"{}"}]}}` + "\n\n",
		"gemini/gemini-2.5-pro": `data: {"candidates":[{"content":{"parts":[{"functionCall":{"id":"N","name":"N","args":{}}}]},"finishReason":"STOP"}]}` + "\n\n",
		"anthropic/claude-sonnet-4-5": `data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"hm"}}` + "\n\n" +
			`data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"N","name":"N","input":{}}}` + "\n\n" +
			`data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}` + "\n\n",
		"ollama/qwen3": `{"message":{"thinking":"hm","tool_calls":[{"id":"N","function":{"name":"N","arguments":{}}}]},"done":true}` + "\n",
	} {
		r, err := askCut(t, target, strings.ReplaceAll(stream, "N", long), io.EOF)
		if err != nil || len(r.Message.Calls) != 1 || r.Message.ProviderData != nil {
			t.Errorf("%s: %d calls, error %v", target, len(r.Message.Calls), err)
			continue
		}
		if c := r.Message.Calls[0]; len(c.Name) > 100 || c.ID == "" || len(c.ID) > 100 || !strings.HasPrefix(c.Name, "AAA") {
			t.Errorf("%s: name %.90q, id %.90q", target, c.Name, c.ID)
		}
	}
}

// TestOverloadedInside has a service that says inside its stream, before any text, that it is overloaded: the layers ask
// again. After text they do not, since the caller has seen it, and the error says that another try may help.
func TestOverloadedInside(t *testing.T) {
	noKeys(t)
	for target, streams := range map[string][3]string{ // the error, the begin of a text, a whole answer
		"anthropic/claude-sonnet-4-5": {
			"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
			`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"half"}}` + "\n\n",
			`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"whole"}}` + "\n\n" +
				`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n"},
		"openai/gpt-5": {
			`data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}` + "\n\n",
			`data: {"type":"response.output_text.delta","item_id":"m","output_index":0,"delta":"half"}` + "\n\n",
			`data: {"type":"response.completed","response":{"status":"completed","output":[{"type":"message",` +
				`"content":[{"type":"output_text","text":"whole"}]}]}}` + "\n\n"},
		"gemini/gemini-2.5-pro": {
			`data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}` + "\n\n",
			`data: {"candidates":[{"content":{"parts":[{"text":"half"}]}}]}` + "\n\n",
			`data: {"candidates":[{"content":{"parts":[{"text":"whole"}]},"finishReason":"STOP"}]}` + "\n\n"},
		"generativeai/gemini-2.0-flash": {
			`data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}` + "\n\n",
			`data: {"candidates":[{"content":{"parts":[{"text":"half"}]}}]}` + "\n\n",
			`data: {"candidates":[{"content":{"parts":[{"text":"whole"}]},"finishReason":"STOP"}]}` + "\n\n"},
		"ollama/qwen3": {
			`{"error":"server busy, please try again. maximum pending requests exceeded"}` + "\n",
			`{"message":{"content":"half"},"done":false}` + "\n",
			`{"message":{"content":"whole"},"done":true,"done_reason":"stop"}` + "\n"},
	} {
		for _, begun := range []bool{false, true} {
			turns := turnsOf{streams[0], streams[2]}
			if begun {
				turns[0] = streams[1] + streams[0]
			}
			asked := 0
			m, err := Open(target, &Options{Key: "sk-0123456789", HTTPClient: &http.Client{Transport: turns.server(&asked)}})
			if err != nil {
				t.Fatal(err)
			}
			r, err := providers.Ask(t.Context(), m, &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: "?"}}})
			switch {
			case !begun && (err != nil || r.Message.Text != "whole" || asked != 2):
				t.Errorf("%s: %q, %v after %d requests", target, r.Message.Text, err, asked)
			case begun && (!slices.Contains([]providers.Class{providers.Transient, providers.Rate}, providers.ClassOf(err)) ||
				r.Message.Text != "half" || asked != 1):
				t.Errorf("%s: after a text: %q, %v after %d requests", target, r.Message.Text, err, asked)
			}
		}
	}
}

// turnsOf are the streams of a service, one a request.
type turnsOf []string

type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// server answers with the streams, and counts the requests for answers.
func (s turnsOf) server(asked *int) tripper {
	return func(req *http.Request) (*http.Response, error) {
		text := "{}"
		if req.Method == http.MethodPost && *asked < len(s) {
			text, *asked = s[*asked], *asked+1
		}
		return cutStream{text, io.EOF}.RoundTrip(req)
	}
}
