package agent

import (
	"math"
	"sync"

	"github.com/forayhq/foray/providers"
)

// An account is what a run may spend and has spent. What a sub-agent spends is spent on the accounts of all runs above it
// as well, so that all together stay within each. It is safe for concurrent use; no account is locked while another is.
type account struct {
	above  *account // nil: no run above
	limits Limits

	mu    sync.Mutex
	steps int // requests that were begun, and one for each open run's closing request
	usage providers.Usage
}

// take takes a step here and on all accounts above, or none and reports false if one of them has none left.
func (a *account) take() bool {
	for at := a; at != nil; at = at.above {
		if !at.takeOne() {
			for taken := a; taken != at; taken = taken.above {
				taken.giveOne()
			}
			return false
		}
	}
	return true
}

func (a *account) takeOne() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.limits.Steps > 0 && a.steps >= a.limits.Steps {
		return false
	}
	a.steps++
	return true
}

// give gives back a step that was taken and not used.
func (a *account) give() {
	for ; a != nil; a = a.above {
		a.giveOne()
	}
}

func (a *account) giveOne() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.steps--
}

// left is how many steps can still be taken.
func (a *account) left() int {
	left := math.MaxInt
	for ; a != nil; a = a.above {
		if a.limits.Steps > 0 {
			a.mu.Lock()
			left = min(left, a.limits.Steps-a.steps)
			a.mu.Unlock()
		}
	}
	return left
}

// book takes what an answer cost into the sums.
func (a *account) book(u providers.Usage) {
	for ; a != nil; a = a.above {
		a.mu.Lock()
		a.usage = a.usage.Add(u)
		a.mu.Unlock()
	}
}

// used is what was spent here.
func (a *account) used() providers.Usage {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.usage
}

// outOfTokens reports whether a limit of tokens is reached, here or above.
func (a *account) outOfTokens() bool {
	over := func(limit, n int) bool { return limit > 0 && n >= limit }
	for ; a != nil; a = a.above {
		l, used := a.limits, a.used()
		if over(l.InputTokens, used.Input) || over(l.OutputTokens, used.Output) || over(l.TotalTokens, used.Input+used.Output) {
			return true
		}
	}
	return false
}

// between is what came to a sum.
func between(before, after providers.Usage) providers.Usage {
	return providers.Usage{
		Input: after.Input - before.Input, Cached: after.Cached - before.Cached,
		Output: after.Output - before.Output, Reasoning: after.Reasoning - before.Reasoning,
	}
}
