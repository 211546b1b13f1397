package agent

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
)

// An asker gets the answers of a run's model.
type asker struct {
	*env
	typed     *typedAnswer // holds the model to a schema; nil: free text
	preflight preflight
	repairing bool   // every view is repaired before it is sent
	repaired  bool   // the last request was: it differs from the view
	unforced  bool   // the service refused to force a call
	begun     bool   // part of the answer in progress has arrived
	called    bool   // the last answer to a closing request made calls, which are ignored
	warmer    bool   // the answer in progress repeated itself, and is requested again
	bare      bool   // the answer in progress called tools at the end of the run, and is requested again without any
	stripped  bool   // the last request had neither tools nor calls, though the view may have some
	partial   string // text of the last answer if it broke off

	asked time.Time     // when the last request was sent
	first time.Duration // until the first part of its answer; 0: none arrived
}

// request sends the view once, yields the answer as it comes, and counts its usage even if the answer fails.
func (a *asker) request(choice providers.ToolChoice) (*providers.Response, error) {
	answer := &providers.Response{Message: transcript.Message{Role: transcript.Assistant}}
	a.begun, a.first = false, 0
	req, err := a.compose(choice)
	if err != nil {
		return nil, err
	}
	a.sent = req.Messages
	a.flush()
	a.emit(RequestSent{Agent: a.config.Name, Step: a.current, Entries: a.logged, Repaired: a.repairing,
		Bare: a.stripped, Request: req})
	a.asked = time.Now()
	err = a.receive(answer, req)
	if err == nil && answer.Finish == "" {
		err = a.modelError(providers.Network, providers.ErrNoFinish)
	}
	a.book(answer)
	a.emit(RequestFinished{Agent: a.config.Name, Step: a.current, Response: answer, First: a.first,
		Duration: time.Since(a.asked), Err: err})
	a.partial = ""
	if err != nil {
		a.partial = withoutTail(answer.Message.Text, err)
		return nil, err
	}
	a.called = a.closing && len(answer.Message.Calls) > 0
	if a.closing || answer.Finish == providers.Filtered {
		answer.Message.Calls, answer.Message.ProviderData = nil, nil
	}
	if a.repaired || a.stripped { // the service binds it to what was sent, and the window to its view
		answer.Message.ProviderData = nil
	}
	if a.closing && answer.Finish == providers.Calls {
		answer.Finish = providers.Stop
	}
	return answer, nil
}

// receive collects an answer as it comes. It turns a panic of the model into an error, but not one of the caller who
// takes the events.
func (a *asker) receive(answer *providers.Response, req *providers.Request) (err error) {
	var text strings.Builder
	yielding := false
	defer func() {
		answer.Message.Text = text.String()
		if yielding {
			return
		}
		if caught := recover(); caught != nil {
			err = fmt.Errorf("model %s panicked: %v", a.config.Model.Info().Name, caught)
		}
	}()
	for d, err := range a.config.Model.Stream(a.ctx, req) {
		if err != nil {
			return err
		}
		if d.Reading == nil && !a.begun {
			a.begun, a.first = true, time.Since(a.asked)
		}
		yielding = true
		switch {
		case d.Reading != nil:
			a.emit(ReadingProgressed{Agent: a.config.Name, Step: a.current, Reading: *d.Reading})
		case d.Text != "":
			text.WriteString(d.Text)
			a.emit(Text{Agent: a.config.Name, Step: a.current, Text: d.Text})
		case d.Reasoning != "":
			a.emit(Reasoning{Agent: a.config.Name, Step: a.current, Text: d.Reasoning})
		}
		yielding = false
		answer.Add(d)
	}
	return nil
}

// book counts the usage of an answer. If the provider reported none, it is estimated; a request without any answer
// counts nothing. The window learns nothing of a request that was not its view, or that the service compacted, which
// was not read as it was sent.
func (a *asker) book(answer *providers.Response) {
	data := answer.Message.ProviderData
	switch {
	case answer.Usage.Input > 0 && (a.stripped || data != nil && data.Compacts):
	case answer.Usage.Input > 0:
		a.window.Observe(answer.Usage.Input - answer.Usage.Compacted)
	case a.begun:
		answer.Usage = providers.Usage{Input: a.window.Usage().Tokens, Output: toollimit.Tokens(answer.Message.Text)}
	}
	a.account.book(answer.Usage)
}

// compose returns the request for the window's view. It repairs a view that breaks a rule, with a warning, and from
// then on every view, because the fault stays in the log. It returns an error for a view that cannot be repaired.
func (a *asker) compose(choice providers.ToolChoice) (*providers.Request, error) {
	view := a.window.View()
	a.repaired = false
	if a.repairing {
		repaired, repairs := transcript.Repair(view)
		view, a.repaired = repaired, len(repairs) > 0
	}
	err := a.preflight.check(view)
	if invalid := (*transcript.InvalidError)(nil); !a.repairing && errors.As(err, &invalid) {
		a.repairing = true
		repaired, repairs := transcript.Repair(view)
		a.warn(fmt.Sprintf("a request was repaired before it was sent, since its %v: %s", err, firstOf(repairs)))
		view, err, a.repaired = repaired, a.preflight.check(repaired), true
	}
	if err != nil {
		return nil, fmt.Errorf("the request was not sent: %w", err)
	}
	prefix, sampling := a.window.Prefix(), a.config.Sampling
	req := &providers.Request{
		System: prefix.System, Messages: view, Tools: prefix.Tools, Choice: a.supported(choice),
		MaxOutput: a.longest(), Temperature: sampling.Temperature, TopP: sampling.TopP, Stop: sampling.Stop,
		Seed: sampling.Seed, ReasoningEffort: sampling.ReasoningEffort,
	}
	if a.typed != nil && a.typed.native {
		req.Schema = a.typed.strict
	}
	if a.warmer {
		req = req.Warmer()
	}
	called := func(m transcript.Message) bool { return len(m.Calls) > 0 }
	a.stripped = a.bare || a.config.NoTools && len(req.Tools) == 0 && slices.ContainsFunc(view, called)
	if a.stripped {
		req = req.WithoutTools()
	}
	return req, nil
}

// The longest answer of a model that does not say how long its answers may be. It leaves room for reasoning.
const (
	maxOutput     = 16_384 // tokens, and at most a quarter of the window
	unnamedOutput = 8_192  // tokens, for a window of unknown size
)

// longest returns how many tokens the answer may have.
func (a *asker) longest() int {
	return a.longestOf(cmp.Or(a.config.Sampling.MaxOutput, a.config.Model.Info().MaxOutput))
}

// longestOf returns how many tokens an answer may have: at most so many, or a default for 0, and at most what the
// window has left, less 2 % for the error of estimates. It is 0 only for a service that refuses to be asked for a
// length.
func (e *env) longestOf(most int) int {
	if e.most < 0 {
		return 0
	}
	window := e.budget.Window
	unsaid := unnamedOutput
	if window > 0 {
		unsaid = min(maxOutput, window/4)
	}
	most = cmp.Or(most, unsaid)
	if e.most > 0 {
		most = min(most, e.most)
	}
	if left := window - window/50 - e.window.Usage().Tokens; window > 0 && left > 0 {
		most = min(most, left)
	}
	return most
}

// withoutTail returns the text of an answer that broke off, without what it only repeated.
func withoutTail(text string, err error) string {
	if e := (*providers.Error)(nil); errors.As(err, &e) && e.Tail > 0 {
		return strings.TrimSpace(strings.ToValidUTF8(text[:max(len(text)-e.Tail, 0)], ""))
	}
	return text
}

// supported returns a tool choice that the service accepts: Auto instead of any other if the run has no tools, and
// instead of a forced call if the service does not support that.
func (a *asker) supported(choice providers.ToolChoice) providers.ToolChoice {
	forced := choice == providers.Required
	if len(a.tools.schemas) == 0 || forced && (a.tools.own == 0 || a.unforced || a.config.Model.Info().NoForcedTools) {
		return providers.Auto
	}
	return choice
}

// reportCompaction yields a compaction and passes its error on. The closing request ignores ErrThrash: it fits, and no
// step follows.
func (a *asker) reportCompaction(c contextwindow.Compaction, err error) error {
	if c.Level > 0 {
		a.emit(WindowCompacted{Agent: a.config.Name, Step: a.current, Compaction: c})
	}
	if a.closing && errors.Is(err, contextwindow.ErrThrash) {
		return nil
	}
	if fixed := (*contextwindow.IrreducibleError)(nil); errors.As(err, &fixed) {
		schemas := toolTokens(a.budget, a.tools.schemas)
		if 2*schemas > fixed.System+fixed.Prompt+fixed.Rest {
			return &schemasError{fixed, len(a.tools.schemas), schemas}
		}
	}
	return err
}

// A schemasError is the error of a budget that the schemas of tools exceed.
type schemasError struct {
	*contextwindow.IrreducibleError
	tools, tokens int
}

func (e *schemasError) Error() string {
	return fmt.Sprintf("%v: the schemas of %d tools take %d tokens, the system prompt %d, the prompt %d and the rest %d, "+
		"budget %d; use fewer tools, their short forms (Config.Brief) or a larger budget (Budget.Limit)",
		contextwindow.ErrIrreducible, e.tools, e.tokens, max(e.System-e.tokens, 0), e.Prompt, e.Rest, e.Limit)
}

func (e *schemasError) Unwrap() error { return e.IrreducibleError }

var errFiltered = errors.New("the provider withheld the answer")

// filteredError is the error of an answer that the provider withheld, or broke off by its content filter.
func (a *asker) filteredError() error { return a.modelError(providers.Refused, errFiltered) }

func (a *asker) modelError(class providers.Class, cause error) error {
	info := a.config.Model.Info()
	return &providers.Error{Class: class, Provider: info.Provider, Model: info.Name, Err: cause}
}

// A preflight checks the messages of each request against the rules of the model's service. Most views extend the last
// valid one: then it checks only the end.
type preflight struct {
	rules transcript.Rules
	valid []transcript.Message // the last valid view
	tail  []transcript.Message // buffer for what was added to it
}

// opening is a message that may precede any other.
var opening = transcript.Message{Role: transcript.User, Text: "opening"}

// check returns the error of [transcript.Check]. It keeps a valid view, which nobody may change.
func (p *preflight) check(view []transcript.Message) error {
	if from := p.unchecked(view); from > 0 {
		p.tail = append(append(p.tail[:0], opening), view[from:]...)
		if transcript.Check(p.tail, p.rules) == nil {
			p.valid = view
			return nil
		} // else check the whole view, so that the error has the right positions
	}
	err := transcript.Check(view, p.rules)
	if err == nil {
		p.valid = view
	}
	return err
}

// unchecked returns the index from which a view must be checked. If the view extends the last valid one, that is the
// last message there that is not a tool result, so that new results are checked together with their calls. Otherwise
// it is 0.
func (p *preflight) unchecked(view []transcript.Message) int {
	if len(p.valid) == 0 || len(view) < len(p.valid) || &view[0] != &p.valid[0] {
		return 0
	}
	from := len(p.valid) - 1
	for from > 0 && view[from].Role == transcript.Tool {
		from--
	}
	return from
}

// maxListed is how many repairs a warning lists.
const maxListed = 10

// firstOf joins the first ten sentences.
func firstOf(sentences []string) string {
	if more := len(sentences) - maxListed; more > 0 {
		return fmt.Sprintf("%s And %d more.", strings.Join(sentences[:maxListed], " "), more)
	}
	return strings.Join(sentences, " ")
}
