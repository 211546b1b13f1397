package compaction

import (
	"errors"

	"github.com/forayhq/foray/contextwindow"
)

// ruleRepeated is no rule of the table of providers, which looks at one message at a time: some servers refuse it.
const ruleRepeated contextwindow.Rule = "ids of calls unique in the request"

// rules are what a request must keep for every provider, in the order in which they are reported.
var rules = [...]contextwindow.Rule{
	contextwindow.RuleResults, contextwindow.RuleFirst, contextwindow.RuleLast, contextwindow.RuleText,
	contextwindow.RuleArguments, contextwindow.RuleIDs, contextwindow.RuleRoles, contextwindow.RuleNeighbours,
	contextwindow.RuleOpaque, ruleRepeated,
}

// Violations returns the rules for requests that a view breaks, each once, none for a view that every provider takes
// (contextwindow.Check) and in which every call has an id of its own.
func Violations(view []contextwindow.Message) []contextwindow.Rule {
	breaks := make(map[contextwindow.Rule]bool)
	var invalid *contextwindow.InvalidError
	if errors.As(contextwindow.Check(view, contextwindow.Every), &invalid) {
		for _, v := range invalid.Violations {
			breaks[v.Rule] = true
		}
	}
	breaks[ruleRepeated] = !breaks[contextwindow.RuleIDs] && repeated(view)
	var broken []contextwindow.Rule
	for _, rule := range rules {
		if breaks[rule] {
			broken = append(broken, rule)
		}
	}
	return broken
}

// repeated reports whether two calls of a view have the same id.
func repeated(view []contextwindow.Message) bool {
	ids := make(map[string]bool)
	for i := range view {
		for _, call := range view[i].Calls {
			if ids[call.ID] {
				return true
			}
			ids[call.ID] = true
		}
	}
	return false
}
