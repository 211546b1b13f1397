package store

import (
	"database/sql"
	"errors"
)

// A memoryWriter holds the statements that put memories, prepared once for many.
type memoryWriter struct{ old, upsert, dropWords, dropParts, words, parts *sql.Stmt }

func newMemoryWriter(tx *sql.Tx) (*memoryWriter, error) {
	w := &memoryWriter{}
	for _, prepare := range []struct {
		into  **sql.Stmt
		query string
	}{
		{&w.old, `SELECT content FROM memories WHERE id = ?`},
		{&w.upsert, `INSERT INTO memories (id, user, category, content, importance, accesses, accessed, embedding,
			embedder, thread, message, created, updated, superseded, links, sum)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET user = excluded.user, category = excluded.category, content = excluded.content,
			importance = excluded.importance, accesses = excluded.accesses, accessed = excluded.accessed,
			embedding = excluded.embedding, embedder = excluded.embedder, thread = excluded.thread, message = excluded.message,
			created = excluded.created, updated = excluded.updated, superseded = excluded.superseded, links = excluded.links,
			sum = excluded.sum RETURNING key`},
		{&w.dropWords, `DELETE FROM memory_words WHERE rowid = ?`},
		{&w.dropParts, `DELETE FROM memory_parts WHERE rowid = ?`},
		{&w.words, `INSERT INTO memory_words (rowid, content) VALUES (?, ?)`},
		{&w.parts, `INSERT INTO memory_parts (rowid, content) VALUES (?, ?)`},
	} {
		var err error
		if *prepare.into, err = tx.Prepare(prepare.query); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// put keeps a memory. It writes the search index only if the content has changed.
func (w *memoryWriter) put(r *memoryRow) error {
	var old string
	err := w.old.QueryRow(r.ID).Scan(&old)
	isNew := errors.Is(err, sql.ErrNoRows)
	if err != nil && !isNew {
		return err
	}
	var key int64
	err = w.upsert.QueryRow(r.ID, r.User, r.Category, r.Content, r.Importance, r.Accesses, r.accessed, r.embedding,
		r.Embedder, r.Provenance.Thread, r.Provenance.Message, r.created, r.updated, r.SupersededBy, r.links,
		r.sum().value()).Scan(&key)
	if err != nil || !isNew && old == r.Content {
		return err
	}
	if !isNew {
		if _, err := w.dropWords.Exec(key); err != nil {
			return err
		}
		if _, err := w.dropParts.Exec(key); err != nil {
			return err
		}
	}
	if _, err := w.words.Exec(key, spaced(r.Content)); err != nil {
		return err
	}
	_, err = w.parts.Exec(key, r.Content)
	return err
}
