package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sourcegraph/conc/panics"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
)

// summaryFailures is how many summaries in a row may come to nothing before no more are asked for.
const summaryFailures = 2

// A summarizer has a model sum up, beside the run, what the next compaction will fold. At most one request is under way,
// and the loop never waits for it.
type summarizer struct {
	draft    contextwindow.Draft
	tokens   int // estimate of the request
	started  time.Time
	ctx      context.Context    // of the request
	cancel   context.CancelFunc // nil: no request is under way
	ended    chan summarized
	failures int // in a row
	warned   bool
}

// errSummaryTime is why a request that took too long was ended; one that the run ended has another cause.
var errSummaryTime = errors.New("the time for a summary is over")

// summarized is how a request for a summary ended.
type summarized struct {
	answer *providers.Response // nil: the model ended its goroutine
	err    error
}

// summarize asks for a summary if there is something to sum up.
func (r *run) summarize() {
	s, model := &r.summary, r.config.Summarizer
	if model == nil || s.cancel != nil || s.failures >= summaryFailures {
		return
	}
	draft, ok := r.window.Draft()
	if !ok {
		return
	}
	messages, _ := transcript.Repair(draft.Messages)
	frame := r.window.Prefix()
	req := &providers.Request{System: frame.System, Messages: messages, Tools: frame.Tools, Choice: providers.None}
	if len(frame.Tools) == 0 {
		req.Choice = providers.Auto
	}
	ctx, cancel := context.WithTimeoutCause(r.ctx, r.config.Limits.SummaryTime, errSummaryTime)
	ended := make(chan summarized, 1)
	*s = summarizer{
		draft: draft, tokens: r.window.Usage().Tokens, started: time.Now(), ctx: ctx, cancel: cancel, ended: ended,
		failures: s.failures, warned: s.warned,
	}
	go func() {
		var end summarized
		defer func() { ended <- end }()
		if caught := panics.Try(func() { end.answer, end.err = providers.Ask(ctx, model, req) }); caught != nil {
			end.err = fmt.Errorf("the model panicked: %v", caught.Value)
		}
	}()
}

// adopt takes the summary if it is there.
func (r *run) adopt() {
	if r.summary.cancel == nil {
		return
	}
	select {
	case end := <-r.summary.ended:
		r.takeSummary(end)
	default:
	}
}

// takeSummary gives a summary to the window, which may refuse it, and tells what became of it.
func (r *run) takeSummary(end summarized) {
	s := &r.summary
	cause := context.Cause(s.ctx)
	s.cancel()
	s.cancel = nil
	err := end.err
	told := SummaryFinished{Agent: r.config.Name, Step: r.at, Units: len(s.draft.Steps), Tokens: s.draft.Tokens, Duration: time.Since(s.started)}
	switch {
	case end.answer == nil:
		err = errors.Join(err, errors.New("the model gave no answer"))
	case err == nil && end.answer.Finish != providers.Stop:
		err = fmt.Errorf("the answer ended by %q", end.answer.Finish)
	case err == nil:
		err = r.window.Adopt(contextwindow.Summary{Draft: s.draft, Text: end.answer.Message.Text})
	}
	if end.answer != nil {
		told.Usage = end.answer.Usage
		if text := end.answer.Message.Text; told.Usage.Input == 0 && text != "" {
			told.Usage = providers.Usage{Input: s.tokens, Output: toollimit.Tokens(text)}
		}
		r.account.book(told.Usage)
	}
	told.Err = err
	r.emit(told)
	switch {
	case err == nil:
		s.failures = 0
	case cause == nil || cause == errSummaryTime:
		s.failures++
		if !s.warned {
			s.warned = true
			r.warn(fmt.Sprintf("a summary was not taken: %v", err))
		}
	}
}

// endSummary ends the request for a summary and waits for it, but no longer than for a tool.
func (r *run) endSummary() {
	if r.summary.cancel == nil {
		return
	}
	r.summary.cancel()
	select {
	case end := <-r.summary.ended:
		r.takeSummary(end)
	case <-r.grace():
		r.warn("the summarizer ignored the end of the run and was abandoned")
	}
}

// grace ends when what ignores the end of the run is left behind; nil: never.
func (r *run) grace() <-chan time.Time {
	if limit := r.config.Limits.ToolGrace; limit >= 0 {
		return time.After(limit)
	}
	return nil
}
