package page_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/forayhq/foray/evals/page"
	"github.com/forayhq/foray/evals/trial"
)

// A report is written to any writer; only a folder that package trial wrote makes one.
func ExampleWrite() {
	err := page.Write(context.Background(), "testdata", io.Discard)
	fmt.Println(errors.Is(err, trial.ErrNoRun))
	// Output:
	// true
}

// The address of one trial in a report.
func ExampleLink() {
	fmt.Println(page.File + page.Link("fix/retry", "rules", 2))
	// Output:
	// report.html#trial=fix%2Fretry/rules/2
}
