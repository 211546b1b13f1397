package task_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"
	"testing/fstest"

	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/task"
)

// A check in Go is a kind of its own, which lines of the set name.
func ExampleLoad() {
	polite := func(_ context.Context, o *check.Outcome) (check.Verdict, error) {
		if strings.Contains(o.Answer, "please") {
			return check.Verdict{Passed: true, Score: 1}, nil
		}
		return check.Verdict{Why: "it does not say please"}, nil
	}
	kinds := map[string]func(json.RawMessage) (check.Check, error){
		"polite": func(json.RawMessage) (check.Check, error) { return check.Check{Run: polite}, nil },
	}
	// A line of the file: {"id":"ask","prompt":"Ask Ada for the report.","checks":[{"kind":"polite"}]}
	set, err := task.Load(context.Background(), "testdata/polite.jsonl", &check.Options{Kinds: kinds})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(check.Judge(context.Background(), set.Tasks[0].Judges, &check.Outcome{Answer: "Send it."}))
	// Output:
	// [{polite false 0 it does not say please }]
}

func Example() {
	lines := `{"id":"half","prompt":"What is half of 84?","checks":[{"kind":"number","equals":42}]}
{"id":"half","prompt":"And of 42?","checks":[{"kind":"number","equals":21}]}
{"id":"third","prompt":"And a third?","cheks":[]}
`
	files := fstest.MapFS{"sums.jsonl": {Data: []byte(lines)}}
	set, err := task.LoadFS(context.Background(), files, "sums.jsonl", "sums", nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(len(set.Tasks), "task")
	for _, p := range set.Problems {
		fmt.Println(p)
	}
	// Output:
	// 1 task
	// sums.jsonl:2: the id "half" is that of sums.jsonl:1 already; this one is left out
	// sums.jsonl:3:39: unknown field "cheks"; did you mean "checks"?
}
