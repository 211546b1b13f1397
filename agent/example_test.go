package agent_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

func Example() {
	upper := tools.New("upper", "Write a text in capitals.", func(_ context.Context, in struct{ Text string }) (string, error) {
		return strings.ToUpper(in.Text), nil
	})
	model := scripted.New( // or catalog.Open("openai/gpt-4.1", nil)
		scripted.Calls(scripted.Call{Name: "upper", Args: map[string]string{"Text": "hello"}}),
		scripted.Text("In capitals it is HELLO."),
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
	a, err := agent.New(agent.Config{Model: scripted.New(scripted.Text("Hello."))})
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range a.Stream(context.Background(), agent.Task{Prompt: "Say hello."}) {
		switch e := event.(type) {
		case agent.Text:
			fmt.Println("text:", e.Text)
		case agent.RunFinished:
			fmt.Println("done:", e.Result.Stop, err)
		}
	}
	// Output:
	// text: Hello.
	// done: answered <nil>
}

// The answer of a run as a struct. This model has no schemas, and so it gives its answer by calling final_answer; what is
// wrong with the first one is told to it.
func ExampleTyped() {
	type city struct {
		Name    string `json:"name"`
		Founded int    `json:"founded" jsonschema:"minimum=-5000,maximum=2100,description=the year"`
	}
	a, err := agent.New(agent.Config{Model: scripted.New(
		scripted.Calls(scripted.Call{Name: "final_answer", Args: `{"name":"Ulm"}`}),
		scripted.Calls(scripted.Call{Name: "final_answer", Args: `{"name":"Ulm","founded":854}`}),
	)})
	if err != nil {
		log.Fatal(err)
	}
	answer, result, err := agent.Typed[city](context.Background(), a, agent.Task{Prompt: "When was Ulm first named?"})
	fmt.Println(answer.Name, answer.Founded, err)
	fmt.Println(result.Tools[0].Err)
	// Output:
	// Ulm 854 <nil>
	// invalid arguments for answer:
	// - /founded: missing, but required (the year)
}

// An agent asks another one, which has a window of its own.
func ExampleAsTool() {
	read := tools.New("read", "Read a file.", func(_ context.Context, in struct {
		Path string `json:"path"`
	}) (string, error) {
		return "package main", nil
	})
	scout, err := agent.New(agent.Config{Name: "scout", Tools: []tools.Tool{read}, Model: scripted.New(
		scripted.Calls(scripted.Call{Name: "read", Args: `{"path":"main.go"}`}),
		scripted.Text("It is a command [main.go:1]."),
	)})
	if err != nil {
		log.Fatal(err)
	}
	ask := agent.AsTool(scout, "ask_scout", "Have a question about the code looked up.")
	lead, err := agent.New(agent.Config{Name: "lead", Tools: []tools.Tool{ask}, Model: scripted.New(
		scripted.Calls(scripted.Call{Name: "ask_scout", Args: `{"task":"What is main.go?"}`}),
		scripted.Text("A command."),
	)})
	if err != nil {
		log.Fatal(err)
	}
	for event := range lead.Stream(context.Background(), agent.Task{Prompt: "What is this?"}) {
		switch e := event.(type) {
		case agent.ToolFinished:
			fmt.Println(e.Agent, "called", e.Record.Call.Name)
		case agent.SubagentFinished:
			fmt.Println(e.Agent, "says:", e.Result.Text)
		case agent.RunFinished:
			fmt.Println(e.Agent, "says:", e.Result.Text)
		}
	}
	// Output:
	// lead/scout@1.1 called read
	// lead/scout@1.1 says: It is a command [main.go:1].
	// lead called ask_scout
	// lead says: A command.
}

// Calls of tools that change something are made only where somebody says so.
func ExampleConfig_approve() {
	remove := tools.New("remove", "Remove a file.", func(_ context.Context, in struct {
		Path string `json:"path"`
	}) (string, error) {
		return "removed " + in.Path, nil
	})
	remove.Effects = true
	a, err := agent.New(agent.Config{
		Tools: []tools.Tool{remove},
		Approve: func(_ context.Context, c transcript.ToolCall) (agent.Decision, error) {
			if strings.Contains(string(c.Args), "tmp/") {
				return agent.Decision{Approved: true}, nil
			}
			return agent.Decision{Reason: "only files in tmp may be removed"}, nil
		},
		Model: scripted.New(
			scripted.Calls(scripted.Call{Name: "remove", Args: `{"path":"tmp/a"}`}, scripted.Call{Name: "remove", Args: `{"path":"b"}`}),
			scripted.Text("One of them is gone."),
		),
	})
	if err != nil {
		log.Fatal(err)
	}
	result, err := a.Run(context.Background(), "Remove tmp/a and b.")
	fmt.Println(result.Text, err)
	for _, rec := range result.Tools {
		fmt.Println(rec.Value, rec.Err)
	}
	// Output:
	// One of them is gone. <nil>
	// removed tmp/a <nil>
	// <nil> refused: only files in tmp may be removed
}

// A message joins a run that is under way.
func ExampleInbox() {
	var inbox agent.Inbox
	look := tools.New("look", "Look around.", func(context.Context, struct{}) (string, error) {
		inbox.Send("Answer in German.") // as a user would, meanwhile
		return "a river", nil
	})
	a, err := agent.New(agent.Config{Tools: []tools.Tool{look}, Model: scripted.New(
		scripted.Calls(scripted.Call{Name: "look"}),
		scripted.Func(func(req *providers.Request) scripted.Line {
			fmt.Println("the model is told:", req.Messages[len(req.Messages)-1].Text)
			return scripted.Text("Ein Fluss.")
		}),
	)})
	if err != nil {
		log.Fatal(err)
	}
	result, err := a.Do(context.Background(), agent.Task{Prompt: "What is there?", Inbox: &inbox})
	fmt.Println(result.Text, err)
	// Output:
	// the model is told: Answer in German.
	// Ein Fluss. <nil>
}
