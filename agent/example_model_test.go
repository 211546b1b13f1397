package agent_test

import (
	"context"
	"fmt"
	"iter"
	"log"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/providers"
)

// parrot is a model of one's own: it repeats the last message.
type parrot struct{}

func (parrot) Info() providers.Info {
	return providers.Info{Provider: "mine", Name: "parrot", Window: 8_000}
}

func (parrot) Stream(_ context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		text := req.Messages[len(req.Messages)-1].Text
		if yield(providers.Delta{Text: text}, nil) {
			yield(providers.Delta{Finish: providers.Stop}, nil)
		}
	}
}

// Any type with Info and Stream is a model. providertest.Run checks one; Retry sends a request again after an error
// that may pass.
func Example_ownModel() {
	a, err := agent.New(agent.Config{Model: providers.Retry(parrot{}, nil)})
	if err != nil {
		log.Fatal(err)
	}
	result, err := a.Run(context.Background(), "Hello.")
	fmt.Println(result.Text, err)
	// Output: Hello. <nil>
}
