package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/contextwindow"
)

const entryColumns = `log, n, data, sum`

// An entryRow is an entry as it is stored.
type entryRow struct {
	n int
	contextwindow.Entry
}

func scanEntry(from row) (r entryRow, err error) {
	var log string
	var data []byte
	var stored int64
	if err := from.Scan(&log, &r.n, &data, &stored); err != nil {
		return r, err
	}
	if err := sumOfEntry(log, r.n, data).check(stored, "entry %d of log %q", r.n, log); err != nil {
		return r, err
	}
	return r, json.Unmarshal(data, &r.Entry)
}

func sumOfEntry(log string, n int, data []byte) sum {
	return newSum().text(log).num(int64(n)).bytes(data)
}

// AppendEntries adds entries to the log of a window, as in AppendEntries(ctx, log, n, w.Entries(n)...): all of them or,
// with an error, none. It returns [chat.ErrConflict] unless the log has exactly from entries, and [ErrTooLarge] for an
// entry over 32 MiB. A log that has the id of a thread is deleted with it.
func (s *Store) AppendEntries(ctx context.Context, log string, from int, entries ...contextwindow.Entry) error {
	doing := "adding entries"
	if err := checkID("log", log); err != nil {
		return s.explain(doing, err)
	}
	data := make([][]byte, len(entries))
	for i, e := range entries {
		var err error
		if data[i], err = json.Marshal(e); err != nil {
			return fmt.Errorf("%s: %w: entry %d: %w", doing, ErrInvalid, from+i, err)
		}
		if err := checkSize("entry", len(data[i]), maxRecord); err != nil {
			return s.explain(doing, err)
		}
	}
	return s.write(ctx, doing, func(tx *sql.Tx) error {
		var has int
		if err := tx.QueryRow(`SELECT coalesce(max(n) + 1, 0) FROM entries WHERE log = ?`, log).Scan(&has); err != nil {
			return err
		}
		if has != from {
			return fmt.Errorf("%w: the log %q has %d entries, not %d", chat.ErrConflict, log, has, from)
		}
		for i, d := range data {
			n := from + i
			_, err := tx.Exec(`INSERT INTO entries (log, n, data, sum) VALUES (?, ?, ?, ?)`,
				log, n, d, sumOfEntry(log, n, d).value())
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Entries returns the log of a window, for [contextwindow.Load]. An unknown log is empty.
func (s *Store) Entries(ctx context.Context, log string) ([]contextwindow.Entry, error) {
	var found []contextwindow.Entry
	err := s.read(ctx, "reading entries", func(tx *sql.Tx) error {
		return visit(tx, func(from row) error {
			r, err := scanEntry(from)
			if err == nil && r.n != len(found) {
				err = fmt.Errorf("%w: entry %d of log %q is missing", ErrDamaged, len(found), log)
			}
			found = append(found, r.Entry)
			return err
		}, `SELECT `+entryColumns+` FROM entries WHERE log = ? ORDER BY n`, log)
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// TruncateEntries keeps the first n entries of a log and deletes the others. After a window's Rewind, n is one less than
// the window's entries: the newest one says that it was rewound, and is to be saved.
func (s *Store) TruncateEntries(ctx context.Context, log string, n int) error {
	return s.write(ctx, "removing entries", func(tx *sql.Tx) error {
		_, err := tx.Exec(`DELETE FROM entries WHERE log = ? AND n >= ?`, log, n)
		return err
	})
}
