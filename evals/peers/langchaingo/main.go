// Langchaingo plays the scenario with github.com/tmc/langchaingo: an Executor with an OpenAIFunctionsAgent, as its test
// agents/openai_functions_agent_test.go shows; its examples call a model with tools only by hand.
//
// It has no compaction of a run: its memories, ConversationTokenBuffer among them, hold what was said between runs, and
// an Executor saves to them when a run has ended. It runs as it is. MaxIterations, 5 by default, is raised so that the
// run can end. A tool gets its input as text.
package main

import (
	"context"
	"encoding/json"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/peers/internal/scenario"
)

func main() { scenario.Main("github.com/tmc/langchaingo", play) }

func play(ctx context.Context, r *scenario.Run) error {
	a := agents.NewOpenAIFunctionsAgent(&model{ask: r.Ask}, []tools.Tool{read{r}},
		agents.NewOpenAIOption().WithSystemMessage(scenario.System))
	_, err := chains.Run(ctx, agents.NewExecutor(a, agents.WithMaxIterations(r.Calls+10)), scenario.Prompt)
	return err
}

type read struct{ run *scenario.Run }

func (read) Name() string        { return scenario.ToolName }
func (read) Description() string { return scenario.ToolDescription }

func (t read) Call(_ context.Context, input string) (string, error) {
	var in struct{ N int }
	if err := json.Unmarshal([]byte(input), &in); err != nil {
		return "", err
	}
	return t.run.Read(in.N)
}

// A model answers from the scenario.
type model struct {
	ask func(context.Context, scenario.Request) (scenario.Turn, error)
	buf []transcript.Message
}

func (m *model) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

func (m *model) GenerateContent(
	ctx context.Context, ms []llms.MessageContent, _ ...llms.CallOption,
) (*llms.ContentResponse, error) {
	turn, err := m.ask(ctx, m.request(ms))
	if err != nil {
		return nil, err
	}
	choice := &llms.ContentChoice{Content: turn.Text, StopReason: "stop", GenerationInfo: map[string]any{
		"PromptTokens": turn.Input, "CompletionTokens": turn.Output, "TotalTokens": turn.Input + turn.Output,
	}}
	if turn.CallID != "" {
		call := &llms.FunctionCall{Name: scenario.ToolName, Arguments: turn.Args}
		choice.ToolCalls = []llms.ToolCall{{ID: turn.CallID, Type: "function", FunctionCall: call}}
		choice.StopReason = "tool_calls"
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{choice}}, nil
}

func (m *model) request(ms []llms.MessageContent) scenario.Request {
	var req scenario.Request
	m.buf = m.buf[:0]
	for i := range ms {
		out := transcript.Message{Role: transcript.User}
		switch ms[i].Role {
		case llms.ChatMessageTypeAI:
			out.Role = transcript.Assistant
		case llms.ChatMessageTypeTool, llms.ChatMessageTypeFunction:
			out.Role = transcript.Tool
		case llms.ChatMessageTypeHuman, llms.ChatMessageTypeGeneric, llms.ChatMessageTypeSystem:
		}
		for _, part := range ms[i].Parts {
			switch p := part.(type) {
			case llms.TextContent:
				out.Text += p.Text
			case llms.ToolCall:
				out.Calls = append(out.Calls, scenario.Call(p.ID, p.FunctionCall.Name, p.FunctionCall.Arguments))
			case llms.ToolCallResponse:
				out.CallID, out.Text = p.ToolCallID, p.Content
			}
		}
		if i == 0 && ms[i].Role == llms.ChatMessageTypeSystem {
			req.System = out.Text
			continue
		}
		m.buf = append(m.buf, out)
	}
	req.Messages = m.buf
	return req
}
