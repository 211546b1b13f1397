package task_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/forayhq/foray/evals/task"
)

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
