package localize

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/tools/gitrepo"
	"github.com/forayhq/foray/tools/locate"
	sourcetree "github.com/forayhq/foray/tools/tree"
)

// A Subject is a way to find code, under a name.
type Subject struct {
	Name   string
	Locate func(ctx context.Context, c *Checkout) (*Answer, error)
}

// A Checkout is an instance and the tree that it is about.
type Checkout struct {
	*Instance
	Mode  locate.Mode
	Index *locate.Index                     // of the tree, made from contents that other commits may have shared
	Read  func(path string) ([]byte, error) // of the tree, as the tools see it
	Tree  fs.FS
	Repo  *gitrepo.Repo
}

// An Answer is what a subject found, the best first.
type Answer struct {
	Files     []string
	Functions []string        // path:Class.method
	Ranking   *locate.Ranking // nil: the subject does not rank with locate

	// Citations are the lines that a report points at, and Resolved those of them that are there; both 0 without a report.
	Citations, Resolved int
	// Cold is how long the subject took from the tree to the answer, with nothing kept; 0: that was not measured.
	Cold time.Duration
}

// Config says what Run measures.
type Config struct {
	Dir      string // of repositories, each as owner+name/repo
	Mode     locate.Mode
	K        []int // ascending
	Split    Split
	Subjects []Subject
	Options  *evals.Options

	Ablate    bool // also without each signal, of subjects that rank with locate
	Calibrate bool // also how often a file is right by its rank and score, of such subjects

	// Observe is told every answer, one at a time; nil: nobody is.
	Observe func(c *Checkout, subject string, a *Answer)
}

// Run asks every subject about every instance of the split. Instances whose repository or commit is not there are named
// in the report. A subject's error ends the run.
func Run(ctx context.Context, instances []*Instance, cfg Config) (*Report, error) {
	if len(cfg.K) == 0 || slices.Min(cfg.K) < 1 || !slices.IsSorted(cfg.K) {
		return nil, fmt.Errorf("accuracy at %v: must be ascending and above 0", cfg.K)
	}
	instances = cfg.Split.Of(instances)
	slices.SortStableFunc(instances, func(a, b *Instance) int { return cmp.Compare(a.mirror(), b.mirror()) })
	r := &run{cfg: cfg, shelf: newShelf(cfg.Dir, instances)}
	suite := evals.Suite[*Instance, []*Answer]{Contenders: []evals.Contender[*Instance, []*Answer]{{Name: "all", Run: r.play}}}
	for _, in := range instances {
		suite.Cases = append(suite.Cases, evals.Case[*Instance]{ID: in.ID, Group: in.Repo, Input: in})
	}
	outcomes, err := suite.Run(ctx, cfg.Options)
	if err != nil {
		return nil, err
	}
	report := &Report{Suite: "localize", Split: cmp.Or(cfg.Split, All), K: cfg.K, Missing: []string{}, Skipped: []string{}}
	for i, o := range outcomes {
		switch {
		case errors.Is(o.Err, ErrMissing):
			report.Missing = append(report.Missing, o.Case)
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

// A run is one measurement.
type run struct {
	cfg   Config
	shelf *shelf
	mu    sync.Mutex // orders the calls of Observe
}

// play asks all subjects about one instance.
func (r *run) play(ctx context.Context, in *Instance) ([]*Answer, error) {
	repo, err := r.shelf.take(ctx, in)
	defer r.shelf.give(in)
	if err != nil {
		return nil, err
	}
	tree, ix, err := repo.checkout(ctx, in)
	if err != nil {
		return nil, err
	}
	defer tree.Close() // of processes that only read
	c := &Checkout{Instance: in, Mode: r.cfg.Mode, Index: ix, Read: sourcetree.Open(tree, nil).Read, Tree: tree, Repo: repo.git}
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

// A shelf holds the repositories that are in use, each until its last instance is done.
type shelf struct {
	dir  string
	mu   sync.Mutex // guards what follows
	open map[string]*repository
	left map[string]int // instances to come
}

func newShelf(dir string, instances []*Instance) *shelf {
	s := &shelf{dir: dir, open: make(map[string]*repository), left: make(map[string]int)}
	for _, in := range instances {
		s.left[in.mirror()]++
	}
	return s
}

func (s *shelf) take(ctx context.Context, in *Instance) (*repository, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.open[in.mirror()]; r != nil {
		return r, nil
	}
	r, err := openRepository(ctx, s.dir, in.mirror())
	if err == nil {
		s.open[in.mirror()] = r
	}
	return r, err
}

func (s *shelf) give(in *Instance) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left[in.mirror()]--; s.left[in.mirror()] == 0 {
		delete(s.open, in.mirror())
	}
}
