package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/forayhq/foray/agent/store/internal/packed"
)

// maxFaults is how many faults an error of [Store.Check] names.
const maxFaults = 10

// Check reads the whole database and returns [ErrDamaged] if anything is wrong: pages, indexes, the checksum of each
// row, the counts of each thread, the records of each session and the bodies that they refer to.
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
	{"records without a session", `SELECT DISTINCT key >> 32 FROM records WHERE key >> 32 NOT IN (SELECT key FROM sessions)
		LIMIT ?`},
	{"sessions with a wrong count of records", `SELECT id FROM sessions s WHERE records != (SELECT count(*) FROM records
		WHERE key >= s.key << 32 AND key < (s.key + 1) << 32) LIMIT ?`},
	{"bodies without a session", `SELECT hex(hash) FROM bodies WHERE key NOT IN (SELECT body FROM session_bodies)
		LIMIT ?`},
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
		visit(tx, dropped(scanTextRow), `SELECT `+textColumns+` FROM texts`),
		visit(tx, dropped(scanBody), `SELECT `+bodyColumns+` FROM bodies`),
		checkSessions(tx))
}

// checkSessions reads every record, and compares the bodies that the records of a session refer to with those that are
// kept for it. The bodies themselves are read elsewhere, each once.
func checkSessions(tx *sql.Tx) error {
	rows, err := list(tx, scanSession, `SELECT `+sessionColumns+` FROM sessions`)
	if err != nil {
		return err
	}
	for _, r := range rows {
		reader := recordReader{session: r, bare: true, seen: make(map[packed.Hash]bool)}
		for reader.n < r.Records {
			if _, err := reader.page(tx); err != nil {
				return err
			}
		}
		err := visit(tx, func(from row) error {
			var hash []byte
			if err := from.Scan(&hash); err != nil {
				return err
			}
			if len(hash) != len(packed.Hash{}) || !reader.seen[packed.Hash(hash)] {
				return fmt.Errorf("%w: session %q keeps body %x, and no record refers to it", ErrDamaged, r.ID, hash)
			}
			delete(reader.seen, packed.Hash(hash))
			return nil
		}, `SELECT hash FROM session_bodies JOIN bodies ON key = body WHERE session = ?`, r.key)
		if err != nil {
			return err
		}
		for hash := range reader.seen {
			return fmt.Errorf("%w: body %x of session %q is missing", ErrDamaged, hash, r.ID)
		}
	}
	return nil
}

func dropped[T any](scan func(row) (T, error)) func(row) error {
	return func(from row) error {
		_, err := scan(from)
		return err
	}
}
