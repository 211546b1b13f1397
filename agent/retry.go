package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// ask makes the window fit and asks the model until it answers, or until retrying cannot help.
func (a *asker) ask(choice providers.ToolChoice) (*providers.Response, error) {
	if err := a.reportCompaction(a.window.Fit()); err != nil {
		return nil, err
	}
	retries := retries{asker: a}
	a.warmer, a.bare = false, false
	for attempt := 1; ; attempt++ {
		answer, err := a.request(choice)
		reason := ""
		switch {
		case err != nil:
			reason, err = retries.afterError(err, choice)
		case isEmpty(answer):
			reason, err = retries.afterEmpty(answer)
		}
		switch {
		case err != nil:
			return nil, err
		case reason == "":
			return answer, nil
		}
		a.emit(RequestRetried{Agent: a.config.Name, Step: a.current, Attempt: attempt, Reason: reason})
	}
}

// How often an answer is requested again, by fault.
const (
	overflowRetries  = 3 // four requests in all; the last one after ResetToPrompt
	emptyRetries     = 2
	brokenRetries    = 2
	malformedRetries = 1
	longestRetries   = 5 // each with half the length
)

// retries counts how often one answer was requested again.
type retries struct {
	*asker
	overflows, empties, broken, malformed, longest int

	repeating error // of the answer that repeated itself first
}

// isEmpty reports whether an answer has no text, or announces calls and makes none. A withheld answer is not empty.
func isEmpty(answer *providers.Response) bool {
	return answer.Finish != providers.Filtered && len(answer.Message.Calls) == 0 &&
		(strings.TrimSpace(answer.Message.Text) == "" || answer.Finish == providers.Calls)
}

// afterEmpty returns why an empty answer is requested again, "" if it is taken as it is, or an error.
func (r *retries) afterEmpty(answer *providers.Response) (reason string, err error) {
	text := strings.TrimSpace(answer.Message.Text)
	reason, err = "empty answer", errors.New("the model gave an empty answer three times")
	switch {
	case text != "":
		reason = "the answer announces calls and makes none"
	case r.called:
		r.bare = true
		reason = "the answer calls tools, which the closing request forbids"
		err = errors.New("the model called tools three times instead of giving its answer")
	}
	r.empties++
	switch {
	case r.empties <= emptyRetries:
		return reason, nil
	case text != "":
		r.warn(reason + ": its text is taken")
		return "", nil
	}
	return "", err
}

// afterError repairs what it can after an error, and returns why the answer is requested again, or the error.
func (r *retries) afterError(err error, choice providers.ToolChoice) (reason string, _ error) {
	reason = err.Error()
	switch class := providers.ClassOf(err); {
	case class == providers.Repeating && r.repeating == nil:
		r.repeating, r.warmer = err, true
		return reason, nil
	case class == providers.Invalid && r.longest < longestRetries && r.shorten(err):
		r.longest++
		return reason, nil
	case class == providers.Invalid && r.concede(err, choice):
		return reason, nil
	case class == providers.Invalid && r.repeating != nil: // the model takes no temperature
		return "", r.repeating
	case r.malformed < malformedRetries && isDisorder(err):
		r.malformed++
		return reason, r.repair(err)
	case class == providers.Overflow && r.overflows < overflowRetries:
		r.overflows++
		return reason, r.shrink(err, r.overflows == overflowRetries)
	// The service broke off, or says in the stream that it failed. Before the first piece, the layers ask again.
	case (class == providers.Network || class == providers.Transient) && r.begun && r.broken < brokenRetries:
		r.broken++
		return reason, nil
	}
	return "", err
}

// shorten asks for shorter answers, or for no length at all, if the service refused a request for its MaxOutput. It
// reports whether it did.
func (a *asker) shorten(refusal error) bool {
	const least = 256
	text, longest := strings.ToLower(refusal.Error()), a.longest()
	switch {
	case longest == 0 || !containsAny(text, outputWords):
		return false
	case a.config.Sampling.MaxOutput == 0 && containsAny(text, unknownWords):
		a.most = -1
	case longest > least:
		a.most = longest / 2
	default:
		return false
	}
	return true
}

// concede gives up what a service has refused, with a warning, and reports whether it did: it leaves the temperature to
// the model, stops forcing a call, or replaces the schema of the answer by a tool. Each happens once a run. The words
// of the error say which one was refused. Without such words it gives up the forced call first, then the schema, unless
// the error is about the order of messages.
func (a *asker) concede(refusal error, choice providers.ToolChoice) bool {
	text := strings.ToLower(refusal.Error())
	if a.config.Sampling.Temperature != nil && !a.warmer && strings.Contains(text, "temperature") {
		a.config.Sampling.Temperature = nil
		a.warn(fmt.Sprintf("the service refused the temperature, and the model uses its own: %v", refusal))
		return true
	}
	namesForce, namesSchema := containsAny(text, forcedWords), containsAny(text, schemaWords)
	if !namesForce && !namesSchema && isDisorder(refusal) {
		return false
	}
	forced := a.supported(choice) == providers.Required
	if a.typed != nil && a.typed.native && (namesSchema || !forced) {
		if a.typed.useTool() != nil {
			return false // the agent has a tool of that name
		}
		a.window.Open(contextwindow.Prefix{System: a.config.System, Tools: a.tools.schemas})
		a.warn(fmt.Sprintf("the service refused the schema of the answer, and a tool replaces it: %v", refusal))
		return true
	}
	service := (*providers.Error)(nil)
	if forced && (namesForce || errors.As(refusal, &service) && service.Status != 0) {
		a.unforced = true
		a.warn(fmt.Sprintf("the service refused to force a call, and the model chooses from now on: %v", refusal))
		return true
	}
	return false
}

// repair reacts to a request that the service refused as malformed. If the view has faults, it is repaired from now on.
// If it has none, the window is reset to the prompt and the digest. If that changes nothing either, repair returns the
// refusal.
func (a *asker) repair(refusal error) error {
	_, repairs := transcript.Repair(a.window.View())
	if len(repairs) > 0 && !a.repairing {
		a.repairing = true
		a.warn(fmt.Sprintf("the service refused the request as malformed, and it was repaired: %s", firstOf(repairs)))
		return nil
	}
	before := len(a.window.Compactions())
	if err := a.window.ResetToPrompt(); err != nil {
		return err
	}
	log := a.window.Compactions()
	if len(log) == before {
		return refusal
	}
	a.warn("the service refused the request as malformed, although it breaks no known rule: " +
		"only the prompt and the digest are kept")
	if err := a.reportCompaction(log[len(log)-1], nil); err != nil {
		return err
	}
	return a.reportCompaction(a.window.Fit())
}

// shrink makes the window smaller after the provider refused a request as too long. It uses the token count and the
// limit that the error may name. The last time, it keeps only the prompt and the digest.
func (a *asker) shrink(refusal error, last bool) error {
	limit := 0
	if e := (*providers.Error)(nil); errors.As(refusal, &e) {
		limit = e.Limit
		a.window.Observe(e.Tokens)
	}
	if last {
		if err := a.window.ResetToPrompt(); err != nil {
			return err
		}
	}
	if err := a.reportCompaction(a.window.Shrink(limit)); err != nil {
		return fmt.Errorf("%w; after %w", err, refusal)
	}
	return nil
}

// Words in the errors of services that refuse the length of the answer, a forced call, or a schema for the answer.
var (
	outputWords = []string{
		"max_tokens", "max_completion_tokens", "max_output_tokens", "maxoutputtokens", "max_new_tokens",
	}
	forcedWords = []string{
		"tool_choice", "tool choice", "toolchoice", "tool_config", "toolconfig",
		"function calling config", "function_calling_config",
	}
	unknownWords = []string{"unsupported", "not supported", "unknown", "unrecognized", "not permitted", "instead"}
	schemaWords  = []string{
		"response_format", "response format", "responseschema", "response_schema", "responsejsonschema",
		"json_schema", "json schema", "mime type", "structured output",
	}
)

// disorderWords are words in the errors of services that refuse messages for their order or for missing results. They
// count only in an error of class [providers.Invalid].
var disorderWords = []string{
	"tool_call",             // OpenAI, DeepSeek, vLLM: must be followed by, must be a response to, insufficient
	"function call output",  // OpenAI, Responses: no tool call found for, no tool output found for
	"tool_use",              // Anthropic: ids were found without tool_result blocks, must be unique
	"tool_result",           // Anthropic: unexpected, each tool_use must have a single result
	"function call",         // Gemini: turn comes immediately after, number of function response parts; Mistral
	"function response",     // Gemini
	"role 'tool'",           // OpenAI and compatible services
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
	"signature",             // Anthropic, Gemini: of modified thinking
	"reasoning_content",     // DeepSeek
	"without its required",  // OpenAI, Responses: reasoning item without its following item
}

// isDisorder reports whether a service refused a request for the order or the pairing of its messages.
func isDisorder(err error) bool {
	return providers.ClassOf(err) == providers.Invalid && containsAny(strings.ToLower(err.Error()), disorderWords)
}

func containsAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// learned returns what the run has learned of the service.
func (a *asker) learned() session.Service {
	return session.Service{
		Longest: a.most, Unforced: a.unforced, Repairing: a.repairing,
		NoTemperature: a.config.Sampling.Temperature == nil, NoSchema: a.typed != nil && !a.typed.native,
	}
}
