package compaction

import (
	"errors"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// ruleRepeated complements the rules of package transcript, which check one message at a time.
const ruleRepeated transcript.Rule = "ids of calls unique in the request"

// rules must hold for a request to every provider, in the order reported.
var rules = [...]transcript.Rule{
	transcript.RuleResults, transcript.RuleFirst, transcript.RuleLast, transcript.RuleText,
	transcript.RuleArguments, transcript.RuleIDs, transcript.RuleRoles, transcript.RuleNeighbours,
	transcript.RuleProviderData, ruleRepeated,
}

// Violations returns the rules that a view breaks, each once: those of [transcript.Check] for any provider, and that
// no two calls share an id.
func Violations(view []transcript.Message) []transcript.Rule {
	breaks := make(map[transcript.Rule]bool)
	var invalid *transcript.InvalidError
	if errors.As(transcript.Check(view, transcript.AnyProvider), &invalid) {
		for _, v := range invalid.Violations {
			breaks[v.Rule] = true
		}
	}
	breaks[ruleRepeated] = !breaks[transcript.RuleIDs] && repeated(view)
	var broken []transcript.Rule
	for _, rule := range rules {
		if breaks[rule] {
			broken = append(broken, rule)
		}
	}
	return broken
}

// repeated reports whether two calls of a view have the same id.
func repeated(view []transcript.Message) bool {
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
