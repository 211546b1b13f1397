package tools

import (
	"context"
	"fmt"
)

// A Run is what a tool may know of the run that calls it. Any field may be empty.
type Run struct {
	Thread     string    // the conversation that the run belongs to
	User       string    // the user it serves
	Agent      string    // the agent that calls, a sub-agent under its own name
	Input      string    // the prompt that opened the run
	Repository string    // the source tree that it is about
	System     string    // its system prompt
	Step       int       // the step of the loop, from 1
	CallID     string    // the id of this call
	Key        string    // the same each time this call is made, also by another process; "": the run is in no session
	Sees       bool      // its model takes pictures, see [toollimit.Image]
	Scope      string    // the working memory of the run, which holds the texts that its window truncated
	Progress   *Progress // shows how far the call is, see [CountProgress]; nil: nobody reads
	Caller     any       // the run itself, for tools of the package that runs it, such as sub-agents; nil: no run

	// Messages writes the messages that the model saw when it called: each with its role in the first line, its text and
	// its calls, a blank line apart. nil: no run.
	Messages fmt.Stringer
}

type runKey struct{}

// WithRun returns a context that carries r, the one thing that a context carries here.
func WithRun(ctx context.Context, r Run) context.Context { return context.WithValue(ctx, runKey{}, r) }

// RunFrom returns the run that ctx carries, or the zero Run.
func RunFrom(ctx context.Context) Run {
	r, _ := ctx.Value(runKey{}).(Run)
	return r
}
