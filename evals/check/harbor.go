package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/forayhq/foray/internal/process"
)

// A harbor check runs the tests of a task in the form of Harbor without its container. In the texts of the tests, /app
// becomes the working copy, and /tests and /logs a folder of their own.
type harbor struct {
	head
	Tests   string  `json:"tests"` // a folder of the set with test.sh
	Seconds float64 `json:"seconds"`

	tests fs.FS
	timed
}

func (h *harbor) prepare(o *Options) (err error) {
	if h.tests, err = folderOf(o, h.Tests); err != nil {
		return fmt.Errorf("tests: %w", err)
	}
	if _, err := fs.Stat(h.tests, "test.sh"); err != nil {
		return fmt.Errorf("tests: %w", err)
	}
	h.limit, err = limitOf(h.Seconds)
	return err
}

// mounted finds the paths of the container that are elsewhere here.
var mounted = regexp.MustCompile(`(^|[\s"'=:(\x60])/(app|tests|logs)\b`)

func (h *harbor) judge(ctx context.Context, o *Outcome) (Verdict, error) {
	if err := o.checkCopy(); err != nil && !errors.Is(err, errNoCopy) { // without a copy, the tests get an empty folder
		return Verdict{}, err
	}
	dir, err := os.MkdirTemp("", "foray-harbor-")
	if err != nil {
		return Verdict{}, fmt.Errorf("making a folder for the tests: %w", err)
	}
	defer os.RemoveAll(dir)
	app, tests, logs := o.Dir, filepath.Join(dir, "tests"), filepath.Join(dir, "logs")
	if app == "" {
		app = filepath.Join(dir, "app")
	}
	for _, d := range []string{app, tests, filepath.Join(logs, "verifier"), filepath.Join(logs, "agent")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return Verdict{}, fmt.Errorf("making a folder for the tests: %w", err)
		}
	}
	here := map[string]string{"app": app, "tests": tests, "logs": logs}
	err = overlay(tests, h.tests, func(text []byte) []byte {
		return mounted.ReplaceAllFunc(text, func(found []byte) []byte {
			m := mounted.FindSubmatch(found)
			return append(m[1], here[string(m[2])]...)
		})
	})
	if err != nil {
		return Verdict{}, fmt.Errorf("copying the tests: %w", err)
	}
	r, err := process.Run(ctx, process.Command{Args: []string{"bash", filepath.Join(tests, "test.sh")}, Dir: app,
		Limit: h.limit, Keep: keptOutput})
	if err != nil {
		return Verdict{}, err
	}
	if r.Late {
		return no("the tests were killed after %v; their output ends: %s", h.limit, r.Output), nil
	}
	score, err := reward(filepath.Join(logs, "verifier"))
	if err != nil {
		return Verdict{}, fmt.Errorf("%w; exit code %d; their output ends: %s", err, r.Exit, r.Output)
	}
	v := Verdict{Passed: score >= 1, Score: score}
	if !v.Passed {
		v.Why = fmt.Sprintf("reward %g; the output of the tests ends: %s", score, r.Output)
	}
	return v, nil
}

// reward reads the number that the tests wrote: in reward.txt, or as the reward of the object in reward.json.
func reward(dir string) (float64, error) {
	files := os.DirFS(dir)
	if text, err := readFile(files, "reward.txt"); err == nil {
		score, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
		if err != nil {
			return 0, fmt.Errorf("reward.txt of the tests is not a number: %s", shown(string(text)))
		}
		return score, nil
	}
	text, err := readFile(files, "reward.json")
	if err != nil {
		return 0, errors.New("the tests wrote neither reward.txt nor reward.json")
	}
	var rewards map[string]float64
	if err := json.Unmarshal(text, &rewards); err != nil {
		return 0, fmt.Errorf("reward.json of the tests: %w", err)
	}
	score, ok := rewards["reward"]
	if !ok {
		return 0, errors.New("reward.json of the tests has no reward")
	}
	return score, nil
}
