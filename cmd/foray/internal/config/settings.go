// Package config reads the settings that people keep in files, and gives them to the flags of a command.
//
// [Apply] does that before a command runs: what the command line says comes first, then the environment, the file of
// the project, and the file of the user. [New] makes the command that shows them.
package config

// A need says what a setting depends on.
type need int

const (
	nothing  need = iota
	aModel        // some model must be chosen, wherever
	itsModel      // the same file must choose the model, for which the setting is meant
)

// settings are what a file can set: flags of the commands in [commands], by their names. A safe one is taken from the
// file of a project at once. The others could send keys or code to other hosts, start programs or cost money: they need
// the user's approval.
var settings = []struct {
	name string
	need need
	safe bool
	path bool // relative to the file
	help string
}{
	{"model", nothing, false, false, `the model, as "openai/gpt-4.1" or "local"`},
	{"base-url", itsModel, false, false, "where the model's server is"},
	{"allow-http", itsModel, false, false, "allow plain HTTP to it"},
	{"window", itsModel, false, false, "tokens of its window"},
	{"calls", itsModel, false, false, "how it calls tools: auto, native, text or schema"},
	{"compaction", itsModel, false, false, "who compacts a conversation: foray or server"},
	{"fallback", itsModel, false, false, "a list of models to ask when it fails"},
	{"fast", aModel, false, false, "the model for summaries"},
	{"embed", nothing, false, false, "the embedding model"},
	{"max-cost", aModel, false, false, "dollars that a command may spend"},
	{"prices", aModel, false, true, "a file of prices"},
	{"mcp", aModel, false, true, "a file of MCP servers"},
	{"mcp-allow", aModel, false, false, "a list of names of their tools that may change something"},
	{"allow-secret", nothing, false, false, "a list of files to show as they are, credentials included"},
	{"otel", nothing, false, false, "send traces"},
	{"profile", nothing, true, false, "how the context is compacted"},
	{"budget", nothing, true, false, "tokens of a request of explore"},
	{"max-steps", nothing, true, false, "requests to the model"},
	{"timeout", nothing, true, false, `how long explore may take, as "90s"`},
	{"context-tokens", nothing, true, false, "tokens of a conversation in a request of chat"},
	{"context-turns", nothing, true, false, "turns of it"},
	{"plain", nothing, true, false, "chat line by line; show the progress of explore in one line"},
}

// commands are those that take settings. Evaluations do not, because their figures would depend on the machine, and
// sessions do not, because they continue with what they began with.
var commands = []string{"explore", "chat", "serve", "mcp", "insight"}

// names returns the names of all settings.
func names() []string {
	all := make([]string, len(settings))
	for i, s := range settings {
		all[i] = s.name
	}
	return all
}
