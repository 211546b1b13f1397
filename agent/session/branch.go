package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/forayhq/foray/internal/line"
)

// Fork copies a session up to a step of its newest run under another id; step 0 is the prompt of that run, and a
// negative one the newest whole step. A step that is not whole is left out, with what its calls did. It returns
// [ErrConflict] if the other id is taken.
func Fork(ctx context.Context, s Store, id, as string, step int) error {
	records, state, err := read(ctx, s, id)
	if err != nil {
		return err
	}
	to, err := state.recordOf(step)
	if err != nil {
		return fmt.Errorf("session %q: %w", id, err)
	}
	var copied []Record
	for _, i := range state.Live {
		if i < to {
			copied = append(copied, records[i])
		}
	}
	return s.AppendRecords(ctx, as, 0, copied...)
}

// RewindTo takes a session back to a step of its newest run; step 0 is the prompt of that run. Nothing is deleted, and
// [Undo] takes the rewind back. What calls with effects did after that step is not undone. It returns [ErrInUse] while
// the session runs.
func RewindTo(ctx context.Context, s Store, id string, step int) error {
	return change(ctx, s, id, func(state *State) (Record, error) {
		to, err := state.recordOf(max(step, 0))
		return Record{Rewind: &Rewind{To: to}}, err
	})
}

// Undo takes back the newest rewind that was not undone, so that the session continues where it was before. It returns
// [ErrInUse] while the session runs.
func Undo(ctx context.Context, s Store, id string) error {
	return change(ctx, s, id, func(state *State) (Record, error) {
		if len(state.Rewinds) == 0 {
			return Record{}, errors.New("it has no rewind to undo")
		}
		return Record{Rewind: &Rewind{To: state.Rewinds[len(state.Rewinds)-1], Undo: true}}, nil
	})
}

// Decide records what a person decided about a call for which the newest run of a session waits. It returns [ErrInUse]
// while the session runs.
func Decide(ctx context.Context, s Store, id string, v Verdict) error {
	return change(ctx, s, id, func(state *State) (Record, error) {
		i := slices.IndexFunc(state.Last().Waiting(), func(q Question) bool { return q.Index == v.Index })
		if i < 0 {
			return Record{}, errors.New("it is not waiting for a decision about this call")
		}
		allowed := []string{Approve, Refuse}
		if state.Last().Waiting()[i].Unknown {
			allowed = []string{Done, Repeat, Refuse}
		}
		if !slices.Contains(allowed, v.Decision) {
			return Record{}, fmt.Errorf("the decision is %q, must be one of %v", v.Decision, allowed)
		}
		return Record{Verdict: &v}, nil
	})
}

// change adds one record to a session that does not run.
func change(ctx context.Context, s Store, id string, next func(*State) (Record, error)) error {
	unlock, err := s.LockSession(ctx, id)
	if err != nil {
		return err
	}
	defer unlock()
	state, err := Open(ctx, s, id)
	if err != nil {
		return err
	}
	r, err := next(state)
	if err != nil {
		return fmt.Errorf("session %q: %w", id, err)
	}
	r.Time = time.Now().UTC()
	return s.AppendRecords(ctx, id, state.Records, r)
}

// read returns the records of a session and what they fold to.
func read(ctx context.Context, s Store, id string) ([]Record, *State, error) {
	return fold(id, s.Records(ctx, id))
}

func fold(id string, all iter.Seq2[Record, error]) ([]Record, *State, error) {
	var records []Record
	for r, err := range all {
		if err != nil {
			return nil, nil, fmt.Errorf("session %q: %w", id, err)
		}
		records = append(records, r)
	}
	state, err := Fold(records)
	if err != nil {
		return nil, nil, fmt.Errorf("session %q: %w", id, err)
	}
	return records, state, nil
}

// recordOf returns how many of the records lead up to a step of the newest run.
func (s *State) recordOf(step int) (int, error) {
	run := s.Last()
	if step < 0 {
		step = len(run.Steps)
	}
	if step > len(run.Steps) {
		return 0, fmt.Errorf("step %d is not in its newest run, which has %s", step, line.Count(len(run.Steps), "whole step"))
	}
	if step > 0 {
		return run.Steps[step-1].Record + 1, nil
	}
	for at, i := range s.Live { // the entries of the prompt follow the run
		if i == run.First && at+1 < len(s.Live) {
			return s.Live[at+1] + 1, nil
		}
	}
	return 0, errors.New("its run has no prompt")
}
