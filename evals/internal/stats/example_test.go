package stats_test

import (
	"fmt"

	"github.com/forayhq/foray/evals/internal/stats"
)

func ExampleWilson() {
	low, high := stats.Wilson(30, 40, stats.Confidence)
	fmt.Printf("30 of 40 passed: %.0f to %.0f %%\n", 100*low, 100*high)
	// Output: 30 of 40 passed: 60 to 86 %
}

func ExampleMcNemar() {
	fmt.Printf("p = %.2f\n", stats.McNemar(9, 4)) // only one subject passed 9 tasks, only the other 4
	// Output: p = 0.27
}
