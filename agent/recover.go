package agent

import (
	"errors"
	"fmt"
	"strings"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
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

// retries counts how often one answer was asked for again.
type retries struct {
	*run
	overflows, empties, broken, malformed int
}

// isEmpty reports whether an answer says nothing, or that it calls tools but does not. One that was withheld may do so.
func isEmpty(answer *providers.Response) bool {
	return answer.Finish != providers.Filtered && len(answer.Message.Calls) == 0 &&
		(strings.TrimSpace(answer.Message.Text) == "" || answer.Finish == providers.Calls)
}

// empty returns why an empty answer is asked for again, nothing where it is taken as it is, or an error.
func (r *retries) empty(answer *providers.Response) (reason string, err error) {
	text := answer.Message.Text
	switch {
	case r.empties < emptyRetries && text != "":
		r.empties++
		return "answer that announces calls and makes none", nil
	case r.empties < emptyRetries:
		r.empties++
		return "empty answer", nil
	case text != "":
		r.warn("the answer says that it calls tools and makes no call: its text is taken")
		return "", nil
	}
	return "", errEmpty
}

// failed mends what can be mended after an error, and returns why the answer is asked for again, or the error.
func (r *retries) failed(err error, choice providers.ToolChoice) (reason string, _ error) {
	reason = err.Error()
	switch class := providers.ClassOf(err); {
	case class == providers.Invalid && r.concede(err, choice):
		return reason, nil
	case r.malformed < malformedRetries && isDisorder(err):
		r.malformed++
		return reason, r.mend(err)
	case class == providers.Overflow && r.overflows < overflowRetries:
		r.overflows++
		return reason, r.shrink(err, r.overflows == overflowRetries)
	case class == providers.Network && r.begun && r.broken < brokenRetries:
		r.broken++
		return reason, nil
	}
	return "", err
}

// Words of errors by which services refuse what a request asks for besides its messages.
var (
	forcedWords = []string{"tool_choice", "tool choice", "toolchoice", "tool_config", "toolconfig", "function calling config", "function_calling_config"}
	schemaWords = []string{"response_format", "response format", "responseschema", "response_schema", "responsejsonschema", "json_schema", "json schema", "mime type", "structured output"}
)

// concede gives up what a service may have refused, each once in a run and with a warning: the schema of the answer, for
// which a tool stands in, and that the model is forced to call a tool. An error that names neither may mean either; one
// about the order of messages means neither.
func (r *run) concede(refusal error, choice providers.ToolChoice) bool {
	text := strings.ToLower(refusal.Error())
	names := func(words []string) bool { return containsAny(text, words) }
	forced := r.choice(choice) == providers.Required
	native := r.typed != nil && r.typed.native
	if !names(forcedWords) && !names(schemaWords) && isDisorder(refusal) {
		return false
	}
	switch {
	case native && (names(schemaWords) || !forced):
		if r.answerByTool() != nil {
			return false // the agent has a tool of that name
		}
		r.window.Open(contextwindow.Prefix{System: r.config.System, Tools: r.schemas})
		r.warn(fmt.Sprintf("the service refused the schema of the answer, and a tool stands in for it: %v", refusal))
		return true
	case forced && (names(forcedWords) || answeredBy(refusal)):
		r.unforced = true
		r.warn(fmt.Sprintf("the service refused to force a call, and the model chooses from now on: %v", refusal))
		return true
	}
	return false
}

// answeredBy reports whether an error came from a service, with a status, and not from what stands in for one.
func answeredBy(refusal error) bool {
	var e *providers.Error
	return errors.As(refusal, &e) && e.Status != 0
}

func containsAny(text string, words []string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
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
