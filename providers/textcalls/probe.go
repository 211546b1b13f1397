package textcalls

import (
	"context"
	"encoding/json"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// Native is what [Probe] returns for a model whose calls its server delivers as calls.
const Native = "native"

// probeTokens bounds the answer to a probe: a call takes about 30.
const probeTokens = 120

// Probe asks m to call a small tool and returns the form of the call: [Native], or that of a call written as text, as
// in "<tool_call>" or "fenced JSON". It returns "" if m answers without a call. Give it a model without this layer.
func Probe(ctx context.Context, m providers.Model) (string, error) {
	req := &providers.Request{
		Messages:  []transcript.Message{{Role: transcript.User, Text: "Call the tool echo with the text ping."}},
		Tools:     []transcript.ToolSchema{probeTool},
		MaxOutput: probeTokens,
	}
	got, err := providers.Ask(ctx, m, req)
	if err != nil {
		return "", err
	}
	if len(got.Message.Calls) > 0 {
		return Native, nil
	}
	r := newReader(&offer{req.Tools, &schemas{}})
	defer r.stop()
	r.add(got.Message.Text)
	if _, found := r.end(got.Finish == providers.Length); len(found) > 0 {
		return found[0].form.name, nil
	}
	return "", nil
}

var probeTool = transcript.ToolSchema{
	Name: "echo", Description: "Returns the text that it is given.",
	Schema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},` +
		`"required":["text"],"additionalProperties":false}`),
}
