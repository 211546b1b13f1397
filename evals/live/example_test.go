package live_test

import (
	"fmt"

	"github.com/forayhq/foray/evals/live"
)

// The numbers of questions count from 1.
func ExampleConfig_Load() {
	var c live.Config
	fmt.Println(c.Load("1-2"))
	fmt.Println(c.Load("2-1"))
	// Output:
	// <nil>
	// "2-1" is not a number or range of questions from 1 to 20
}
