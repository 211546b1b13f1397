package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/forayhq/foray/contextwindow"
)

// Bodies are the full texts of what one window truncated: its blob store. They are safe for concurrent use.
type Bodies struct {
	store *db
	scope string
}

var _ contextwindow.Store = (*Bodies)(nil)

// Bodies returns the bodies of a scope, which may be new. If the scope is the id of a thread, they are deleted with it.
func (s *Store) Bodies(scope string) *Bodies { return &Bodies{s.db, scope} }

const bodyColumns = `scope, id, body, sum`

func scanBody(from row) (string, error) {
	var scope, id string
	var body []byte
	var stored int64
	if err := from.Scan(&scope, &id, &body, &stored); err != nil {
		return "", err
	}
	return string(body), sumOfBody(scope, id, body).check(stored, "body %q of %q", id, scope)
}

func sumOfBody(scope, id string, body []byte) sum { return newSum().text(scope, id).bytes(body) }

// Put stores a body under an id and replaces an earlier one. It returns [ErrTooLarge] for a body over 32 MiB.
func (b *Bodies) Put(id, body string) error {
	doing := "keeping a body"
	err := errors.Join(checkID("scope", b.scope), checkID("body", id), checkSize("body", len(body), maxRecord))
	if err != nil {
		return b.store.explain(doing, err)
	}
	return b.store.write(context.Background(), doing, func(tx *sql.Tx) error {
		data := []byte(body)
		_, err := tx.Exec(`INSERT INTO bodies (scope, id, body, sum) VALUES (?, ?, ?, ?)
			ON CONFLICT (scope, id) DO UPDATE SET body = excluded.body, sum = excluded.sum`,
			b.scope, id, data, sumOfBody(b.scope, id, data).value())
		return err
	})
}

// Get returns the body under an id, or [contextwindow.ErrNoBody].
func (b *Bodies) Get(id string) (string, error) {
	return get(context.Background(), b.store, "reading a body", func(tx *sql.Tx) (string, error) {
		body, err := scanBody(tx.QueryRow(`SELECT `+bodyColumns+` FROM bodies WHERE scope = ? AND id = ?`, b.scope, id))
		if errors.Is(err, sql.ErrNoRows) {
			return "", fmt.Errorf("%w: %q", contextwindow.ErrNoBody, id)
		}
		return body, err
	})
}

// Clear deletes all bodies of the scope.
func (b *Bodies) Clear(ctx context.Context) error {
	return b.store.write(ctx, "removing bodies", func(tx *sql.Tx) error {
		_, err := tx.Exec(`DELETE FROM bodies WHERE scope = ?`, b.scope)
		return err
	})
}
