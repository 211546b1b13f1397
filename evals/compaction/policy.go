package compaction

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// A Policy is one way of keeping a window within its budget, for one trajectory. It is fed each unit once, and asked
// for the view that it would send before each message of the assistant. What it returns must not change afterwards.
//
// A policy may also have the methods of Resolver, Estimator, Observer, Reloader or Summarizer.
type Policy interface {
	Feed(Unit) error
	View() ([]transcript.Message, error)
}

// A Resolver gives back a stored text by the id that a view names.
type Resolver interface {
	Resolve(id string) (body string, ok bool)
}

// An Estimator tells what it takes the tokens of the request to be that it last returned.
type Estimator interface {
	Estimate() int
}

// An Observer is told the tokens of the request that it last returned, as a provider would count them.
type Observer interface {
	Observe(tokens int)
}

// A Reloader returns itself as it is after it was saved and loaded.
type Reloader interface {
	Reload() (Policy, error)
}

// A Summarizer tells how many tokens a model has read so far to write its summaries.
type Summarizer interface {
	Read() int
}

// A Setting is what a policy is made with.
type Setting struct {
	Budget  int // tokens, for the whole request
	System  string
	Counter *Counter
}

// A Named is a policy's name with how to make one for a trajectory.
type Named struct {
	Name string
	New  func(Setting) Policy
}

// baselines are the policies of others, and those that bound what is possible.
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

// Policies returns all policies: the baselines, then the profiles of contextwindow under their own names.
func Policies() []Named {
	all := slices.Clone(baselines)
	for _, p := range contextwindow.Profiles() {
		all = append(all, Named{string(p), func(s Setting) Policy { return newWindow(s, p, nil) }})
	}
	return all
}

// Choose returns the policies of a comma-separated list of names; "all" stands for all of them.
func Choose(list string) ([]Named, error) {
	all := Policies()
	var chosen []Named
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if name == "all" {
			return all, nil
		}
		at := slices.IndexFunc(all, func(p Named) bool { return p.Name == name })
		if at < 0 {
			return nil, fmt.Errorf("there is no policy %q", name)
		}
		if !slices.ContainsFunc(chosen, func(p Named) bool { return p.Name == name }) {
			chosen = append(chosen, all[at])
		}
	}
	return chosen, nil
}
