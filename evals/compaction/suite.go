package compaction

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/forayhq/foray/evals"
)

// Config says what Run plays.
type Config struct {
	Budgets  []int   // tokens
	Policies []Named // what is compared
	Counter  *Counter
	Split    Split
	Options  *evals.Options
	// Now takes the times of building views; nil: none are taken.
	Now func() time.Time
}

// A Split is the part of the trajectories that is played, by a stable hash of their ids.
type Split string

// The splits: three quarters to tune on, one quarter that is left untouched for the end.
const (
	Dev  Split = "dev"
	Test Split = "test"
	All  Split = "all"
)

// Splits returns the names of the splits.
func Splits() []Split { return []Split{Dev, Test, All} }

// has reports whether a trajectory belongs to the split.
func (s Split) has(t *Trajectory) bool {
	if s == All || s == "" {
		return true
	}
	return (sha256.Sum256([]byte(t.ID))[0]%4 == 3) == (s == Test)
}

// The shares of a budget that say which trajectories are played at it (replay metrics).
const (
	playedFrom       = 1.3 // of the whole trajectory
	irreducibleAbove = .8  // of its system prompt and messages of the user
)

// An entrant is one policy at one budget.
type entrant struct {
	policy Named
	budget int
}

// Run plays the policies on a collection at every budget, and adds up what came out.
func Run(ctx context.Context, c *Collection, cfg Config) (*Report, error) {
	if len(cfg.Policies) == 0 || len(cfg.Budgets) == 0 {
		return nil, fmt.Errorf("nothing to play: %d policies, %d budgets", len(cfg.Policies), len(cfg.Budgets))
	}
	var scripts []*script
	for _, t := range c.Trajectories {
		if cfg.Split.has(t) {
			scripts = append(scripts, prepare(t, cfg.Counter))
		}
	}
	suite := evals.Suite[*script, *tally]{Checks: checks}
	for _, s := range scripts {
		suite.Cases = append(suite.Cases, evals.Case[*script]{ID: s.Source + "/" + s.ID, Group: s.Source, Input: s})
	}
	var entrants []entrant
	for _, budget := range cfg.Budgets {
		for _, p := range cfg.Policies {
			entrants = append(entrants, entrant{p, budget})
			suite.Contenders = append(suite.Contenders, evals.Contender[*script, *tally]{
				Name: fmt.Sprintf("%s at %d", p.Name, budget),
				Run: func(ctx context.Context, s *script) (*tally, error) {
					return s.playable(ctx, p, budget, cfg.Now)
				},
			})
		}
	}
	outcomes, err := suite.Run(ctx, cfg.Options)
	if err != nil {
		return nil, err
	}
	return newReport(c, cfg, results{scripts, entrants, outcomes}), nil
}

// playable plays a policy if the script counts at the budget. Otherwise the tally has no requests.
func (s *script) playable(ctx context.Context, p Named, budget int, now func() time.Time) (*tally, error) {
	fixed, all := s.sizes()
	switch {
	case float64(all) <= playedFrom*float64(budget):
		return &tally{}, nil
	case float64(fixed) > irreducibleAbove*float64(budget):
		return &tally{Irreducible: 1}, nil
	}
	return play(ctx, s, p, budget, now)
}

// sizes returns the tokens of what no policy may drop, and of everything.
func (s *script) sizes() (fixed, all int) {
	fixed = tokens(s.counter.text(s.System))
	all = fixed
	for _, p := range s.users {
		fixed += p.tokens
	}
	for _, u := range s.Units {
		all += s.counter.unit(u)
	}
	return fixed, all
}

// checks are the promises that hold on each trajectory.
var checks = []evals.Check[*script, *tally]{
	{Name: "valid", Holds: func(_ *script, y *tally) error { return noneOf(y.Invalid, y.Requests, "break a rule") }},
	{Name: "in budget", Holds: func(_ *script, y *tally) error { return noneOf(y.Over, y.Requests, "are over budget") }},
	{Name: "pins", Holds: func(_ *script, y *tally) error { return noneOf(y.Requests-y.Pinned, y.Requests, "lack what must stay") }},
	{Name: "deterministic", Holds: func(_ *script, y *tally) error {
		return noneOf(y.Compared-y.Equal, y.Compared, "differ on a second run")
	}},
}

func noneOf(n, of int, what string) error {
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d requests %s", n, of, what)
}

// longAbove is how many calls or messages of the assistant make a very long session.
const longAbove = 400

// long reports whether a trajectory is a very long session, which is reported by itself.
func (s *script) long() bool {
	calls := 0
	for _, u := range s.Units {
		calls += len(u[0].Calls)
	}
	return max(calls, len(s.targets)) > longAbove
}
