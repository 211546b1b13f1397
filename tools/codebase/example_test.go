package codebase_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing/fstest"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/tree"
)

// A tree in memory is searched as a directory is.
func ExampleTools() {
	files := fstest.MapFS{
		"greet.go": {
			Data: []byte("package greet\n\n// Hello greets.\nfunc Hello(name string) string {\n\treturn \"hello \" + name\n}\n"),
		},
	}
	set, err := tools.NewSet(codebase.Tools(tree.Open(files, nil), nil)...)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range []struct{ tool, args string }{
		{"search", `{"pattern":"return","context":0}`},
		{"outline", `{"path":"greet.go"}`},
		{"read_file", `{"path":"great.go"}`},
	} {
		tool, _ := set.Lookup(c.tool)
		result, err := tool.Call(context.Background(), json.RawMessage(c.args))
		if err != nil {
			fmt.Println(err)
			continue
		}
		_, text := tools.Render(result)
		fmt.Print(text)
	}
	// Output:
	// greet.go (1 hit)
	// L5 [Hello] 	return "hello " + name
	// 1 of 1 hits in 1 file
	// L4-6 func Hello(name string) string
	//   Hello greets.
	// 1 of 1 symbols
	// not_found: great.go does not exist; try: greet.go
}
