package recall_test

import (
	"context"
	"fmt"

	"github.com/forayhq/foray/evals/recall"
)

func ExampleRun() {
	ctx := context.Background()
	sources, _, err := recall.Load(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := recall.Run(ctx, sources, recall.Config{K: []int{5}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range report.Rows {
		if row.Category == "all" {
			fmt.Println(row.Source, row.Retriever, row.Questions, row.Recall[0] > .5)
		}
	}
	// Output:
	// chinese foray 50 true
	// chinese foray, speakers renamed 50 true
	// chinese foray, turns alone 50 true
	// chinese foray, turns as memories 50 true
	// chinese bm25-stem 50 true
	// chinese bm25 50 true
}
