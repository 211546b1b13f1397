package agent

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sourcegraph/conc/panics"
)

// A Decision says whether a call may be made. The zero value refuses it.
type Decision struct {
	Approved bool
	Reason   string // why not, for the model
}

// A decided is how a request for a decision ended.
type decided struct {
	decision Decision
	err      error
}

// approve asks whether a call with effects may be made; if not, its record says why. What does not answer when the run is
// over is left behind, as a tool is.
func (r *run) approve(rec *ToolRecord) {
	if r.config.Approve == nil || rec.Err != nil || r.ctx.Err() != nil {
		return
	}
	ctx, call := r.ctx, rec.Call
	call.Args = slices.Clone(call.Args)
	ended := make(chan decided, 1)
	r.workers.Go(func() {
		end := decided{err: errors.New("the approval ended its goroutine")}
		defer func() { ended <- end }()
		if caught := panics.Try(func() { end.decision, end.err = r.config.Approve(ctx, call) }); caught != nil {
			end.err = fmt.Errorf("the approval panicked: %v", caught.Value)
		}
	})
	select {
	case end := <-ended:
		rec.Err = r.refused(rec.Call.Name, end)
	case <-ctx.Done():
		r.leaveApproval(rec.Call.Name, ended)
	}
}

// refused returns why a call is not made; nil: it is.
func (r *run) refused(name string, end decided) error {
	switch {
	case r.ctx.Err() != nil:
		return errRunOver
	case end.err != nil:
		r.warn(fmt.Sprintf("the call of %s was refused, since nobody could be asked: %v", name, end.err))
		return errors.New("refused: the call needs an approval, and nobody could be asked")
	case !end.decision.Approved && end.decision.Reason != "":
		return fmt.Errorf("refused: %s", end.decision.Reason)
	case !end.decision.Approved:
		return errors.New("refused: the call was not approved")
	}
	return nil
}

// leaveApproval waits for a request for a decision after the end of the run, but no longer than for a tool.
func (r *run) leaveApproval(name string, ended <-chan decided) {
	select {
	case <-ended:
	case <-r.grace():
		r.result.Abandoned++
		r.warn(fmt.Sprintf("the approval of %s ignored the end of the run and was abandoned", name))
	}
}
