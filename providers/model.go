package providers

import (
	"context"
	"encoding/json"
	"iter"
	"math"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// A Model answers requests. Implementations are safe for concurrent use and pass
// [github.com/forayhq/foray/providers/providertest.Run]. Pictures that a model or its wire does not take are described
// in the text of their message.
type Model interface {
	// Info returns which model this is and what it supports. It never changes.
	Info() Info
	// Stream sends req when the iteration starts and yields the answer as it arrives. An error is an [*Error] and comes
	// last. Breaking off ends the request and frees its resources. Stream does not modify the request.
	Stream(ctx context.Context, req *Request) iter.Seq2[Delta, error]
}

// Info describes a model. The zero value of each field is the common case.
type Info struct {
	Provider         string `json:"provider"`                    // the dialect or service, as in "openai"
	Name             string `json:"name"`                        // the model's name, as the service knows it
	Window           int    `json:"window,omitempty"`            // context window in tokens; 0: unknown
	MaxOutput        int    `json:"max_output,omitempty"`        // longest answer in tokens; 0: unknown
	NoForcedTools    bool   `json:"no_forced_tools,omitempty"`   // refuses ToolChoice Required
	NoParallelCalls  bool   `json:"no_parallel_calls,omitempty"` // makes one call a message at most
	StructuredOutput bool   `json:"structured_output,omitempty"` // follows Request.Schema
	Slots            int    `json:"slots,omitempty"`             // requests whose prefixes the server keeps; 0: many, or unknown

	Vision Vision `json:"vision,omitzero"` // how it sees pictures; the zero value: none are sent, they are described

	Compaction Compaction `json:"compaction,omitzero"` // of the conversation by the service itself

	TokenRatio float64 `json:"-"` // tokens counted for each one that toollimit.Tokens estimates; 0: unknown
	Price      Price   `json:"-"` // the zero value: unknown

	// Rules are the rules that the service enforces on messages; empty: transcript.AnyProvider, which satisfies all
	// services.
	Rules transcript.Rules `json:"rules,omitempty"`
}

// A Compaction says that the service compacts the conversation of a request by itself. The zero value: it does not.
type Compaction struct {
	At      int    `json:"at"`      // input tokens from which it does
	Dialect string `json:"dialect"` // of the provider data with which it replaces what it compacted
}

// Compacted reports whether data is what this model's service, under this account, made of a conversation: whether it
// reads that in place of the messages before.
func (i Info) Compacted(data *transcript.ProviderData) bool {
	return data != nil && data.Compacts && i.Compaction.At > 0 &&
		data.Dialect == i.Compaction.Dialect && data.Model == i.Name
}

// A Request is one whole request to a model. Its tools are sorted by name.
type Request struct {
	System    string
	Messages  []transcript.Message
	Tools     []transcript.ToolSchema
	Choice    ToolChoice
	MaxOutput int // longest answer in tokens; 0: the model's default

	// Sampling. A dialect that cannot send one of these fails with class [Invalid].
	Temperature     *float64 // nil: the model's default; 0 is sent
	TopP            *float64 // nil: the model's default
	Stop            []string // texts that end the answer; the answer does not include them
	Seed            *int64   // nil: none
	ReasoningEffort string   // "minimal", "low", "medium" or "high"; empty: the model's default

	Schema     json.RawMessage // JSON schema of an object that the answer's text must be; nil: free text
	SchemaName string          // a name for that object, up to 64 of A-Z a-z 0-9 _ -; empty: "answer"
}

// A ToolChoice says whether the model may, must or must not call tools.
type ToolChoice string

// The choices. With the zero value the model chooses.
const (
	Auto     ToolChoice = ""
	Required ToolChoice = "required"
	None     ToolChoice = "none"
)

// A Delta is one piece of an answer; exactly one field is set. Calls arrive whole, in the model's order, with arguments
// as [Arguments] returns them and an id that is unique in the conversation. Provider data and usage arrive at most
// once, before Finish. Finish is the last delta of a complete answer. A Reading is not part of the answer: it may
// arrive any number of times before it, or not at all.
type Delta struct {
	Reading      *Reading
	Text         string
	Reasoning    string
	Call         *transcript.ToolCall
	ProviderData *transcript.ProviderData
	Usage        *Usage
	Finish       Finish
}

// A Reading is how far a slow server is with reading a request.
type Reading struct {
	Tokens int           // that it reads anew, which its cache does not hold; estimated until the server counts them
	Done   int           // of these
	Left   time.Duration // until it has read all, at the speed measured so far; 0: unknown
}

// Usage is the cost of a request in tokens, as the provider counted it. Input includes Cached, Written and Compacted;
// Output includes Reasoning. A server that measures its speed, as local ones do, also reports how much of the input it
// read anew and how long it read and wrote.
type Usage struct {
	Input     int     `json:"input"`
	Cached    int     `json:"cached,omitempty"`  // read from the provider's cache
	Written   int     `json:"written,omitempty"` // written to it, where that has a price of its own
	Output    int     `json:"output"`
	Reasoning int     `json:"reasoning,omitempty"`
	Compacted int     `json:"compacted,omitempty"`       // read to compact the conversation; all of Input: not said
	Read      int     `json:"read,omitempty"`            // tokens read in ReadTime; 0: not measured
	ReadTime  float64 `json:"read_seconds,omitempty"`    // from the first token read to the last
	WriteTime float64 `json:"written_seconds,omitempty"` // from the first token of the answer to the last
}

// Add returns the sum of two usages. A sum that no int can hold is the largest int.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		sum(u.Input, v.Input), sum(u.Cached, v.Cached), sum(u.Written, v.Written), sum(u.Output, v.Output),
		sum(u.Reasoning, v.Reasoning), sum(u.Compacted, v.Compacted), sum(u.Read, v.Read),
		u.ReadTime + v.ReadTime, u.WriteTime + v.WriteTime,
	}
}

func sum(a, b int) int {
	if a > 0 && b > math.MaxInt-a {
		return math.MaxInt
	}
	return a + b
}

// A Finish says why an answer ended.
type Finish string

// The finishes. Length is an answer truncated at its output limit; Filtered is one that the provider withheld.
const (
	Stop     Finish = "stop"
	Calls    Finish = "calls"
	Length   Finish = "length"
	Filtered Finish = "filtered"
)
