package fuzz_test

import (
	"context"
	"fmt"

	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/evals/fuzz"
)

func ExampleRun() {
	report, err := fuzz.Run(context.Background(), 100, 1, &evals.Options{Jobs: 2}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range report.Violations {
		fmt.Println("play again with --ops 1 --seed", v.Seed)
		break
	}
	fmt.Println(report.Suite, "played at least 100 operations:", report.Operations >= 100)
}
