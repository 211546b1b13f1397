package agent

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools"
)

// A Session keeps a run in a store, from which another process can resume it. See package agent/session.
type Session struct {
	Store session.Store
	ID    string
	Setup json.RawMessage // kept for the program that makes the agent again; any JSON
	Trace string          // where the process that begins the run is traced (W3C traceparent), kept for [RunResumed]
	Steps int             // whole steps until the run stops with [Paused], to be resumed elsewhere; 0: all
}

// A journal writes the records of a run's session. The methods of a nil journal do nothing.
type journal struct {
	*env
	*Session
	unlock    func()
	nonce     string               // of the run
	begun     map[int]session.Call // calls of the answer that an earlier process began
	failed    error                // the first; nothing is saved afterwards
	records   int                  // of the session
	saved     int                  // entries of the window's log that the session has
	warned    int                  // warnings of the result that it has
	compacted int                  // compactions that it has
	open      bool                 // it holds the run: an end may be written
	done      int                  // whole steps of this process
	answered  int                  // index of the record of the answer whose calls are made; 0: none
}

// add writes records in one transaction, also if the run was cancelled: what happened is to be kept.
func (j *journal) add(records ...session.Record) error {
	if j.failed != nil {
		return j.failed
	}
	now := time.Now().UTC()
	for i := range records {
		records[i].Time = now
	}
	if err := j.Store.AppendRecords(context.WithoutCancel(j.parent), j.ID, j.records, records...); err != nil {
		j.open, j.failed = false, fmt.Errorf("the session is not saved: %w", err)
		return j.failed
	}
	j.records += len(records)
	return nil
}

// broken returns why nothing is saved any more, or nil.
func (j *journal) broken() error {
	if j == nil {
		return nil
	}
	return j.failed
}

// tookMessages saves messages of the inbox, which nobody else has any more. If that fails, the step will.
func (j *journal) tookMessages() {
	if records := j.grown(); len(records) > 0 {
		_ = j.add(records...) // broken has the error
	}
}

// grown returns a record of the entries that the window's log grew by, if any.
func (j *journal) grown() []session.Record {
	entries := j.window.Entries(j.saved)
	if len(entries) == 0 {
		return nil
	}
	j.saved += len(entries)
	return []session.Record{{Entries: entries}}
}

// progress returns what happened since the last record that has it.
func (j *journal) progress(s session.Service) session.Progress {
	all := j.compactions()
	p := session.Progress{
		Usage: j.account.used(), Compactions: all[j.compacted:], Warnings: j.warnings(), Service: s,
	}
	j.compacted = len(all)
	return p
}

// warnings returns the warnings since the last record that has some.
func (j *journal) warnings() []string {
	from := j.warned
	j.warned = len(j.result.Warnings)
	return j.result.Warnings[from:]
}

// pauses reports whether this process has made its steps.
func (j *journal) pauses() bool { return j != nil && j.Steps > 0 && j.done >= j.Steps }

// begin writes the beginning of a run.
func (j *journal) begin(t *Task) error {
	if j == nil {
		return nil
	}
	info, nonce := j.config.Model.Info(), rand.Text()[:nonceLength]
	begun := &session.Run{
		Agent: j.config.Name, Provider: info.Provider, Model: info.Name, Profile: j.budget.Profile, Limit: j.budget.Limit,
		Prompt: t.Prompt, Thread: t.Thread, User: t.User, Input: t.Input, Folder: t.Repository, Setup: j.Setup,
		Trace: j.Trace,
	}
	for _, tool := range j.tools.schemas {
		begun.Tools = append(begun.Tools, tool.Name)
	}
	var errs [2]error
	begun.Sampling, errs[0] = json.Marshal(j.config.Sampling)
	begun.Limits, errs[1] = json.Marshal(t.Limits)
	if err := errors.Join(errs[:]...); err != nil {
		return fmt.Errorf("the session is not saved: %w", err)
	}
	j.open, j.nonce, begun.Nonce = true, nonce, nonce
	return j.add(append([]session.Record{{Run: begun}}, j.grown()...)...)
}

// answer writes an answer whose calls are about to be made, unless the run was resumed with it.
func (j *journal) answer(s session.Service, a *providers.Response, asked time.Duration) error {
	if j == nil || j.answered > 0 {
		return nil
	}
	records := append(j.grown(), session.Record{Answer: &session.Answer{
		Progress: j.progress(s), Step: j.step.Number, Response: a, Asked: asked,
	}})
	if err := j.add(records...); err != nil {
		return err
	}
	j.answered = j.records - 1
	return nil
}

// nonceLength is how many letters of a run's keys are random: 60 bits.
const nonceLength = 12

// key names a call of the answer: the same in every process that makes it, and of no other call. It is "" for an answer
// that is not saved, because none of its calls has effects.
func (j *journal) key(index int) string {
	if j == nil || j.answered == 0 {
		return ""
	}
	if c, began := j.begun[index]; began {
		return c.Key
	}
	return fmt.Sprintf("%s.%s.%d.%d", j.ID, j.nonce, j.answered, index+1)
}

// maxResult is the longest result that a session keeps, in bytes. A window shows a few thousand tokens of one.
const maxResult = 8 << 20

// bound fails calls whose results are too large to keep, so that the model can ask for less.
func (j *journal) bound(records []ToolRecord, results []transcript.Message) {
	for i := range results {
		n := len(results[i].Text)
		for _, im := range results[i].Images {
			n += len(im.Data)
		}
		if j != nil && n > maxResult {
			records[i].Err = fmt.Errorf("the call was made, but its result of %d bytes is too large to keep: ask for less than %d",
				n, maxResult)
			records[i].Value, results[i] = nil, transcript.Message{}
		}
	}
}

// started writes that a call with effects begins.
func (j *journal) started(index int) error {
	if j == nil {
		return nil
	}
	return j.add(session.Record{Call: &session.Call{Step: j.step.Number, Index: index, Key: j.key(index)}})
}

// ended writes how calls ended, from the one with index first on. Calls that the end of the run broke off are left out:
// those with effects stay unknown, and the others are made again.
func (j *journal) ended(first int, records []ToolRecord, results []transcript.Message, effects bool) error {
	if j == nil || j.answered == 0 {
		return nil
	}
	var ends []session.Record
	for i := range records {
		rec := &records[i]
		r := &session.Result{
			Index: first + i, Record: j.recordOf(rec), Message: results[i], Taken: j.account.taken(), Usage: j.account.used(),
		}
		switch {
		case errors.Is(rec.Err, errRunOver) && effects:
			r = &session.Result{Index: first + i, Unmade: true}
		case rec.Err != nil && (j.cancelled() || errors.Is(rec.Err, errRunOver)):
			continue
		}
		ends = append(ends, session.Record{Result: r})
	}
	if len(ends) == 0 {
		return nil
	}
	return j.add(ends...)
}

// stepped writes that a step is whole. Closing says why the run ends with it, if it does.
func (j *journal) stepped(s session.Service, took time.Duration, closing Stop) error {
	if j == nil {
		return nil
	}
	done := &session.Stepped{
		Progress: j.progress(s), Step: j.step, Taken: j.account.taken(), Duration: took, Closing: string(closing),
	}
	for i := range j.result.Tools {
		if rec := &j.result.Tools[i]; rec.Step == j.step.Number {
			done.Tools = append(done.Tools, j.recordOf(rec))
		}
	}
	j.answered, j.begun = 0, nil
	j.done++
	return j.add(append(j.grown(), session.Record{Step: done})...)
}

// end writes how the run ended. One that can be resumed continues from its last whole step, so that its later entries
// are left out.
func (j *journal) end(failed error) error {
	if j == nil {
		return nil
	}
	defer j.release()
	if !j.open {
		return nil
	}
	r := &j.result
	end := &session.End{
		Stop: string(r.Stop), Text: r.Text, Steps: r.Steps, Usage: r.Usage, Duration: r.Duration, Warnings: j.warnings(),
		Unread: r.Unread, Abandoned: r.Abandoned, Resumable: r.Stop.Resumable(), Waiting: r.Waiting,
	}
	if failed != nil {
		end.Error = failed.Error()
	}
	var records []session.Record
	if !end.Resumable {
		records = j.grown()
	}
	return j.add(append(records, session.Record{End: end})...)
}

// release lets other processes run the session.
func (j *journal) release() {
	if j != nil && j.unlock != nil {
		j.unlock()
		j.unlock = nil
	}
}

// recordOf returns the record of a call as a session keeps it.
func (j *journal) recordOf(r *ToolRecord) session.ToolRecord {
	kept := session.ToolRecord{
		Step: r.Step, Call: r.Call, Made: r.Made, Notes: r.Notes, Started: r.Started, Duration: r.Duration,
		Tokens: r.Tokens, TokensIn: r.TokensIn, TokensOut: r.TokensOut, Cut: r.Cut, Abandoned: r.Abandoned,
	}
	if r.Err != nil {
		kept.Error, kept.NotExecuted = r.Err.Error(), errors.Is(r.Err, errNotExecuted)
		if p := (*tools.Problem)(nil); errors.As(r.Err, &p) {
			kept.Problem = p
		}
		return kept
	}
	if tool, _ := j.tools.Lookup(r.Made.Name); tool.Decode != nil && r.Value != nil {
		if raw, err := json.Marshal(r.Value); err == nil && len(raw) <= maxResult { // else the text has to do
			kept.Value = raw
		}
	}
	return kept
}

// restored returns a record as it was before it was kept. Only the value of a tool without Decode is missing.
func (j *journal) restored(kept *session.ToolRecord) ToolRecord {
	r := ToolRecord{
		Step: kept.Step, Call: kept.Call, Made: kept.Made, Notes: kept.Notes, Started: kept.Started,
		Duration: kept.Duration, Tokens: kept.Tokens, TokensIn: kept.TokensIn, TokensOut: kept.TokensOut, Cut: kept.Cut,
		Abandoned: kept.Abandoned,
	}
	switch {
	case kept.Problem != nil && kept.Problem.Error() == kept.Error:
		r.Err = kept.Problem
	case kept.NotExecuted:
		r.Err = notExecuted(kept.Error)
	case kept.Error != "":
		r.Err = errors.New(kept.Error)
	case kept.Value != nil:
		if tool, _ := j.tools.Lookup(r.Made.Name); tool.Decode != nil {
			r.Value, _ = tool.Decode(kept.Value) // a value of an older version is left out
		}
	}
	return r
}

// A notExecuted is the error of a kept call that the model may repeat unchanged.
type notExecuted string

func (e notExecuted) Error() string { return string(e) }

func (e notExecuted) Is(target error) bool { return target == errNotExecuted }
