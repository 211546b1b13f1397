package sets_test

import (
	"fmt"

	"github.com/forayhq/foray/evals/sets"
)

func Example() {
	set, err := sets.Open("explore")
	if err != nil {
		panic(err)
	}
	fmt.Println(len(set.Tasks), "tasks; the first:", set.Tasks[0].Prompt)
	// Output: 40 tasks; the first: How long does it leave a customer alone after the first failed delivery?
}
