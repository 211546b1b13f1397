package catalog_test

import (
	"fmt"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers/catalog"
)

func ExampleOpen() {
	m, err := catalog.Open("openai/gpt-4.1", &catalog.Options{Key: "sk-example"})
	if err != nil {
		fmt.Println(err)
		return
	}
	info := m.Info()
	fmt.Println(info.Provider, info.Name, info.Window, info.Price.Input)

	_, err = catalog.Open("opneai/gpt-4.1", nil)
	fmt.Println(err.(*catalog.NameError).Suggestions[0])
	// Output:
	// openai gpt-4.1 1047576 2
	// openai/gpt-4.1
}

func ExampleBudgetFor() {
	b := catalog.BudgetFor("gpt-4.1", contextwindow.Lean)
	fmt.Println(b.Window, b.Limit)
	// Output: 1047576 36000
}
