package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/store/internal/packed"
	"github.com/forayhq/foray/contextwindow"
)

var _ session.Opener = (*Sessions)(nil)

// OpenRecords implements [session.Opener]. It reads no body that a run needs late or never, but finds one that is
// missing.
func (s *Sessions) OpenRecords(ctx context.Context, id string) iter.Seq2[session.Record, error] {
	doing := "opening a session"
	return func(yield func(session.Record, error) bool) {
		o, err := get(ctx, s.store, doing, func(tx *sql.Tx) (*opening, error) { return openSession(tx, id) })
		if err != nil {
			yield(session.Record{}, err)
			return
		}
		later := context.WithoutCancel(ctx) // bodies are read for as long as the run lasts
		o.late = func(hash packed.Hash) (string, error) { return s.body(later, hash) }
		records, err := o.fill()
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
		if err != nil {
			yield(session.Record{}, s.store.explain(doing, err))
		}
	}
}

// body reads one body.
func (s *Sessions) body(ctx context.Context, hash packed.Hash) (string, error) {
	text, err := get(ctx, s.store, "reading a text", func(tx *sql.Tx) ([]byte, error) {
		text, err := scanBody(tx.QueryRow(`SELECT `+bodyColumns+` FROM bodies WHERE hash = ?`, hash[:]))
		if errors.Is(err, sql.ErrNoRows) {
			err = missingBody(hash)
		}
		return text, err
	})
	return string(text), err
}

func missingBody(hash packed.Hash) error {
	return fmt.Errorf("%w: body %x is missing", ErrDamaged, hash)
}

// An opening is what is read of a session to open it.
type opening struct {
	session sessionRow
	rows    [][]byte         // the data of its records
	records []session.Record // parsed rows
	failed  error            // what ended the records too early
	bodies  map[packed.Hash]storedBody
	late    func(packed.Hash) (string, error) // reads a body
}

// A storedBody is a body as it is stored. Long ones have no data: they are read later.
type storedBody struct {
	bodyRow
	stored int64 // its sum
}

// openSession reads the records of a session and its short bodies, each in one query: looking thousands of bodies up
// takes longer than all else.
func openSession(tx *sql.Tx, id string) (*opening, error) {
	row, err := findSession(tx, id)
	if err != nil {
		return nil, err
	}
	o := &opening{session: row, bodies: make(map[packed.Hash]storedBody)}
	o.failed = visit(tx, o.addRow, `SELECT key, data, sum FROM records WHERE key >= ? AND key < ? ORDER BY key`,
		recordKey(row.key, 0), recordKey(row.key, row.Records))
	if n := len(o.rows); o.failed == nil && n < row.Records {
		o.failed = o.gap()
	}
	var parsing sync.WaitGroup
	parsing.Go(o.parse) // in the meantime, one processor reads bodies
	// SQLite would read all of a long body to find the sum after it.
	err = visit(tx, o.addBody, `SELECT hash, size, CASE WHEN size < ?2 THEN data END, CASE WHEN size < ?2 THEN sum
		ELSE 0 END FROM session_bodies JOIN bodies ON key = body WHERE session = ?1`, row.key, contextwindow.LongResult)
	parsing.Wait()
	return o, err
}

func (o *opening) addRow(from row) error {
	var key, stored int64
	var data []byte
	if err := from.Scan(&key, &data, &stored); err != nil {
		return err
	}
	if key != recordKey(o.session.key, len(o.rows)) {
		return o.gap()
	}
	if err := sumOfRecord(key, data).check(stored, "record %d of session %q", len(o.rows), o.session.ID); err != nil {
		return err
	}
	o.rows = append(o.rows, data)
	return nil
}

func (o *opening) gap() error {
	return fmt.Errorf("%w: record %d of session %q is missing", ErrDamaged, len(o.rows), o.session.ID)
}

func (o *opening) addBody(from row) error {
	var b storedBody
	if err := from.Scan(&b.hash, &b.size, &b.data, &b.stored); err != nil {
		return err
	}
	if len(b.hash) == len(packed.Hash{}) {
		o.bodies[packed.Hash(b.hash)] = b
	}
	return nil
}

// parse parses the rows.
func (o *opening) parse() {
	o.records = make([]session.Record, len(o.rows))
	o.each(func(begin, end int) (int, error) {
		for i := begin; i < end; i++ {
			var err error
			if o.records[i], err = packed.Parse(o.rows[i]); err != nil {
				return i, err
			}
		}
		return end, nil
	})
}

// fill returns the records with their texts. An error may follow some of them.
func (o *opening) fill() ([]session.Record, error) {
	o.each(o.fillSome)
	return o.records, o.failed
}

// each calls fn with parts of the records, from begin to end, so that all processors share the work. Records end where
// the first of them fails.
func (o *opening) each(fn func(begin, end int) (failed int, err error)) {
	n := len(o.records)
	parts := min(runtime.GOMAXPROCS(0), 1+n/100)
	errs, ends := make([]error, parts), make([]int, parts)
	var all sync.WaitGroup
	for i := range parts {
		all.Go(func() { ends[i], errs[i] = fn(i*n/parts, (i+1)*n/parts) })
	}
	all.Wait()
	for i, err := range errs {
		if err != nil {
			o.records = o.records[:ends[i]]
			o.failed = fmt.Errorf("record %d of session %q: %w", ends[i], o.session.ID, err)
			return
		}
	}
}

// fillSome replaces the references in some of the records, and returns at which of them it ended.
func (o *opening) fillSome(begin, end int) (int, error) {
	texts := make(map[packed.Hash]packed.Body) // neighbours share them
	var buffer []byte
	for i := begin; i < end; i++ {
		u := packed.Unpacker{Leave: o.leave, Body: func(hash packed.Hash, asText bool) (packed.Body, error) {
			k := texts[hash]
			if asText && k.Text != "" || !asText && k.Raw != nil {
				return k, nil
			}
			text, err := o.read(hash, &buffer)
			if asText {
				k.Text = text
			} else {
				k.Raw = []byte(text)
			}
			texts[hash] = k
			return k, err
		}}
		if err := u.Fill(&o.records[i]); err != nil {
			return i, err
		}
	}
	return end, nil
}

// leave is for [packed.Unpacker].
func (o *opening) leave(hash packed.Hash) (packed.Left, error) {
	b, known := o.bodies[hash]
	if !known {
		return packed.Left{}, missingBody(hash)
	}
	return packed.Left{Size: int(b.size), Read: func() (string, error) { return o.late(hash) }}, nil
}

// read returns the text of a body. The buffer is for the next one, too.
func (o *opening) read(hash packed.Hash, buffer *[]byte) (string, error) {
	b, known := o.bodies[hash]
	switch {
	case !known:
		return "", missingBody(hash)
	case b.data == nil:
		return o.late(hash)
	}
	text, err := b.text(*buffer, b.stored)
	*buffer = text[:cap(text)]
	return string(text), err
}
