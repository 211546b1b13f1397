package compaction

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/evals/compaction/internal/policy"
	"github.com/forayhq/foray/evals/compaction/recording"
)

// A Policy is one way of compacting a window, by name.
type Policy = policy.Named

// A Setting is what a policy starts with.
type Setting = policy.Setting

// Policies returns all policies: those of other agents, then the profiles of contextwindow by name.
func Policies() []Policy { return policy.Policies() }

// Choose returns the policies of a comma-separated list of names; "all" is all of them.
func Choose(list string) ([]Policy, error) { return policy.Choose(list) }

// A Config says what [Run] plays.
type Config struct {
	Budgets  []int // tokens
	Policies []Policy
	Counter  *recording.Counter
	Split    Split
	Options  *evals.Options
	// Now is the clock for the time that views take; nil: times are not measured.
	Now func() time.Time
}

// A Split is a part of the trajectories, chosen by a hash of their ids.
type Split string

// Tune policies on Dev, three quarters of the trajectories. Test holds the rest, for a final check.
const (
	Dev  Split = "dev"
	Test Split = "test"
	All  Split = "all"
)

// Splits returns the names of the splits.
func Splits() []Split { return []Split{Dev, Test, All} }

// has reports whether a trajectory belongs to the split.
func (s Split) has(t *recording.Trajectory) bool {
	if s == All || s == "" {
		return true
	}
	return (sha256.Sum256([]byte(t.ID))[0]%4 == 3) == (s == Test)
}

// Bounds, as shares of the budget, for playing a trajectory.
const (
	playedFrom       = 1.3 // the whole trajectory must be larger
	irreducibleAbove = .8  // its system prompt and user messages must not be larger
)

// An entrant is one policy at one budget.
type entrant struct {
	policy policy.Named
	budget int
}

// Run plays the policies on a collection at every budget.
func Run(ctx context.Context, c *recording.Collection, cfg Config) (*Report, error) {
	if len(cfg.Policies) == 0 || len(cfg.Budgets) == 0 {
		return nil, fmt.Errorf("nothing to play: %d policies, %d budgets", len(cfg.Policies), len(cfg.Budgets))
	}
	scripts := cfg.scripts(c)
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
				Run:  func(ctx context.Context, s *script) (*tally, error) { return s.playIfCounts(ctx, p, budget, cfg.Now) },
			})
		}
	}
	outcomes, err := suite.Run(ctx, cfg.Options)
	if err != nil {
		return nil, err
	}
	return newReport(c, cfg, results{scripts, entrants, outcomes}), nil
}

// scripts prepares the trajectories of the split.
func (cfg *Config) scripts(c *recording.Collection) (scripts []*script) {
	for _, t := range c.Trajectories {
		if cfg.Split.has(t) {
			scripts = append(scripts, prepare(t, cfg.Counter))
		}
	}
	return scripts
}

// playIfCounts plays a policy if the script counts at the budget. Otherwise the tally has no requests.
func (s *script) playIfCounts(ctx context.Context, p policy.Named, budget int, now func() time.Time) (*tally, error) {
	fixed, all := s.sizes()
	switch {
	case float64(all) <= playedFrom*float64(budget):
		return &tally{}, nil
	case float64(fixed) > irreducibleAbove*float64(budget):
		return &tally{Irreducible: 1}, nil
	}
	return play(ctx, s, p, budget, now)
}

// sizes returns the tokens that no policy may drop, and all tokens.
func (s *script) sizes() (fixed, all int) {
	fixed = recording.Tokens(s.counter.Quarters(s.System))
	all = fixed
	for _, p := range s.users {
		fixed += p.tokens
	}
	for _, u := range s.Units {
		all += s.counter.Unit(u)
	}
	return fixed, all
}

// checks are promises that every policy should keep on every trajectory.
var checks = []evals.Check[*script, *tally]{
	{Name: "valid", Holds: func(_ *script, y *tally) error { return noneOf(y.Invalid, y.Requests, "break a rule") }},
	{Name: "in budget", Holds: func(_ *script, y *tally) error { return noneOf(y.Over, y.Requests, "are over budget") }},
	{Name: "pins", Holds: func(_ *script, y *tally) error {
		return noneOf(y.Requests-y.Pinned, y.Requests, "lack what must stay")
	}},
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

// A session with more calls or assistant messages than longAbove is very long.
const longAbove = 400

// long reports whether a trajectory is a very long session, which gets a row of its own.
func (s *script) long() bool {
	calls := 0
	for _, u := range s.Units {
		calls += len(u[0].Calls)
	}
	return max(calls, len(s.targets)) > longAbove
}
