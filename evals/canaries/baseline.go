package canaries

import (
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/policy"
	"github.com/forayhq/foray/evals/internal/recording"
	"github.com/forayhq/foray/toollimit"
)

// truncateUsers is the policy that truncates every message of the user instead of evicting any.
var truncateUsers = policy.Named{Name: "truncate-users", New: func(s policy.Setting) policy.Policy {
	return &truncating{budget: s.Budget, system: toollimit.Tokens(s.System)}
}}

// policies returns truncate-users and the policies of the suite compaction.
func policies() []policy.Named { return append([]policy.Named{truncateUsers}, policy.Policies()...) }

// Policies returns the names of all policies: truncate-users and those of the suite compaction. All count tokens as
// windows do.
func Policies() []string { return policy.Names(policies()) }

// setting returns what a policy starts with in a session.
func (s *session) setting() policy.Setting {
	counters := recording.Counters()
	i := slices.IndexFunc(counters, func(c recording.Counter) bool { return c.Name == "foray" })
	return policy.Setting{Budget: s.budget, System: s.system, Counter: &counters[i]}
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
