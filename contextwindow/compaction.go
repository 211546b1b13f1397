package contextwindow

import (
	"errors"
	"fmt"
)

// ErrIrreducible says that the fixed parts of a request alone do not fit the budget. The error is an
// *IrreducibleError with the sizes.
var ErrIrreducible = errors.New("the fixed parts of the request alone do not fit the budget")

// ErrThrash says that three compactions came within six rounds, and three more after quotas were halved for that: what a
// round brings is too large for the budget. The request fits nevertheless and nothing is lost; a run that goes on will
// hardly come forward.
var ErrThrash = errors.New("the window is compacted again and again")

// An IrreducibleError holds the sizes, in tokens, of what no compaction may touch.
type IrreducibleError struct {
	Limit  int // of the budget
	System int // system prompt and tools' schemas
	Prompt int // the message that opened the run
	Rest   int // what is left of everything else
}

// Error says the sizes and what to do.
func (e *IrreducibleError) Error() string {
	return fmt.Sprintf("%v: system prompt and tools %d + prompt %d + rest %d tokens, budget %d; shorten the prompt or choose a larger window",
		ErrIrreducible, e.System, e.Prompt, e.Rest, e.Limit)
}

// Is reports whether target is ErrIrreducible.
func (e *IrreducibleError) Is(target error) bool { return target == ErrIrreducible }

// A Compaction is what one Fit or Shrink did. The zero value is one that had nothing to do.
type Compaction struct {
	Level        int      // 0: nothing changed; 1 to 3: the highest level of the ladder; 4: the overflow ladder, a reset, or what somebody asked for
	Steps        []string // the levels and rungs that changed something, in order
	Before       int      // calibrated estimate of the whole request before, in tokens
	After        int      // and after
	Invalidated  int      // calibrated tokens of the request before that a provider's cache can no longer use
	ProviderData int      // opaque parts (reasoning, signatures) that were lost
	Thrash       bool     // the third within six rounds: from here on the quotas of results are halved, until compactions come less often
	Pointers     []string // ids under which what was cut in place can be read
}

// overflowLevel is the level that the overflow ladder and resets report.
const overflowLevel = 4

// String is a line of the compaction log.
func (c Compaction) String() string {
	if c.Level == 0 {
		return fmt.Sprintf("level 0: nothing to do at %d tokens", c.Before)
	}
	return fmt.Sprintf("level %d %v: %d → %d tokens, %d invalidated", c.Level, c.Steps, c.Before, c.After, c.Invalidated)
}
