package explore_test

import (
	"context"
	"fmt"
	"log"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/providers/catalog"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/report"
	sourcetree "github.com/forayhq/foray/tools/tree"
)

// A run that is steered by the plan of an analyst, and what steered it.
func Example() {
	read := func(path string) scripted.Line {
		return scripted.Calls(scripted.Call{Name: "read_file", Args: map[string]any{"path": path}})
	}
	model := scripted.New(
		scripted.Calls(scripted.Call{Name: "list_dir"}),
		scripted.Calls(scripted.Call{Name: "search", Args: map[string]any{"pattern": "retr"}}),
		read("retry/loop.go"), read("retry/wait.go"), read("retry/loop.go"), read("retry/wait.go"),
		scripted.Calls(scripted.Call{Name: "read_file", Args: map[string]any{"path": "retry/loop.go", "limit": 2}}),
		scripted.Repeat(0, scripted.Text("Loop retries [retry/loop.go:4].")),
	)
	guide := explore.New(explore.Analyst(), nil)
	a, err := agent.New(agent.Config{
		Model: model, Tools: codebase.Tools(sourcetree.Open(tree, nil), nil), Guide: func() agent.Guide { return guide.Next },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := a.Run(context.Background(), "Where are requests retried?")
	fmt.Println(result.Text, err)
	for _, f := range guide.Firings() {
		fmt.Printf("after step %d in %s: %s\n", f.Step, f.Phase, f.Rule)
	}
	fmt.Println(guide.Quality().Evidence, "of 25 for evidence")
	// Output:
	// Loop retries [retry/loop.go:4]. <nil>
	// after step 0 in SCAN: planning
	// after step 2 in SCAN: steps in the phase
	// after step 5 in EXPLORE: reflection
	// after step 7 in EXPLORE: nothing new
	// after step 8 in VERIFY: text
	// after step 9 in SUMMARIZE: text
	// 5 of 25 for evidence
}

// A code agent over a language model, with retries: a question in, a report out. It needs OPENAI_API_KEY.
func ExampleRun() {
	model, err := catalog.Open("openai/gpt-4.1", nil)
	if err != nil {
		log.Fatal(err)
	}
	result, err := explore.Run(context.Background(), model, ".", "Where are requests retried?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Markdown(report.PrintOptions{}))
}

// The heuristic explorer needs no language model.
func ExampleTree_Run() {
	t := &explore.Tree{Files: tree}
	result, err := t.Run(context.Background(), nil, "Where are requests retried?", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Found, result.Relevant[0])
	// Output:
	// true retry/loop.go:4-6
}
