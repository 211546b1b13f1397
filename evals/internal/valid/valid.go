// Package valid checks requests by the rules that hold for every provider.
//
// Start with [Violations].
package valid

import (
	"errors"
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// ruleRepeated complements the rules of package transcript, which check one message at a time.
const ruleRepeated transcript.Rule = "ids of calls unique in the request"

// Violations returns the rules that a view breaks, each once, in the order found: those of [transcript.Check] for any
// provider, and that no two calls share an id.
func Violations(view []transcript.Message) []transcript.Rule {
	var broken []transcript.Rule
	var invalid *transcript.InvalidError
	if errors.As(transcript.Check(view, transcript.AnyProvider), &invalid) {
		for _, v := range invalid.Violations {
			if !slices.Contains(broken, v.Rule) {
				broken = append(broken, v.Rule)
			}
		}
	}
	if repeated(view) {
		broken = append(broken, ruleRepeated)
	}
	return broken
}

// repeated reports whether calls of two messages have the same id.
func repeated(view []transcript.Message) bool {
	from := make(map[string]int) // the message of each id
	for i := range view {
		for _, call := range view[i].Calls {
			if at, met := from[call.ID]; met && at != i {
				return true
			}
			from[call.ID] = i
		}
	}
	return false
}
