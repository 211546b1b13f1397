package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
)

// The states of a session.
const (
	Running     = "running"     // a process holds its lock
	Waiting     = "waiting"     // for a person to decide about calls
	Interrupted = "interrupted" // its process ended without an end
	Ended       = "ended"
)

// A SessionInfo is what a list shows of a session. It describes the newest run, except for Steps and Usage, which are
// of all runs, without what a rewind left out.
type SessionInfo struct {
	ID        string          `json:"id"`
	Title     string          `json:"title"` // first line of the prompt, or of the input of the user
	Folder    string          `json:"folder,omitempty"`
	Agent     string          `json:"agent"`
	Provider  string          `json:"provider,omitempty"`
	Model     string          `json:"model"`
	State     string          `json:"state"`
	Stop      string          `json:"stop,omitempty"`      // why it ended or waits
	Resumable bool            `json:"resumable,omitempty"` // agent.Resume can continue the newest run now
	Runs      int             `json:"runs"`
	Steps     int             `json:"steps"`
	Usage     providers.Usage `json:"usage"`
	Created   time.Time       `json:"created"` // time of the first record
	Updated   time.Time       `json:"updated"` // when records were last added
	Records   int             `json:"records"`
	Redacted  int             `json:"redacted,omitempty"` // credentials that were masked
	Bytes     int64           `json:"bytes"`              // in the database, with all of the bodies that it shares
}

// A sessionRow is a session as it is stored.
type sessionRow struct {
	SessionInfo
	Before  providers.Usage `json:"before"` // of the runs before the newest
	key     int64
	updated int64
}

const sessionColumns = `key, id, updated, records, info, sum`

// maxTitle is the longest title, in bytes.
const maxTitle = 200

func sumOfSession(id string, updated, records int64, info []byte) sum {
	return newSum().text(id).num(updated, records).bytes(info)
}

func scanSession(from row) (r sessionRow, err error) {
	var id string
	var info []byte
	var records, stored int64
	if err := from.Scan(&r.key, &id, &r.updated, &records, &info, &stored); err != nil {
		return r, err
	}
	if err := sumOfSession(id, r.updated, records, info).check(stored, "session %q", id); err != nil {
		return r, err
	}
	if err := json.Unmarshal(info, &r); err != nil {
		return r, fmt.Errorf("%w: session %q: %w", ErrDamaged, id, err)
	}
	r.ID, r.Records, r.Updated = id, int(records), timeOf(r.updated)
	return r, nil
}

// findSession returns a session, or [session.ErrUnknown].
func findSession(tx queries, id string) (sessionRow, error) {
	r, err := scanSession(tx.QueryRow(selectSession, id))
	if errors.Is(err, sql.ErrNoRows) {
		return r, fmt.Errorf("%w: %q", session.ErrUnknown, id)
	}
	return r, err
}

// save inserts the session and sets its key, or updates it.
func (r *sessionRow) save(tx queries) error {
	info, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	sum := sumOfSession(r.ID, r.updated, int64(r.Records), info).value()
	if r.key > 0 {
		_, err = tx.Exec(updateSession, r.updated, r.Records, info, sum, r.key)
		return err
	}
	return tx.QueryRow(`INSERT INTO sessions (id, updated, records, info, sum) VALUES (?, ?, ?, ?, ?) RETURNING key`,
		r.ID, r.updated, r.Records, info, sum).Scan(&r.key)
}

// add brings what the session shows up to date with a record that is not a rewind.
func (r *sessionRow) add(rec *session.Record) {
	switch {
	case rec.Run != nil:
		run := rec.Run
		title := run.Input
		if title == "" {
			title = run.Prompt
		}
		title, _, _ = strings.Cut(strings.TrimSpace(title), "\n")
		r.Title = line.Truncate(title, maxTitle)
		r.Folder, r.Agent, r.Provider, r.Model = run.Folder, run.Agent, run.Provider, run.Model
		r.Before = r.Usage
		r.Runs++
		r.State, r.Stop, r.Resumable = Interrupted, "", false
	case rec.Answer != nil:
		r.Usage = r.Before.Add(rec.Answer.Usage)
		r.State, r.Stop, r.Resumable = Interrupted, "", false
	case rec.Verdict != nil || rec.Call != nil || rec.Result != nil: // of several questions, the next run asks again
		r.State, r.Stop, r.Resumable = Interrupted, "", false
	case rec.Step != nil:
		r.Steps++
		r.Usage = r.Before.Add(rec.Step.Usage)
		r.State, r.Stop, r.Resumable = Interrupted, "", false
	case rec.End != nil:
		r.Usage = r.Before.Add(rec.End.Usage)
		r.State, r.Stop, r.Resumable = Ended, rec.End.Stop, rec.End.Resumable
		if len(rec.End.Waiting) > 0 {
			r.State = Waiting
		}
	}
}

// again computes what the session shows anew, after a rewind.
func (r *sessionRow) again(tx *sql.Tx) error {
	var records []session.Record
	for reader := (recordReader{session: *r, bare: true}); reader.n < r.Records; {
		page, err := reader.page(tx)
		if err != nil {
			return err
		}
		records = append(records, page...)
	}
	state, err := session.Fold(records)
	if err != nil {
		return nil // whoever folds them gets the error
	}
	r.SessionInfo = SessionInfo{ID: r.ID, Created: r.Created, Records: r.Records, Bytes: r.Bytes, Redacted: r.Redacted}
	r.Before = providers.Usage{}
	for _, i := range state.Live {
		r.add(&records[i])
	}
	return nil
}
