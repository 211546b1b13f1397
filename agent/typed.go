package agent

import (
	"context"
	"encoding/json"
	"fmt"

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
// run. The answer is validated in both cases, and requested again at most twice; then the error is an [*AnswerError].
// It is one as well if a limit ended the run without a valid answer. Result.Text is the answer as JSON.
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
