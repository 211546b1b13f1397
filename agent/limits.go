package agent

import (
	"cmp"
	"math"
	"time"
)

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
