// Adk plays the scenario with google.golang.org/adk/v2: an llmagent with a runner and a session in memory, as its
// examples/quickstart and examples/rest show.
//
// It has no compaction of events (that of its Python sister is not in the Go module), so it runs as it is.
package main

import (
	"context"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	adkmodel "google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/functiontool"
	"google.golang.org/genai"

	"iter"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/peers/internal/scenario"
)

func main() { scenario.Main("google.golang.org/adk/v2", play) }

func play(ctx context.Context, r *scenario.Run) error {
	type input struct {
		N int `json:"n"`
	}
	type output struct {
		Text string `json:"text"`
	}
	read, err := functiontool.New(
		functiontool.Config{Name: scenario.ToolName, Description: scenario.ToolDescription},
		func(_ agent.Context, in input) (output, error) {
			text, err := r.Read(in.N)
			return output{text}, err
		})
	if err != nil {
		return err
	}
	a, err := llmagent.New(llmagent.Config{
		Name: "auditor", Model: &model{ask: r.Ask}, Instruction: scenario.System, Tools: []tool.Tool{read},
	})
	if err != nil {
		return err
	}
	run, err := runner.New(runner.Config{
		AppName: "peers", Agent: a, SessionService: session.InMemoryService(), AutoCreateSession: true,
	})
	if err != nil {
		return err
	}
	prompt := genai.NewContentFromText(scenario.Prompt, genai.RoleUser)
	for _, err := range run.Run(ctx, "ada", "session", prompt, agent.RunConfig{}) {
		if err != nil {
			return err
		}
	}
	return nil
}

// A model answers from the scenario.
type model struct {
	ask func(context.Context, scenario.Request) (scenario.Turn, error)
	buf []transcript.Message
}

func (*model) Name() string { return "model" }

func (m *model) GenerateContent(
	ctx context.Context, req *adkmodel.LLMRequest, _ bool,
) iter.Seq2[*adkmodel.LLMResponse, error] {
	return func(yield func(*adkmodel.LLMResponse, error) bool) {
		turn, err := m.ask(ctx, m.request(req))
		if err != nil { // as its client for Gemini reports an error of the service
			yield(nil, genai.APIError{Code: 400, Message: err.Error(), Status: "INVALID_ARGUMENT"})
			return
		}
		part := genai.NewPartFromText(turn.Text)
		if turn.CallID != "" {
			part = &genai.Part{FunctionCall: &genai.FunctionCall{
				ID: turn.CallID, Name: scenario.ToolName, Args: map[string]any{"n": turn.N},
			}}
		}
		yield(&adkmodel.LLMResponse{
			Content:      genai.NewContentFromParts([]*genai.Part{part}, genai.RoleModel),
			FinishReason: genai.FinishReasonStop,
			TurnComplete: true,
			UsageMetadata: &genai.GenerateContentResponseUsageMetadata{
				PromptTokenCount: int32(turn.Input), CandidatesTokenCount: int32(turn.Output),
				TotalTokenCount: int32(turn.Input + turn.Output),
			},
		}, nil)
	}
}

func (m *model) request(in *adkmodel.LLMRequest) scenario.Request {
	var req scenario.Request
	if in.Config != nil && in.Config.SystemInstruction != nil {
		for _, p := range in.Config.SystemInstruction.Parts {
			req.System += p.Text
		}
	}
	m.buf = m.buf[:0]
	for _, c := range in.Contents {
		out := transcript.Message{Role: transcript.User}
		if c.Role == genai.RoleModel {
			out.Role = transcript.Assistant
		}
		for _, p := range c.Parts {
			switch {
			case p.FunctionCall != nil:
				out.Calls = append(out.Calls, scenario.Call(p.FunctionCall.ID, p.FunctionCall.Name, "{}"))
			case p.FunctionResponse != nil:
				out.Role, out.CallID = transcript.Tool, p.FunctionResponse.ID
				out.Text, _ = p.FunctionResponse.Response["text"].(string)
			default:
				out.Text += p.Text
			}
		}
		m.buf = append(m.buf, out)
	}
	req.Messages = m.buf
	return req
}
