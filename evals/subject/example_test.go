package subject_test

import (
	"context"
	"fmt"
	"io"
	"log"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/subject"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
)

// A compaction policy plays a conversation; what it would send next is what checks look at.
func ExampleOpen() {
	s, err := subject.Open(context.Background(), "policy:lean@8000", subject.Env{})
	if err != nil {
		log.Fatal(err)
	}
	o, err := s.Do(context.Background(), trial.Input{Trial: 1, Trace: io.Discard, Task: &task.Task{
		ID: "ports", Prompt: "Which port?", Messages: []transcript.Message{
			{Role: transcript.User, Text: "The server listens on port 7077."},
			{Role: transcript.Assistant, Text: "Noted."},
		},
	}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(o.Steps, "requests; the last one begins with:", o.View[0].Text)
	// Output: 2 requests; the last one begins with: The server listens on port 7077.
}
