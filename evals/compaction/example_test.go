package compaction_test

import (
	"context"
	"fmt"

	"github.com/forayhq/foray/evals/compaction"
)

func ExampleRun() {
	ctx := context.Background()
	recordings, err := compaction.Load(ctx, "testdata/hand.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := compaction.Run(ctx, recordings, compaction.Config{
		Budgets: []int{130}, Policies: []string{"none", "drop-oldest"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range report.Rows {
		if row.Source == "all" {
			fmt.Printf("%s: long-range recall %.2f, at most %d tokens\n", row.Policy, row.LongRange, row.MaxTokens)
		}
	}
	// Output:
	// none: long-range recall 1.00, at most 268 tokens
	// drop-oldest: long-range recall 0.00, at most 121 tokens
}
