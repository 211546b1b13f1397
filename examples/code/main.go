// Command code answers a question about the code in the current directory with a real model:
//
//	OPENAI_API_KEY=… go run ./examples/code "where are requests retried?"
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/providers/catalog"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/tree"
)

func main() {
	if err := run(context.Background(), os.Stdout, strings.Join(os.Args[1:], " ")); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, question string) error {
	model, err := catalog.Open("openai/gpt-4.1", nil) // retries, limits and time-outs included
	if err != nil {
		return err
	}
	code := codebase.Tools(tree.Open(os.DirFS("."), nil), nil)
	a, err := agent.New(agent.Config{Model: model, System: "Answer questions about this code.", Tools: code})
	if err != nil {
		return err
	}
	result, err := a.Run(ctx, question)
	fmt.Fprintln(w, result.Text)
	return err
}
