package localize

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/tools/locate"
)

// An Answer is what a subject found, the best first.
type Answer struct {
	Files     []string
	Functions []string // path:Class.method
	Ranking   *locate.Ranking
}

// A Subject is a way to find files under a name.
type Subject struct {
	Name   string
	Locate func(ctx context.Context, c *Checkout) (*Answer, error)
}

// A Checkout is an instance and the tree it is about.
type Checkout struct {
	*Instance
	Mode  locate.Mode
	Index *locate.Index
	Read  func(path string) ([]byte, error)
}

// Config says what Run measures.
type Config struct {
	Dir      string
	Mode     locate.Mode
	K        []int
	Subjects []Subject
	Options  *evals.Options
	Observe  func(c *Checkout, subject string, a *Answer)
}

// Run asks every subject every instance.
func Run(ctx context.Context, instances []*Instance, cfg Config) (*Report, error) {
	instances = slices.Clone(instances)
	slices.SortStableFunc(instances, func(a, b *Instance) int { return cmpStrings(a.Repo, b.Repo) })
	shelf := &shelf{dir: cfg.Dir, open: map[string]*repository{}, left: map[string]int{}}
	suite := evals.Suite[*Instance, map[string]*Answer]{}
	for _, in := range instances {
		shelf.left[in.Repo]++
		suite.Cases = append(suite.Cases, evals.Case[*Instance]{ID: in.ID, Group: in.Repo, Input: in})
	}
	report := &Report{Suite: "localize", K: cfg.K}
	var mu sync.Mutex
	suite.Contenders = []evals.Contender[*Instance, map[string]*Answer]{{Name: "all", Run: func(ctx context.Context, in *Instance) (map[string]*Answer, error) {
		repo, err := shelf.get(in)
		defer shelf.done(in)
		if err != nil {
			return nil, err
		}
		ix, ids, err := repo.index(ctx, in.Commit)
		if err != nil {
			return nil, err
		}
		c := &Checkout{Instance: in, Mode: cfg.Mode, Index: ix, Read: func(p string) ([]byte, error) {
			repo.mu.Lock()
			defer repo.mu.Unlock()
			return repo.blob(ids[p])
		}}
		out := map[string]*Answer{}
		for _, s := range cfg.Subjects {
			a, err := s.Locate(ctx, c)
			if err != nil {
				return nil, err
			}
			out[s.Name] = a
			if cfg.Observe != nil {
				mu.Lock()
				cfg.Observe(c, s.Name, a)
				mu.Unlock()
			}
		}
		return out, nil
	}}}
	outcomes, err := suite.Run(ctx, cfg.Options)
	if err != nil {
		return nil, err
	}
	for i, o := range outcomes {
		if o.Err != nil && !errors.Is(o.Err, errMissing) {
			return nil, o.Err
		}
		if o.Err != nil {
			report.Missing = append(report.Missing, instances[i].ID)
			continue
		}
		for name, a := range o.Output {
			report.add(name, instances[i], a)
		}
	}
	return report.finish(cfg), nil
}

func cmpStrings(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

type shelf struct {
	dir  string
	mu   sync.Mutex
	open map[string]*repository
	left map[string]int
}

func (s *shelf) get(in *Instance) (*repository, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.open[in.Repo]; r != nil {
		return r, nil
	}
	name := in.Mirror
	if name == "" {
		name = in.Repo
	}
	dir, err := find(s.dir, name)
	if err != nil {
		return nil, errMissing
	}
	r, err := openRepository(dir)
	if err == nil {
		s.open[in.Repo] = r
	}
	return r, err
}

func (s *shelf) done(in *Instance) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left[in.Repo]--; s.left[in.Repo] == 0 && s.open[in.Repo] != nil {
		s.open[in.Repo].close()
		delete(s.open, in.Repo)
	}
}

// Subjects returns the baselines and the ranking.
func Subjects() []Subject {
	return []Subject{
		{"bm25", func(_ context.Context, c *Checkout) (*Answer, error) { return plain(c, true) }},
		{"bm25, no tests", func(_ context.Context, c *Checkout) (*Answer, error) { return plain(c, false) }},
		{"locate", func(_ context.Context, c *Checkout) (*Answer, error) {
			r := c.Index.Rank(c.Text, c.Mode, depth, c.Read)
			a := &Answer{Ranking: r}
			for _, f := range r.Files {
				a.Files = append(a.Files, f.Path)
			}
			for _, f := range r.Functions {
				a.Functions = append(a.Functions, f.Path+":"+f.Symbol)
			}
			return a, nil
		}},
	}
}

const depth = 100

func plain(c *Checkout, tests bool) (*Answer, error) {
	return &Answer{Files: c.Index.Plain(c.Text, tests, depth)}, nil
}
