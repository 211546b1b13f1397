package generativeai_test

import (
	"fmt"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/generativeai"
)

// A model that this library cannot serve is refused with the one that can.
func ExampleNew() {
	_, err := generativeai.New(generativeai.Config{Name: "gemini-3-pro-preview", Key: "a-key"})
	fmt.Println(providers.ClassOf(err))
	fmt.Println(err)
	// Output:
	// invalid
	// generativeai/gemini-3-pro-preview: invalid: this model wants its thought signatures back, which this library drops: use gemini/gemini-3-pro-preview
}
