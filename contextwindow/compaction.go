package contextwindow

import (
	"errors"
	"fmt"
	"strings"
)

// ErrIrreducible says that the fixed parts of a request alone exceed the budget. The error is an [*IrreducibleError].
var ErrIrreducible = errors.New("the fixed parts of the request alone exceed the budget")

// ErrThrash says that the window needed three compactions within six turns, halved the quotas, and then still had to
// shorten what each of three consecutive turns brought: each turn brings too much for the budget. The request still
// fits and nothing is lost, but the run will hardly make progress.
var ErrThrash = errors.New("the window is compacted again and again")

// An IrreducibleError holds the sizes, in tokens, of what no compaction may remove.
type IrreducibleError struct {
	Limit  int // of the budget
	System int // system prompt and tool schemas
	Prompt int // the message that opened the run
	Rest   int // what remained after everything else was compacted; 0 if System and Prompt alone exceed Limit
}

// Error names the sizes and what to do.
func (e *IrreducibleError) Error() string {
	return fmt.Sprintf("%v: system prompt and tools %d + prompt %d + rest %d tokens, budget %d; "+
		"shorten the prompt, or choose a larger budget or a model with a larger window",
		ErrIrreducible, e.System, e.Prompt, e.Rest, e.Limit)
}

// Is reports whether target is [ErrIrreducible].
func (e *IrreducibleError) Is(target error) bool { return target == ErrIrreducible }

// A Compaction reports what one [Window.Fit] or [Window.Shrink] did. The zero value had nothing to do.
type Compaction struct {
	Level        int      // 0: nothing; 1 to 3: highest level taken; 4: overflow ladder, reset, request, server
	Steps        []string // levels and rungs that changed something, in order
	Before       int      // calibrated estimate of the whole request before, in tokens
	After        int      // and after
	Invalidated  int      // calibrated tokens of the old request that a provider's prompt cache can no longer use
	ProviderData int      // messages whose provider data left the view, with the message or since bytes before it changed
	Thrash       bool     // third compaction within six turns: quotas are halved until compactions become rarer
	Pointers     []string // ids under which truncated parts can be read whole
	Evicted      int      // units that left the view; the digest sums them up
	Removed      int      // calibrated tokens of results that the view no longer shows
	Reread       int      // price of reading these results again, in tokens of uncached input, as in [ToolUsage]
}

const (
	overflowLevel = 4           // of the overflow ladder, resets, explicit requests and the server
	overflowRung  = "overflow " // begins the name of each rung
	serverStep    = "server"    // the only step of a compaction by the service
)

// ByServer reports whether the service compacted, and not the window.
func (c Compaction) ByServer() bool { return len(c.Steps) == 1 && c.Steps[0] == serverStep }

// String is a line for a log of compactions.
func (c Compaction) String() string {
	if c.Level == 0 {
		return fmt.Sprintf("level 0: nothing to do at %d tokens", c.Before)
	}
	if c.ByServer() {
		return fmt.Sprintf("by the server: %d → %d tokens", c.Before, c.After)
	}
	data := ""
	if c.ProviderData > 0 {
		data = fmt.Sprintf(", provider data of %d messages lost", c.ProviderData)
	}
	return fmt.Sprintf("level %d %v: %d → %d tokens, %d invalidated%s",
		c.Level, c.Steps, c.Before, c.After, c.Invalidated, data)
}

func levelOf(name string) int {
	if isLevel(name) {
		return int(name[1] - '0')
	}
	return overflowLevel
}

func isLevel(name string) bool {
	return len(name) == 2 && name[0] == 'L' && name[1] >= '0' && name[1] <= '9'
}

func isRung(name string) bool { return strings.HasPrefix(name, overflowRung) }

// Guards against compacting again and again.
const (
	paceShare  = .10 // of the budget: at least this much must come in between two compactions at marks
	paceMost   = 3   // compactions within paceTurns turns halve the quotas; then as many overflows in a row are ErrThrash
	paceTurns  = 6
	largeTurn  = .50 // of the budget: a turn that shows more is large
	rereadHold = 5   // turns for which a result that was requested again is not evicted
)

// A pace detects compactions that follow each other too fast.
type pace struct {
	turns    int   // assistant messages so far
	written  int   // notes.written at the last compaction; 0 before the first
	last     int   // turns at the last compaction
	recent   []int // turns with compactions that count towards paceMost, ascending
	halved   bool  // quotas are halved
	squeezed []int // consecutive large turns that needed the overflow ladder while quotas were halved
	thrashed int   // how often squeezed reached paceMost
}

// count counts the compaction of a turn, once a turn. Three within six turns halve the quotas; six turns without one
// restore them. If three consecutive large turns need the overflow ladder although quotas are halved, the window
// thrashes. Written is notes.written now, overflow says that the ladder compacted, and large that the turn is.
func (p *pace) count(written int, overflow, large bool) {
	first, since := p.written == 0, p.turns-p.last
	p.written, p.last = written, p.turns
	if overflow && large && p.halved {
		p.squeeze()
	}
	if !first && since == 0 {
		return
	}
	if since >= paceTurns {
		p.recent, p.halved = nil, false
	}
	p.recent = append(p.recent, p.turns)
	p.recent = p.recent[max(0, len(p.recent)-paceMost):]
	p.halved = p.halved || len(p.recent) == paceMost && p.turns-p.recent[0] < paceTurns
}

func (p *pace) squeeze() {
	n := len(p.squeezed)
	switch {
	case n > 0 && p.squeezed[n-1] == p.turns:
		return
	case n > 0 && p.squeezed[n-1] < p.turns-1:
		p.squeezed = nil
	}
	if p.squeezed = append(p.squeezed, p.turns); len(p.squeezed) == paceMost {
		p.thrashed++
		p.squeezed = nil
	}
}
