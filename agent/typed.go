package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools"
)

// answerTool is the name of the tool that takes a structured answer where the service does not support schemas.
const answerTool = "final_answer"

// An AnswerError is the error of a run without a valid structured answer, after two repairs or at a limit.
type AnswerError struct {
	Text string // the last answer
	Err  error  // what is wrong with it
}

// Error describes the fault of the last answer.
func (e *AnswerError) Error() string { return fmt.Sprintf("no answer of the type: %v", e.Err) }

// Unwrap returns the fault.
func (e *AnswerError) Unwrap() error { return e.Err }

// Typed runs a task like [Agent.Do] and returns its answer as a T: a struct, or a pointer to one, as [tools.New] takes
// it.
//
// If the model supports structured output and T has a strict schema, the service holds the model to that schema.
// Otherwise, or if the service refuses the schema, the model answers by calling a tool, final_answer, which ends the
// run; no other tool may have that name. The answer is validated in both cases, and requested again at most twice; then
// the error is an [*AnswerError]. It is one as well if a limit ended the run without a valid answer. Result.Text is the
// answer as JSON.
func Typed[T any](ctx context.Context, a *Agent, t Task) (T, *Result, error) {
	var none T
	shape, err := tools.AnswerOf[T]()
	if err != nil {
		return none, &Result{Stop: Failed}, fmt.Errorf("agent: %w", err)
	}
	parse := func(raw json.RawMessage) (any, error) { return shape.Parse(raw) }
	t.form = &form{strict: shape.Strict, parse: parse, tool: tools.Tool{
		Name:        answerTool,
		Description: "Give the final answer. Call it once, when you are done: a text is no answer.",
		Schema:      shape.Schema,
		Decode:      parse,
		Call:        func(_ context.Context, args json.RawMessage) (any, error) { return parse(args) },
	}}
	result, err := a.Do(ctx, t)
	answer, ok := result.Answer.(T)
	if err == nil && !ok {
		err = &AnswerError{Text: result.Text, Err: fmt.Errorf("the run ended before it: %s", result.Stop)}
	}
	return answer, result, err
}

// maxAnswerRepairs is how often an answer that does not match its schema is requested again.
const maxAnswerRepairs = 2

// A form describes a structured answer.
type form struct {
	strict json.RawMessage // schema for the service; nil: the type has none
	tool   tools.Tool      // takes the answer as its arguments
	parse  func(json.RawMessage) (any, error)
}

// A typedAnswer gets the structured answer of a run.
type typedAnswer struct {
	*env
	*form
	native   bool // the service holds the model to the schema
	done     bool
	failures int    // how many answers were invalid
	fault    error  // of the last invalid answer
	text     string // the last answer
	faulty   bool   // the next request must explain the fault to the model
}

// newTyped returns nil if the answer is any text.
func newTyped(e *env, f *form) *typedAnswer {
	if f == nil {
		return nil
	}
	return &typedAnswer{env: e, form: f, native: f.strict != nil && e.config.Model.Info().StructuredOutput}
}

// useTool lets the model answer by calling a tool, instead of a schema that the service holds it to.
func (t *typedAnswer) useTool() error {
	if _, taken := t.tools.Lookup(t.tool.Name); taken {
		return fmt.Errorf("the tool %s needs another name: Typed reserves it for the answer", t.tool.Name)
	}
	box, err := newToolbox(append(t.tools.All(), t.tool), false, t.config.Brief)
	if err != nil {
		return err
	}
	box.own = t.tools.own + 1
	t.tools, t.native = box, false
	return nil
}

// takes reports whether a call of that name is the answer.
func (t *typedAnswer) takes(name string) bool { return t != nil && !t.native && name == t.tool.Name }

// over reports whether the answer is valid, or was invalid too often.
func (t *typedAnswer) over() bool { return t.done || t.failures > maxAnswerRepairs }

// next returns the guide's move, and stops once the answer is valid or was invalid too often. If the guide stops at an
// invalid answer, the model is asked again.
func (t *typedAnswer) next(g Guide) Move {
	if t.over() {
		return Move{Stop: true}
	}
	move := g(t.step)
	if !move.Stop || t.step.Number == 0 {
		if !t.native && t.tools.own == 1 {
			move.Choice = providers.Required // the answer is the only tool
		}
		return move
	}
	if t.takeText(t.step.Text, t.step.Finish); t.over() {
		return move
	}
	t.faulty = true
	if t.native {
		return Move{}
	}
	return Move{Choice: providers.Required}
}

// takeText takes the answer from a text, between its first and last brace.
func (t *typedAnswer) takeText(text string, finish providers.Finish) {
	t.text = text
	object := text
	if from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}'); from >= 0 && to > from {
		object = text[from : to+1]
	}
	value, err := t.parse(json.RawMessage(object))
	switch {
	case err == nil:
		t.accept(value, object)
		return
	case finish == providers.Length:
		err = errors.New("the answer was cut off by its length limit: write a shorter one")
	case object == text && !strings.HasPrefix(text, "{"):
		err = errors.New("the answer is not a JSON object")
	}
	t.reject(err)
}

// takeCalls takes the answer from the first valid call.
func (t *typedAnswer) takeCalls(records []ToolRecord) {
	for _, rec := range records {
		if t.done || !t.takes(rec.Call.Name) || errors.Is(rec.Err, errNotExecuted) {
			continue
		}
		t.text = string(rec.Call.Args)
		if rec.Err != nil {
			t.reject(rec.Err)
			continue
		}
		t.accept(rec.Value, t.text)
	}
}

func (t *typedAnswer) accept(value any, text string) {
	t.done, t.result.Answer, t.result.Text = true, value, text
}

func (t *typedAnswer) reject(fault error) { t.failures, t.fault = t.failures+1, fault }

// writeRepair notes for the model what is wrong with its answer.
func (t *typedAnswer) writeRepair() {
	if !t.faulty {
		return
	}
	t.faulty = false
	how := "Answer again, with nothing but one JSON object that follows the schema."
	if !t.native {
		how = fmt.Sprintf("Give your answer by calling %s.", t.tool.Name)
	}
	t.note(noteAnswer, fmt.Sprintf("That is not taken for the answer (attempt %d of %d): %v\n%s",
		t.failures, maxAnswerRepairs+1, t.fault, how))
}

// closingNote asks for the answer as text: the closing request allows no calls.
func (t *typedAnswer) closingNote() string {
	if t.native {
		return ""
	}
	return fmt.Sprintf(" Write nothing but one JSON object that follows this schema: %s", t.tool.Schema)
}
