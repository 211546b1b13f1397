package localize

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/evals/internal/cases"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/locate"
	sourcetree "github.com/forayhq/foray/tools/tree"
)

// Config says what [Run] measures.
type Config struct {
	Dir      string // of the repositories, each as owner+name/repo
	Mode     locate.Mode
	K        []int  // ascending
	Split    string // "dev", "test" or "all" (default)
	Subjects []Subject
	Options  *evals.Options

	Ablate    bool // also rank without each signal, for subjects that use locate
	Calibrate bool // also count how often a file is right, by rank and score

	// Observe, unless nil, is called with every answer, one at a time.
	Observe func(c *Checkout, subject string, a *Answer)
}

// Run runs every subject on every instance of the split. The report names instances whose repository or commit
// is missing, and those whose tree cannot be read whole. Another error of a subject ends the run.
func Run(ctx context.Context, instances []*Instance, cfg Config) (*Report, error) {
	if len(cfg.K) == 0 || slices.Min(cfg.K) < 1 || !slices.IsSorted(cfg.K) {
		return nil, fmt.Errorf("k is %v: must be ascending and above 0", cfg.K)
	}
	cfg.Split = cmp.Or(cfg.Split, "all")
	instances, err := cases.Split(instances, cfg.Split, func(in *Instance) string { return in.ID })
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(instances, func(a, b *Instance) int { return cmp.Compare(a.mirror(), b.mirror()) })
	r := &run{cfg: cfg, pool: newPool(cfg.Dir, instances)}
	var suite evals.Suite[*Instance, []*Answer]
	suite.Contenders = []evals.Contender[*Instance, []*Answer]{{Name: "all", Run: r.play}}
	for _, in := range instances {
		suite.Cases = append(suite.Cases, evals.Case[*Instance]{ID: in.ID, Group: in.Repo, Input: in})
	}
	outcomes, err := suite.Run(ctx, cfg.Options)
	if err != nil {
		return nil, err
	}
	report := &Report{Suite: "localize", Split: cfg.Split, K: cfg.K, Missing: []string{}, Skipped: []string{},
		trials: trial.Results{Set: "localize " + string(cfg.Mode) + "s"}}
	for i, o := range outcomes {
		switch {
		case errors.Is(o.Err, errMissing):
			report.Missing = append(report.Missing, o.Case)
		case whyPartial(o.Err) != "":
			report.Partial = append(report.Partial, o.Case+": "+whyPartial(o.Err))
		case o.Err != nil:
			return nil, o.Err
		default:
			for n, a := range o.Output {
				report.take(cfg, cfg.Subjects[n].Name, instances[i], a)
			}
		}
	}
	report.finish()
	return report, nil
}

// whyPartial says why the tree of an instance cannot be read whole, or returns "".
func whyPartial(err error) string {
	if problem := (*tools.Problem)(nil); errors.As(err, &problem) {
		return problem.Message + "; try: " + problem.Try
	}
	return ""
}

type run struct {
	cfg  Config
	pool *pool
	mu   sync.Mutex // orders the calls of Observe
}

func (r *run) play(ctx context.Context, in *Instance) ([]*Answer, error) {
	repo, err := r.pool.take(ctx, in)
	defer r.pool.give(in)
	if err != nil {
		return nil, err
	}
	tree, ix, err := repo.checkout(ctx, in)
	if err != nil {
		return nil, err
	}
	defer tree.Close() // ends processes that only read
	read := sourcetree.Open(tree, nil).Read
	c := &Checkout{Instance: in, Mode: r.cfg.Mode, Index: ix, Read: read, Tree: tree, Repo: repo.git}
	answers := make([]*Answer, len(r.cfg.Subjects))
	for i, s := range r.cfg.Subjects {
		if answers[i], err = s.Locate(ctx, c); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		r.observe(c, s.Name, answers[i])
	}
	return answers, nil
}

func (r *run) observe(c *Checkout, subject string, a *Answer) {
	if r.cfg.Observe == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cfg.Observe(c, subject, a)
}

func (r *Report) take(cfg Config, method string, in *Instance, a *Answer) {
	r.add(method, cfg.Mode, in, a)
	r.trial(method, in, a)
	if a.Ranking != nil && cfg.Ablate {
		r.ablate(method, cfg.Mode, in, a)
	}
	if a.Ranking != nil && cfg.Calibrate {
		r.calibrate(cfg.Mode, in, a)
	}
	if cfg.Calibrate {
		r.say(method, in, a)
	}
}
