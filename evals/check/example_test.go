package check_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/forayhq/foray/evals/check"
)

func Example() {
	parsed, err := check.Parse(json.RawMessage(`{"kind":"number","equals":42,"tolerance":0.5}`), nil)
	if err != nil {
		panic(err)
	}
	polite := check.Check{Name: "polite", Run: func(_ context.Context, o *check.Outcome) (check.Verdict, error) {
		if strings.Contains(o.Answer, "please") {
			return check.Verdict{Passed: true, Score: 1}, nil
		}
		return check.Verdict{Why: "it does not say please"}, nil
	}}
	for _, v := range check.Judge(context.Background(), []check.Check{parsed, polite}, &check.Outcome{Answer: "42.3"}) {
		fmt.Printf("%s %t %g %q\n", v.Check, v.Passed, v.Score, v.Why)
	}
	// Output:
	// number true 1 ""
	// polite false 0 "it does not say please"
}
