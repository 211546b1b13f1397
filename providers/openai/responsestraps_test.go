package openai_test

import (
	"strings"
	"testing"

	library "github.com/sashabaranov/go-openai"

	"github.com/forayhq/foray/providers"
)

// The events of a short answer on the responses wire.
const (
	began     = "event: response.created\n" + `data: {"type":"response.created","response":{"object":"response","status":"in_progress","error":null}}` + "\n\n"
	said      = "event: response.output_text.delta\n" + `data: {"type":"response.output_text.delta","output_index":0,"item_id":"m","delta":"Hello"}` + "\n\n"
	completed = "event: response.completed\n" + `data: {"type":"response.completed","response":{"object":"response","status":"completed","output":[],"error":null}}` + "\n\n"
)

// ends returns the event that ends an answer, with a status and more.
func ends(status, more string) string {
	return "event: response." + status + "\n" + `data: {"type":"response.` + status + `","response":{"object":"response","status":"` + status + `",` + more + "}}\n\n"
}

// responsesTraps are traps of the responses wire.
var responsesTraps = []trap{
	{"a comment before an error", "", began + said + ": note\n\n" + `data: {"error":{"message":"overloaded","type":"server_error"}}` + "\n\n",
		"Hello unexpected end", providers.Transient, "Hello", "overloaded"},
	{"an event that is an error", "", began + said + "event: error\n" + `data: {"type":"error","code":"rate_limit_exceeded","message":"too many","param":null,"sequence_number":3}` + "\n\n",
		"Hello success", providers.Rate, "Hello", "too many"},
	{"the same without its name", "", said + `data: {"type":"error","code":null,"message":"too long: maximum context length is 9 tokens","param":null}` + "\n\n",
		"Hello success", providers.Overflow, "Hello", "too long"},
	{"an error with more space", "", said + `data: { "error" : {"message":"too many", "code": 429}}` + "\n\n",
		"Hello json: cannot unmarshal", providers.Rate, "Hello", "too many"},
	{"failed", "", began + said + ends("failed", `"output":[],"error":{"code":"server_error","message":"the model fell over"}`),
		"Hello success", providers.Transient, "Hello", "fell over"},
	{"failed, the prompt is refused", "", began + ends("failed", `"error":{"code":"invalid_prompt","message":"against the policy"}`),
		" success", providers.Invalid, "", "against the policy"},
	{"failed, and why is not said", "", said + ends("failed", `"error":null`), "Hello success", providers.Transient, "Hello", "failed"},
	{"cancelled by the server", "", said + ends("cancelled", `"error":null`), "Hello success", providers.Transient, "Hello", "cancelled"},
	{"a status that the event hides", "", said + strings.Replace(completed, `"completed","output"`, `"failed","output"`, 1), "Hello success", providers.Transient, "Hello", "failed"},
	{"a page", "text/html", "<!doctype html>\n<html><body>Welcome</body></html>\n", " success", providers.Malformed, "", "/v1 right?"},
	{"a page that says it is a stream", "", "\n<html><body>Welcome</body></html>\n", " success", providers.Malformed, "", "a web page"},
	{"an error as JSON with success", "application/json", `{"error":{"message":"no such model","code":"model_not_found"}}`,
		" success", providers.Invalid, "", "no such model"},
	{"an answer of the other wire", "", hello + stop + end, " success", providers.Malformed, "", "not with an answer of a model"},
	{"other JSON with success", "application/json", `{"detail":"hello from the wrong service"}`, " success", providers.Malformed, "", "not with an answer of a model"},
	{"a whole answer as JSON", "application/json", `{"object":"response","status":"completed","error":null,"output":[{"type":"message","content":[{"type":"output_text","text":"Hello"}]}]}`,
		" success", "", "Hello", ""},
	{"a close without an end", "", began + said, "Hello success", providers.Network, "Hello", "without a finish"},
	{"an end of the other wire", "", began + said + end, "Hello success", providers.Network, "Hello", "without a finish"},
	{"a last line without its end", "", said + strings.TrimSpace(completed), "Hello success", "", "Hello", ""},
	{"an event cut in the middle", "", said + `data: {"type":"response.comp`, "Hello success", providers.Network, "Hello", "is truncated"},
	{"many keep-alives", "", said + strings.Repeat(": keep-alive\n\n", 500) + completed, "Hello too many", "", "Hello", ""},
	{"keep-alives as events", "", said + strings.Repeat("event: keepalive\ndata: {\"type\":\"keepalive\",\"sequence_number\":3}\n\n", 400) + completed, "Hello success", "", "Hello", ""},
	{"events without empty lines", "", strings.ReplaceAll(began+said+completed, "\n\n", "\n"), "Hello success", "", "Hello", ""},
	{"line ends of DOS and a mark", "", "\ufeff" + strings.ReplaceAll(said+completed, "\n", "\r\n"), "Hello success", "", "Hello", ""},
	{"an event in lines", "", strings.Replace(said, `"output_index"`, "\ndata: \"output_index\"", 1) + completed, " unexpected end", "", "Hello", ""},
	{"text behind the end", "", said + completed + `data: {"type":"error","message":"late"}` + "\n\n", "Hello success", "", "Hello", ""},
	{"an empty body", "", "", " success", providers.Network, "", "empty"},
	{"an item that is none", "", `data: {"type":"response.output_item.done","output_index":0,"item":7}` + "\n\n" + completed, " json", providers.Malformed, "", "item"},
	{"a text that came whole only", "", `data: {"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"Hello"}]}}` + "\n\n" + completed,
		" success", "", "Hello", ""},
}

// bareResponses returns what the library alone makes of the answer of a server.
func bareResponses(t *testing.T, c *library.Client) (text string, err error) {
	s, err := c.CreateResponseStream(t.Context(), library.CreateResponseRequest{Model: "model-1"})
	if err != nil {
		return "", err
	}
	defer s.Close()
	for {
		event, err := s.Recv()
		if err != nil {
			return text, err
		}
		if event.Type == library.ResponseStreamEventOutputTextDelta {
			text += event.Delta
		}
	}
}
