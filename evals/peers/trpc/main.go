// Trpc plays the scenario with trpc.group/trpc-go/trpc-agent-go: an llmagent with a runner and a session in memory.
//
// Set up as docs/mkdocs/en/session/summary.md of its repository says for "long ReAct loops": a summarizer with
// WithContextThreshold, and the agent with WithAddSessionSummary, WithSyncSummaryIntraRun and, for large tool outputs,
// WithEnableContextCompaction. The model reports its window of 24,000 tokens, so the summary is due above half of it.
// Mode "cache" also follows its part on prompt caches: WithCacheSafeForking and the summary as a user message. Token
// tailoring is a part of its clients for services, not of the agent, and so does not take part.
package main

import (
	"context"
	"errors"

	"trpc.group/trpc-go/trpc-agent-go/agent/llmagent"
	trpclog "trpc.group/trpc-go/trpc-agent-go/log"
	trpcmodel "trpc.group/trpc-go/trpc-agent-go/model"
	"trpc.group/trpc-go/trpc-agent-go/runner"
	"trpc.group/trpc-go/trpc-agent-go/session/inmemory"
	"trpc.group/trpc-go/trpc-agent-go/session/summary"
	"trpc.group/trpc-go/trpc-agent-go/tool"
	"trpc.group/trpc-go/trpc-agent-go/tool/function"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/peers/internal/scenario"
)

func main() { scenario.Main("trpc.group/trpc-go/trpc-agent-go", play) }

func play(ctx context.Context, r *scenario.Run) error {
	trpclog.SetLevel(trpclog.LevelFatal)
	type input struct {
		N int `json:"n"`
	}
	read := function.NewFunctionTool(func(_ context.Context, in input) (string, error) { return r.Read(in.N) },
		function.WithName(scenario.ToolName), function.WithDescription(scenario.ToolDescription))
	summarise := []summary.Option{summary.WithContextThreshold()}
	options := []llmagent.Option{
		llmagent.WithModel(&model{ask: r.Ask}),
		llmagent.WithInstruction(scenario.System),
		llmagent.WithTools([]tool.Tool{read}),
		llmagent.WithAddSessionSummary(true),
		llmagent.WithSyncSummaryIntraRun(true),
		llmagent.WithEnableContextCompaction(true),
	}
	if r.Mode == "cache" {
		summarise = append(summarise, summary.WithCacheSafeForking(true))
		options = append(options, llmagent.WithSessionSummaryInjectionMode(llmagent.SessionSummaryInjectionUser))
	}
	sessions := inmemory.NewSessionService(
		inmemory.WithSummarizer(summary.NewSummarizer(&model{ask: r.Summarise}, summarise...)))
	run := runner.NewRunner("peers", llmagent.New("auditor", options...), runner.WithSessionService(sessions))
	defer func() { _ = run.Close() }()
	events, err := run.Run(ctx, "ada", "session", trpcmodel.NewUserMessage(scenario.Prompt))
	if err != nil {
		return err
	}
	for e := range events {
		if e.Error != nil {
			err = errors.Join(err, errors.New(e.Error.Message))
		}
	}
	return errors.Join(err, sessions.Close())
}

// A model answers from the scenario.
type model struct {
	ask func(context.Context, scenario.Request) (scenario.Turn, error)
	buf []transcript.Message
}

func (*model) Info() trpcmodel.Info {
	return trpcmodel.Info{Name: "model", ContextWindow: scenario.Budget}
}

func (m *model) GenerateContent(
	ctx context.Context, req *trpcmodel.Request,
) (<-chan *trpcmodel.Response, error) {
	turn, err := m.ask(ctx, m.request(req.Messages))
	answer := &trpcmodel.Response{Object: trpcmodel.ObjectTypeChatCompletion, Model: "model", Done: true}
	switch {
	case err != nil: // as its client for OpenAI reports an error of the service
		answer.Error = &trpcmodel.ResponseError{Message: err.Error(), Type: trpcmodel.ErrorTypeAPIError}
	default:
		message := trpcmodel.NewAssistantMessage(turn.Text)
		finish := "stop"
		if turn.CallID != "" {
			call := trpcmodel.FunctionDefinitionParam{Name: scenario.ToolName, Arguments: []byte(turn.Args)}
			message.ToolCalls = []trpcmodel.ToolCall{{Type: "function", ID: turn.CallID, Function: call}}
			finish = "tool_calls"
		}
		answer.Choices = []trpcmodel.Choice{{Message: message, FinishReason: &finish}}
		answer.Usage = &trpcmodel.Usage{
			PromptTokens: turn.Input, CompletionTokens: turn.Output, TotalTokens: turn.Input + turn.Output,
		}
	}
	out := make(chan *trpcmodel.Response, 1)
	out <- answer
	close(out)
	return out, nil
}

func (m *model) request(ms []trpcmodel.Message) scenario.Request {
	var req scenario.Request
	if len(ms) > 0 && ms[0].Role == trpcmodel.RoleSystem {
		req.System, ms = ms[0].Content, ms[1:]
	}
	m.buf = m.buf[:0]
	for i := range ms {
		out := transcript.Message{
			Role: transcript.Role(ms[i].Role), Text: ms[i].Content, CallID: ms[i].ToolID,
		}
		if ms[i].Role == trpcmodel.RoleSystem {
			out.Role = transcript.User
		}
		for j := range ms[i].ToolCalls {
			c := &ms[i].ToolCalls[j]
			out.Calls = append(out.Calls, scenario.Call(c.ID, c.Function.Name, string(c.Function.Arguments)))
		}
		m.buf = append(m.buf, out)
	}
	req.Messages = m.buf
	return req
}
