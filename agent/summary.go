package agent

import (
	"cmp"
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

// maxSummaryFailures is how many failures in a row end the requests for summaries.
const maxSummaryFailures = 2

// A summarizer asks a model, in the background, to summarise what the next compaction will evict. It has at most one
// request in progress, and the loop never waits for it.
type summarizer struct {
	*env
	request  *summaryRequest // in progress; nil: none
	failures int             // in a row
	warned   bool
}

// A summaryRequest is a request for a summary in progress.
type summaryRequest struct {
	draft   contextwindow.Draft
	tokens  int // estimated size
	started time.Time
	ctx     context.Context
	cancel  context.CancelFunc
	ended   chan summaryEnd
}

// A summaryEnd is how a request for a summary ended.
type summaryEnd struct {
	answer *providers.Response // nil: the model ended its goroutine
	err    error
}

// errSummaryTime is the cause of a summary that took too long. It tells this from a summary that the end of the run
// cancelled.
var errSummaryTime = errors.New("the summary took too long")

// start requests a summary if the window has something to summarise.
func (s *summarizer) start() {
	model := s.config.Summarizer
	if model == nil || s.request != nil || s.failures >= maxSummaryFailures || s.evicts(model.Info()) {
		return
	}
	draft, ok := s.window.Draft()
	if !ok {
		return
	}
	messages, _ := transcript.Repair(draft.Messages)
	prefix := s.window.Prefix()
	req := &providers.Request{
		System: prefix.System, Messages: messages, Tools: prefix.Tools, Choice: providers.None,
		MaxOutput: s.longestOf(min(cmp.Or(model.Info().MaxOutput, maxOutput), maxOutput)),
	}
	if len(prefix.Tools) == 0 {
		req.Choice = providers.Auto
	}
	ctx, cancel := context.WithTimeoutCause(s.ctx, s.config.Limits.SummaryTime, errSummaryTime)
	ended := make(chan summaryEnd, 1)
	s.request = &summaryRequest{
		draft: draft, tokens: s.window.Usage().Tokens, started: time.Now(), ctx: ctx, cancel: cancel, ended: ended,
	}
	go func() {
		var end summaryEnd
		defer func() { ended <- end }()
		if caught := panics.Try(func() { end.answer, end.err = providers.Ask(ctx, model, req) }); caught != nil {
			end.err = fmt.Errorf("the model panicked: %v", caught.Value)
		}
	}()
}

// evicts reports whether a request to the summarizer would make the server of the run's model forget the run.
func (s *summarizer) evicts(summarizer providers.Info) bool {
	own := s.config.Model.Info()
	return own.Slots == 1 && own.Provider == summarizer.Provider && own.Name == summarizer.Name
}

// adopt gives the summary to the window if it is ready.
func (s *summarizer) adopt() {
	if s.request == nil {
		return
	}
	select {
	case end := <-s.request.ended:
		s.take(end)
	default:
	}
}

// stop cancels the request in progress, and waits for it as long as for a tool.
func (s *summarizer) stop() {
	if s.request == nil {
		return
	}
	s.request.cancel()
	select {
	case end := <-s.request.ended:
		s.take(end)
	case <-s.grace():
		s.warn("the summarizer ignored the end of the run and was abandoned")
	}
}

// take gives a summary to the window, which may refuse it, and yields the outcome.
func (s *summarizer) take(end summaryEnd) {
	r := s.request
	s.request = nil
	cause := context.Cause(r.ctx)
	r.cancel()
	err := end.err
	finished := SummaryFinished{
		Agent: s.config.Name, Step: s.current, Units: len(r.draft.Steps), Tokens: r.draft.Tokens,
		Duration: time.Since(r.started),
	}
	switch {
	case end.answer == nil:
		err = errors.Join(err, errors.New("the model gave no answer"))
	case err == nil && end.answer.Finish != providers.Stop:
		err = fmt.Errorf("the answer ended with %q", end.answer.Finish)
	case err == nil:
		err = s.window.Adopt(r.draft, end.answer.Message.Text)
	}
	if end.answer != nil {
		finished.Usage = end.answer.Usage
		if text := end.answer.Message.Text; finished.Usage.Input == 0 && text != "" {
			finished.Usage = providers.Usage{Input: r.tokens, Output: toollimit.Tokens(text)}
		}
		s.account.book(finished.Usage)
	}
	finished.Err = err
	s.emit(finished)
	switch {
	case err == nil:
		s.failures = 0
	case cause == nil || cause == errSummaryTime: // not the end of the run
		s.failures++
		if !s.warned {
			s.warned = true
			s.warn(fmt.Sprintf("a summary was not taken: %v", err))
		}
	}
}
