package agent

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// A Config describes an agent. Only Model is required; the zero value of every other field is its default.
//
// Runs whose window may shorten texts also get the tool read_working_memory, which reads them again, unless Tools has
// one of that name, Window has a Store, or NoTools is set. It is left out under [contextwindow.Off] without a Ladder,
// in a budget below 2,000 tokens, and in a run without tools and history that ends with its first answer.
//
// With NoTools and no Tools, a model has no tools at all, and reads the calls of History and their results as text:
// small models call whatever they read of, and some services refuse a history with calls in a request without tools.
type Config struct {
	Name    string                // in events and in [tools.Run]; default "agent"
	Model   providers.Model       // answers
	System  string                // system prompt
	Tools   []tools.Tool          // the tools that the model may call
	Brief   bool                  // the model sees the short forms of Tools ([tools.Brief]), for a small window
	NoTools bool                  // not even the one that reads shortened texts again
	Guide   func() Guide          // makes the guide of each run; nil, or returns nil: stop at an answer without calls
	Profile contextwindow.Profile // one of [contextwindow.Profiles]; default: the first. Budget.Profile takes precedence
	Budget  contextwindow.Budget  // of the window; without a Limit it is derived from the model and the profile
	Window  contextwindow.Options // of the window
	Memory  *working.Memory       // keeps what the window truncates; nil: the window itself, for the run
	Limits  Limits                // of each run

	Sampling Sampling // how the model picks its words

	// Approve decides whether a call of a tool with Effects is made; nil: every call is. An error or a panic refuses the
	// call with a warning, and the run continues. Its context ends with the run, whose time keeps running. A sub-agent
	// without an Approve uses that of its caller. Approve must be safe for concurrent use if the agent is used so.
	Approve func(context.Context, transcript.ToolCall) (Decision, error)

	// Summarizer summarises what the window is about to evict, in the background; nil: nothing is summarised. Its usage
	// counts towards the run. If it fails, or is Model on a server with one slot, the window uses its own digest.
	Summarizer providers.Model
}

// A Decision says whether a call is made. The zero value refuses it.
type Decision struct {
	Approved bool
	Wait     bool   // decide later: the run stops with [Waiting]. Without a [Session] the call is refused
	Reason   string // of a refusal, for the model
}

// Sampling says how a model picks its words. It is part of every request of a run; the zero value leaves all to the
// model. A service that lacks one of these refuses the request.
type Sampling struct {
	Temperature     *float64 // nil: the model's default
	TopP            *float64 // nil: the model's default
	Stop            []string // texts that end the answer
	Seed            *int64   // nil: none
	ReasoningEffort string   // "minimal", "low", "medium" or "high"
	MaxOutput       int      // longest answer in tokens; 0: the model's, or up to 16,384 and a quarter of the window
}

// A Task is one thing to do. System, Tools and Guide override those of the agent for this run, so that one [Agent] can
// serve any number of conversations.
type Task struct {
	Prompt  string               // opens the run; every request carries it in full
	Images  []toollimit.Image    // shown with Prompt; a model that sees none reads what they are
	History []transcript.Message // of earlier runs, oldest first; what a service would refuse is repaired, with a warning
	Pinned  int                  // how many messages at the head of History are never evicted
	Inbox   *Inbox               // delivers messages while the run is in progress; nil: none. Each run needs its own

	System string       // system prompt; "": the agent's
	Tools  []tools.Tool // tools; nil: the agent's
	Guide  Guide        // nil: a new one of the agent
	Limits Limits       // bounds on steps, time and tokens beside the agent's: the tighter one holds

	Sampling *Sampling // how the model picks its words; nil: the agent's

	// Window continues an existing window, with its budget and store; nil: a new one. Nobody else may use it during the
	// run. Prompt opens the window if it is empty or was reset by ResetStage; otherwise it is the user's next message.
	Window *contextwindow.Window

	// Session keeps the run in a store; nil: it is not kept. Without a Prompt, the last run of the session is resumed, or
	// its result returned if it is over ([Agent.Resume]). With a Prompt, the session begins, or continues its window after
	// a run that is over. It excludes Window, and is for runs that are not nested.
	Session *Session

	// What tools read of the run in [tools.Run].
	Thread     string
	User       string
	Repository string
	Scope      string // working memory that is the store of Window
	Input      string // what the user said; "": Prompt

	form   *form // of a structured answer; nil: a text
	parent *call // that a sub-agent runs for; nil: none
}

// Limits bound a run. Zero means the default. A negative value means no limit, so that a run may continue or wait
// forever.
type Limits struct {
	Steps        int           // requests to the model, the closing one included (default 50)
	Time         time.Duration // of the run (default none); a fifth, at most 30 s, is kept for the closing request
	InputTokens  int           // summed over all requests (default none)
	OutputTokens int           // summed over all answers (default none)
	TotalTokens  int           // input and output (default none)
	CallsPerStep int           // executed calls of one answer (default 8)
	Parallel     int           // tools running at once (default 8)
	ToolTimeout  time.Duration // of a tool without its own (default 60 s)
	ToolGrace    time.Duration // after a timeout, or the end of the run, until a tool is abandoned (default 5 s)
	SummaryTime  time.Duration // of one request to the Summarizer (default 60 s)
	Depth        int           // of nested runs, sub-agents or not (default 3); the tightest of all runs above holds
}

// maxClosingTime is the most that is kept of a run's time for the closing request.
const maxClosingTime = 30 * time.Second

func (l Limits) withDefaults() Limits {
	l.Steps = cmp.Or(l.Steps, 50)
	l.CallsPerStep = cmp.Or(l.CallsPerStep, 8)
	if l.Parallel = cmp.Or(l.Parallel, 8); l.Parallel < 0 {
		l.Parallel = math.MaxInt
	}
	l.ToolTimeout = cmp.Or(l.ToolTimeout, 60*time.Second)
	l.ToolGrace = cmp.Or(l.ToolGrace, 5*time.Second)
	if l.SummaryTime = cmp.Or(l.SummaryTime, 60*time.Second); l.SummaryTime < 0 {
		l.SummaryTime = math.MaxInt64
	}
	l.Depth = cmp.Or(l.Depth, 3)
	return l
}

// within returns l, tightened by the limits of a task.
func (l Limits) within(task Limits) Limits {
	l.Steps = tighter(l.Steps, task.Steps)
	l.Time = tighter(l.Time, task.Time)
	l.InputTokens = tighter(l.InputTokens, task.InputTokens)
	l.OutputTokens = tighter(l.OutputTokens, task.OutputTokens)
	l.TotalTokens = tighter(l.TotalTokens, task.TotalTokens)
	return l
}

// tighter returns the smaller of two limits. One that is not positive is no limit.
func tighter[T ~int | ~int64](a, b T) T {
	if a <= 0 || b > 0 && b < a {
		return cmp.Or(b, a)
	}
	return a
}
