package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// maxFaults is how many faults an error of [Store.Check] names.
const maxFaults = 10

// Check reads the whole database and returns [ErrDamaged] if anything is wrong: pages, indexes, the checksum of each
// row, the counts of each thread, the entries of each log.
func (s *Store) Check(ctx context.Context) error {
	doing := "checking the database"
	db := s.reader
	if s.path != InMemory {
		// Use a new connection: on an old one, the check of FTS5 compares with its cache of earlier searches and reports
		// what other processes wrote since then as damage.
		var err error
		if db, err = sql.Open("sqlite", s.readerSource); err != nil {
			return s.explain(doing, err)
		}
		defer db.Close()
	}
	return s.within(ctx, db, doing, checkAll)
}

func checkAll(tx *sql.Tx) error {
	faults, err := list(tx, scanText, `PRAGMA integrity_check(10)`)
	if err != nil {
		return err
	}
	if len(faults) != 1 || faults[0] != "ok" {
		return fmt.Errorf("%w: %s", ErrDamaged, strings.Join(faults, "; "))
	}
	for _, q := range inconsistencies {
		found, err := list(tx, scanText, q.query, maxFaults)
		if err != nil {
			return err
		}
		if len(found) > 0 {
			return fmt.Errorf("%w: %s: %q", ErrDamaged, q.fault, found)
		}
	}
	return checkRows(tx)
}

func scanText(from row) (text string, err error) { return text, from.Scan(&text) }

// inconsistencies are queries that find up to ? faulty rows each.
var inconsistencies = []struct{ fault, query string }{
	{"threads with a wrong count of messages", `SELECT id FROM threads t WHERE messages != (SELECT count(*) FROM messages
		WHERE thread = t.key) OR last != (SELECT coalesce(max(seq), 0) FROM messages WHERE thread = t.key) OR given < last
		LIMIT ?`},
	{"messages without a thread", `SELECT DISTINCT thread FROM messages WHERE thread NOT IN (SELECT key FROM threads)
		LIMIT ?`},
	{"summaries without a thread", `SELECT thread FROM summaries WHERE thread NOT IN (SELECT key FROM threads) LIMIT ?`},
	{"logs with a gap", `SELECT log FROM entries GROUP BY log HAVING count(*) != max(n) + 1 LIMIT ?`},
	{"memories missing in the search index", `SELECT id FROM memories WHERE key NOT IN (SELECT rowid FROM memory_words)
		OR key NOT IN (SELECT rowid FROM memory_parts) LIMIT ?`},
}

// checkRows reads every row, which compares its checksum.
func checkRows(tx *sql.Tx) error {
	threads, err := list(tx, scanThread, `SELECT `+threadColumns+` FROM threads`)
	if err != nil {
		return err
	}
	for _, t := range threads {
		if _, err := summaryOf(tx, t); err != nil {
			return err
		}
		err := visit(tx, dropped(scanMessage(t)), `SELECT `+messageColumns+` FROM messages WHERE thread = ?`, t.key)
		if err != nil {
			return err
		}
	}
	return errors.Join(
		visit(tx, dropped(scanMemory), `SELECT `+memoryColumns+` FROM memories m`),
		visit(tx, dropped(scanBody), `SELECT `+bodyColumns+` FROM bodies`),
		visit(tx, dropped(scanTextRow), `SELECT `+textColumns+` FROM texts`),
		visit(tx, dropped(scanEntry), `SELECT `+entryColumns+` FROM entries`))
}

func dropped[T any](scan func(row) (T, error)) func(row) error {
	return func(from row) error {
		_, err := scan(from)
		return err
	}
}
