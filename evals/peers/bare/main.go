// Bare plays the scenario with a loop written by hand, without any library and without compaction: the floor under the
// other figures, and what the model itself costs.
package main

import (
	"context"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/peers/internal/scenario"
)

func main() { scenario.Main("", play) }

func play(ctx context.Context, r *scenario.Run) error {
	ms := []transcript.Message{{Role: transcript.User, Text: scenario.Prompt}}
	for {
		turn, err := r.Ask(ctx, scenario.Request{System: scenario.System, Messages: ms})
		if err != nil || turn.CallID == "" {
			return err
		}
		text, err := r.Read(turn.N)
		if err != nil {
			return err
		}
		call := scenario.Call(turn.CallID, scenario.ToolName, turn.Args)
		ms = append(ms,
			transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{call}},
			transcript.Message{Role: transcript.Tool, CallID: turn.CallID, Name: scenario.ToolName, Text: text})
	}
}
