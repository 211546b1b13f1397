// Package policy has the compaction policies that suites compare: the profiles of contextwindow, the policies of
// other agents, and two bounds (everything, and nothing but the newest).
//
// Start with [Policies] or [Choose].
package policy

import (
	"fmt"
	"slices"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/recording"
)

// A Policy keeps the window of one trajectory within its budget. It is fed each unit once, and asked for the view
// that it would send before each message of the assistant. It must not change a view afterwards.
//
// A policy may also implement [Resolver], [Estimator], [Observer], [Reloader], [Summarizer] or [Ender].
type Policy interface {
	Feed(recording.Unit) error
	View() ([]transcript.Message, error)
}

// A Resolver returns a stored text by the id that a view names.
type Resolver interface {
	Resolve(id string) (body string, ok bool)
}

// An Estimator estimates the request that it returned last, in tokens.
type Estimator interface {
	Estimate() int
}

// An Observer learns the tokens of the request that it returned last, as a provider would count them.
type Observer interface {
	Observe(tokens int)
}

// A Reloader returns itself after a save and a load.
type Reloader interface {
	Reload() (Policy, error)
}

// A Summarizer returns how many tokens a model has read so far to write its summaries.
type Summarizer interface {
	Read() int
}

// An Ender reports whether an agent would have ended the run by now, because its window had to be compacted again and
// again.
type Ender interface {
	Ended() bool
}

// A Setting is what a policy starts with.
type Setting struct {
	Budget  int // tokens, for the whole request
	System  string
	Counter *recording.Counter
}

// A Named makes a policy for each trajectory.
type Named struct {
	Name string
	New  func(Setting) Policy
}

// Names returns the names of policies.
func Names(all []Named) []string {
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = p.Name
	}
	return names
}

// baselines are the policies of others, and bounds.
var baselines = []Named{
	{"none", newNone},
	{"drop-oldest", newDropOldest},
	{"trim", newTrim},
	{"clear-keep-3", newClear},
	{"mask-10", newMask},
	{"codex", newCodex},
	{"opencode", newOpencode},
	{"pi", newPi},
	{"ladder-no-quota", newLadderNoQuota},
}

// Policies returns all policies: the baselines, then the profiles of contextwindow by name.
func Policies() []Named {
	all := slices.Clone(baselines)
	for _, p := range contextwindow.Profiles() {
		all = append(all, Named{string(p), func(s Setting) Policy { return NewWindow(s, p, nil) }})
	}
	return all
}

// Choose returns those of all policies that have one of the names, each once; "all" is all of them.
func Choose(all []Named, names []string) ([]Named, error) {
	var chosen []Named
	for _, name := range names {
		if name == "all" {
			return all, nil
		}
		at := slices.IndexFunc(all, func(p Named) bool { return p.Name == name })
		if at < 0 {
			return nil, fmt.Errorf("unknown policy %q", name)
		}
		if !slices.ContainsFunc(chosen, func(p Named) bool { return p.Name == name }) {
			chosen = append(chosen, all[at])
		}
	}
	return chosen, nil
}
