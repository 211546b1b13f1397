package session

import (
	"encoding/json"
	"time"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools"
)

// A Record is one line of a session: Time, in UTC, and exactly one other field. A written record never changes.
type Record struct {
	Time    time.Time             `json:"time,omitzero"`
	Run     *Run                  `json:"run,omitempty"`
	Entries []contextwindow.Entry `json:"entries,omitempty"`
	Answer  *Answer               `json:"answer,omitempty"`
	Call    *Call                 `json:"call,omitempty"`
	Result  *Result               `json:"result,omitempty"`
	Verdict *Verdict              `json:"verdict,omitempty"`
	Step    *Stepped              `json:"step,omitempty"`
	End     *End                  `json:"end,omitempty"`
	Rewind  *Rewind               `json:"rewind,omitempty"`
}

// A Run begins a run of an agent. A session may hold several: each continues the window of the one before it with
// another prompt.
type Run struct {
	Agent    string                `json:"agent"` // name of the agent
	Provider string                `json:"provider,omitempty"`
	Model    string                `json:"model"`
	Profile  contextwindow.Profile `json:"profile"`
	Limit    int                   `json:"limit"`           // budget of a request in tokens
	Tools    []string              `json:"tools,omitempty"` // names, sorted
	Prompt   string                `json:"prompt"`
	Thread   string                `json:"thread,omitempty"`
	User     string                `json:"user,omitempty"`
	Input    string                `json:"input,omitempty"` // what the user said; "": Prompt
	Folder   string                `json:"folder,omitempty"`
	Sampling json.RawMessage       `json:"sampling,omitempty"` // agent.Sampling of the run
	Limits   json.RawMessage       `json:"limits,omitempty"`   // agent.Limits of the task
	Nonce    string                `json:"nonce,omitempty"`    // part of the keys of calls, so that none is used twice
	Setup    json.RawMessage       `json:"setup,omitempty"`    // for the program that makes the agent again
	Trace    string                `json:"trace,omitempty"`    // where it is traced (W3C traceparent)
}

// A Progress is what a run had spent, and what happened since the answer or step before.
type Progress struct {
	Usage       providers.Usage            `json:"usage"` // of the whole run
	Compactions []contextwindow.Compaction `json:"compactions,omitempty"`
	Warnings    []string                   `json:"warnings,omitempty"`
	Service     Service                    `json:"service,omitzero"`
}

// An Answer is what a model said in a step whose calls are about to be made. It is written only if one of them has
// effects: otherwise the step is asked and made again.
type Answer struct {
	Progress
	Step     int                 `json:"step"`
	Response *providers.Response `json:"response"`
	Asked    time.Duration       `json:"asked"` // from the beginning of the step, in nanoseconds
}

// A Call starts a call with effects. If the process dies before its [Result], nobody knows whether it was done. Then
// the tool is asked ([tools.Tool].Done) or else a person ([Verdict]); it is never repeated silently. Key is the same
// each time the call is made, so that what it changes can recognise it.
type Call struct {
	Step  int    `json:"step"`
	Index int    `json:"index"` // in the answer, from 0
	Key   string `json:"key"`
}

// A Result is how a call of the answer ended. The message has the kind and the whole text of what its tool returned.
type Result struct {
	Index   int                `json:"index"` // in the answer, from 0
	Message transcript.Message `json:"message"`
	Record  ToolRecord         `json:"record"`
	Taken   int                `json:"taken,omitempty"`  // steps taken from the limit, with those of sub-agents
	Usage   providers.Usage    `json:"usage"`            // of the run so far
	Unmade  bool               `json:"unmade,omitempty"` // the run ended before the call began: it may be made later
}

// The decisions of a person about a call.
const (
	Approve = "approve" // make it
	Refuse  = "refuse"  // do not make it; Text says why
	Done    = "done"    // an unknown call was done; Text is its result for the model
	Repeat  = "repeat"  // an unknown call was not done: make it
)

// A Verdict is what a person decided about a call that waits.
type Verdict struct {
	Index    int    `json:"index"` // in the answer, from 0
	Decision string `json:"decision"`
	Text     string `json:"text,omitempty"`
}

// A Step is what a guide sees of the last step. Before the first one, only Limit is set.
type Step struct {
	Number int              `json:"number"` // answered requests so far
	Limit  int              `json:"limit"`  // the most there may be
	Text   string           `json:"text,omitempty"`
	Calls  []StepCall       `json:"calls,omitempty"`
	Finish providers.Finish `json:"finish,omitempty"`
	Window float64          `json:"window"` // share of the budget that the window takes
}

// Answered reports whether the model answered without calling a tool. A run without a guide stops then.
func (s Step) Answered() bool { return s.Number > 0 && len(s.Calls) == 0 }

// A StepCall is one call of a step, with its result as the model sees it.
type StepCall struct {
	Name   string          `json:"name"`
	Args   json.RawMessage `json:"args,omitempty"`
	Result string          `json:"result,omitempty"`
	Failed bool            `json:"failed,omitempty"`

	Received int `json:"received,omitempty"` // tokens of the result as the tool returned it
	Shown    int `json:"shown,omitempty"`    // tokens that entered the window
}

// Stepped ends a step. Its messages are in the entries before it.
type Stepped struct {
	Progress
	Step     Step          `json:"step"`
	Tools    []ToolRecord  `json:"tools,omitempty"`
	Taken    int           `json:"taken"`             // steps taken from the limit, with those of sub-agents
	Duration time.Duration `json:"duration"`          // in nanoseconds
	Closing  string        `json:"closing,omitempty"` // why the run ended, if it was the closing request
}

// Service is what a run has learned of the service of its model, which changes later requests.
type Service struct {
	Longest       int  `json:"longest,omitempty"` // answer to ask for, in tokens; 0: any; -1: name no length
	Unforced      bool `json:"unforced,omitempty"`
	Repairing     bool `json:"repairing,omitempty"`
	NoTemperature bool `json:"no_temperature,omitempty"`
	NoSchema      bool `json:"no_schema,omitempty"`
}

// A ToolRecord is the record of a call, as package agent keeps it.
type ToolRecord struct {
	Step  int                 `json:"step"`
	Call  transcript.ToolCall `json:"call"`
	Made  transcript.ToolCall `json:"made"`
	Notes []string            `json:"notes,omitempty"`
	Value json.RawMessage     `json:"value,omitempty"` // what the tool returned, if it can be decoded again

	// Later reads Value if [Open] left it in the store; nil: it did not.
	Later func() (json.RawMessage, error) `json:"-"`

	Error       string         `json:"error,omitempty"`
	Problem     *tools.Problem `json:"problem,omitempty"`      // the error, if it is one
	NotExecuted bool           `json:"not_executed,omitempty"` // the model was asked to repeat the call
	Started     time.Time      `json:"started,omitzero"`
	Duration    time.Duration  `json:"duration,omitempty"` // in nanoseconds
	Tokens      int            `json:"tokens,omitempty"`
	TokensIn    int            `json:"in,omitempty"`
	TokensOut   int            `json:"out,omitempty"`
	Cut         bool           `json:"cut,omitempty"`
	Abandoned   bool           `json:"abandoned,omitempty"`
}

// An End ends a run. One that was cancelled, failed or waits can be resumed.
type End struct {
	Stop      string          `json:"stop"`
	Text      string          `json:"text,omitempty"`
	Error     string          `json:"error,omitempty"`
	Steps     int             `json:"steps"`
	Usage     providers.Usage `json:"usage"`
	Duration  time.Duration   `json:"duration"`           // in nanoseconds
	Warnings  []string        `json:"warnings,omitempty"` // since the last step
	Unread    []string        `json:"unread,omitempty"`
	Abandoned int             `json:"abandoned,omitempty"`
	Resumable bool            `json:"resumable,omitempty"`
	Waiting   []Question      `json:"waiting,omitempty"`
}

// A Question is a call about which a person has to decide before its run can continue.
type Question struct {
	Step    int                 `json:"step"`
	Index   int                 `json:"index"` // in the answer, from 0
	Call    transcript.ToolCall `json:"call"`
	Unknown bool                `json:"unknown,omitempty"` // it may have been done; else it wants an approval
	Key     string              `json:"key,omitempty"`
}

// A Rewind takes the session back to its first To records: what follows continues from there. An Undo takes the newest
// rewind back.
type Rewind struct {
	To   int  `json:"to"`
	Undo bool `json:"undo,omitempty"`
}
