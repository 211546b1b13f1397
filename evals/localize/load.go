package localize

import (
	"cmp"
	"context"
	"errors"

	"github.com/forayhq/foray/evals/internal/cases"
)

// An Instance is a text about a repository at a commit, with the code that it is about.
type Instance struct {
	ID        string   `json:"instance_id"`
	Repo      string   `json:"repo"`
	Mirror    string   `json:"mirror"` // repository that has the commit (default Repo)
	Commit    string   `json:"base_commit"`
	Text      string   `json:"problem_statement"`
	Files     []string `json:"gold_files"`
	Functions []string `json:"gold_functions"` // path:Class.method, path:Class or path:function
	Sets      []string `json:"sets"`
}

// Load reads instances from files or directories of JSON lines, like evals.EachLine. It names lines that do not
// parse, lack a field or repeat an id in skipped.
func Load(ctx context.Context, paths ...string) (instances []*Instance, skipped []string, err error) {
	return cases.Load(ctx, paths, "instance", func(in *Instance) (string, error) {
		if in.ID == "" || in.Repo == "" || in.Commit == "" || in.Text == "" || len(in.Files) == 0 {
			return "", errors.New("instance_id, repo, base_commit, problem_statement or gold_files is missing")
		}
		return in.ID, nil
	})
}

func (in *Instance) mirror() string { return cmp.Or(in.Mirror, in.Repo) }
