package generativeai

import (
	"encoding/json"
	"fmt"

	pb "cloud.google.com/go/ai/generativelanguage/apiv1beta/generativelanguagepb"
	library "github.com/google/generative-ai-go/genai"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/geminiwire"
	"github.com/forayhq/foray/providers/internal/wire"
)

// Bounds on the text of an answer, in bytes. The library joins the whole text anew with each response, so that many
// small pieces cost the most.
const (
	maxText   = 2 << 20
	maxJoined = 8 << 30 // of all joined texts; an honest answer of 100,000 tokens takes a quarter
)

// An answer collects the responses of one answer.
type answer struct {
	service *geminiwire.Service
	calls   []transcript.ToolCall // with the service's ids, if any
	held    wire.Held
	text    int   // bytes so far
	joined  int64 // bytes that the library has joined
	finish  string
	settled bool // the finish came after all content: a failure now costs nothing
	usage   *providers.Usage
}

// add takes one response and returns the deltas that can be shown at once.
func (a *answer) add(r *library.GenerateContentResponse) ([]providers.Delta, error) {
	if u := r.UsageMetadata; u != nil {
		// The library has no count of thoughts, but the total includes them.
		output := max(u.TotalTokenCount-u.PromptTokenCount, u.CandidatesTokenCount)
		a.usage = &providers.Usage{
			Input: int(u.PromptTokenCount), Cached: int(u.CachedContentTokenCount), Output: int(output),
			Reasoning: int(output - u.CandidatesTokenCount),
		}
	}
	var out []providers.Delta
	calls := len(a.calls)
	for _, candidate := range r.Candidates {
		if candidate.Index == 0 { // the request asks for one candidate
			out = append(out, a.candidate(candidate)...)
		}
	}
	content := len(out) > 0 || len(a.calls) > calls
	a.settled = a.finish != "" && !content // some proxies send a finish with each piece
	switch a.joined += int64(a.text); {
	case a.text > maxText:
		return out, a.service.TooLong(fmt.Sprintf("its text is longer than %d MB", maxText>>20))
	case a.joined > maxJoined:
		return out, a.service.TooLong("its text comes in too many pieces for this library")
	}
	return out, a.held.Calls(a.service.Reporter, a.calls[calls:])
}

func (a *answer) candidate(c *library.Candidate) []providers.Delta {
	if c.FinishReason != library.FinishReasonUnspecified {
		a.finish = pb.Candidate_FinishReason(c.FinishReason).String()
	}
	if c.Content == nil {
		return nil
	}
	var out []providers.Delta
	for _, part := range c.Content.Parts {
		switch part := part.(type) {
		case library.Text:
			if part != "" {
				a.text += len(part)
				out = append(out, providers.Delta{Text: string(part)})
			}
		case library.FunctionCall:
			a.calls = append(a.calls, unpacked(part))
		}
	}
	return out
}

// end returns the last deltas of a complete answer, or why it is not complete.
func (a *answer) end(req *providers.Request) ([]providers.Delta, error) {
	if class, failed := geminiwire.Failure(a.finish); failed {
		return nil, a.service.Error(class, "the service aborted the answer: "+a.finish)
	}
	if a.finish == "" {
		return nil, a.service.Wrap(providers.Network, providers.ErrNoFinish)
	}
	return wire.Ending(req, a.calls, nil, a.usage, geminiwire.Finish(a.finish, len(a.calls) > 0)), nil
}

// unpacked returns a call as the service wrote it.
func unpacked(call library.FunctionCall) transcript.ToolCall {
	id, _ := call.Args[packedID].(string)
	args, _ := call.Args[packedArgs].(string)
	var text string
	switch {
	case args == "null":
		args = ""
	case json.Unmarshal([]byte(args), &text) == nil: // a proxy may send a text instead of an object
		args = text
	}
	return transcript.ToolCall{ID: id, Name: call.Name, Args: providers.Arguments(args)}
}
