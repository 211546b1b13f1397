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

// answerTool is the tool that stands in for the schema of an answer where a service has none.
const answerTool = "final_answer"

// answerRepairs is how often an answer that does not follow its schema is asked for again.
const answerRepairs = 2

// An AnswerError is the error of a run whose model gave no answer of the type, also after two repairs or before a limit.
type AnswerError struct {
	Text string // the last answer
	Err  error  // what is wrong with it
}

// Error says what is wrong with the last answer, and not what it is.
func (e *AnswerError) Error() string { return fmt.Sprintf("no answer of the type: %v", e.Err) }

// Unwrap returns what is wrong.
func (e *AnswerError) Unwrap() error { return e.Err }

// Typed runs a task as Do does and returns its answer as a T, a struct or a pointer to one as tools.New takes it. The
// service holds the model to the schema of T where Info says StructuredOutput and T has a strict form; elsewhere, and where
// the service refuses the schema, the model gives its answer by calling a tool, final_answer, and calls beside that are made.
// The answer is held to the schema in any case. What is wrong with it is told to the model twice, then the error is an
// *AnswerError; so it is where a limit ended the run without a valid answer. Result.Text is the answer as JSON. The guide
// decides when a text is the answer; a call of final_answer ends the run in any case.
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
		Call:        func(_ context.Context, args json.RawMessage) (any, error) { return parse(args) },
	}}
	result, err := a.Do(ctx, t)
	answer, ok := result.Answer.(T)
	if err == nil && !ok {
		err = &AnswerError{Text: result.Text, Err: fmt.Errorf("the run ended before it: %s", result.Stop)}
	}
	return answer, result, err
}

// A form is what the answer of a run has to be.
type form struct {
	strict json.RawMessage // schema; nil: no service can hold a model to it
	tool   tools.Tool      // takes the answer as its arguments
	parse  func(json.RawMessage) (any, error)
}

// typed is where a run stands with its answer.
type typed struct {
	*form
	native   bool // the service holds the model to the schema
	done     bool
	failures int   // answers that did not follow the schema
	fault    error // what is wrong with the last of them
	text     string
	untold   bool // the model does not know the fault yet
}

// by reports whether a call of that name is the answer.
func (t *typed) by(name string) bool { return t != nil && !t.native && name == t.tool.Name }

// closing is what the closing note says besides: calls are not made then, so the answer comes as text.
func (t *typed) closing() string {
	if t == nil || t.native {
		return ""
	}
	return fmt.Sprintf(" Write nothing but one JSON object that follows this schema: %s", t.tool.Schema)
}

// openTyped decides how the model gives its answer.
func (r *run) openTyped() error {
	if r.task.form == nil {
		return nil
	}
	r.typed = &typed{form: r.task.form, native: r.task.form.strict != nil && r.config.Model.Info().StructuredOutput}
	if r.typed.native {
		return nil
	}
	return r.answerByTool()
}

// answerByTool gives the model the tool that takes the answer.
func (r *run) answerByTool() error {
	a, err := r.with(r.typed.tool)
	if err != nil {
		return err
	}
	r.Agent, r.typed.native = a, false
	return nil
}

// nextTyped asks the guide until there is an answer. Where it stops at another one, the model is told what is wrong.
func (r *run) nextTyped() Move {
	t := r.typed
	over := func() bool { return t.done || t.failures > answerRepairs }
	if over() {
		return Move{Stop: true}
	}
	move := r.guide.Next(r.step)
	if !move.Stop || r.step.Number == 0 {
		if !t.native && len(r.schemas) == 1 {
			move.Choice = providers.Required // there is nothing else to do
		}
		return move
	}
	if r.takeText(r.step.Text, r.step.Finish); over() {
		return move
	}
	t.untold = true
	if t.native {
		return Move{}
	}
	return Move{Choice: providers.Required}
}

// takeText takes the answer from a text: what stands from its first brace to its last.
func (r *run) takeText(text string, finish providers.Finish) {
	t := r.typed
	t.text = text
	object := text
	if from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}'); from >= 0 && to > from {
		object = text[from : to+1]
	}
	value, err := t.parse(json.RawMessage(object))
	switch {
	case err == nil:
		t.done, r.result.Answer, r.result.Text = true, value, object
		return
	case finish == providers.Length:
		err = errors.New("the answer was cut off by its length limit: write a shorter one")
	case object == text && !strings.HasPrefix(text, "{"):
		err = errors.New("the answer is no JSON object")
	}
	t.failures, t.fault = t.failures+1, err
}

// takeCalls takes the answer from calls, the first that follows the schema.
func (r *run) takeCalls(records []ToolRecord) {
	t := r.typed
	for _, rec := range records {
		if t == nil || t.done || !t.by(rec.Call.Name) || errors.Is(rec.Err, errNotExecuted) {
			continue
		}
		t.text = string(rec.Call.Args)
		if rec.Err != nil {
			t.failures, t.fault = t.failures+1, rec.Err
			continue
		}
		t.done, r.result.Answer, r.result.Text = true, rec.Value, t.text
	}
}

// writeRepair tells the model what is wrong with its answer.
func (r *run) writeRepair() {
	t := r.typed
	if t == nil || !t.untold {
		return
	}
	t.untold = false
	how := "Answer again, with nothing but one JSON object that follows the schema."
	if !t.native {
		how = fmt.Sprintf("Give your answer by calling %s.", t.tool.Name)
	}
	r.write(noteAnswer, fmt.Sprintf("That is not taken for the answer (attempt %d of %d): %v\n%s", t.failures, answerRepairs+1, t.fault, how))
}

// endTyped ends a run that has its answer, or gets none.
func (r *run) endTyped() error {
	switch t := r.typed; {
	case t.done:
		r.result.Stop = Answered
	case r.step.Number == 0:
		r.result.Stop = GuideStopped
	default:
		r.result.Text = t.text
		return r.fail(&AnswerError{Text: t.text, Err: t.fault})
	}
	return nil
}
