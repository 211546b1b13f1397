package pipelines_test

import (
	"context"
	"fmt"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/pipelines"
	"github.com/forayhq/foray/providers/scripted"
)

// Two stages on one window. The first is asked once more by its gate, and the second is told what the first left.
func ExampleRun() {
	stage := func(name string, lines ...scripted.Line) pipelines.Stage {
		a, err := agent.New(agent.Config{Name: name, Model: scripted.New(lines...)})
		if err != nil {
			panic(err)
		}
		return pipelines.Stage{Name: name, Agent: a, Prompt: func(input string, done []pipelines.Outcome) string {
			return name + " " + input + " after " + fmt.Sprint(len(done)) + " stages"
		}}
	}
	analyze := stage("analyze", scripted.Text("It is slow."), scripted.Text("- It is slow: the loop compiles a pattern [loop.go:12]"))
	analyze.Gate = pipelines.RetryUnless(pipelines.FindingsWithEvidence(1))
	write := stage("write", scripted.Text("One finding, in loop.go."))

	window := contextwindow.New(contextwindow.BudgetOf(128_000, 0, contextwindow.Lean), nil)
	outcomes, err := pipelines.Run(context.Background(), window, "the loop", analyze, write)
	for _, o := range outcomes {
		fmt.Println(o.Stage, o.Status, "after", len(o.Results), "attempts:", o.Handover.Findings)
	}
	fmt.Println(pipelines.Reply(outcomes), err)
	// Output:
	// analyze passed after 2 attempts: [{It is slow the loop compiles a pattern [loop.go:12]  }]
	// write passed after 1 attempts: []
	// One finding, in loop.go. <nil>
}
