package ollama_test

import (
	"fmt"

	"github.com/forayhq/foray/providers/ollama"
)

func ExampleNew() {
	m, err := ollama.New(ollama.Config{Name: "qwen3:4b", Window: 16384})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m, m.Info().Window)
	// Output: ollama/qwen3:4b at localhost:11434 16384
}
