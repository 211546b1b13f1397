package tools

import "context"

// A Run is what a tool may know of the run that calls it. All of it is for reading but the Gauge, on which the tool counts;
// any part may be empty.
type Run struct {
	Thread     string // the conversation that the run belongs to
	User       string // whom it serves
	Agent      string // the agent that calls, a sub-agent under its own name
	Input      string // the prompt that opened the run
	Repository string // the source tree that it is about
	Step       int    // the step of the loop, from 1
	CallID     string // the id of this call
	Scope      string // the working memory of the run, where the texts that its window cut can be read
	Gauge      *Gauge // shows how far the call is, by Counting; nil: nobody looks
	Caller     any    // the run itself, for tools of the package that runs it, as a sub-agent is; nil: called by no run
}

type runKey struct{}

// WithRun returns a context that carries r. It is the one thing that a context carries here.
func WithRun(ctx context.Context, r Run) context.Context { return context.WithValue(ctx, runKey{}, r) }

// RunFrom returns the run that ctx carries, the zero Run when it carries none.
func RunFrom(ctx context.Context) Run {
	r, _ := ctx.Value(runKey{}).(Run)
	return r
}
