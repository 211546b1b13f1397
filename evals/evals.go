package evals

import (
	"context"
	"fmt"
	"sync"

	"github.com/sourcegraph/conc/pool"
)

// A Case is one input of a suite. Its ID is unique in the suite; outcomes are added up by Group.
type Case[In any] struct {
	ID    string
	Group string
	Input In
}

// A Contender turns the input of a case into an output. Run must not modify the input, which others share.
type Contender[In, Out any] struct {
	Name string
	Run  func(ctx context.Context, in In) (Out, error)
}

// A Check is a named promise. Holds returns what is wrong with an output, or nil.
type Check[In, Out any] struct {
	Name  string
	Holds func(in In, out Out) error
}

// A Breach is a promise that an output broke.
type Breach struct {
	Check string
	Err   error
}

// An Outcome is the result of one contender on one case. Output is the zero value if Err is set.
type Outcome[Out any] struct {
	Case      string
	Group     string
	Contender string
	Output    Out
	Err       error
	Breaches  []Breach
}

// A Suite is a set of cases, contenders and checks.
type Suite[In, Out any] struct {
	Cases      []Case[In]
	Contenders []Contender[In, Out]
	Checks     []Check[In, Out]
}

// Options configure [Suite.Run]. Nil and zero values mean the defaults.
type Options struct {
	// Jobs is how many outcomes are computed at a time; 0: one.
	Jobs int
	// Progress receives how many of all outcomes are done. Its calls do not overlap.
	Progress func(done, total int)
}

// Run plays every contender on every case and returns the outcomes, those of the first case first, in the order of the
// contenders. An error or panic of a contender becomes part of its outcome; Run itself only returns the error of ctx.
func (s *Suite[In, Out]) Run(ctx context.Context, o *Options) ([]Outcome[Out], error) {
	if o == nil {
		o = &Options{}
	}
	outcomes := make([]Outcome[Out], len(s.Cases)*len(s.Contenders))
	var mu sync.Mutex // guards done, and orders the calls of Progress
	done := 0
	workers := pool.New().WithMaxGoroutines(max(o.Jobs, 1))
	for i := range outcomes {
		if ctx.Err() != nil {
			break
		}
		workers.Go(func() {
			if ctx.Err() != nil {
				return
			}
			outcomes[i] = s.one(ctx, i)
			mu.Lock()
			defer mu.Unlock()
			if done++; o.Progress != nil {
				o.Progress(done, len(outcomes))
			}
		})
	}
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return outcomes, nil
}

// one plays the i-th pair of case and contender.
func (s *Suite[In, Out]) one(ctx context.Context, i int) (o Outcome[Out]) {
	c, contender := s.Cases[i/len(s.Contenders)], s.Contenders[i%len(s.Contenders)]
	o = Outcome[Out]{Case: c.ID, Group: c.Group, Contender: contender.Name}
	defer func() {
		if v := recover(); v != nil {
			var none Out
			o.Output, o.Breaches = none, nil
			o.Err = fmt.Errorf("playing %s on %s: panic: %v", contender.Name, c.ID, v)
		}
	}()
	out, err := contender.Run(ctx, c.Input)
	if err != nil {
		o.Err = fmt.Errorf("playing %s on %s: %w", contender.Name, c.ID, err)
		return o
	}
	o.Output = out
	for _, check := range s.Checks {
		if err := check.Holds(c.Input, out); err != nil {
			o.Breaches = append(o.Breaches, Breach{check.Name, err})
		}
	}
	return o
}
