// Eino plays the scenario with github.com/cloudwego/eino: a ChatModelAgent of its adk with a Runner.
//
// Set up as https://www.cloudwego.io/docs/eino/core_modules/eino_adk/eino_adk_chatmodelagentmiddleware/ shows: the
// summarization middleware with a trigger of 19,200 tokens. Its default, 160,000, is for a window of 200,000 and is
// the same share of it. Mode "reduction" also registers the tool reduction middleware before it, which clears old
// results once the conversation has 15,000 tokens and keeps them in a backend: early enough that a summary is the
// exception. (With equal shares, as the two defaults have them, a summary follows each time, and the run dies without
// its summariser as it does without this middleware.) MaxIterations, 20 by default, is raised so that the run can end.
package main

import (
	"context"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/adk/filesystem"
	"github.com/cloudwego/eino/adk/middlewares/reduction"
	"github.com/cloudwego/eino/adk/middlewares/summarization"
	einomodel "github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/peers/internal/scenario"
)

const (
	trigger = scenario.Budget * 8 / 10
	clear   = scenario.Budget * 5 / 8
)

func main() { scenario.Main("github.com/cloudwego/eino", play) }

func play(ctx context.Context, r *scenario.Run) error {
	type input struct {
		N int `json:"n"`
	}
	read, err := utils.InferTool(scenario.ToolName, scenario.ToolDescription,
		func(_ context.Context, in input) (string, error) { return r.Read(in.N) })
	if err != nil {
		return err
	}
	handlers, err := middlewares(ctx, r)
	if err != nil {
		return err
	}
	a, err := adk.NewChatModelAgent(ctx, &adk.ChatModelAgentConfig{
		Name:          "auditor",
		Description:   "reads ledgers",
		Instruction:   scenario.System,
		Model:         &model{ask: r.Ask},
		ToolsConfig:   adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: []tool.BaseTool{read}}},
		MaxIterations: r.Calls + 10,
		Handlers:      handlers,
	})
	if err != nil {
		return err
	}
	events := adk.NewRunner(ctx, adk.RunnerConfig{Agent: a}).Query(ctx, scenario.Prompt)
	for {
		e, ok := events.Next()
		if !ok {
			return nil
		}
		if e.Err != nil {
			return e.Err
		}
	}
}

func middlewares(ctx context.Context, r *scenario.Run) ([]adk.ChatModelAgentMiddleware, error) {
	summarise, err := summarization.New(ctx, &summarization.Config{
		Model:   &model{ask: r.Summarise},
		Trigger: &summarization.TriggerCondition{ContextTokens: trigger},
	})
	if err != nil || r.Mode != "reduction" {
		return []adk.ChatModelAgentMiddleware{summarise}, err
	}
	reduce, err := reduction.New(ctx, &reduction.Config{
		Backend:           filesystem.NewInMemoryBackend(),
		MaxTokensForClear: clear,
	})
	return []adk.ChatModelAgentMiddleware{reduce, summarise}, err
}

// A model answers from the scenario.
type model struct {
	ask func(context.Context, scenario.Request) (scenario.Turn, error)
	buf []transcript.Message
}

func (m *model) Generate(ctx context.Context, ms []*schema.Message, _ ...einomodel.Option) (*schema.Message, error) {
	turn, err := m.ask(ctx, m.request(ms))
	if err != nil {
		return nil, err
	}
	answer := schema.AssistantMessage(turn.Text, nil)
	answer.ResponseMeta = &schema.ResponseMeta{FinishReason: "stop", Usage: &schema.TokenUsage{
		PromptTokens: turn.Input, CompletionTokens: turn.Output, TotalTokens: turn.Input + turn.Output,
	}}
	if turn.CallID != "" {
		call := schema.FunctionCall{Name: scenario.ToolName, Arguments: turn.Args}
		answer.ToolCalls = []schema.ToolCall{{ID: turn.CallID, Type: "function", Function: call}}
		answer.ResponseMeta.FinishReason = "tool_calls"
	}
	return answer, nil
}

func (m *model) Stream(
	ctx context.Context, ms []*schema.Message, opts ...einomodel.Option,
) (*schema.StreamReader[*schema.Message], error) {
	answer, err := m.Generate(ctx, ms, opts...)
	if err != nil {
		return nil, err
	}
	return schema.StreamReaderFromArray([]*schema.Message{answer}), nil
}

func (m *model) request(ms []*schema.Message) scenario.Request {
	var req scenario.Request
	if len(ms) > 0 && ms[0].Role == schema.System {
		req.System, ms = ms[0].Content, ms[1:]
	}
	m.buf = m.buf[:0]
	for _, in := range ms {
		out := transcript.Message{Role: transcript.Role(in.Role), Text: text(in), CallID: in.ToolCallID}
		if in.Role == schema.System {
			out.Role = transcript.User
		}
		for i := range in.ToolCalls {
			c := &in.ToolCalls[i]
			out.Calls = append(out.Calls, scenario.Call(c.ID, c.Function.Name, c.Function.Arguments))
		}
		m.buf = append(m.buf, out)
	}
	req.Messages = m.buf
	return req
}

// text is the text of a message; the summarization middleware writes its own in parts.
func text(m *schema.Message) string {
	s := m.Content
	for i := range m.UserInputMultiContent {
		s += m.UserInputMultiContent[i].Text
	}
	return s
}
