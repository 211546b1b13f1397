// Foray plays the scenario with this repository's agent and its default profile. Mode "summariser" gives it one; the
// default has none and writes its digests itself.
package main

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/peers/internal/scenario"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools"
)

func main() { scenario.Main("", play) }

func play(ctx context.Context, r *scenario.Run) error {
	type input struct {
		N int `json:"n"`
	}
	read := tools.New(scenario.ToolName, scenario.ToolDescription, func(_ context.Context, in input) (string, error) {
		return r.Read(in.N)
	})
	config := agent.Config{
		Model:  &model{ask: r.Ask},
		System: scenario.System,
		Tools:  []tools.Tool{read},
		Budget: contextwindow.Budget{Limit: scenario.Budget},
		Limits: agent.Limits{Steps: r.Calls + 10},
	}
	if r.Mode == "summariser" {
		config.Summarizer = &model{ask: r.Summarise}
	}
	a, err := agent.New(config)
	if err != nil {
		return err
	}
	result, err := a.Run(ctx, scenario.Prompt)
	if err == nil && result.Stop != agent.Answered {
		err = fmt.Errorf("stopped: %s", result.Stop)
	}
	return err
}

// A model answers from the scenario.
type model struct {
	ask func(context.Context, scenario.Request) (scenario.Turn, error)
}

func (*model) Info() providers.Info {
	return providers.Info{Provider: "scenario", Name: "model", Rules: transcript.OpenAI}
}

func (m *model) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		turn, err := m.ask(ctx, scenario.Request{System: req.System, Messages: req.Messages})
		if err != nil {
			yield(providers.Delta{}, fault(err))
			return
		}
		usage := &providers.Usage{Input: turn.Input, Output: turn.Output}
		d, finish := providers.Delta{Text: turn.Text}, providers.Stop
		if turn.CallID != "" {
			call := scenario.Call(turn.CallID, scenario.ToolName, turn.Args)
			d, finish = providers.Delta{Call: &call}, providers.Calls
		}
		_ = yield(d, nil) && yield(providers.Delta{Usage: usage}, nil) && yield(providers.Delta{Finish: finish}, nil)
	}
}

// fault gives an error the class that the client of an OpenAI-compatible service gives it.
func fault(err error) error {
	class := providers.Invalid
	if errors.Is(err, scenario.ErrOverflow) {
		class = providers.Overflow
	}
	return &providers.Error{Class: class, Status: 400, Provider: "scenario", Model: "model", Err: err}
}
