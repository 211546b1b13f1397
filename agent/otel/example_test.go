package otel_test

import (
	"context"
	"fmt"
	"iter"
	"log"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/otel"
	"github.com/forayhq/foray/providers/scripted"
)

// A run whose spans and metrics go to the global providers, which do nothing until a program sets them.
func ExampleObserver_Observe() {
	a, err := agent.New(agent.Config{Model: scripted.New(scripted.Text("Hello."))})
	if err != nil {
		log.Fatal(err)
	}
	observer, err := otel.New(otel.Config{}) // the global providers
	if err != nil {
		log.Fatal(err)
	}
	stream := func(ctx context.Context) iter.Seq2[agent.Event, error] {
		return a.Stream(ctx, agent.Task{Prompt: "Say hello."})
	}
	for event, err := range observer.Observe(context.Background(), otel.Run{Conversation: "ticket 7"}, stream) {
		if e, ok := event.(agent.RunFinished); ok {
			fmt.Println(e.Result.Text, err)
		}
	}
	// Output: Hello. <nil>
}
