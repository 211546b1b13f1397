package compaction

import (
	"encoding/json"

	"github.com/forayhq/foray/contextwindow"
)

// rules are what a request must keep for every provider, in the order in which they are reported.
var rules = []struct {
	name  string
	holds func([]contextwindow.Message) bool
}{
	{"results right behind their calls, one each", paired},
	{"user first", userFirst},
	{"user or tool last", userOrToolLast},
	{"no empty message", noneEmpty},
	{"arguments are a JSON object", argumentsValid},
}

// Violations returns the rules for requests that a view breaks, none for one that every provider takes.
func Violations(view []contextwindow.Message) []string {
	var broken []string
	for _, rule := range rules {
		if !rule.holds(view) {
			broken = append(broken, rule.name)
		}
	}
	return broken
}

func paired(view []contextwindow.Message) bool {
	ids := make(map[string]bool)
	for i := 0; i < len(view); i++ {
		if view[i].Role == contextwindow.Tool {
			return false
		}
		open := make(map[string]bool, len(view[i].Calls))
		for _, call := range view[i].Calls {
			if ids[call.ID] {
				return false
			}
			ids[call.ID], open[call.ID] = true, true
		}
		for len(open) > 0 {
			if i++; i >= len(view) || view[i].Role != contextwindow.Tool || !open[view[i].CallID] {
				return false
			}
			delete(open, view[i].CallID)
		}
	}
	return true
}

func userFirst(view []contextwindow.Message) bool {
	return len(view) > 0 && view[0].Role == contextwindow.User
}

func userOrToolLast(view []contextwindow.Message) bool {
	return len(view) > 0 && view[len(view)-1].Role != contextwindow.Assistant
}

func noneEmpty(view []contextwindow.Message) bool {
	for i := range view {
		if view[i].Text == "" && len(view[i].Calls) == 0 && view[i].Role != contextwindow.Tool {
			return false
		}
	}
	return true
}

func argumentsValid(view []contextwindow.Message) bool {
	for i := range view {
		for _, call := range view[i].Calls {
			if len(call.Args) > 0 && (call.Args[0] != '{' || !json.Valid(call.Args)) {
				return false
			}
		}
	}
	return true
}
