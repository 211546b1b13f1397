package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// An Outcome is what a subject did in one trial, as far as checks look at it.
type Outcome struct {
	Prompt string // the task's
	Answer string // the final text; "" if there is none
	Stop   string // why it ended, such as "answered" or "steps"
	Calls  []Call // of tools, in their order
	Steps  int    // answered requests of a model
	Usage  providers.Usage
	Cost   float64 // US dollars
	Priced bool    // Cost is known, also if it is 0
	Took   time.Duration
	Dir    string // the trial's own working copy; "" without files
	Lost   string // why Dir is not as the subject left it, so that no check can judge it; "": it is
	// Fresh makes the working copy as it was at first, in an empty folder. Nil without one.
	Fresh func(ctx context.Context, dir string) error
	// View is the last request without its system prompt, or the one that would come next: what a canary is searched in.
	View []transcript.Message
}

// checkCopy returns an error if no check can judge the working copy.
func (o *Outcome) checkCopy() error {
	switch {
	case o.Lost != "":
		return fmt.Errorf("the working copy is not as the subject left it: %s", o.Lost)
	case o.Dir == "":
		return errNoCopy
	}
	if info, err := os.Lstat(o.Dir); err != nil || !info.IsDir() {
		return errGone
	}
	return nil
}

// errGone is the verdict on a subject that removed or replaced its working copy.
var errGone = errors.New("the working copy is gone")

var errNoCopy = errors.New("the trial has no working copy: give the task files, a dir or a repository")

// A Call is one call of a tool.
type Call struct {
	Name   string          `json:"name"`
	Args   json.RawMessage `json:"args,omitempty"`
	Failed bool            `json:"failed,omitempty"`
}

// A Verdict is what a check found. Score is from 0 to 1; a check without degrees gives 0 or 1.
type Verdict struct {
	Check  string  `json:"check"`
	Passed bool    `json:"passed"`
	Score  float64 `json:"score"`
	Why    string  `json:"why,omitempty"` // for a person: what was missing, or what was found
	// Err says that the check itself failed, so that the trial is neither passed nor failed by it.
	Err string `json:"error,omitempty"`
}

// A Check judges an outcome. Run returns an error only if it could not judge; the caller sets Verdict.Check.
type Check struct {
	Name string
	Run  func(ctx context.Context, o *Outcome) (Verdict, error)
	// Limit is the time after which Run ends by itself, which a harness must allow it; 0: soon.
	Limit time.Duration
}

// Judge runs checks one after another. An error or a panic of a check becomes the Err of its verdict.
func Judge(ctx context.Context, checks []Check, o *Outcome) []Verdict {
	verdicts := make([]Verdict, len(checks))
	for i, c := range checks {
		verdicts[i] = c.judge(ctx, o)
	}
	return verdicts
}

func (c *Check) judge(ctx context.Context, o *Outcome) (v Verdict) {
	defer func() {
		if p := recover(); p != nil {
			v = Verdict{Check: c.Name, Err: fmt.Sprintf("panic: %v", p)}
		}
	}()
	v, err := c.Run(ctx, o)
	if errors.Is(err, errGone) {
		v, err = no("%v", err), nil
	}
	v.Check = c.Name
	if err == nil && (math.IsNaN(v.Score) || v.Score < 0 || v.Score > 1) {
		err = fmt.Errorf("score %v is not between 0 and 1", v.Score)
	}
	if err != nil {
		return Verdict{Check: c.Name, Err: err.Error()}
	}
	return v
}
