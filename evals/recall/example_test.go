package recall_test

import (
	"context"
	"fmt"

	"github.com/forayhq/foray/evals/recall"
)

func ExampleRun() {
	ctx := context.Background()
	chinese, err := recall.Chinese()
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := recall.Run(ctx, []*recall.Source{chinese}, recall.Config{Retrievers: recall.Retrievers(), K: []int{5}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range report.Rows {
		if row.Category == recall.Total {
			fmt.Println(row.Source, row.Retriever, row.Questions, row.Recall[0] > .5)
		}
	}
	// Output:
	// chinese bm25 50 true
	// chinese bm25-stem 50 true
	// chinese foray 50 true
}
