package localize_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/forayhq/foray/evals/localize"
	"github.com/forayhq/foray/tools/locate"
)

// A repository that is not there leaves an instance out, by name.
func ExampleRun() {
	instances := []*localize.Instance{{
		ID: "shop-1", Repo: "own/shop", Commit: strings.Repeat("0", 40), Text: "The total is wrong", Files: []string{"shop/cart.py"},
	}}
	report, err := localize.Run(context.Background(), instances, localize.Config{
		Dir: "testdata", Mode: locate.Issue, K: []int{1, 5}, Subjects: localize.Subjects(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(report.Rows), report.Missing)
	// Output: 0 [shop-1]
}
