package evals_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/forayhq/foray/evals"
)

func Example() {
	suite := evals.Suite[string, string]{
		Cases: []evals.Case[string]{{ID: "greeting", Input: "good morning"}},
		Contenders: []evals.Contender[string, string]{
			{Name: "upper", Run: func(_ context.Context, s string) (string, error) { return strings.ToUpper(s), nil }},
			{Name: "fields", Run: func(_ context.Context, s string) (string, error) { return strings.Fields(s)[0], nil }},
		},
		Checks: []evals.Check[string, string]{{Name: "keeps length", Holds: func(in, out string) error {
			if len(in) != len(out) {
				return fmt.Errorf("%d bytes became %d", len(in), len(out))
			}
			return nil
		}}},
	}
	outcomes, err := suite.Run(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
	}
	for _, o := range outcomes {
		fmt.Println(o.Contender, o.Output, o.Breaches)
	}
	// Output:
	// upper GOOD MORNING []
	// fields good [{keeps length 12 bytes became 4}]
}
