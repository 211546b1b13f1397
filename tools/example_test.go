package tools_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/forayhq/foray/tools"
)

// A typed tool: the struct is the schema.
func ExampleNew() {
	type sum struct {
		A int `json:"a" jsonschema:"description=the first number"`
		B int `json:"b" jsonschema:"description=the second number"`
	}
	add := tools.New("add", "Adds two numbers.", func(_ context.Context, in sum) (int, error) {
		return in.A + in.B, nil
	})
	out, err := add.Call(context.Background(), json.RawMessage(`{"a":2,"b":3}`))
	fmt.Println(out, err)
	// Output: 5 <nil>
}

// All that is wrong with a call is told at once.
func ExampleSet_Validate() {
	type greeting struct {
		Name  string `json:"name"`
		Times int    `json:"times,omitempty" jsonschema:"minimum=1,description=1 to 5"`
	}
	greet := tools.New("greet", "Greets.", func(_ context.Context, in greeting) (string, error) {
		return "hello " + in.Name, nil
	})
	set, err := tools.NewSet(greet)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.Validate("greet", json.RawMessage(`{"nam":"x","times":0}`)))
	// Output:
	// invalid arguments for greet:
	// - /nam: unknown field; the nearest is "name", allowed are name, times
	// - /name: missing, but required
	// - /times: got 0, must be at least 1 (1 to 5)
}

// A tool that takes long counts; whoever looks at its call reads how far it is.
func ExampleCountProgress() {
	walk := tools.New("walk", "Visits files.", func(ctx context.Context, _ struct{}) (string, error) {
		count := tools.CountProgress(ctx, "files", 3)
		defer count.End()
		for range 3 {
			count.Add(1)
		}
		return "all visited", nil
	})
	gauge := new(tools.Progress)
	ctx := tools.WithRun(context.Background(), tools.Run{Progress: gauge})
	out, err := walk.Call(ctx, nil)
	far, _ := gauge.Read()
	fmt.Println(out, err, far)
	// Output: all visited <nil> {files 3 3}
}
