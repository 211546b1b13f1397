package agent

import (
	"errors"
	"fmt"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// A preflight checks the messages of each request against the rules of the model's service. If a view extends the last
// valid one, it checks only what was added.
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
		} // else check the whole view, for the right positions in the error
	}
	err := transcript.Check(view, p.rules)
	if err == nil {
		p.valid = view
	}
	return err
}

// unchecked returns the index of the first message to check: the last message of the valid view that is not a result, or 0
// if the view does not extend it.
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

// messages returns the view as it is sent. If it breaks a rule, it is repaired, with a warning; from then on every view is,
// because the fault stays in the log. A view that cannot be repaired is never sent.
func (a *asker) messages() ([]transcript.Message, error) {
	view := a.window.View()
	if a.repairing {
		view, _ = transcript.Repair(view)
	}
	err := a.preflight.check(view)
	if invalid := (*transcript.InvalidError)(nil); !a.repairing && errors.As(err, &invalid) {
		a.repairing = true
		repaired, repairs := transcript.Repair(view)
		a.warn(fmt.Sprintf("a request was repaired before it was sent, since its %v: %s", err, firstOf(repairs)))
		view, err = repaired, a.preflight.check(repaired)
	}
	if err != nil {
		return nil, fmt.Errorf("the request is not sent: %w", err)
	}
	return view, nil
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
