package agent

import (
	"cmp"
	"math"
	"time"
)

// Limits bound a run. The zero value of a limit is its default; a negative one is no limit: with it a run asks, calls
// or waits without end.
type Limits struct {
	Steps        int           // requests to the model, the closing one included; default 50
	Time         time.Duration // default: none. The closing request has up to a quarter of it more, at most 30 s
	InputTokens  int           // summed over all requests; default: none
	OutputTokens int           // summed over all answers; default: none
	TotalTokens  int           // of both; default: none
	CallsPerStep int           // calls of one answer that are made; default 8
	Parallel     int           // tools at once; default 8
	ToolTimeout  time.Duration // of a tool that has none of its own; default 60 s
	ToolGrace    time.Duration // from the end of a tool's time, or of the run, until it is abandoned; default 5 s
	SummaryTime  time.Duration // of one request to the Summarizer; default 60 s
	Depth        int           // of sub-agents below one another; default 3
}

const (
	defaultSteps       = 50
	defaultCalls       = 8
	defaultParallel    = 8
	defaultToolTimeout = 60 * time.Second
	defaultToolGrace   = 5 * time.Second
	defaultSummaryTime = 60 * time.Second
	defaultDepth       = 3
	closingTime        = 30 * time.Second
)

func (l Limits) withDefaults() Limits {
	l.Steps = cmp.Or(l.Steps, defaultSteps)
	l.CallsPerStep = cmp.Or(l.CallsPerStep, defaultCalls)
	if l.Parallel = cmp.Or(l.Parallel, defaultParallel); l.Parallel < 0 {
		l.Parallel = math.MaxInt
	}
	l.ToolTimeout = cmp.Or(l.ToolTimeout, defaultToolTimeout)
	l.ToolGrace = cmp.Or(l.ToolGrace, defaultToolGrace)
	if l.SummaryTime = cmp.Or(l.SummaryTime, defaultSummaryTime); l.SummaryTime < 0 {
		l.SummaryTime = math.MaxInt64
	}
	l.Depth = cmp.Or(l.Depth, defaultDepth)
	return l
}

// within is a as it works for a task: within the task's limits, on the budget of its window.
func (a *Agent) within(t Task) *Agent {
	if t.Window == nil && t.Limits == (Limits{}) {
		return a
	}
	b := *a
	if t.Window != nil {
		b.budget = t.Window.Budget()
	}
	own, l := &b.config.Limits, t.Limits
	own.Steps = tighter(own.Steps, l.Steps)
	own.Time = tighter(own.Time, l.Time)
	own.InputTokens = tighter(own.InputTokens, l.InputTokens)
	own.OutputTokens = tighter(own.OutputTokens, l.OutputTokens)
	own.TotalTokens = tighter(own.TotalTokens, l.TotalTokens)
	return &b
}

// tighter is the smaller of two limits, of which one that is not positive is none.
func tighter[T ~int | ~int64](a, b T) T {
	if a <= 0 || b > 0 && b < a {
		return cmp.Or(b, a)
	}
	return a
}
