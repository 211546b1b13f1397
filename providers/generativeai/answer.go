package generativeai

import (
	"encoding/json"

	pb "cloud.google.com/go/ai/generativelanguage/apiv1beta/generativelanguagepb"
	library "github.com/google/generative-ai-go/genai"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
)

// finishes are the finish reasons of the service, after finishNames. One that is not here is a Stop.
var finishes = map[pb.Candidate_FinishReason]providers.Finish{
	pb.Candidate_MAX_TOKENS:         providers.Length,
	pb.Candidate_LANGUAGE:           providers.Filtered,
	pb.Candidate_BLOCKLIST:          providers.Filtered,
	pb.Candidate_PROHIBITED_CONTENT: providers.Filtered,
	pb.Candidate_SPII:               providers.Filtered,
	pb.Candidate_IMAGE_SAFETY:       providers.Filtered,
}

// failures are the finish reasons that are errors.
var failures = map[pb.Candidate_FinishReason]providers.Class{
	pb.Candidate_MALFORMED_FUNCTION_CALL: providers.Transient, // the model wrote a call that the service cannot read, this time
	pb.Candidate_OTHER:                   providers.Transient, // the service does not say why
}

// An answer is what has come of one answer.
type answer struct {
	model  *Model
	calls  []contextwindow.ToolCall // with the service's ids, if any
	finish pb.Candidate_FinishReason
	usage  *providers.Usage
}

// add takes one response and returns what of it can be shown at once.
func (a *answer) add(r *library.GenerateContentResponse) []providers.Delta {
	if u := r.UsageMetadata; u != nil {
		// The library has no count of thoughts, but they are in the total.
		output := max(u.TotalTokenCount-u.PromptTokenCount, u.CandidatesTokenCount)
		a.usage = &providers.Usage{
			Input: int(u.PromptTokenCount), Cached: int(u.CachedContentTokenCount), Output: int(output), Reasoning: int(output - u.CandidatesTokenCount),
		}
	}
	var out []providers.Delta
	for _, candidate := range r.Candidates {
		if candidate.Index == 0 { // only one is asked for
			out = append(out, a.candidate(candidate)...)
		}
	}
	return out
}

func (a *answer) candidate(c *library.Candidate) []providers.Delta {
	if c.FinishReason != library.FinishReasonUnspecified {
		a.finish = pb.Candidate_FinishReason(c.FinishReason)
	}
	if c.Content == nil {
		return nil
	}
	var out []providers.Delta
	for _, part := range c.Content.Parts {
		switch part := part.(type) {
		case library.Text:
			if part != "" {
				out = append(out, providers.Delta{Text: string(part)})
			}
		case library.FunctionCall:
			a.calls = append(a.calls, unpacked(part))
		}
	}
	return out
}

// end returns the deltas that come when the answer is whole, or why it is not.
func (a *answer) end(req *providers.Request) ([]providers.Delta, error) {
	if class, failed := failures[a.finish]; failed {
		return nil, a.model.error(class, "the service gave the answer up: "+a.finish.String())
	}
	if a.finish == pb.Candidate_FINISH_REASON_UNSPECIFIED {
		return nil, a.model.wrap(providers.Network, providers.ErrNoFinish)
	}
	a.identify(req)
	var out []providers.Delta
	for i := range a.calls {
		out = append(out, providers.Delta{Call: &a.calls[i]})
	}
	if a.usage != nil {
		out = append(out, providers.Delta{Usage: a.usage})
	}
	finish, known := finishes[a.finish]
	switch {
	case !known && len(a.calls) > 0: // the service says STOP also where the answer ends in calls
		finish = providers.Calls
	case !known:
		finish = providers.Stop
	}
	return append(out, providers.Delta{Finish: finish}), nil
}

// identify gives an id to each call that has none, or one that the conversation has already.
func (a *answer) identify(req *providers.Request) {
	if len(a.calls) == 0 {
		return
	}
	used := map[string]bool{"": true}
	for _, m := range req.Messages {
		for _, c := range m.Calls {
			used[c.ID] = true
		}
	}
	step := providers.NextStep(req.Messages)
	for i := range a.calls {
		c := &a.calls[i]
		for n := i + 1; used[c.ID]; n += len(a.calls) { // a second turn only where a service counts in our form
			c.ID = providers.CallID(step, n)
		}
		used[c.ID] = true
	}
}

// unpacked returns a call as the service wrote it.
func unpacked(call library.FunctionCall) contextwindow.ToolCall {
	id, _ := call.Args[packedID].(string)
	args, _ := call.Args[packedArgs].(string)
	var text string
	switch {
	case args == "null":
		args = ""
	case json.Unmarshal([]byte(args), &text) == nil: // a proxy may write a text in place of an object
		args = text
	}
	return contextwindow.ToolCall{ID: id, Name: call.Name, Args: providers.Arguments(args)}
}
