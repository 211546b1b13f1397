package trial_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
)

// An agent of one's own is a function. Its answers are judged by the checks of the tasks.
func Example() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	half := json.RawMessage(`{"kind": "number", "equals": 42}`)
	summary, err := trial.Run(context.Background(), trial.Plan{
		Set: &task.Set{Name: "numbers", Tasks: []task.Task{
			{ID: "half", Prompt: "What is half of 84?", Checks: []json.RawMessage{half}},
		}},
		Subjects: []trial.Subject{
			{Name: "sure", Do: func(_ context.Context, in trial.Input) (*check.Outcome, error) {
				return &check.Outcome{Answer: "It is 42."}, nil
			}},
			{Name: "lazy", Do: func(_ context.Context, in trial.Input) (*check.Outcome, error) {
				return nil, fmt.Errorf("cannot do %q", in.Task.Prompt)
			}},
		},
		Trials: 3, Dir: dir,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range summary.Subjects {
		fmt.Printf("%s: %d of %d passed, failures %v\n", t.Subject, t.Passed, t.Trials, t.Failures)
	}
	// Output:
	// sure: 3 of 3 passed, failures map[]
	// lazy: 0 of 3 passed, failures map[agent:3]
}
