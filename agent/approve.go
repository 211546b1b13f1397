package agent

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sourcegraph/conc/panics"
)

// An approval is how a request for a [Decision] ended.
type approval struct {
	decision Decision
	err      error
}

// approve asks whether a call with effects may be made. If not, it sets the error of the record. If the run ends first,
// approve waits for the answer as long as for a tool.
func (x *executor) approve(rec *ToolRecord) {
	if x.config.Approve == nil || rec.Err != nil || x.ctx.Err() != nil {
		return
	}
	ctx, ask, asked := x.ctx, x.config.Approve, rec.Made
	asked.Args = slices.Clone(asked.Args)
	ended := make(chan approval, 1)
	x.workers.Go(func() {
		end := approval{err: errors.New("the approval ended its goroutine")}
		defer func() { ended <- end }()
		if caught := panics.Try(func() { end.decision, end.err = ask(ctx, asked) }); caught != nil {
			end.err = fmt.Errorf("the approval panicked: %v", caught.Value)
		}
	})
	select {
	case end := <-ended:
		rec.Err = x.refusal(rec.Made.Name, end)
		return
	case <-ctx.Done():
	}
	select {
	case <-ended:
	case <-x.grace():
		x.result.Abandoned++
		x.warn(fmt.Sprintf("the approval of %s ignored the end of the run and was abandoned", rec.Made.Name))
	}
}

// refusal returns why a call is not made, or nil.
func (x *executor) refusal(name string, end approval) error {
	switch {
	case x.ctx.Err() != nil:
		return errRunOver
	case end.err != nil:
		x.warn(fmt.Sprintf("the call of %s was refused because nobody could be asked: %v", name, end.err))
		return errors.New("refused: the call needs an approval, and nobody could be asked")
	case !end.decision.Approved && end.decision.Reason != "":
		return fmt.Errorf("refused: %s", end.decision.Reason)
	case !end.decision.Approved:
		return errors.New("refused: the call was not approved")
	}
	return nil
}
