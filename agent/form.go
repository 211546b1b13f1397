package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools"
)

// maxAnswerRepairs is how often an answer that does not match its schema is requested again.
const maxAnswerRepairs = 2

// A form describes a structured answer.
type form struct {
	strict json.RawMessage // schema for the service; nil: the type has none
	tool   tools.Tool      // takes the answer as its arguments
	parse  func(json.RawMessage) (any, error)
}

// typed gets the structured answer of a run.
type typed struct {
	*env
	*form
	native   bool // the service holds the model to the schema
	done     bool
	failures int    // invalid answers
	fault    error  // of the last of them
	text     string // the last answer
	faulty   bool   // the model does not know the fault yet
}

// newTyped returns nil if the answer is any text.
func newTyped(e *env, f *form) *typed {
	if f == nil {
		return nil
	}
	return &typed{env: e, form: f, native: f.strict != nil && e.config.Model.Info().StructuredOutput}
}

// useTool gives the model the tool that takes the answer.
func (t *typed) useTool() error {
	box, err := newToolbox(append(t.tools.All(), t.tool))
	if err != nil {
		return err
	}
	t.tools, t.native = box, false
	return nil
}

// takes reports whether a call of that name is the answer.
func (t *typed) takes(name string) bool { return t != nil && !t.native && name == t.tool.Name }

// over reports whether the answer is valid, or was invalid too often.
func (t *typed) over() bool { return t.done || t.failures > maxAnswerRepairs }

// next asks the guide for its move until the answer is valid. If the guide stops at an invalid one, the model is asked
// again.
func (t *typed) next(g Guide) Move {
	if t.over() {
		return Move{Stop: true}
	}
	move := g.Next(t.step)
	if !move.Stop || t.step.Number == 0 {
		if !t.native && len(t.tools.schemas) == 1 {
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
func (t *typed) takeText(text string, finish providers.Finish) {
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
		err = errors.New("the answer is no JSON object")
	}
	t.reject(err)
}

// takeCalls takes the answer from the first valid call.
func (t *typed) takeCalls(records []ToolRecord) {
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

func (t *typed) accept(value any, text string) {
	t.done, t.result.Answer, t.result.Text = true, value, text
}

func (t *typed) reject(fault error) { t.failures, t.fault = t.failures+1, fault }

// writeRepair notes for the model what is wrong with its answer.
func (t *typed) writeRepair() {
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
func (t *typed) closingNote() string {
	if t.native {
		return ""
	}
	return fmt.Sprintf(" Write nothing but one JSON object that follows this schema: %s", t.tool.Schema)
}
