package contextbuilder

import (
	"context"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// A Query says for which message of which thread a context is built.
type Query struct {
	System string // the system prompt; never cut
	Input  string // what the user says now; "" with a Seq: the text that the thread has
	Images int    // of the input, 1,000 tokens each

	// Seq is the number that the thread has given the input's message; 0 says that it is not in the thread yet. In both
	// cases the input is in what is built exactly once.
	Seq int64

	Thread string // "": none; the build then has no summary and no history, and caches nothing
	User   string // whose memories may be looked up
	Agent  string // who will answer
	Turn   int    // the number of the input among the user's messages of the thread, from 1; 0: not known
	Stage  string // of the conversation, as the embedding program names it
	Task   string // the status summary of the active task; "": none

	Room  int // the most that may be built, in tokens, .6 of the window's budget; 0: Config.Total. Never more than that
	Fixed int // what the request carries besides, in tokens: the schemas of tools. It is taken from the room

	// Store keeps the full text of what is shortened, under ids that the shortened texts name; nil: they name none.
	Store contextwindow.Store
}

// A Message is one message of a thread. Seq numbers the messages of a thread, ascending from 1; gaps are allowed.
type Message struct {
	Seq    int64
	Images int // 1,000 tokens each
	transcript.Message
}

// Threads gives the messages of threads. Implementations are safe for concurrent use.
type Threads interface {
	// Recent returns the newest messages of a thread that are older than the one numbered before, at most limit of them,
	// ascending. A before of 0 is behind the last. A thread that does not exist has no messages.
	Recent(ctx context.Context, thread string, before int64, limit int) ([]Message, error)
}

// Summary gives the summary of a thread and brings it up to date. memory.ThreadSummary implements it.
type Summary interface {
	// Through returns the text of a summary and the number of the last message that it covers; "" and 0: there is none.
	Through(ctx context.Context, thread string) (text string, last int64, err error)
	// Update asks for an update in the background and returns at once.
	Update(thread string)
}

// Memories gives what is known of a user. Implementations are safe for concurrent use.
type Memories interface {
	// Search returns the memories nearest to a question, the nearest first.
	Search(ctx context.Context, q MemoryQuery) ([]Memory, error)
	// Top returns the most important memories of a user, the most important first.
	Top(ctx context.Context, user string, limit int) ([]Memory, error)
}

// A MemoryQuery is a question to Memories.
type MemoryQuery struct {
	User, Text    string
	Category      string // "": any
	Limit         int
	MinSimilarity float64 // from 0 to 1
}

// A Memory is one thing that is known of a user.
type Memory struct {
	ID         string
	Text       string
	Category   string
	Source     string  // where it comes from, as in a thread's name; "": not known
	Similarity float64 // to the question, from 0 to 1
	Importance int     // from 1 to 10; stores that count to 100 may give that, and it is divided by 10
}
