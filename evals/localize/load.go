package localize

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/forayhq/foray/evals"
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
	seen := make(map[string]bool)
	skipped, err = evals.EachLine(ctx, paths, func(_ string, line []byte) error {
		in := new(Instance)
		if err := json.Unmarshal(line, in); err != nil {
			return err
		}
		if in.ID == "" || in.Repo == "" || in.Commit == "" || in.Text == "" || len(in.Files) == 0 {
			return errors.New("instance_id, repo, base_commit, problem_statement or gold_files is missing")
		}
		if seen[in.ID] {
			return fmt.Errorf("duplicate instance %s", in.ID)
		}
		seen[in.ID] = true
		instances = append(instances, in)
		return nil
	})
	switch {
	case err != nil || len(instances) > 0:
	case len(skipped) > 0:
		err = fmt.Errorf("no instances in the data: %s", skipped[0])
	default:
		err = errors.New("no instances in the data")
	}
	return instances, skipped, err
}

// splits are the parts of the instances: three quarters to tune on, one quarter to report, and all.
var splits = []string{"dev", "test", "all"}

// splitOf returns the instances of a split, chosen by a hash of their ids.
func splitOf(instances []*Instance, split string) []*Instance {
	return slices.DeleteFunc(slices.Clone(instances), func(in *Instance) bool {
		const parts = 4
		isTest := sha256.Sum256([]byte(in.ID))[0]%parts == 0
		return split == "dev" && isTest || split == "test" && !isTest
	})
}

func (in *Instance) mirror() string { return cmp.Or(in.Mirror, in.Repo) }
