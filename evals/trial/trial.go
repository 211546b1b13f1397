// Package trial runs subjects on tasks, and keeps what came of it.
//
// Start with [Run]. It writes a folder:
//
//	run.json        what ran: [Info]
//	tasks.jsonl     the tasks as they were read
//	results.jsonl   a [Row] a trial, in the order in which they ended
//	traces/         a trace a trial (package agent/trace), compressed: TASK.SUBJECT.NUMBER.jsonl.gz
//	parts/          rows of trials that ended in other processes ([Part]) and are not in the results yet
package trial

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/providers"
)

// A Subject is what is evaluated. Do must be safe for concurrent use, must end soon after ctx does, and returns the
// outcome also beside an error, as far as there is one.
type Subject struct {
	Name string // as the person wrote it, such as "rules" or "model:llamacpp/coder-1.5b@16384+lean"
	Do   func(ctx context.Context, in Input) (*check.Outcome, error)
}

// An Input is one trial for a subject.
type Input struct {
	Task  *task.Task // shared: do not modify it
	Trial int        // from 1
	Dir   string     // the trial's own working copy, which it may change; "" if the task has no files
	Trace io.Writer  // takes the events of the run as agent/trace writes them; never nil

	scratch *scratch // nil outside of a run
}

// TempDir makes an empty folder for temporary files of the trial. It is removed at the end of the run, or when the run
// is resumed after it was killed; remove it sooner if you can.
func (in *Input) TempDir() (string, error) {
	if in.scratch == nil {
		return os.MkdirTemp("", scratchPrefix)
	}
	return in.scratch.make()
}

// A Class says whose fault it was that a trial has no outcome to judge, or a bad one.
type Class string

// The classes of failures.
const (
	Agent    Class = "agent"    // it gave up, ran out of its budget or answered wrongly
	Tool     Class = "tool"     // a tool failed and the run ended with it
	Provider Class = "provider" // the model's service failed
	Check    Class = "check"    // a check could not judge
	Harness  Class = "harness"  // the working copy could not be made, or a time-out of the harness ended it
)

// A Failure is an error of a class. A subject returns one to say whose fault it was; other errors are the Agent's.
type Failure struct {
	Class Class  `json:"class"`
	Text  string `json:"text"`
}

func (f *Failure) Error() string { return f.Text }

// A Row is the result of one trial.
type Row struct {
	Task    string          `json:"task"`
	Subject string          `json:"subject"`
	Trial   int             `json:"trial"` // from 1
	Tags    []string        `json:"tags,omitempty"`
	Started time.Time       `json:"started"`
	Seconds float64         `json:"seconds"`
	Passed  bool            `json:"passed"` // without a failure, and every check passed
	Score   float64         `json:"score"`  // mean of the scores of the checks, 0 to 1; 0 with a failure
	Checks  []check.Verdict `json:"checks,omitempty"`
	Failure *Failure        `json:"failure,omitempty"`
	Answer  string          `json:"answer,omitempty"` // at most 65,536 bytes
	Stop    string          `json:"stop,omitempty"`
	Steps   int             `json:"steps"`
	Calls   []check.Call    `json:"calls,omitempty"` // at most 1,000, without arguments over 4,096 bytes
	Usage   providers.Usage `json:"usage"`
	Cost    float64         `json:"cost,omitempty"`   // US dollars
	Priced  bool            `json:"priced,omitempty"` // Cost is known, also if it is 0
	Trace   string          `json:"trace,omitempty"`  // path in the folder; "" without events
}

// An Info says what ran. Rows of a folder with another Set, Hash or Version are not resumed.
type Info struct {
	Version  int       `json:"version"` // of the format; 1
	Set      string    `json:"set"`
	Hash     string    `json:"hash"` // of the set
	Subjects []string  `json:"subjects"`
	Trials   int       `json:"trials"` // of each task by each subject
	Tasks    int       `json:"tasks"`
	Unread   int       `json:"unread,omitempty"` // what the set has that is not a task, and so did not run
	Started  time.Time `json:"started"`
	Foray    string    `json:"foray"` // its version
	// Timeout is Plan.Timeout of the latest run, in seconds, and Judge its Plan.Judge.
	Timeout float64 `json:"timeout_seconds,omitempty"`
	Judge   string  `json:"judge,omitempty"`
}

// Version is the version of the format of a folder of results.
const Version = 1
