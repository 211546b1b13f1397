package contextbuilder

import (
	"context"
	"time"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// A Query names the message to build a context for.
type Query struct {
	System string // system prompt; never truncated
	Input  string // what the user says now; "" with Seq set: the text of that message in the thread

	// Images are shown with the input; with Input "" and Seq set: those of that message.
	Images []toollimit.Image

	// Seq is the number of the input in its thread; 0 if the thread does not hold it yet. Either way the input appears
	// exactly once in what is built.
	Seq int64

	Thread string // "": no summary, no history, no caching
	User   string // whose memories are searched
	Agent  string // that will answer
	Turn   int    // number of the input among the user's messages of the thread, from 1; 0: unknown
	Stage  string // of the conversation, as the embedding program names it
	Task   string // status of the active task; "": none
	Goal   int64  // number of the message that Task quotes in its first line, left out if it is near; 0: none

	Runs []AgentRun // of agents and tools in the conversation, newest last, for the history of runs

	// From and Whole are those of the previous build's [WindowStats], so that the window moves in steps and requests keep
	// their prefix; 0: it may begin anywhere.
	From, Whole int64

	Room  int // upper bound of what is built, in tokens, at most Config.Total; 0: Config.Total
	Fixed int // tokens of what else the request carries, such as tool schemas; taken from the room

	// Store keeps the full text of what is shortened, under the ids that shortened texts name together with the tool
	// read_working_memory; nil: they name none. Leave it nil for a run without that tool.
	Store contextwindow.Store
}

// An AgentRun is one run of an agent or a tool in a conversation.
type AgentRun struct {
	Name          string
	Started       time.Time
	Duration      time.Duration
	Tokens        int    // of an agent's requests and answers, or of a tool's result; 0: unknown
	Input, Output string // 200 characters of each are shown
}

// TypeAgentRuns is the type of the block that lists the last runs.
const TypeAgentRuns = "active_agents_history"

// A Message is one message of a thread. The Name of an answer is the agent that gave it: an answer of another than
// [Query].Agent is shown as such; "": it is the agent's own. Seq ascends from 1 within a thread; gaps are allowed.
type Message struct {
	Seq int64
	transcript.Message
}

// Summary reads the summary of a thread and keeps it up to date.
type Summary interface {
	// Through returns the summary and the number of the last message that it covers, or "" and 0 without one. A window
	// begins after that message, so a summary should cover only what earlier windows have left out ([WindowStats.From]).
	Through(ctx context.Context, thread string) (text string, last int64, err error)
	// Update requests an update in the background and returns at once.
	Update(thread string)
}

// Memories reads what is known about a user. Implementations are safe for concurrent use.
type Memories interface {
	// Search returns the memories nearest to a question, nearest first.
	Search(ctx context.Context, q MemoryQuery) ([]Memory, error)
	// Top returns a user's most important memories, most important first.
	Top(ctx context.Context, user string, limit int) ([]Memory, error)
}

// A MemoryQuery is a question to [Memories].
type MemoryQuery struct {
	User, Text    string
	Category      string // "": any
	Limit         int
	MinSimilarity float64 // from 0 to 1
}

// A Memory is one fact about a user.
type Memory struct {
	ID       string
	Text     string
	Category string
	Thread   string // in which it was said; "": unknown
}
