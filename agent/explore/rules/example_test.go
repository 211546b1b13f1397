package rules_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/explore/rules"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/tools/codebase"
	sourcetree "github.com/forayhq/foray/tools/tree"
)

// An agent that explores by rules: no key, no server.
func Example() {
	tree := fstest.MapFS{"oven.go": {Data: []byte("package bakery\n\n// Bake turns dough into bread.\nfunc Bake(dough int) int {\n\treturn dough\n}\n")}}
	a, err := agent.New(agent.Config{
		Model: rules.New(nil), Tools: codebase.Tools(sourcetree.Open(tree, nil), &codebase.Options{JSON: true}), Profile: contextwindow.Off,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := a.Run(context.Background(), "how is dough baked?")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Text)
	// Output:
	// heuristic explorer: rules, no language model
	//
	// `Bake` in oven.go fits best: “Bake turns dough into bread.” Line 5: `return dough` [oven.go:3-6] [oven.go:5]
	//
	// `oven.go:3-6`
	//
	// ```go
	// // Bake turns dough into bread.
	// func Bake(dough int) int {
	// 	return dough
	// }
	// ```
	//
	// ## Where to look first
	//
	// | # | path:lines | symbol | why | confidence |
	// |---|---|---|---|---|
	// | 1 | `oven.go:4-6` | `Bake` | “baked” in its name, “dough” in its signature or comment |  |
	//
	// RELEVANT_FILES:
	// - oven.go:4-6
}
