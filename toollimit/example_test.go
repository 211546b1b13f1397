package toollimit_test

import (
	"fmt"
	"strings"

	"github.com/forayhq/foray/toollimit"
)

func ExampleTruncate() {
	found := `note: smart case
run.go (4 hits)
L11- // Fit makes the request fit.
L12 if err := w.Fit(); err != nil {
L40 w.Fit()
L77 return w.Fit()
L90 // Fit is pure, and applies nothing that does not make the view smaller.
fold.go (1 hit)
L5 func (w *Window) Fit() error {
5 of 5 hits
`
	short, cut := toollimit.Truncate(toollimit.Search, found, toollimit.Quota{MaxMatches: 2, Pointer: "s3.1", Tool: toollimit.ReadTool})
	fmt.Println(cut)
	fmt.Print(short)
	// Output:
	// true
	// note: smart case
	// fold.go (1 hit)
	// L5 func (w *Window) Fit() error {
	// run.go (4 hits)
	// L12 if err := w.Fit(); err != nil {
	// [… 2 of 5 matches shown, 41 tokens cut; best files first; whole text: read_working_memory id=s3.1]
	// 5 of 5 hits
}

func ExampleDefaultQuota() {
	var found strings.Builder
	fmt.Fprintln(&found, "run.go (40 hits)")
	for i := range 40 {
		fmt.Fprintf(&found, "L%d w.Fit()\n", i+1)
	}
	short, _ := toollimit.Truncate(toollimit.Search, found.String(), toollimit.DefaultQuota())
	fmt.Println(strings.Count(short, "w.Fit()"))
	// Output: 10
}

func ExampleTokens() {
	fmt.Println(toollimit.Tokens("The window is a fold over its entries."))
	fmt.Println(toollimit.Tokens("窗口是条目的折叠。"))
	// Output:
	// 10
	// 11
}
