// Package ollama speaks Ollama's own API, POST /api/chat. Its OpenAI endpoint can neither set the window that a model
// runs with nor refuse what is longer: it drops the oldest messages without an error.
//
// Start with [New]:
//
//	m, err := ollama.New(ollama.Config{Name: "qwen3", Window: 16384})
//
// Each request names its window (num_ctx), the same one every time, because another one makes the server load the model
// again. A request that is longer is an error of class [providers.Overflow]: by the option truncate, and by the counts
// where an older server ignores that.
//
// # What the service lacks
//
// It has no tool choice. With [providers.None] the request holds no tools; [providers.Required] is as Auto, and
// [providers.Info] says so. It reports neither cached nor reasoning tokens. How long a model stays loaded is left to
// the server (OLLAMA_KEEP_ALIVE).
//
// The source is docs/api.md of github.com/ollama/ollama.
package ollama
