package compaction

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/evals/internal/policy"
	"github.com/forayhq/foray/evals/internal/recording"
)

// Policies returns the names of all policies: those of other agents, then the profiles of contextwindow.
func Policies() []string { return policy.Names(policy.Policies()) }

// Recordings are recorded runs of agents.
type Recordings struct{ collection *recording.Collection }

// Load reads recordings from files of JSON lines or folders of them with [evals.EachLine]. It tells by the content of
// each line what it is:
//
//   - a run of its own: {"id","source","task","messages"}, with calls as {"id","name","args"} or as OpenAI has them;
//   - a chat message of OpenAI, or an array of them: together one run;
//   - a line of a trace of foray, of a session of Claude Code or of Codex. A compaction or a subagent in a session
//     begins another run, because its model saw no more.
//
// The report names lines that do not parse. Load returns errors of the file system and of the context, and one for data
// without a run.
func Load(ctx context.Context, paths ...string) (*Recordings, error) {
	c, err := recording.Load(ctx, paths...)
	switch {
	case err != nil || len(c.Trajectories) > 0:
	case len(c.Skipped) > 0:
		err = fmt.Errorf("no recorded run in the data: %s", c.Skipped[0])
	default:
		err = errors.New("no recorded run in the data")
	}
	return &Recordings{c}, err
}

// Has reports whether one of the runs has an id, or the name source/id.
func (r *Recordings) Has(id string) bool { return r.collection.Find(id) != nil }

// A Config says what [Run] plays.
type Config struct {
	Budgets  []int    // tokens
	Policies []string // some of [Policies], or "all"
	Counter  string   // "chars4" (default) or "foray"
	Split    string   // "dev", three quarters of the runs by a hash of their ids, "test", the rest, or "all" (default)
	Options  *evals.Options
	// Now is the clock for the time that views take; nil: times are not measured.
	Now func() time.Time
}

// The splits. Tune policies on dev; test is for a final check.
const (
	dev  = "dev"
	test = "test"
	all  = "all"
)

// inSplit reports whether a trajectory belongs to a split.
func inSplit(split string, t *recording.Trajectory) bool {
	if split == all || split == "" {
		return true
	}
	return (sha256.Sum256([]byte(t.ID))[0]%4 == 3) == (split == test)
}

// A plan is what a Config names.
type plan struct {
	Config
	policies []policy.Named
	counter  *recording.Counter
}

// plan returns an error for an unknown policy or counter.
func (cfg Config) plan() (*plan, error) {
	policies, err := policy.Choose(policy.Policies(), cfg.Policies)
	if err != nil {
		return nil, err
	}
	counters := recording.Counters()
	name := cmp.Or(cfg.Counter, counters[0].Name)
	i := slices.IndexFunc(counters, func(c recording.Counter) bool { return c.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("unknown counter %q", cfg.Counter)
	}
	return &plan{cfg, policies, &counters[i]}, nil
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

// Run plays the policies on recordings at every budget.
func Run(ctx context.Context, r *Recordings, cfg Config) (*Report, error) {
	p, err := cfg.plan()
	if err != nil {
		return nil, err
	}
	return p.run(ctx, r.collection)
}

func (cfg *plan) run(ctx context.Context, c *recording.Collection) (*Report, error) {
	if len(cfg.policies) == 0 || len(cfg.Budgets) == 0 {
		return nil, fmt.Errorf("nothing to play: %d policies, %d budgets", len(cfg.policies), len(cfg.Budgets))
	}
	scripts := cfg.scripts(c)
	suite := evals.Suite[*script, *tally]{Checks: checks}
	for _, s := range scripts {
		suite.Cases = append(suite.Cases, evals.Case[*script]{ID: s.Source + "/" + s.ID, Group: s.Source, Input: s})
	}
	var entrants []entrant
	for _, budget := range cfg.Budgets {
		for _, p := range cfg.policies {
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
func (cfg *plan) scripts(c *recording.Collection) (scripts []*script) {
	for _, t := range c.Trajectories {
		if inSplit(cfg.Split, t) {
			scripts = append(scripts, prepare(t, cfg.counter))
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
