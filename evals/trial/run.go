package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/task"
)

// Defaults of a [Plan].
const defaultTimeout = 10 * time.Minute

// A Plan says what to run, and where to keep it.
type Plan struct {
	// Set has what to do. A task without Judges is judged by its Checks, which Run parses; it must have one of the two,
	// and an id of its own.
	Set      *task.Set
	Subjects []Subject     // with names that differ
	Trials   int           // of each task by each subject; 0: 1
	Jobs     int           // trials at a time; 0: 1
	Dir      string        // of results, made if it is missing
	Resume   bool          // runs what is missing in Dir; without it, results in Dir are an error
	Retry    []Class       // Resume also runs trials again that failed with one of these; those of the Harness always
	Timeout  time.Duration // of a trial whose task has no Budget.Seconds; 0: 10 minutes
	Foray    string        // its version, for run.json
	Judge    string        // the model that checks ask, for run.json; "": none

	// Elsewhere has another process run a trial with [Part], and returns when that ended. Its error fails the trial, as
	// one of the Harness. It is called by Jobs goroutines; nil: this process runs the trials.
	Elsewhere func(ctx context.Context, at Place) error
	// Begun is called when the folder is open, before the first trial; nil: not at all. What is done is of earlier runs.
	Begun func(Progress)
	// Progress is called after each trial, one call at a time; nil: not at all.
	Progress func(Progress)
}

// A Progress says how far a run is.
type Progress struct {
	Done, Total int // trials
	Kept        int // of Done: from the earlier run
	Passed      int
	Failed      int // with a [Failure]
	Cost        float64
	Elapsed     time.Duration
	Row         *Row // that ended; valid during the call
}

// maxAbandoned is how many subjects may hang after their time-outs before a run ends: each keeps what it holds.
const maxAbandoned = 32

// errAbandoned ends a run with too many subjects that hang.
var errAbandoned = fmt.Errorf("%d trials did not end after their time-outs and still run; "+
	"fix the subject, or give it more time, and resume", maxAbandoned)

// Run runs the trials of a plan that its folder does not hold yet, in rounds: the first trial of each task comes before
// the second of any. In a round it runs subject after subject, each on all tasks: a server keeps its model and the
// prefix that tasks share, and no subject finds in its cache what another one sent.
//
// Run returns the totals of the whole folder. A cancelled ctx, a folder that cannot be written and too many subjects
// that hang end it early with an error beside the totals; what has ended until then is kept, and the same plan with
// Resume completes it.
func Run(ctx context.Context, p Plan) (*Summary, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	r := newRunner(&p)
	l, err := openLedger(&p, r.keep)
	if err != nil {
		return nil, err
	}
	if p.Begun != nil {
		p.Begun(r.now)
	}
	return r.run(ctx, l)
}

// check refuses plans that cannot run.
func (p *Plan) check() error {
	switch {
	case p.Set == nil || len(p.Set.Tasks) == 0:
		return errors.New("running tasks: the set has none")
	case len(p.Subjects) == 0:
		return errors.New("running tasks: no subject")
	case p.Dir == "":
		return errors.New("running tasks: no folder for the results")
	case p.Trials < 0 || p.Jobs < 0 || p.Timeout < 0:
		return errors.New("running tasks: negative trials, jobs or timeout")
	}
	names := map[string]bool{}
	for _, s := range p.Subjects {
		if s.Name == "" || s.Do == nil || names[s.Name] {
			return fmt.Errorf("running tasks: subject %q: each needs a name of its own", s.Name)
		}
		names[s.Name] = true
	}
	if err := p.judges(); err != nil {
		return fmt.Errorf("running tasks: %w", err)
	}
	p.Trials, p.Jobs, p.Timeout = max(p.Trials, 1), max(p.Jobs, 1), cmp.Or(p.Timeout, defaultTimeout)
	return nil
}

// judges gives each task checks, in a copy of the set. It refuses tasks that nothing could fail, or whose results could
// not be kept apart: those that [task.Load] read have been through this.
func (p *Plan) judges() error {
	set, ids := *p.Set, make(map[string]bool, len(p.Set.Tasks))
	set.Tasks = slices.Clone(set.Tasks)
	for i := range set.Tasks {
		t := &set.Tasks[i]
		switch {
		case t.ID == "" || ids[t.ID]:
			return fmt.Errorf("task %q: each needs an id of its own", t.ID)
		case len(t.Judges)+len(t.Checks) == 0:
			return fmt.Errorf("task %q has no checks, so nothing could fail", t.ID)
		}
		ids[t.ID] = true
		if len(t.Judges) > 0 {
			continue
		}
		for _, raw := range t.Checks {
			c, err := check.Parse(raw, nil)
			if err != nil {
				return fmt.Errorf("task %q: %w", t.ID, err)
			}
			t.Judges = append(t.Judges, c)
		}
	}
	p.Set = &set
	return nil
}

func (p *Plan) info() Info {
	info := Info{
		Version: Version, Set: p.Set.Name, Hash: p.Set.Hash, Trials: p.Trials,
		Tasks: len(p.Set.Tasks), Unread: len(p.Set.Problems),
		Started: time.Now().UTC().Truncate(time.Millisecond), Foray: p.Foray, Timeout: p.Timeout.Seconds(), Judge: p.Judge,
	}
	for _, s := range p.Subjects {
		info.Subjects = append(info.Subjects, s.Name)
	}
	return info
}

// A slot is the place of a trial in a run.
type slot struct {
	task    int
	subject string
	trial   int
}

// A runner is one call of Run.
type runner struct {
	plan    *Plan
	ledger  *ledger
	scratch scratch
	started time.Time
	cancel  context.CancelCauseFunc
	index   map[string]int    // of tasks by id
	done    map[slot]struct{} // by earlier runs

	mu        sync.Mutex // guards what follows
	totals    *Summary
	now       Progress
	abandoned int
}

func newRunner(p *Plan) *runner {
	r := &runner{
		plan: p, started: time.Now(), index: make(map[string]int, len(p.Set.Tasks)), done: make(map[slot]struct{}),
		totals: newSummary(p.Dir),
	}
	for i := range p.Set.Tasks {
		r.index[p.Set.Tasks[i].ID] = i
	}
	return r
}

// run runs what the ledger lacks, and closes it.
func (r *runner) run(ctx context.Context, l *ledger) (*Summary, error) {
	r.ledger, r.scratch.lock = l, l.lock
	r.totals.begin(&l.info)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.cancel = cancel
	r.all(ctx)
	r.scratch.remove()
	if ctx.Err() == nil {
		removeAll(filepath.Join(l.dir, partsDir)) // what a process left that was taken for dead
	}
	return r.totals, errors.Join(context.Cause(ctx), l.close())
}

// keep counts a row of an earlier run, and says whether it stays: rows whose trial this plan runs again, and those of
// unknown tasks, do not.
func (r *runner) keep(row *Row) bool {
	i, known := r.index[row.Task]
	at := slot{i, row.Subject, row.Trial}
	_, twice := r.done[at]
	if !known || twice || row.Subject == "" || row.Trial < 1 {
		return false
	}
	planned := row.Trial <= r.plan.Trials &&
		slices.ContainsFunc(r.plan.Subjects, func(s Subject) bool { return s.Name == row.Subject })
	if f := row.Failure; planned && f != nil && (f.Class == Harness || slices.Contains(r.plan.Retry, f.Class)) {
		return false
	}
	r.done[at] = struct{}{}
	r.count(row)
	r.now.Kept++
	return true
}

// all runs what is missing.
func (r *runner) all(ctx context.Context) {
	missing := make(chan job)
	var workers sync.WaitGroup
	for range r.plan.Jobs {
		workers.Go(func() {
			for j := range missing {
				r.one(ctx, j)
			}
		})
	}
	r.feed(ctx, missing)
	close(missing)
	workers.Wait()
}

// A job is one trial to run.
type job struct {
	task    *task.Task
	subject *Subject
	trial   int
}

// feed sends the trials that earlier runs lack, until ctx ends.
func (r *runner) feed(ctx context.Context, to chan<- job) {
	r.now.Total = r.now.Kept
	r.each(func(job) bool { r.now.Total++; return true })
	r.each(func(j job) bool {
		select {
		case to <- j:
			return true
		case <-ctx.Done():
			return false
		}
	})
}

// each calls fn with each missing trial, until it returns false.
func (r *runner) each(fn func(job) bool) {
	p := r.plan
	for n := 1; n <= p.Trials; n++ {
		for s := range p.Subjects {
			for t := range p.Set.Tasks {
				if _, ok := r.done[slot{t, p.Subjects[s].Name, n}]; ok {
					continue
				}
				if !fn(job{&p.Set.Tasks[t], &p.Subjects[s], n}) {
					return
				}
			}
		}
	}
}

// one runs a trial and keeps its row, unless the run ended meanwhile.
func (r *runner) one(ctx context.Context, j job) {
	run := r.trial
	if r.plan.Elsewhere != nil {
		run = r.elsewhere
	}
	row := run(ctx, j)
	if row == nil {
		return
	}
	if err := r.ledger.add(row); err != nil {
		r.cancel(err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count(row)
	if r.plan.Progress != nil {
		p := r.now
		p.Elapsed, p.Row = time.Since(r.started), row
		r.plan.Progress(p)
	}
}

// count adds a row to the totals.
func (r *runner) count(row *Row) {
	r.totals.add(row)
	r.now.Done++
	r.now.Cost += row.Cost
	switch {
	case row.Passed:
		r.now.Passed++
	case row.Failure != nil:
		r.now.Failed++
	}
}

// abandon counts a subject that hangs, and ends the run if they are too many.
func (r *runner) abandon() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.abandoned++; r.abandoned >= maxAbandoned {
		r.cancel(errAbandoned)
	}
}
