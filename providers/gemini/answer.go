package gemini

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/geminiwire"
	"github.com/forayhq/foray/providers/internal/wire"
)

// A chunk is one event of an answer.
type chunk struct {
	Candidates []struct {
		Index   int
		Content struct{ Parts []json.RawMessage }

		FinishReason, FinishMessage string
	}
	PromptFeedback *struct{ BlockReason, BlockReasonMessage string }
	UsageMetadata  json.RawMessage // see counted
	Error          json.RawMessage
}

// A counted is usage as the service counts it: thoughts and the input of its own tools separately.
type counted struct {
	PromptTokenCount, CachedContentTokenCount, CandidatesTokenCount, ThoughtsTokenCount, ToolUsePromptTokenCount int
}

func (c *counted) usage() *providers.Usage {
	return &providers.Usage{
		Input: c.PromptTokenCount + c.ToolUsePromptTokenCount, Cached: c.CachedContentTokenCount,
		Output: c.CandidatesTokenCount + c.ThoughtsTokenCount, Reasoning: c.ThoughtsTokenCount,
	}
}

// A part holds the fields that this package reads of a part of a content.
type part struct {
	Text             string
	Thought          bool
	ThoughtSignature string
	FunctionCall     *struct {
		ID, Name string
		Args     json.RawMessage
	}
}

// An answer collects the events of one answer.
type answer struct {
	model   *Model
	known   bool // an event belonged to this dialect
	events  int
	held    wire.Held
	kept    kept
	calls   []transcript.ToolCall // with the service's ids, if any
	finish  string
	settled bool            // the finish came after all content: a failure now costs nothing
	message string          // the service's comment on the finish
	blocked string          // why the prompt was blocked
	usage   json.RawMessage // a running total: the last one counts
}

// add takes one event and returns the deltas that can be shown at once.
func (a *answer) add(event []byte) ([]providers.Delta, error) {
	if err := a.model.service.CheckParts(event); err != nil {
		return nil, err
	}
	var c chunk
	if err := json.Unmarshal(event, &c); err != nil {
		says := "reading an event of the answer: " + err.Error() + ": " + string(event)
		return nil, a.model.service.Error(providers.Malformed, says)
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		fault, _ := a.model.service.Fault(event)
		return nil, fault
	}
	a.events++
	a.known = a.known || c.Candidates != nil || c.UsageMetadata != nil || c.PromptFeedback != nil
	if len(c.UsageMetadata) > 0 && string(c.UsageMetadata) != "null" {
		a.usage = append(a.usage[:0], c.UsageMetadata...)
	}
	if c.PromptFeedback != nil && c.PromptFeedback.BlockReason != "" {
		a.blocked = c.PromptFeedback.BlockReason
	}
	var out []providers.Delta
	calls := len(a.calls)
	for _, candidate := range c.Candidates {
		if candidate.Index != 0 {
			continue // the request asks for one candidate
		}
		for _, raw := range candidate.Content.Parts {
			delta, err := a.addPart(raw)
			if err != nil {
				return nil, err
			}
			if delta != (providers.Delta{}) {
				out = append(out, delta)
			}
		}
		if reason := candidate.FinishReason; reason != "" && reason != geminiwire.Unspecified {
			a.finish, a.message = reason, candidate.FinishMessage
		}
	}
	content := len(out) > 0 || len(a.calls) > calls
	a.settled = a.finish != "" && !content // some proxies send a finish with each piece
	return out, a.held.Calls(a.model.service.Reporter, a.calls[calls:])
}

// addPart takes one part. Calls wait for the end: an answer that breaks off has none.
func (a *answer) addPart(raw json.RawMessage) (providers.Delta, error) {
	var p part
	if err := json.Unmarshal(raw, &p); err != nil {
		return providers.Delta{}, a.model.service.Error(providers.Malformed, "reading a part of the answer: "+err.Error())
	}
	if err := a.held.Add(a.model.service.Reporter, a.kept.add(raw, &p), 0); err != nil {
		return providers.Delta{}, err
	}
	switch {
	case p.FunctionCall != nil:
		c := p.FunctionCall
		a.calls = append(a.calls, transcript.ToolCall{ID: c.ID, Name: c.Name, Args: arguments(c.Args)})
		return providers.Delta{}, nil
	case p.Thought:
		return providers.Delta{Reasoning: p.Text}, nil
	}
	return providers.Delta{Text: p.Text}, nil
}

// arguments returns the arguments of a call. They are an object in this dialect, but a proxy may send a text.
func arguments(raw json.RawMessage) json.RawMessage {
	var text string
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return providers.Arguments("")
	case raw[0] == '"' && json.Unmarshal(raw, &text) == nil:
		return providers.Arguments(text)
	}
	return bytes.Clone(providers.Arguments(string(raw)))
}

// end returns the last deltas of a complete answer, or why it is not complete.
func (a *answer) end(req *providers.Request) ([]providers.Delta, error) {
	if err := a.fault(); err != nil {
		return nil, err
	}
	data, err := a.kept.providerData(a.model.name, a.calls)
	if err != nil {
		return nil, a.model.service.Error(providers.Malformed, "keeping the parts: "+err.Error())
	}
	var usage *providers.Usage
	if a.usage != nil {
		var c counted
		if json.Unmarshal(a.usage, &c) == nil { // the answer is worth more than its counts
			usage = c.usage()
		}
	}
	finish := geminiwire.Finish(a.finish, len(a.calls) > 0)
	if a.finish == "" {
		finish = providers.Filtered // the prompt was blocked
	}
	return wire.Ending(req, a.calls, data, usage, finish), nil
}

// fault returns why an answer is incomplete, or nil.
func (a *answer) fault() error {
	class, failed := geminiwire.Failure(a.finish)
	switch {
	case failed:
		says := strings.TrimSuffix("the service aborted the answer: "+a.finish+": "+a.message, ": ")
		return a.model.service.Error(class, says)
	case a.events > 0 && !a.known:
		return a.model.service.Misled(providers.Malformed,
			"the service answered with JSON, but not with an answer of a model")
	case a.finish == "" && a.blocked == "":
		return a.model.service.Wrap(providers.Network, providers.ErrNoFinish)
	}
	return nil
}
