// Package cases reads the cases of a suite from files of JSON lines, and splits them.
//
// Start with [Load].
package cases

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/forayhq/foray/evals"
)

// Load reads cases from files or directories of JSON lines, like [evals.EachLine]. In skipped it names lines that do
// not parse, that check refuses, or that repeat an id. The noun is what a case is called. No case at all is an error.
func Load[T any](
	ctx context.Context, paths []string, noun string, check func(*T) (id string, err error),
) (all []*T, skipped []string, err error) {
	seen := make(map[string]bool)
	skipped, err = evals.EachLine(ctx, paths, func(_ string, line []byte) error {
		one := new(T)
		if err := json.Unmarshal(line, one); err != nil {
			return err
		}
		id, err := check(one)
		switch {
		case err != nil:
			return err
		case seen[id]:
			return fmt.Errorf("duplicate %s %s", noun, id)
		}
		seen[id] = true
		all = append(all, one)
		return nil
	})
	switch {
	case err != nil || len(all) > 0:
	case len(skipped) > 0:
		err = fmt.Errorf("no %ss in the data: %s", noun, skipped[0])
	default:
		err = errors.New("no " + noun + "s in the data")
	}
	return all, skipped, err
}

// splits are the parts of the cases: three quarters to tune on, one quarter to report, and all.
var splits = []string{"dev", "test", "all"}

// Split returns the cases of a split, chosen by a hash of their ids: "dev", "test" or "all".
func Split[T any](all []*T, split string, id func(*T) string) ([]*T, error) {
	if !slices.Contains(splits, split) {
		return nil, fmt.Errorf("unknown split %q: must be one of %v", split, splits)
	}
	return slices.DeleteFunc(slices.Clone(all), func(one *T) bool {
		const parts = 4
		isTest := sha256.Sum256([]byte(id(one)))[0]%parts == 0
		return split == "dev" && isTest || split == "test" && !isTest
	}), nil
}
