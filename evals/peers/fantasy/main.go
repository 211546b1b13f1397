// Fantasy plays the scenario with charm.land/fantasy: an agent as its README shows.
//
// It has no compaction: its hook PrepareStep lets a program write its own, and its documentation offers none. It runs
// as it is. Generate is used, which needs no stop condition.
package main

import (
	"context"
	"errors"

	"charm.land/fantasy"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/peers/internal/scenario"
)

func main() { scenario.Main("charm.land/fantasy", play) }

func play(ctx context.Context, r *scenario.Run) error {
	type input struct {
		N int `json:"n"`
	}
	read := fantasy.NewAgentTool(scenario.ToolName, scenario.ToolDescription,
		func(_ context.Context, in input, _ fantasy.ToolCall) (fantasy.ToolResponse, error) {
			text, err := r.Read(in.N)
			return fantasy.NewTextResponse(text), err
		})
	a := fantasy.NewAgent(&model{ask: r.Ask}, fantasy.WithSystemPrompt(scenario.System), fantasy.WithTools(read))
	_, err := a.Generate(ctx, fantasy.AgentCall{Prompt: scenario.Prompt})
	return err
}

// A model answers from the scenario.
type model struct {
	ask func(context.Context, scenario.Request) (scenario.Turn, error)
	buf []transcript.Message
}

func (*model) Provider() string { return "scenario" }
func (*model) Model() string    { return "model" }

func (m *model) Generate(ctx context.Context, call fantasy.Call) (*fantasy.Response, error) {
	turn, err := m.ask(ctx, m.request(call.Prompt))
	if err != nil { // as its client for OpenAI reports an error of the service
		return nil, &fantasy.ProviderError{
			Title: "bad request", Message: err.Error(), Cause: err, StatusCode: 400,
			ContextTooLargeErr: errors.Is(err, scenario.ErrOverflow),
		}
	}
	answer := &fantasy.Response{
		FinishReason: fantasy.FinishReasonStop,
		Usage: fantasy.Usage{
			InputTokens: int64(turn.Input), OutputTokens: int64(turn.Output), TotalTokens: int64(turn.Input + turn.Output),
		},
	}
	if turn.CallID == "" {
		answer.Content = fantasy.ResponseContent{fantasy.TextContent{Text: turn.Text}}
		return answer, nil
	}
	answer.FinishReason = fantasy.FinishReasonToolCalls
	answer.Content = fantasy.ResponseContent{
		fantasy.ToolCallContent{ToolCallID: turn.CallID, ToolName: scenario.ToolName, Input: turn.Args},
	}
	return answer, nil
}

func (*model) Stream(context.Context, fantasy.Call) (fantasy.StreamResponse, error) {
	return nil, errors.ErrUnsupported
}

func (*model) GenerateObject(context.Context, fantasy.ObjectCall) (*fantasy.ObjectResponse, error) {
	return nil, errors.ErrUnsupported
}

func (*model) StreamObject(context.Context, fantasy.ObjectCall) (fantasy.ObjectStreamResponse, error) {
	return nil, errors.ErrUnsupported
}

func (m *model) request(prompt fantasy.Prompt) scenario.Request {
	var req scenario.Request
	m.buf = m.buf[:0]
	for i := range prompt {
		in := &prompt[i]
		if in.Role == fantasy.MessageRoleSystem && i == 0 {
			p, _ := fantasy.AsMessagePart[fantasy.TextPart](in.Content[0])
			req.System = p.Text
			continue
		}
		m.buf = m.add(m.buf, in)
	}
	req.Messages = m.buf
	return req
}

// add appends a message: each result of a tool message is one of its own.
func (*model) add(ms []transcript.Message, in *fantasy.Message) []transcript.Message {
	out := transcript.Message{Role: transcript.Role(in.Role)}
	if in.Role == fantasy.MessageRoleSystem {
		out.Role = transcript.User
	}
	for _, part := range in.Content {
		switch p := part.(type) {
		case fantasy.TextPart:
			out.Text += p.Text
		case fantasy.ToolCallPart:
			out.Calls = append(out.Calls, scenario.Call(p.ToolCallID, p.ToolName, p.Input))
		case fantasy.ToolResultPart:
			text, _ := fantasy.AsToolResultOutputType[fantasy.ToolResultOutputContentText](p.Output)
			ms = append(ms, transcript.Message{Role: transcript.Tool, CallID: p.ToolCallID, Text: text.Text})
		}
	}
	if in.Role == fantasy.MessageRoleTool {
		return ms
	}
	return append(ms, out)
}
