package openai

// Quirks describe how a server differs from OpenAI on the same wire. Even the zero value differs in one field: it
// limits the answer with max_tokens, the only name that most servers know.
type Quirks struct {
	MaxTokens string // field for the longest answer on the chat wire: "max_completion_tokens"; empty: "max_tokens"
	// field in which a message with calls sends its reasoning back: "reasoning"; empty: "reasoning_content", if the
	// server used that
	Reasoning       string
	NoReasoningBack bool // refuses or ignores reasoning in a request
	NoStreamOptions bool // refuses stream_options, and so may not count tokens
	NoForcedTools   bool // refuses or ignores the tool choice "required"
	NoParallelFlag  bool // refuses or ignores parallel_tool_calls
	NoSchema        bool // refuses or ignores a JSON schema for the answer
	Progress        bool // reports how far it is with reading a request if asked by return_progress
	ShortIDs        bool // accepts only call ids of nine letters and digits
}

// Values of the quirks that name fields.
const (
	maxCompletionTokens = "max_completion_tokens"
	fieldReasoning      = "reasoning"
)
