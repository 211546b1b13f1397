package canaries

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/compaction"
	"github.com/forayhq/foray/evals/compaction/recording"
	"github.com/forayhq/foray/toollimit"
)

// A Policy is one way of compacting a window, by name.
type Policy struct {
	Name  string
	start func(budget int, system string) keeper
}

// A keeper keeps the window of one session within its budget.
type keeper interface {
	Feed(recording.Unit) error
	View() ([]transcript.Message, error)
}

// truncateUsers is the policy that truncates every message of the user instead of evicting any.
const truncateUsers = "truncate-users"

// Policies returns truncate-users and the policies of the suite compaction. All count tokens as windows do.
func Policies() []Policy {
	counters := recording.Counters()
	counter := &counters[slices.IndexFunc(counters, func(c recording.Counter) bool { return c.Name == "foray" })]
	all := []Policy{{truncateUsers, func(budget int, system string) keeper {
		return &truncating{budget: budget, system: toollimit.Tokens(system)}
	}}}
	for _, p := range compaction.Policies() {
		all = append(all, Policy{p.Name, func(budget int, system string) keeper {
			return p.New(compaction.Setting{Budget: budget, System: system, Counter: counter})
		}})
	}
	return all
}

// Choose returns the policies of a comma-separated list of names; "all" is all of them.
func Choose(list string) (chosen []Policy, err error) {
	all := Policies()
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		at := slices.IndexFunc(all, func(p Policy) bool { return p.Name == name })
		switch {
		case name == "all":
			return all, nil
		case at < 0:
			return nil, fmt.Errorf("unknown policy %q", name)
		}
		if !slices.ContainsFunc(chosen, func(p Policy) bool { return p.Name == name }) {
			chosen = append(chosen, all[at])
		}
	}
	return chosen, nil
}

// size returns the tokens of a unit.
func size(u recording.Unit) (tokens int) {
	for _, m := range u {
		tokens += m.Tokens()
	}
	return tokens
}

// Sizes of truncateUsers.
const (
	usersTokens = 100 // of a user message before the newest turns
	usersWhole  = 2   // newest user messages that stay whole
)

// A truncating policy keeps every message of the user, truncated, and the newest of the rest that fits beside them.
type truncating struct {
	budget int
	system int // tokens of the system prompt
	units  []recording.Unit
	users  []int // indexes of user messages
}

// Feed appends a unit.
func (p *truncating) Feed(u recording.Unit) error {
	if u[0].Role == transcript.User {
		p.users = append(p.users, len(p.units))
		if old := len(p.users) - 1 - usersWhole; old > 0 { // the first message opens the run and stays whole
			at := p.users[old]
			m := p.units[at][0]
			m.Text, _ = toollimit.Truncate(toollimit.Text, m.Text, toollimit.Quota{MaxTokens: usersTokens})
			p.units[at] = recording.Unit{m}
		}
	}
	p.units = append(p.units, u)
	return nil
}

// View returns what is sent. It may exceed the budget, because no message of the user goes.
func (p *truncating) View() ([]transcript.Message, error) {
	room := p.budget - p.system
	for _, at := range p.users {
		room -= size(p.units[at])
	}
	from := len(p.units)
	for from > 0 {
		if u := p.units[from-1]; u[0].Role != transcript.User {
			if room -= size(u); room < 0 && from < len(p.units) {
				break
			}
		}
		from--
	}
	var view []transcript.Message
	for i, u := range p.units {
		if i >= from || u[0].Role == transcript.User {
			view = append(view, u...)
		}
	}
	return view, nil
}
