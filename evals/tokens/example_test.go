package tokens_test

import (
	"context"
	"fmt"

	"github.com/forayhq/foray/evals/tokens"
)

func ExampleRun() {
	ctx := context.Background()
	sessions, _, err := tokens.Load(ctx, "testdata/counted.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := tokens.Run(ctx, sessions, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range report.Rows {
		fmt.Printf("%s: %d tokens in %d session, errors of %d sums in %d ways\n", row.Model, row.Counted, row.Sessions, row.Samples, len(row.Errors))
	}
	// Output: some-model: 22000 tokens in 1 session, errors of 2 sums in 4 ways
}
