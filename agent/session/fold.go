package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// ErrDamaged says that records are not those of a session.
var ErrDamaged = errors.New("damaged session")

// A State is what the records of a session fold to.
type State struct {
	Records int                   // all of them, those of other branches too
	Live    []int                 // indexes of the records that count, ascending: a rewind leaves others out
	Entries []contextwindow.Entry // the log of the window
	Runs    []RunState            // oldest first; at least one
	Rewinds []int                 // indexes of the rewinds that were not undone
}

// A RunState is one run of a session.
type RunState struct {
	Run
	First    int         // index of its record
	Before   int         // entries of the log before the run
	Steps    []StepState // whole ones
	Pending  *Pending    // an answer whose step is not whole; nil: none
	End      *End        // nil: its process ended without saying so
	Elapsed  int64       // duration of its whole steps, in nanoseconds
	Warnings []string    // of its whole steps
}

// A StepState is a whole step.
type StepState struct {
	Stepped
	Record  int // index of its record
	Entries int // of the log, up to the step
}

// A Pending is an answer whose step is not whole, with what is known of its calls.
type Pending struct {
	Answer
	Record   int          // index of its record
	Calls    map[int]Call // that have begun, by index
	Results  map[int]Result
	Verdicts map[int]Verdict
	Entries  int // of the log, up to the answer
}

// Unknown reports whether a call began and has no result.
func (p *Pending) Unknown(index int) bool {
	_, began := p.Calls[index]
	_, ended := p.Results[index]
	return began && !ended
}

// Conversation returns the system prompt and all messages of the session as they were received, without origins and
// provider data. A rewound or compacted window has them, too.
func (s *State) Conversation() (system string, messages []transcript.Message) {
	for _, e := range s.Entries {
		switch {
		case e.Prefix != nil:
			system = e.Prefix.System
		case e.Unit != nil:
			for _, m := range e.Unit.Messages {
				m.Origin, m.ProviderData = "", nil
				messages = append(messages, m)
			}
		}
	}
	return system, messages
}

// Last returns the newest run.
func (s *State) Last() *RunState { return &s.Runs[len(s.Runs)-1] }

// Usage returns what is known of what the run has spent.
func (r *RunState) Usage() (spent providers.Usage) {
	for i := range r.Steps {
		spent = r.Steps[i].Usage
	}
	if r.Pending != nil {
		spent = r.Pending.Usage
	}
	if r.Finished() {
		spent = r.End.Usage
	}
	return spent
}

// Finished reports whether the run ended and cannot be resumed.
func (r *RunState) Finished() bool { return r.End != nil && !r.End.Resumable }

// Waiting returns the calls about which nobody has decided yet.
func (r *RunState) Waiting() (open []Question) {
	if r.End == nil || r.Pending == nil {
		return nil
	}
	for _, q := range r.End.Waiting {
		if _, decided := r.Pending.Verdicts[q.Index]; !decided {
			open = append(open, q)
		}
	}
	return open
}

// Load folds the records of a session in a store.
func Load(ctx context.Context, s Store, id string) (*State, error) {
	_, state, err := read(ctx, s, id)
	return state, err
}

// Open is [Load] for a run that continues: a store that is an [Opener] leaves long texts where they are until the run
// needs them.
func Open(ctx context.Context, s Store, id string) (*State, error) {
	records := s.Records
	if o, is := s.(Opener); is {
		records = o.OpenRecords
	}
	_, state, err := fold(id, records(ctx, id))
	return state, err
}

// Fold folds the records of a session. It returns [ErrDamaged], with the index of the record, if they are not those of
// one.
func Fold(records []Record) (*State, error) {
	live, err := liveRecords(records)
	if err != nil {
		return nil, err
	}
	s := &State{Records: len(records), Live: live}
	for i, r := range records {
		switch {
		case r.Rewind == nil:
		case !r.Rewind.Undo:
			s.Rewinds = append(s.Rewinds, i)
		case len(s.Rewinds) > 0:
			s.Rewinds = s.Rewinds[:len(s.Rewinds)-1]
		}
	}
	for _, i := range live {
		if err := s.add(i, &records[i]); err != nil {
			return nil, fmt.Errorf("%w: record %d: %w", ErrDamaged, i, err)
		}
	}
	if len(s.Runs) == 0 {
		return nil, fmt.Errorf("%w: it has no run", ErrDamaged)
	}
	return s, nil
}

// liveRecords returns the indexes of the records that count: from the last one back, past what each rewind left.
func liveRecords(records []Record) ([]int, error) {
	count := 0
	live := make([]int, len(records))
	for i := len(records) - 1; i >= 0; i-- {
		r := records[i].Rewind
		if r == nil {
			count++
			live[len(live)-count] = i
			continue
		}
		if r.To < 1 || r.To > i {
			return nil, fmt.Errorf("%w: record %d: rewinds to %d", ErrDamaged, i, r.To)
		}
		i = r.To // the next one is To - 1
	}
	return live[len(live)-count:], nil
}

func (s *State) add(i int, r *Record) error {
	if err := r.check(); err != nil {
		return err
	}
	if r.Run != nil {
		s.Runs = append(s.Runs, RunState{Run: *r.Run, First: i, Before: len(s.Entries)})
		return nil
	}
	if len(s.Runs) == 0 {
		return errors.New("comes before the run")
	}
	run := s.Last()
	switch {
	case r.Entries != nil:
		s.Entries = append(s.Entries, r.Entries...)
	case r.Answer != nil:
		run.Pending = &Pending{Answer: *r.Answer, Record: i, Calls: make(map[int]Call), Results: make(map[int]Result),
			Verdicts: make(map[int]Verdict), Entries: len(s.Entries)}
		run.End = nil
	case r.Step != nil:
		step := StepState{*r.Step, i, len(s.Entries)}
		if p := run.Pending; p != nil {
			step.Compactions = slices.Concat(p.Compactions, step.Compactions)
			step.Warnings = slices.Concat(p.Warnings, step.Warnings)
		}
		run.Steps = append(run.Steps, step)
		run.Elapsed += int64(step.Duration)
		run.Warnings = append(run.Warnings, step.Warnings...)
		run.Pending, run.End = nil, nil
	case r.End != nil:
		run.End = r.End
	default:
		return run.addCall(r)
	}
	return nil
}

// addCall adds what a record says of a call of the pending answer.
func (r *RunState) addCall(rec *Record) error {
	if r.Pending == nil {
		return errors.New("belongs to a call, but no answer has calls to finish")
	}
	p, calls := r.Pending, len(r.Pending.Response.Message.Calls)
	within := func(i int) bool { return i >= 0 && i < calls }
	switch {
	case rec.Call != nil && within(rec.Call.Index): // what was decided led to it: if it dies, that is not an answer
		p.Calls[rec.Call.Index] = *rec.Call
		delete(p.Verdicts, rec.Call.Index)
		r.End = nil
	case rec.Result != nil && within(rec.Result.Index) && rec.Result.Unmade:
		delete(p.Calls, rec.Result.Index)
	case rec.Result != nil && within(rec.Result.Index):
		p.Results[rec.Result.Index] = *rec.Result
	case rec.Verdict != nil && within(rec.Verdict.Index):
		p.Verdicts[rec.Verdict.Index] = *rec.Verdict
	default:
		return fmt.Errorf("belongs to a call that the answer does not make: it makes %d", calls)
	}
	return nil
}

// check checks that exactly one field is set, and what reading relies on.
func (r *Record) check() error {
	set := 0
	for _, is := range []bool{r.Run != nil, r.Entries != nil, r.Answer != nil, r.Call != nil, r.Result != nil,
		r.Verdict != nil, r.Step != nil, r.End != nil, r.Rewind != nil} {
		if is {
			set++
		}
	}
	switch {
	case set != 1:
		return fmt.Errorf("%d fields are set, want 1", set)
	case r.Answer != nil && r.Answer.Response == nil:
		return errors.New("answer without a response")
	case r.Verdict != nil && !slices.Contains([]string{Approve, Refuse, Done, Repeat}, r.Verdict.Decision):
		return fmt.Errorf("unknown decision %q", r.Verdict.Decision)
	}
	return nil
}
