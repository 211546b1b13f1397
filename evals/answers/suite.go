package answers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/gitrepo"
	"github.com/forayhq/foray/tools/report"
)

// Config says what [Run] measures.
type Config struct {
	Dir      string   // of the repositories, each as owner+name/repo
	Split    string   // "dev", "test" or "all" (default)
	Families []string // none: all
	Options  *evals.Options

	// Ask answers a question about the tree of its commit. The report is nil if there is no answer.
	Ask func(ctx context.Context, q *Question, tree *gitrepo.Tree, repo *gitrepo.Repo) (*report.Report, error)
	// Observe, unless nil, is called with every answer, in the order of the questions.
	Observe func(q *Question, answer *report.Report) error
}

// errMissing means that a question lacks its repository or its commit.
var errMissing = errors.New("missing")

// Run asks every question of the split. An error of Ask, which the report names, counts as an answer that hits nothing.
func Run(ctx context.Context, questions []*Question, cfg Config) (*Report, error) {
	cfg.Split = cmp.Or(cfg.Split, "all")
	if !slices.Contains(splits, cfg.Split) {
		return nil, fmt.Errorf("unknown split %q: must be one of %v", cfg.Split, splits)
	}
	questions = slices.DeleteFunc(splitOf(questions, cfg.Split), func(q *Question) bool {
		return len(cfg.Families) > 0 && !slices.Contains(cfg.Families, q.Family)
	})
	var suite evals.Suite[*Question, *report.Report]
	suite.Contenders = []evals.Contender[*Question, *report.Report]{{Name: "answers", Run: cfg.ask}}
	for _, q := range questions {
		suite.Cases = append(suite.Cases, evals.Case[*Question]{ID: q.ID, Group: q.Repo, Input: q})
	}
	outcomes, err := suite.Run(ctx, cfg.Options)
	if err != nil {
		return nil, err
	}
	r := &Report{Suite: "answers", Split: cfg.Split, Failed: []string{}, Missing: []string{}, Skipped: []string{}}
	for i, o := range outcomes {
		switch {
		case errors.Is(o.Err, errMissing):
			r.Missing = append(r.Missing, o.Case)
			continue
		case o.Err != nil:
			r.Failed = append(r.Failed, o.Err.Error())
		}
		r.scores = append(r.scores, scoreOf(questions[i], o.Output))
		if cfg.Observe == nil {
			continue
		}
		if err := cfg.Observe(questions[i], o.Output); err != nil {
			return nil, err
		}
	}
	r.finish()
	return r, nil
}

// ask opens the tree of a question, and asks it.
func (c *Config) ask(ctx context.Context, q *Question) (*report.Report, error) {
	dir := filepath.Join(c.Dir, strings.ReplaceAll(q.mirror(), "/", "+"), "repo")
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, errMissing
	}
	repo, err := gitrepo.Open(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", q.Repo, err)
	}
	tree, err := repo.Tree(ctx, q.Commit)
	if problem := (*tools.Problem)(nil); errors.As(err, &problem) && problem.Code == "unknown_revision" {
		return nil, errMissing
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s at %s: %w", q.Repo, q.Commit, err)
	}
	defer tree.Close() // ends processes that only read
	return c.Ask(ctx, q, tree, repo)
}
