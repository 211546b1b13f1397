package agent

import (
	"errors"
	"fmt"
	"strings"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
)

// How often an answer is asked for again, by what was wrong with it.
const (
	overflowRetries  = 3 // with the first, four requests in all; the last after ResetToPrompt
	emptyRetries     = 2
	brokenRetries    = 2
	malformedRetries = 1
)

// errEmpty is the error of a model that answers nothing, again and again.
var errEmpty = errors.New("the model gave an empty answer three times")

// ask makes the window fit and asks the model until there is an answer, or an error that asking again cannot mend.
func (r *run) ask(choice providers.ToolChoice) (*providers.Response, error) {
	r.adopt()
	if err := r.fit(); err != nil {
		return nil, err
	}
	overflows, empties, broken, malformed := 0, 0, 0, 0
	for attempt := 1; ; attempt++ {
		answer, err := r.request(choice)
		reason := ""
		switch class := providers.ClassOf(err); {
		case err == nil && (answer.Finish == providers.Filtered || !isEmpty(answer)):
			return answer, nil
		case err == nil && empties < emptyRetries:
			empties++
			reason = "empty answer"
			if answer.Message.Text != "" {
				reason = "answer that announces calls and makes none"
			}
		case err == nil && answer.Message.Text != "":
			r.warn("the answer says that it calls tools and makes no call: its text is taken")
			return answer, nil
		case err == nil:
			return nil, errEmpty
		case malformed < malformedRetries && isDisorder(err):
			malformed++
			reason = err.Error()
			err = r.mend(err)
		case class == providers.Overflow && overflows < overflowRetries:
			overflows++
			reason = err.Error()
			err = r.shrink(err, overflows == overflowRetries)
		case class == providers.Network && r.begun && broken < brokenRetries:
			broken++
			reason = err.Error()
			err = nil
		}
		if err != nil {
			return nil, err
		}
		r.emit(Retried{Agent: r.config.Name, Step: r.at, Attempt: attempt, Reason: reason})
	}
}

// isEmpty reports whether an answer says nothing, or that it calls tools but does not.
func isEmpty(answer *providers.Response) bool {
	return len(answer.Message.Calls) == 0 && (strings.TrimSpace(answer.Message.Text) == "" || answer.Finish == providers.Calls)
}

// request sends the view once, yields the answer as it comes, and counts what it cost, also where it is of no use.
func (r *run) request(choice providers.ToolChoice) (*providers.Response, error) {
	answer := &providers.Response{Message: contextwindow.Message{Role: contextwindow.Assistant}}
	r.begun = false
	req, err := r.compose(choice)
	if err != nil {
		return nil, err
	}
	r.log()
	r.emit(Requested{Agent: r.config.Name, Step: r.at, Entries: r.logged, Repaired: r.repairing, Request: req})
	err = r.receive(answer, req)
	if err == nil && answer.Finish == "" {
		info := r.config.Model.Info()
		err = &providers.Error{Class: providers.Network, Provider: info.Provider, Model: info.Name, Err: providers.ErrNoFinish}
	}
	r.spend(answer)
	r.partial = ""
	if err != nil {
		r.partial = answer.Message.Text
		return nil, err
	}
	if r.closing || answer.Finish == providers.Filtered {
		answer.Message.Calls, answer.Message.Opaque = nil, nil
	}
	if r.closing && answer.Finish == providers.Calls {
		answer.Finish = providers.Stop
	}
	return answer, nil
}

// receive takes an answer as it comes.
func (r *run) receive(answer *providers.Response, req *providers.Request) error {
	var text strings.Builder
	defer func() { answer.Message.Text = text.String() }()
	for d, err := range r.config.Model.Stream(r.ctx, req) {
		if err != nil {
			return err
		}
		r.begun = true
		switch {
		case d.Text != "":
			text.WriteString(d.Text)
			r.emit(Text{Agent: r.config.Name, Step: r.at, Text: d.Text})
		case d.Reasoning != "":
			r.emit(Reasoning{Agent: r.config.Name, Step: r.at, Text: d.Reasoning})
		}
		answer.Add(d)
	}
	return nil
}

// spend takes what an answer cost into the sums. Where the provider did not count, the estimate stands in; an answer
// of which nothing came cost nothing that is known.
func (r *run) spend(answer *providers.Response) {
	switch {
	case answer.Usage.Input > 0:
		r.window.Observe(answer.Usage.Input)
	case r.begun:
		answer.Usage = providers.Usage{Input: r.window.Usage().Tokens, Output: toollimit.Tokens(answer.Message.Text)}
	}
	r.result.Usage = r.result.Usage.Add(answer.Usage)
}

// compose is the request that the window's view makes.
func (r *run) compose(choice providers.ToolChoice) (*providers.Request, error) {
	messages, err := r.messages()
	if err != nil {
		return nil, err
	}
	info := r.config.Model.Info()
	if choice == providers.Required && info.NoForcedTools || len(r.schemas) == 0 {
		choice = providers.Auto
	}
	frame := r.window.Frame()
	req := &providers.Request{System: frame.System, Messages: messages, Tools: frame.Tools, Choice: choice}
	if left := r.budget.Window - r.window.Usage().Tokens; r.budget.Window > 0 && left > 0 && left < info.MaxOutput {
		req.MaxOutput = left
	}
	return req, nil
}

// fit makes the next request fit the budget and tells what was done for it.
func (r *run) fit() error {
	c, err := r.window.Fit()
	return r.told(c, err)
}

// shrink makes the window smaller after the provider refused its view as too long. The provider's own count and limit,
// where the error holds them, say by how much. The last time only the prompt stays.
func (r *run) shrink(refusal error, last bool) error {
	limit := 0
	if e := (*providers.Error)(nil); errors.As(refusal, &e) {
		limit = e.Limit
		r.window.Observe(e.Tokens)
	}
	if last {
		if err := r.window.ResetToPrompt(); err != nil {
			return err
		}
	}
	c, err := r.window.Shrink(limit)
	if err := r.told(c, err); err != nil {
		return fmt.Errorf("%w; after %w", err, refusal)
	}
	return nil
}

// told tells a compaction. That there were too many of them ends a run, but not its closing request, which fits.
func (r *run) told(c contextwindow.Compaction, err error) error {
	if c.Level > 0 {
		r.emit(Compacted{Agent: r.config.Name, Step: r.at, Compaction: c})
	}
	if r.closing && errors.Is(err, contextwindow.ErrThrash) {
		return nil
	}
	return err
}
