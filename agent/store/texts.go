package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory/working"
)

// texts are a working.Archive. They are safe for concurrent use.
type texts struct{ store *db }

var _ working.Archive = texts{}

// Texts returns the texts of working memory in the store, by session. Those of a session with the id of a thread are
// deleted with the thread.
func (s *Store) Texts() working.Archive { return texts{s.db} }

// A textRow is an entry as it is stored.
type textRow struct {
	working.Entry
	session string
	read    int64
	gone    bool
	entry   []byte
	body    []byte
}

const textColumns = `session, id, read, gone, entry, body, sum`

func (r *textRow) sum() sum {
	return newSum().text(r.session, r.ID).bytes(r.entry).bytes(r.body)
}

func scanTextRow(from row) (textRow, error) {
	var r textRow
	var stored int64
	if err := from.Scan(&r.session, &r.ID, &r.read, &r.gone, &r.entry, &r.body, &stored); err != nil {
		return r, err
	}
	if err := r.sum().check(stored, "text %q of session %q", r.ID, r.session); err != nil {
		return r, err
	}
	if err := json.Unmarshal(r.entry, &r.Entry); err != nil {
		return r, fmt.Errorf("%w: text %q of session %q: %w", ErrDamaged, r.ID, r.session, err)
	}
	return r, nil
}

// textRowOf checks a caller's entry and converts it.
func textRowOf(session string, e working.Entry) (r textRow, err error) {
	r = textRow{Entry: e, session: session, gone: e.Gone != "", body: []byte{}}
	var errs [2]error
	r.read, errs[0] = nanosOf("time when the text was read", e.Read)
	r.entry, errs[1] = json.Marshal(e)
	return r, errors.Join(append(errs[:], checkID("session", session), checkID("text", e.ID),
		checkSize("entry", len(r.entry), MaxMemory))...)
}

// Entries implements [working.Archive].
func (m texts) Entries(ctx context.Context, session string) ([]working.Entry, error) {
	return get(ctx, m.store, "reading working memory", func(tx *sql.Tx) ([]working.Entry, error) {
		return list(tx, func(from row) (e working.Entry, err error) {
			var raw []byte
			if err := from.Scan(&raw); err != nil {
				return e, err
			}
			if err := json.Unmarshal(raw, &e); err != nil {
				return e, fmt.Errorf("%w: a text of session %q: %w", ErrDamaged, session, err)
			}
			return e, nil
		}, `SELECT entry FROM texts WHERE session = ? ORDER BY key`, session)
	})
}

// Body implements [working.Archive]. It returns [contextwindow.ErrNoBody] for an unknown or expired text.
func (m texts) Body(ctx context.Context, session, id string) (string, error) {
	return get(ctx, m.store, "reading working memory", func(tx *sql.Tx) (string, error) {
		r, err := scanTextRow(tx.QueryRow(`SELECT `+textColumns+` FROM texts WHERE session = ? AND id = ?`, session, id))
		if errors.Is(err, sql.ErrNoRows) || err == nil && r.gone {
			return "", fmt.Errorf("%w: %q", contextwindow.ErrNoBody, id)
		}
		return string(r.body), err
	})
}

// maxGone is how many entries without text a session keeps.
const maxGone = 1_024

// Keep implements [working.Archive]. It returns [ErrTooLarge] for a text over 32 MiB.
func (m texts) Keep(ctx context.Context, session string, entries []working.Entry, texts map[string]string) error {
	doing := "keeping working memory"
	rows := make([]textRow, len(entries))
	for i, e := range entries {
		var err error
		rows[i], err = textRowOf(session, e)
		if err = errors.Join(err, checkSize("text", len(texts[e.ID]), maxRecord)); err != nil {
			return m.store.explain(doing, err)
		}
	}
	return m.store.write(ctx, doing, func(tx *sql.Tx) error {
		for i := range rows {
			if err := rows[i].keep(tx, texts); err != nil {
				return err
			}
		}
		_, err := tx.Exec(`DELETE FROM texts WHERE session = ?1 AND gone AND key NOT IN
			(SELECT key FROM texts WHERE session = ?1 AND gone ORDER BY read DESC, key DESC LIMIT ?2)`, session, maxGone)
		return err
	})
}

// keep writes the row with its text from texts, or with the text already stored.
func (r *textRow) keep(tx *sql.Tx, texts map[string]string) error {
	text, given := texts[r.ID]
	switch {
	case r.gone:
	case given:
		r.body = []byte(text)
	default:
		query := `SELECT ` + textColumns + ` FROM texts WHERE session = ? AND id = ?`
		old, err := scanTextRow(tx.QueryRow(query, r.session, r.ID))
		if errors.Is(err, sql.ErrNoRows) {
			return nil // deleted with its thread meanwhile
		}
		if err != nil {
			return err
		}
		r.body = old.body
	}
	_, err := tx.Exec(`INSERT INTO texts (session, id, read, gone, entry, body, sum) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (session, id) DO UPDATE SET read = excluded.read, gone = excluded.gone, entry = excluded.entry,
		body = excluded.body, sum = excluded.sum`, r.session, r.ID, r.read, r.gone, r.entry, r.body, r.sum().value())
	return err
}
