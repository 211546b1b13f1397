package agent_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/providers/offline"
	"github.com/forayhq/foray/tools"
)

func Example() {
	upper := tools.New("upper", "Write a text in capitals.", func(_ context.Context, in struct{ Text string }) (string, error) {
		return strings.ToUpper(in.Text), nil
	})
	model := offline.Script( // any providers.Model: openai.New(openai.Config{Name: "gpt-4o"}), …
		offline.Calls(offline.Call{Name: "upper", Args: map[string]string{"Text": "hello"}}),
		offline.Text("In capitals it is HELLO."),
	)
	a, err := agent.New(agent.Config{Model: model, System: "You help with texts.", Tools: []tools.Tool{upper}})
	if err != nil {
		log.Fatal(err)
	}
	result, err := a.Run(context.Background(), "Write hello in capitals.")
	fmt.Println(result.Text, result.Stop, err)
	// Output: In capitals it is HELLO. answered <nil>
}

func ExampleAgent_Stream() {
	a, err := agent.New(agent.Config{Model: offline.Script(offline.Text("Hello."))})
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range a.Stream(context.Background(), agent.Task{Prompt: "Say hello."}) {
		switch e := event.(type) {
		case agent.Text:
			fmt.Println("text:", e.Text)
		case agent.Done:
			fmt.Println("done:", e.Result.Stop, err)
		}
	}
	// Output:
	// text: Hello.
	// done: answered <nil>
}
