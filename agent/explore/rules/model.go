package rules

import (
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/providers"
)

// Options of [New]. The zero value of each field, like nil, is the default.
type Options struct {
	CallsPerStep int // most calls of one step, at least 3; default 8, as many as the loop runs by default
}

const leastCalls = 3

// New returns the heuristic explorer. It has no state and is safe for concurrent use.
func New(o *Options) providers.Model {
	most := rulemodel.DefaultCalls
	if o != nil && o.CallsPerStep != 0 {
		most = max(o.CallsPerStep, leastCalls)
	}
	return rulemodel.New(func(req *providers.Request) rulemodel.Turn { return turn(req, most) })
}

// turn makes the calls of the next stage that has any, or answers.
func turn(req *providers.Request, most int) rulemodel.Turn {
	t := readTalk(req.Messages)
	switch {
	case states(t.question):
		return rulemodel.Turn{Text: Disclosure + "\n\nThis is no question about the code. " + whatToAsk}
	case asksNothing(t.question):
		return rulemodel.Turn{Text: Disclosure + "\n\n" + whatToAsk}
	}
	r := newRun(t, req.Tools)
	if req.Choice != providers.None {
		for ; t.next <= len(r.stages); t.next++ {
			if calls := r.calls(t.next, most); len(calls) > 0 {
				s := r.stages[t.next-1]
				return rulemodel.Turn{Stage: s.name, Aim: s.aim, Step: t.base + t.next, Calls: calls}
			}
		}
	}
	return rulemodel.Turn{Text: r.conclusion()}
}
