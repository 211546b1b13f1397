package agent

import (
	"math"
	"sync"

	"github.com/forayhq/foray/providers"
)

// An account holds what a run may spend and what it has spent. A sub-agent also charges the accounts of all runs above
// it, so that together they stay within each limit. It is safe for concurrent use; it never locks two accounts at once.
type account struct {
	above  *account // of the calling run; nil: none
	limits Limits

	mu    sync.Mutex
	steps int // requests started, and one reserved by each open run for its closing request
	usage providers.Usage
}

// take takes a step from this account and all above it. If one of them has none left, it takes nothing and returns
// false.
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

// give puts back a step that was taken and not used.
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

// taken returns how many steps were taken.
func (a *account) taken() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.steps
}

// restore sets what a run had taken and spent before it was resumed.
func (a *account) restore(steps int, usage providers.Usage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.steps, a.usage = steps, usage
}

// left returns how many steps can still be taken.
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

func (a *account) book(u providers.Usage) {
	for ; a != nil; a = a.above {
		a.mu.Lock()
		a.usage = a.usage.Add(u)
		a.mu.Unlock()
	}
}

// used returns what the run has spent, its sub-agents included.
func (a *account) used() providers.Usage {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.usage
}

// since returns what the run has spent since used returned before.
func (a *account) since(before providers.Usage) providers.Usage {
	now := a.used()
	return providers.Usage{
		Input: now.Input - before.Input, Cached: now.Cached - before.Cached, Written: now.Written - before.Written,
		Compacted: now.Compacted - before.Compacted,
		Output:    now.Output - before.Output, Reasoning: now.Reasoning - before.Reasoning,
		Read: now.Read - before.Read, ReadTime: now.ReadTime - before.ReadTime, WriteTime: now.WriteTime - before.WriteTime,
	}
}

// outOfTokens reports whether this run or one above it has reached a token limit.
func (a *account) outOfTokens() bool {
	over := func(limit, n int) bool { return limit > 0 && n >= limit }
	for ; a != nil; a = a.above {
		l, used := a.limits, a.used()
		total := used.Input + used.Output
		if over(l.InputTokens, used.Input) || over(l.OutputTokens, used.Output) || over(l.TotalTokens, total) {
			return true
		}
	}
	return false
}
