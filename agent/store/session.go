package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/store/internal/packed"
)

// Sessions are the durable runs of agents in a [Store]. They are safe for concurrent use.
//
// A text of more than 1 KiB in a record is stored compressed, and once, however many records and sessions hold it.
//
// With [Options].Redact, credentials in texts are masked before they are stored. A run that is resumed then sees the
// masks, so that its window is not the one that it had. Reasoning data of providers is stored as it is.
type Sessions struct{ store *db }

var _ session.Store = (*Sessions)(nil)

// Sessions returns the sessions of the store.
func (s *Store) Sessions() *Sessions { return &Sessions{s.db} }

// recordBits is how many bits of the key of a record are its number.
const recordBits = 32

func recordKey(sessionKey int64, n int) int64 { return sessionKey<<recordBits | int64(n) }

func sumOfRecord(key int64, data []byte) sum { return newSum().num(key).bytes(data) }

// AppendRecords implements [session.Store]. It returns [ErrTooLarge] for a text over 32 MiB.
func (s *Sessions) AppendRecords(ctx context.Context, id string, from int, records ...session.Record) error {
	doing := "adding records"
	if err := checkID("session", id); err != nil {
		return s.store.explain(doing, err)
	}
	masked := 0
	if s.store.redact {
		records, masked = packed.Redact(records)
	}
	rows := make([][]byte, len(records))
	var p packed.Packer
	for i := range records {
		var err error
		if rows[i], err = p.Pack(&records[i]); err != nil {
			return fmt.Errorf("%s: record %d of session %q: %w", doing, from+i, id, err)
		}
	}
	return s.store.writePrepared(ctx, doing, appendQueries, func(tx preparedTx) error {
		r, err := findSession(tx, id)
		if err != nil && !errors.Is(err, session.ErrUnknown) {
			return err
		}
		if r.Records != from {
			return fmt.Errorf("session %q: %w: it has %d records, not %d", id, session.ErrConflict, r.Records, from)
		}
		r.ID = id
		r.Redacted += masked
		if r.key == 0 {
			if err := r.save(tx); err != nil { // for its key
				return err
			}
		}
		for hash, text := range p.Bodies {
			if err := r.addBody(tx, hash, text); err != nil {
				return err
			}
		}
		return r.addAll(tx, records, rows)
	})
}

// The queries of an append.
const (
	selectSession     = `SELECT ` + sessionColumns + ` FROM sessions WHERE id = ?`
	updateSession     = `UPDATE sessions SET updated = ?, records = ?, info = ?, sum = ? WHERE key = ?`
	selectBody        = `SELECT key, length(data) FROM bodies WHERE hash = ?`
	insertBody        = `INSERT INTO bodies (hash, size, data, sum) VALUES (?, ?, ?, ?) RETURNING key`
	insertSessionBody = `INSERT INTO session_bodies (session, body) VALUES (?, ?) ON CONFLICT DO NOTHING`
	insertRecord      = `INSERT INTO records (key, data, sum) VALUES (?, ?, ?)`
)

var appendQueries = []string{selectSession, updateSession, selectBody, insertBody, insertSessionBody, insertRecord}

// addAll adds records to a session and brings its row up to date.
func (r *sessionRow) addAll(tx preparedTx, records []session.Record, rows [][]byte) error {
	rewound := false
	for i, data := range rows {
		key := recordKey(r.key, r.Records)
		if _, err := tx.Exec(insertRecord, key, data, sumOfRecord(key, data).value()); err != nil {
			return err
		}
		if r.Records == 0 {
			r.Created = records[i].Time
		}
		r.Records++
		r.Bytes += int64(len(data))
		r.add(&records[i])
		rewound = rewound || records[i].Rewind != nil
	}
	if rewound {
		if err := r.again(tx.Tx); err != nil {
			return err
		}
	}
	var err error
	r.updated, err = nanosOf("time", time.Now())
	return errors.Join(err, r.save(tx))
}

// addBody stores a body of the session.
func (r *sessionRow) addBody(tx queries, hash packed.Hash, text string) error {
	body, bytes, err := addBody(tx, hash, text)
	if err != nil {
		return err
	}
	done, err := tx.Exec(insertSessionBody, r.key, body)
	if err != nil {
		return err
	}
	added, err := done.RowsAffected()
	r.Bytes += added * bytes
	return err
}

// Records implements [session.Store]. It returns [ErrDamaged] for a record that is not as it was written, or whose text
// is missing. No lock is held while the caller handles a record. Records share raw JSON over 1 KiB: do not change it.
func (s *Sessions) Records(ctx context.Context, id string) iter.Seq2[session.Record, error] {
	doing := "reading records"
	return func(yield func(session.Record, error) bool) {
		row, err := get(ctx, s.store, doing, func(tx *sql.Tx) (sessionRow, error) { return findSession(tx, id) })
		if err != nil {
			yield(session.Record{}, err)
			return
		}
		reader := recordReader{session: row}
		for reader.n < row.Records { // records only ever follow, so that all pages are of one state
			page, err := get(ctx, s.store, doing, reader.page)
			for _, r := range page {
				if !yield(r, nil) {
					return
				}
			}
			if err != nil {
				yield(session.Record{}, err)
				return
			}
		}
	}
}

// A recordReader reads the records of a session, as many as it had at first.
type recordReader struct {
	session sessionRow
	n       int                  // of the next record
	bare    bool                 // leave out bodies, except for those of a run
	seen    map[packed.Hash]bool // bodies that records refer to, if bare and not nil
	bodies  bodyReader
}

// pageOfRecords and pageOfBytes bound what is read at once: records, and bytes of their texts.
const (
	pageOfRecords = 500
	pageOfBytes   = 8 << 20
)

// page returns the next records. An error may follow some of them.
func (r *recordReader) page(tx *sql.Tx) ([]session.Record, error) {
	var page []session.Record
	bytes := 0
	err := visit(tx, func(from row) error {
		if bytes > pageOfBytes {
			return errPageFull
		}
		var key, stored int64
		var data []byte
		if err := from.Scan(&key, &data, &stored); err != nil {
			return err
		}
		if key != recordKey(r.session.key, r.n) {
			return fmt.Errorf("%w: record %d of session %q is missing", ErrDamaged, r.n, r.session.ID)
		}
		rec, err := r.unpack(tx, key, data, stored, &bytes)
		if err != nil {
			return fmt.Errorf("record %d of session %q: %w", r.n, r.session.ID, err)
		}
		page = append(page, rec)
		r.n++
		return nil
	}, `SELECT key, data, sum FROM records WHERE key >= ? AND key < ? ORDER BY key LIMIT ?`,
		recordKey(r.session.key, r.n), recordKey(r.session.key, r.session.Records), pageOfRecords)
	switch {
	case errors.Is(err, errPageFull):
		return page, nil
	case err == nil && len(page) == 0:
		return nil, r.missing(tx)
	}
	return page, err
}

// errPageFull ends the reading of a page.
var errPageFull = errors.New("the page is full")

func (r *recordReader) unpack(tx *sql.Tx, key int64, data []byte, stored int64, bytes *int) (session.Record, error) {
	if err := sumOfRecord(key, data).check(stored, "it is not as it was written"); err != nil {
		return session.Record{}, err
	}
	if r.bare {
		u := packed.Unpacker{Body: func(hash packed.Hash, _ bool) (packed.Body, error) {
			if r.seen != nil {
				r.seen[hash] = true
			}
			return packed.Body{}, nil
		}}
		rec, err := u.Unpack(data)
		if err != nil || rec.Run == nil {
			return rec, err
		}
	}
	u := packed.Unpacker{Quoted: r.bodies.values(), Body: func(hash packed.Hash, asText bool) (packed.Body, error) {
		k, err := r.bodies.read(tx, hash, asText)
		*bytes += max(len(k.Text), len(k.Raw))
		return k, err
	}}
	return u.Unpack(data)
}

// missing returns the error for a session that ends too early: it was removed meanwhile, or is damaged.
func (r *recordReader) missing(tx *sql.Tx) error {
	if now, err := findSession(tx, r.session.ID); err != nil {
		return err
	} else if now.key != r.session.key {
		return fmt.Errorf("%w: %q was removed", session.ErrUnknown, r.session.ID)
	}
	return fmt.Errorf("%w: record %d of session %q is missing", ErrDamaged, r.n, r.session.ID)
}
