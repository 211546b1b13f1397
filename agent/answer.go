package agent

import (
	"errors"
	"fmt"

	"github.com/forayhq/foray/providers"
)

// lengthContinuations is how often an answer that its length cut off is continued.
const lengthContinuations = 3

// errFiltered is the cause of the error of an answer that the provider withheld.
var errFiltered = errors.New("the provider withheld the answer")

// withheld is the error of an answer that the provider withheld, or withheld a part of.
func (r *run) withheld() error {
	info := r.config.Model.Info()
	return &providers.Error{Class: providers.Refused, Provider: info.Provider, Model: info.Name, Err: errFiltered}
}

// answer takes the text of a step without calls. An answer that its length cut off is continued, and the pieces are
// one text, but for an object, which is written anew; one that the provider withheld is an error.
func (r *run) answer(a *providers.Response) error {
	text := a.Message.Text
	if a.Finish == providers.Filtered {
		r.partial = text
		return r.withheld()
	}
	if _, err := r.window.Append(a.Message); err != nil {
		return err
	}
	r.step.Text, r.step.Calls, r.step.Finish = r.carried+text, nil, a.Finish
	if a.Finish == providers.Length && r.typed == nil && r.lengths < lengthContinuations {
		r.lengths++
		r.carried += text
		return nil
	}
	r.result.Text = r.step.Text
	if a.Finish == providers.Length && r.typed == nil {
		r.warn(fmt.Sprintf("the answer was cut off by its length limit, also after %d continuations", r.lengths))
	}
	r.carried, r.lengths = "", 0
	return nil
}
