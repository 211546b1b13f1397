// Genkit plays the scenario with github.com/firebase/genkit/go: Generate with a prompt, a tool and a model, as its
// README shows under "Tool calling".
//
// It has no compaction, also not among the middleware of its plugins, so it runs as it is. MaxTurns, 5 by default, is
// raised so that the run can end.
package main

import (
	"context"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/core"
	"github.com/firebase/genkit/go/genkit"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/peers/internal/scenario"
)

func main() { scenario.Main("github.com/firebase/genkit/go", play) }

func play(ctx context.Context, r *scenario.Run) error {
	type input struct {
		N int `json:"n"`
	}
	g := genkit.Init(ctx)
	m := &model{ask: r.Ask}
	supports := &ai.ModelSupports{Multiturn: true, Tools: true, SystemRole: true}
	genkit.DefineModel(g, "scenario/model", &ai.ModelOptions{Supports: supports}, m.generate)
	read := genkit.DefineTool(g, scenario.ToolName, scenario.ToolDescription,
		func(_ *ai.ToolContext, in input) (string, error) { return r.Read(in.N) })
	_, err := genkit.Generate(ctx, g,
		ai.WithModelName("scenario/model"),
		ai.WithSystem(scenario.System),
		ai.WithPrompt(scenario.Prompt),
		ai.WithTools(read),
		ai.WithMaxTurns(r.Calls+10))
	return err
}

// A model answers from the scenario.
type model struct {
	ask func(context.Context, scenario.Request) (scenario.Turn, error)
	buf []transcript.Message
}

func (m *model) generate(
	ctx context.Context, in *ai.ModelRequest, _ core.StreamCallback[*ai.ModelResponseChunk],
) (*ai.ModelResponse, error) {
	turn, err := m.ask(ctx, m.request(in.Messages))
	if err != nil { // as its plugins report an error of the service
		return nil, core.NewError(core.INVALID_ARGUMENT, "%v", err)
	}
	part := ai.NewTextPart(turn.Text)
	if turn.CallID != "" {
		part = ai.NewToolRequestPart(&ai.ToolRequest{
			Ref: turn.CallID, Name: scenario.ToolName, Input: map[string]any{"n": turn.N},
		})
	}
	return &ai.ModelResponse{
		Request:      in,
		Message:      ai.NewModelMessage(part),
		FinishReason: ai.FinishReasonStop,
		Usage: &ai.GenerationUsage{
			InputTokens: turn.Input, OutputTokens: turn.Output, TotalTokens: turn.Input + turn.Output,
		},
	}, nil
}

func (m *model) request(ms []*ai.Message) scenario.Request {
	var req scenario.Request
	if len(ms) > 0 && ms[0].Role == ai.RoleSystem {
		req.System, ms = ms[0].Text(), ms[1:]
	}
	m.buf = m.buf[:0]
	for _, in := range ms {
		out := transcript.Message{Role: transcript.User}
		if in.Role == ai.RoleModel {
			out.Role = transcript.Assistant
		}
		for _, p := range in.Content {
			switch {
			case p.ToolRequest != nil:
				out.Calls = append(out.Calls, scenario.Call(p.ToolRequest.Ref, p.ToolRequest.Name, "{}"))
			case p.ToolResponse != nil:
				out.Role, out.CallID = transcript.Tool, p.ToolResponse.Ref
				out.Text, _ = p.ToolResponse.Output.(string)
			default:
				out.Text += p.Text
			}
		}
		m.buf = append(m.buf, out)
	}
	req.Messages = m.buf
	return req
}
