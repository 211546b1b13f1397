package agent

import (
	"errors"
	"strings"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
)

// ask makes the window fit and asks the model until there is an answer, or an error that asking again cannot mend.
func (r *run) ask(choice providers.ToolChoice) (*providers.Response, error) {
	r.adopt()
	if err := r.fit(); err != nil {
		return nil, err
	}
	again := retries{run: r}
	for attempt := 1; ; attempt++ {
		answer, err := r.request(choice)
		reason := ""
		switch {
		case err != nil:
			reason, err = again.failed(err, choice)
		case isEmpty(answer):
			reason, err = again.empty(answer)
		}
		switch {
		case err != nil:
			return nil, err
		case reason == "":
			return answer, nil
		}
		r.emit(RequestRetried{Agent: r.config.Name, Step: r.at, Attempt: attempt, Reason: reason})
	}
}

// request sends the view once, yields the answer as it comes, and counts what it cost, also where it is of no use.
func (r *run) request(choice providers.ToolChoice) (*providers.Response, error) {
	answer := &providers.Response{Message: transcript.Message{Role: transcript.Assistant}}
	r.begun = false
	req, err := r.compose(choice)
	if err != nil {
		return nil, err
	}
	r.log()
	r.emit(RequestSent{Agent: r.config.Name, Step: r.at, Entries: r.logged, Repaired: r.repairing, Request: req})
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
		answer.Message.Calls, answer.Message.ProviderData = nil, nil
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
	r.account.book(answer.Usage)
}

// compose is the request that the window's view makes.
func (r *run) compose(choice providers.ToolChoice) (*providers.Request, error) {
	messages, err := r.messages()
	if err != nil {
		return nil, err
	}
	info := r.config.Model.Info()
	frame := r.window.Prefix()
	req := &providers.Request{System: frame.System, Messages: messages, Tools: frame.Tools, Choice: r.choice(choice)}
	if r.typed != nil && r.typed.native {
		req.Schema = r.typed.strict
	}
	if left := r.budget.Window - r.window.Usage().Tokens; r.budget.Window > 0 && left > 0 && left < info.MaxOutput {
		req.MaxOutput = left
	}
	return req, nil
}

// choice is what can be asked for: to force a tool there must be tools, and a service that does not refuse it.
func (r *run) choice(choice providers.ToolChoice) providers.ToolChoice {
	if len(r.schemas) == 0 || choice == providers.Required && (r.unforced || r.config.Model.Info().NoForcedTools) {
		return providers.Auto
	}
	return choice
}

// fit makes the next request fit the budget and tells what was done for it.
func (r *run) fit() error {
	c, err := r.window.Fit()
	return r.told(c, err)
}

// told tells a compaction. That there were too many of them ends a run, but not its closing request, which fits.
func (r *run) told(c contextwindow.Compaction, err error) error {
	if c.Level > 0 {
		r.emit(WindowCompacted{Agent: r.config.Name, Step: r.at, Compaction: c})
	}
	if r.closing && errors.Is(err, contextwindow.ErrThrash) {
		return nil
	}
	return err
}
