package agent

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// A preflight holds the messages of every request to the rules of the model's service. Of a view that extends the one
// before, it checks only what was added.
type preflight struct {
	rules transcript.Rules
	valid []transcript.Message // the last view that broke no rule
	tail  []transcript.Message // for what was added to it
}

// rulesOf returns the rules of a model's service, and an error if there are none of their name.
func rulesOf(info providers.Info) (transcript.Rules, error) {
	rules := cmp.Or(info.Rules, transcript.AnyProvider)
	if err := transcript.Check([]transcript.Message{opening}, rules); err != nil {
		return "", fmt.Errorf("model %q: %w", info.Name, err)
	}
	return rules, nil
}

// opening is a message that may stand before any other.
var opening = transcript.Message{Role: transcript.User, Text: "opening"}

// check returns the error of transcript.Check. It remembers a view that passes: nobody may change it.
func (p *preflight) check(view []transcript.Message) error {
	if from := p.extended(view); from > 0 {
		p.tail = append(append(p.tail[:0], opening), view[from:]...)
		if transcript.Check(p.tail, p.rules) == nil {
			p.valid = view
			return nil
		} // else what is wrong is told by its place in the view
	}
	err := transcript.Check(view, p.rules)
	if err == nil {
		p.valid = view
	}
	return err
}

// extended returns the message from which on a view has to be checked: the newest of the valid view that is no result, if
// the views share their beginning, else 0.
func (p *preflight) extended(view []transcript.Message) int {
	if len(p.valid) == 0 || len(view) < len(p.valid) || &view[0] != &p.valid[0] {
		return 0
	}
	from := len(p.valid) - 1
	for from > 0 && view[from].Role == transcript.Tool {
		from--
	}
	return from
}

// messages returns the view as it is sent: if a rule is broken, repaired, with a warning. From then on every view is
// repaired, for what was wrong stays in the log. What breaks a rule also then is never sent.
func (r *run) messages() ([]transcript.Message, error) {
	view := r.window.View()
	if r.repairing {
		view, _ = transcript.Repair(view)
	}
	err := r.preflight.check(view)
	if invalid := (*transcript.InvalidError)(nil); !r.repairing && errors.As(err, &invalid) {
		r.repairing = true
		repaired, did := transcript.Repair(view)
		r.warn(fmt.Sprintf("a request was repaired before it was sent, since its %v: %s", err, listed(did)))
		view, err = repaired, r.preflight.check(repaired)
	}
	if err != nil {
		return nil, fmt.Errorf("the request is not sent: %w", err)
	}
	return view, nil
}

// mend makes a request that the service refused as malformed another one: it is sent repaired from now on or, where
// there is nothing to repair, with only the prompt and the record. It returns the refusal if there is nothing left.
func (r *run) mend(refusal error) error {
	_, did := transcript.Repair(r.window.View())
	if len(did) > 0 && !r.repairing {
		r.repairing = true
		r.warn(fmt.Sprintf("the service refused the request as malformed, and it was repaired: %s", listed(did)))
		return nil
	}
	before := len(r.window.Compactions())
	if err := r.window.ResetToPrompt(); err != nil {
		return err
	}
	log := r.window.Compactions()
	if len(log) == before {
		return refusal
	}
	r.warn("the service refused the request as malformed, although it breaks no rule that is known: only the prompt and the record stay")
	if err := r.told(log[len(log)-1], nil); err != nil {
		return err
	}
	return r.fit()
}

// listedRepairs is how many repairs a warning spells out.
const listedRepairs = 10

// listed joins sentences, the first ten of them.
func listed(sentences []string) string {
	if more := len(sentences) - listedRepairs; more > 0 {
		return fmt.Sprintf("%s And %d more.", strings.Join(sentences[:listedRepairs], " "), more)
	}
	return strings.Join(sentences, " ")
}

// disorders are words of errors by which services refuse messages for their order or for results that are missing. A
// word of them is not enough: the error must be of the class Invalid.
var disorders = []string{
	"tool_call",             // OpenAI, DeepSeek, vLLM: must be followed by, must be a response to, insufficient tool messages
	"function call output",  // OpenAI, Responses: no tool call found for, no tool output found for
	"tool_use",              // Anthropic: ids were found without tool_result blocks, must be unique
	"tool_result",           // Anthropic: unexpected, each tool_use must have a single result
	"function call",         // Gemini: turn comes immediately after, number of function response parts; Mistral
	"function response",     // Gemini
	"role 'tool'",           // OpenAI and what follows it
	"roles must alternate",  // Anthropic, chat templates
	"must use the \"user\"", // Anthropic: the first message
	"end with a user",       // Anthropic
	"ends with a user",      // Gemini
	"last role",             // Mistral: expected last role user or tool
	"unexpected role",       // Mistral
	"non-empty content",     // Anthropic
	"must not be empty",     // OpenAI-compatible: content, contents
	"redacted_thinking",     // Anthropic: cannot be modified
	"thinking blocks",       // Anthropic: must be passed back unmodified, must be the first
	"signature",             // Anthropic, Gemini: of thinking that was changed
	"reasoning_content",     // DeepSeek
	"without its required",  // OpenAI, Responses: reasoning item without its following item
}

// isDisorder reports whether a service refused a request for the order or the pairing of its messages.
func isDisorder(err error) bool {
	if providers.ClassOf(err) != providers.Invalid {
		return false
	}
	return containsAny(strings.ToLower(err.Error()), disorders)
}
