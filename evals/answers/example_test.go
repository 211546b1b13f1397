package answers_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/forayhq/foray/evals/answers"
)

// A repository that is not there leaves a question out, by name.
func ExampleRun() {
	questions := []*answers.Question{{
		ID: "shop-1", Repo: "own/shop", Commit: strings.Repeat("0", 40), Family: "absent", Text: "what is Zeppelin?",
	}}
	report, err := answers.Run(context.Background(), questions, answers.Config{Dir: "testdata"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(report.Failed), report.Missing)
	// Output: 0 [shop-1]
}
