package symbols_test

import (
	"fmt"
	"os"

	"github.com/forayhq/foray/tools/symbols"
)

func Example() {
	src := []byte(`"""A shop."""

class Order:
    """An order of things."""

    def total(self, rate=1):
        return rate
`)
	for _, s := range symbols.Of("shop.py", src) {
		fmt.Printf("L%d-%d %s %s: %s\n", s.Start, s.End, s.Kind, s.Name, s.Signature)
	}
	// Output:
	// L3-7 class Order: class Order
	// L6-7 method Order.total: def total(self, rate=1)
}

func ExampleCache() {
	dir, err := os.MkdirTemp("", "symbols")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	src := []byte("def f():\n    pass\n")
	for range 2 { // two processes
		c := symbols.OpenCache(dir)
		c.Of("a.py", src)
		fmt.Printf("%+v\n", c.Stats())
		if err := c.Close(); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// {Memory:0 Disk:0 Parsed:1}
	// {Memory:0 Disk:1 Parsed:0}
}
