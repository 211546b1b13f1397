// Agentcore plays the scenario with github.com/voocel/agentcore.
//
// Set up as its README shows under "Context Compaction": NewDefaultEngine with the model and the size of its window.
// The engine derives the rest from that size: it compacts above 19,904 tokens (the window less 4,096) and keeps the
// newest 4,976. MaxTurns, 100 by default, is raised so that the run can end.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/voocel/agentcore"
	agentctx "github.com/voocel/agentcore/context"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/peers/internal/scenario"
)

func main() { scenario.Main("github.com/voocel/agentcore", play) }

func play(ctx context.Context, r *scenario.Run) error {
	schema := map[string]any{
		"type":       "object",
		"properties": map[string]any{"n": map[string]any{"type": "integer"}},
		"required":   []string{"n"},
	}
	read := agentcore.NewFuncTool(scenario.ToolName, scenario.ToolDescription, schema,
		func(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
			var in struct{ N int }
			if err := json.Unmarshal(args, &in); err != nil {
				return nil, err
			}
			text, err := r.Read(in.N)
			if err != nil {
				return nil, err
			}
			return json.Marshal(text)
		})
	a := agentcore.NewAgent(
		agentcore.WithModel(&model{ask: r.Ask}),
		agentcore.WithSystemPrompt(scenario.System),
		agentcore.WithTools(read),
		agentcore.WithMaxTurns(r.Calls+10),
		agentcore.WithContextManager(engine(r)),
	)
	var failed error
	a.Subscribe(func(e agentcore.Event) {
		if e.Type == agentcore.EventError {
			failed = errors.Join(failed, e.Err)
		}
	})
	if err := a.Prompt(ctx, scenario.Prompt); err != nil {
		return err
	}
	a.WaitForIdle()
	return failed
}

func engine(r *scenario.Run) *agentctx.ContextEngine {
	summarise := &model{ask: r.Summarise}
	if r.Mode != "commit" {
		return agentctx.NewDefaultEngine(summarise, scenario.Budget)
	}
	strategies := []agentctx.Strategy{
		agentctx.NewToolResultMicrocompact(agentctx.ToolResultMicrocompactConfig{}),
		agentctx.NewLightTrim(agentctx.LightTrimConfig{}),
		agentctx.NewFullSummary(agentctx.FullSummaryConfig{Model: summarise}),
	}
	var names []string
	for _, s := range strategies {
		names = append(names, s.Name())
	}
	return agentctx.NewEngine(agentctx.EngineConfig{
		ContextWindow: scenario.Budget, Strategies: strategies, CommitStrategies: names,
	})
}

// A model answers from the scenario.
type model struct {
	ask func(context.Context, scenario.Request) (scenario.Turn, error)
	buf []transcript.Message
}

func (*model) SupportsTools() bool { return true }

func (m *model) Generate(
	ctx context.Context, ms []agentcore.Message, _ []agentcore.ToolSpec, _ ...agentcore.CallOption,
) (*agentcore.LLMResponse, error) {
	turn, err := m.ask(ctx, m.request(ms))
	if errors.Is(err, scenario.ErrOverflow) { // as the clients in agentcore/llm report it
		err = fmt.Errorf("%w: %w", agentcore.ErrContextOverflow, err)
	}
	if err != nil {
		return nil, err
	}
	answer := agentcore.Message{
		Role:       agentcore.RoleAssistant,
		Content:    []agentcore.ContentBlock{agentcore.TextBlock(turn.Text)},
		StopReason: agentcore.StopReasonStop,
		Usage:      &agentcore.Usage{Input: turn.Input, Output: turn.Output, TotalTokens: turn.Input + turn.Output},
	}
	if turn.CallID != "" {
		call := agentcore.ToolCall{ID: turn.CallID, Name: scenario.ToolName, Args: json.RawMessage(turn.Args)}
		answer.Content[0] = agentcore.ToolCallBlock(call)
		answer.StopReason = agentcore.StopReasonToolUse
	}
	return &agentcore.LLMResponse{Message: answer}, nil
}

func (m *model) GenerateStream(
	ctx context.Context, ms []agentcore.Message, tools []agentcore.ToolSpec, opts ...agentcore.CallOption,
) (<-chan agentcore.StreamEvent, error) {
	answer, err := m.Generate(ctx, ms, tools, opts...)
	if err != nil {
		return nil, err
	}
	events := make(chan agentcore.StreamEvent, 1)
	events <- agentcore.StreamEvent{
		Type: agentcore.StreamEventDone, Message: answer.Message, StopReason: answer.Message.StopReason,
	}
	close(events)
	return events, nil
}

func (m *model) request(ms []agentcore.Message) scenario.Request {
	var req scenario.Request
	if len(ms) > 0 && ms[0].Role == agentcore.RoleSystem {
		req.System, ms = ms[0].TextContent(), ms[1:]
	}
	m.buf = m.buf[:0]
	for i := range ms {
		out := transcript.Message{Role: transcript.Role(ms[i].Role), Text: text(&ms[i])}
		switch ms[i].Role {
		case agentcore.RoleSystem:
			out.Role = transcript.User
		case agentcore.RoleTool:
			out.CallID, _ = ms[i].Metadata["tool_call_id"].(string)
		case agentcore.RoleAssistant:
			for _, b := range ms[i].Content {
				if b.ToolCall != nil {
					out.Calls = append(out.Calls, scenario.Call(b.ToolCall.ID, b.ToolCall.Name, string(b.ToolCall.Args)))
				}
			}
		case agentcore.RoleUser:
		}
		m.buf = append(m.buf, out)
	}
	req.Messages = m.buf
	return req
}

// text is the text of a message, without the copy that TextContent makes when one block holds all of it.
func text(m *agentcore.Message) string {
	if len(m.Content) == 1 {
		return m.Content[0].Text
	}
	return m.TextContent()
}
