package textcalls

import (
	"context"
	"encoding/json"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// probeTokens bounds the answer to a probe: a call takes about 30.
const probeTokens = 120

// Probe asks m to call a small tool, in each form until one works, and returns which did: [Native]; the name of a form
// written as text, as in "<tool_call>" or "fenced JSON"; [Text], if m needs a description of the tool; or [Schema].
// It returns "" if m made no call, with the last error if all requests failed. Give it a model without this layer.
func Probe(ctx context.Context, m providers.Model) (string, error) {
	var failed error
	answered := false
	for _, way := range []string{Native, Text, Schema} {
		called, err := probe(ctx, m, way)
		if class := providers.ClassOf(err); called != "" || class == providers.Cancelled || class == providers.Auth {
			return called, err
		}
		answered, failed = answered || err == nil, err
	}
	if answered {
		return "", nil
	}
	return "", failed
}

// probe asks in one way, and returns the name of what worked.
func probe(ctx context.Context, m providers.Model, way string) (string, error) {
	req := &providers.Request{
		Messages:  []transcript.Message{{Role: transcript.User, Text: "Call the tool echo with the text ping."}},
		Tools:     []transcript.ToolSchema{probeTool},
		MaxOutput: probeTokens,
	}
	got, err := providers.Ask(ctx, m, request(way, req))
	endless := providers.ClassOf(err) == providers.TooLong // the call is at its begin, or nowhere
	if err != nil && !endless {
		return "", err
	}
	if len(got.Message.Calls) > 0 {
		return Native, nil
	}
	r := newReader(&offer{req.Tools, &schemas{}}, acts(way, req))
	defer r.stop()
	r.add(got.Message.Text)
	switch _, found := r.end(endless || got.Finish == providers.Length); {
	case len(found) == 0:
		return "", nil
	case way == Native:
		return found[0].form.name, nil
	}
	return way, nil
}

var probeTool = transcript.ToolSchema{
	Name: "echo", Description: "Returns the text that it is given.",
	Schema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},` +
		`"required":["text"],"additionalProperties":false}`),
}
