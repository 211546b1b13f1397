package answers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/evals/internal/cases"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/gitrepo"
	"github.com/forayhq/foray/tools/report"
)

// Config says what [Run] measures.
type Config struct {
	Dir      string   // of the repositories, each as owner+name/repo
	Split    string   // "dev", "test" or "all" (default)
	Families []string // none: all
	Sample   int      // questions of each family, of all its parts and by a hash of their ids; 0: all
	Options  *evals.Options

	// Modes are the ways to ask each question; none: one way, without a name.
	Modes []string
	// Ask answers a question about the tree of its commit in a mode. The report is nil without an answer. The text
	// says why a model's own answer was not used, and is empty if it was.
	Ask func(ctx context.Context, q *Question, mode string, tree *gitrepo.Tree, repo *gitrepo.Repo) (
		*report.Report, string, error)
	// Observe, unless nil, is called with every answer, in the order of the questions and modes.
	Observe func(q *Question, mode string, answer *report.Report) error

	// What follows is for a model, which may take minutes a question.
	Model   string           // names it in the report
	Window  int              // tokens
	Say     func(string)     // receives a line for each answer, with the time left; may be nil
	Rows    io.Writer        // receives each answer as a JSON line; may be nil
	Earlier []byte           // rows of an interrupted run; what they hold of this model and window is not asked again
	Now     func() time.Time // required with Modes
}

// errMissing means that a question lacks its repository or its commit.
var errMissing = errors.New("missing")

// Run asks every question of the split in every mode. An error of Ask, which the report names, counts as an answer that
// hits nothing.
func Run(ctx context.Context, questions []*Question, cfg Config) (*Report, error) {
	cfg.Split = cmp.Or(cfg.Split, "all")
	questions, err := cases.Split(questions, cfg.Split, func(q *Question) string { return q.ID })
	if err != nil {
		return nil, err
	}
	questions = slices.DeleteFunc(questions, func(q *Question) bool {
		return len(cfg.Families) > 0 && !slices.Contains(cfg.Families, q.Family)
	})
	questions = sampleOf(questions, cfg.Sample)
	modes := cfg.Modes
	if len(modes) == 0 {
		modes = []string{""}
	}
	l := &ledger{Config: cfg, total: len(questions) * len(modes)}
	if err := l.parse(); err != nil {
		return nil, err
	}
	var suite evals.Suite[*Question, reply]
	for _, mode := range modes {
		suite.Contenders = append(suite.Contenders, evals.Contender[*Question, reply]{
			Name: cmp.Or(mode, "answers"),
			Run:  func(ctx context.Context, q *Question) (reply, error) { return l.reply(ctx, q, mode) },
		})
	}
	for _, q := range questions {
		suite.Cases = append(suite.Cases, evals.Case[*Question]{ID: q.ID, Group: q.Repo, Input: q})
	}
	outcomes, err := suite.Run(ctx, cfg.Options)
	if err == nil {
		err = l.failed
	}
	if err != nil {
		return nil, err
	}
	r := &Report{Suite: "answers", Split: cfg.Split, Model: cfg.Model, Window: cfg.Window,
		Failed: []string{}, Missing: []string{}, Skipped: []string{}}
	for i, o := range outcomes {
		q, mode := questions[i/len(modes)], modes[i%len(modes)]
		switch {
		case errors.Is(o.Err, errMissing):
			if !slices.Contains(r.Missing, o.Case) {
				r.Missing = append(r.Missing, o.Case)
			}
			continue
		case o.Err != nil:
			r.Failed = append(r.Failed, o.Err.Error())
		}
		r.add(q, mode, o.Output)
		if cfg.Observe == nil {
			continue
		}
		if err := cfg.Observe(q, mode, o.Output.Answer); err != nil {
			return nil, err
		}
	}
	r.finish()
	return r, nil
}

// ask opens the tree of a question, and asks it.
func (c *Config) ask(ctx context.Context, q *Question, mode string) (answer *report.Report, unused string, err error) {
	dir := filepath.Join(c.Dir, strings.ReplaceAll(q.mirror(), "/", "+"), "repo")
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, "", errMissing
	}
	repo, err := gitrepo.Open(ctx, dir)
	if err != nil {
		return nil, "", fmt.Errorf("opening %s: %w", q.Repo, err)
	}
	tree, err := repo.Tree(ctx, q.Commit)
	if problem := (*tools.Problem)(nil); errors.As(err, &problem) && problem.Code == "unknown_revision" {
		return nil, "", errMissing
	}
	if err != nil {
		return nil, "", fmt.Errorf("reading %s at %s: %w", q.Repo, q.Commit, err)
	}
	defer tree.Close() // ends processes that only read
	return c.Ask(ctx, q, mode, tree, repo)
}
