package canaries

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/evals/internal/planted"
	"github.com/forayhq/foray/evals/internal/policy"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
)

// A Config says what [Run] plays, and what [Ask] asks.
type Config struct {
	Budgets   []int    // tokens
	Policies  []string // some of [Policies], or "all"
	Windows   []int    // lengths of sessions, in budgets
	Languages []string // some of [Languages]; nil: all
	Sessions  int      // of each length, language and budget; 0: one
	Split     string   // half of the sentences and subjects: "dev" to tune digests, "test" for a final check; or "all"
	Seed      uint64

	Options *evals.Options // of Run; nil: the defaults

	// Of Ask.
	Model       providers.Model
	Gaps        int          // at each budget, divided among its sessions
	Say         func(string) // gets a line of progress; may be nil
	Transcripts io.Writer    // gets every question with what was seen and answered; may be nil

	noise *noiseText
}

// A plan is a Config with the policies that it names.
type plan struct {
	Config
	policies []policy.Named
}

// checkEvery is how many requests lie between two checks.
const checkEvery = 10

// Run plays the policies on generated sessions in every language.
func Run(ctx context.Context, cfg Config) (*Report, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	plan, err := cfg.plan()
	if err != nil {
		return nil, err
	}
	specs, err := cfg.specs()
	if err != nil {
		return nil, err
	}
	suite := evals.Suite[*spec, *tally]{}
	for _, s := range specs {
		suite.Cases = append(suite.Cases, evals.Case[*spec]{ID: s.id(), Input: s})
	}
	for _, p := range plan.policies {
		suite.Contenders = append(suite.Contenders, evals.Contender[*spec, *tally]{
			Name: p.Name,
			Run:  func(ctx context.Context, s *spec) (*tally, error) { return play(ctx, s.session(), p) },
		})
	}
	outcomes, err := suite.Run(ctx, cfg.Options)
	if err != nil {
		return nil, err
	}
	return newReport(plan, specs, outcomes), nil
}

// maxSession bounds how long a session may be, in tokens.
const maxSession = 20_000_000

// Check returns why nothing can be played: no policies, budgets or windows, or sessions of more than 20 million tokens.
func (cfg *Config) Check() error {
	if len(cfg.Policies) == 0 || len(cfg.Budgets) == 0 || len(cfg.Windows) == 0 {
		return errors.New("nothing to play: no policies, budgets or windows")
	}
	if budget, windows := slices.Max(cfg.Budgets), slices.Max(cfg.Windows); budget > maxSession/windows {
		return fmt.Errorf("a session of %d windows of %d tokens is too long: the limit is %d tokens", windows, budget,
			maxSession)
	}
	return nil
}

// plan chooses the policies and makes sure that there is noise.
func (cfg *Config) plan() (*plan, error) {
	chosen, err := policy.Choose(policies(), cfg.Policies)
	if err == nil && cfg.noise == nil {
		err = cfg.LoadNoise("")
	}
	return &plan{*cfg, chosen}, err
}

// specs returns the sessions of all budgets, languages and lengths. They are written one at a time.
func (cfg *Config) specs() (all []*spec, err error) {
	chosen := cfg.Languages
	if len(chosen) == 0 {
		chosen = languages
	}
	for _, budget := range cfg.Budgets {
		for _, language := range chosen {
			b, err := phrasebookOf(language)
			if err != nil {
				return nil, err
			}
			for _, windows := range cfg.Windows {
				for n := range max(cfg.Sessions, 1) {
					all = append(all, &spec{b, cfg.noise, cfg.Split, windows, budget, cfg.Seed, uint64(n)})
				}
			}
		}
	}
	return all, nil
}

// A tally holds what a policy made of one session.
type tally struct {
	*session        // without its messages
	fates    []fate // by item
	requests int
	over     int     // requests above the budget
	sent     float64 // sum of requests, in budgets
}

// A fate is what became of one item.
type fate struct {
	end    planted.Verdict // after the last message
	checks int             // on the way, from settled windows after it was said
	alive  int             // of these
	stale  bool            // at any check
	only   bool            // the older value alone, at any check
	wrong  bool            // at any check
}

// play feeds a session to a policy, asks for a view before each message of the assistant, and looks for the items in
// every tenth and at the end.
func play(ctx context.Context, s *session, p policy.Named) (*tally, error) {
	y := &tally{session: s, fates: make([]fate, len(s.items))}
	c := &checker{session: s, heads: make(map[string]bool)}
	kept := p.New(s.setting())
	fed := 0
	for i, u := range s.units {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if u[0].Role == transcript.Assistant {
			view, err := kept.View()
			if err != nil {
				return nil, fmt.Errorf("view before unit %d: %w", i, err)
			}
			y.count(s, view)
			if y.requests%checkEvery == 0 {
				y.check(c.read(view, i), s, i, fed)
			}
		}
		if err := kept.Feed(slices.Clone(u)); err != nil {
			return nil, fmt.Errorf("feeding unit %d: %w", i, err)
		}
		fed += size(u)
	}
	view, err := kept.View()
	if err != nil {
		return nil, fmt.Errorf("view at the end: %w", err)
	}
	y.count(s, view)
	lines := c.read(view, len(s.units))
	y.check(lines, s, len(s.units), 0)
	for i, it := range s.items {
		y.fates[i].end = it.judge(lines)
	}
	s.units = nil
	return y, nil
}

// count adds up the size of a request.
func (y *tally) count(s *session, view []transcript.Message) {
	tokens := size(view) + toollimit.Tokens(s.system)
	y.requests++
	y.sent += float64(tokens) / float64(s.budget)
	if tokens > s.budget {
		y.over++
	}
}

// check looks for the items that were said before a unit. Those said long enough ago to have left the newest window
// also count for alive.
func (y *tally) check(lines []planted.Line, s *session, unit, fed int) {
	for i, it := range s.items {
		if it.said >= unit {
			continue
		}
		f, v := &y.fates[i], it.judge(lines)
		f.stale = f.stale || v.Stale
		f.only = f.only || v.OnlyOld
		f.wrong = f.wrong || v.Wrong
		if float64(fed-it.at) > settled*float64(s.budget) {
			f.checks++
			if v.Alive {
				f.alive++
			}
		}
	}
}
