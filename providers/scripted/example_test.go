package scripted_test

import (
	"context"
	"fmt"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
)

// A script of two steps: a call, and an answer that depends on what the call found.
func ExampleNew() {
	model := scripted.New(
		scripted.Calls(scripted.Call{Name: "read_file", Args: map[string]any{"path": "go.mod"}}),
		scripted.Func(func(req *providers.Request) scripted.Line {
			found := req.Messages[len(req.Messages)-1].Text
			return scripted.Text("go.mod says: " + found)
		}),
	)
	req := &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: "Which module is this?"}}}
	for {
		answer, err := providers.Ask(context.Background(), model, req)
		if err != nil {
			fmt.Println(err)
			return
		}
		if answer.Finish != providers.Calls {
			fmt.Println(answer.Message.Text)
			return
		}
		req.Messages = append(req.Messages, answer.Message)
		for _, call := range answer.Message.Calls {
			fmt.Println(call.ID, call.Name, string(call.Args))
			req.Messages = append(req.Messages, transcript.Message{
				Role: transcript.Tool, CallID: call.ID, Name: call.Name, Text: "module example.com/m",
			})
		}
	}
	// Output:
	// call_1_1 read_file {"path":"go.mod"}
	// go.mod says: module example.com/m
}

// A service that fails once before it answers.
func ExampleFail() {
	model := scripted.New(scripted.Fail(providers.Transient), scripted.Text("here I am"))
	for range 2 {
		answer, err := providers.Ask(context.Background(), model, &providers.Request{})
		fmt.Printf("%q %v\n", answer.Message.Text, err)
	}
	// Output:
	// "" scripted/script: transient: scripted transient error
	// "here I am" <nil>
}

// A program is held to every way in which a stream can be malformed.
func ExampleMalformed() {
	for _, fault := range scripted.Faults()[:3] {
		answer, err := providers.Ask(context.Background(), scripted.New(scripted.Malformed(fault)), &providers.Request{})
		fmt.Printf("%s: %+v %v\n", fault, answer.Message.Calls[0].Name, err)
	}
	// Output:
	// call without name:  <nil>
	// call without id: list_dir <nil>
	// call of a tool that was not offered: no_such_tool <nil>
}
