package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/forayhq/foray/contextwindow/memory/longterm"
)

// MaxMemory is the longest content of a memory, in bytes.
const MaxMemory = 1 << 20

// pageOfMemories is how many memories are read at once.
const pageOfMemories = 1000

// Memories are the memories of all users in a [Store]. They are safe for concurrent use.
type Memories struct{ store *db }

var _ longterm.Store = (*Memories)(nil)

// Memories returns the memories of the store.
func (s *Store) Memories() *Memories { return &Memories{s.db} }

const memoryColumns = `m.id, m.user, m.category, m.content, m.importance, m.accesses, m.accessed, m.embedding,
	m.embedder, m.thread, m.message, m.created, m.updated, m.superseded, m.links, m.sum`

// A memoryRow is a memory as it is stored.
type memoryRow struct {
	longterm.Memory
	accessed, created, updated int64
	embedding, links           []byte
}

func (r *memoryRow) sum() sum {
	return newSum().text(r.ID, r.User, string(r.Category), r.Content, r.Embedder, r.Provenance.Thread,
		r.Provenance.Message, r.SupersededBy).
		bytes(r.embedding).bytes(r.links).num(int64(r.Importance), r.created, r.updated)
}

func scanMemory(from row) (longterm.Memory, error) {
	var r memoryRow
	var stored int64
	err := from.Scan(&r.ID, &r.User, &r.Category, &r.Content, &r.Importance, &r.Accesses, &r.accessed, &r.embedding,
		&r.Embedder, &r.Provenance.Thread, &r.Provenance.Message, &r.created, &r.updated, &r.SupersededBy, &r.links,
		&stored)
	if err != nil {
		return r.Memory, err
	}
	if err := r.sum().check(stored, "memory %q", r.ID); err != nil {
		return r.Memory, err
	}
	r.LastAccess, r.Created, r.Updated = timeOf(r.accessed), timeOf(r.created), timeOf(r.updated)
	r.Embedding = vectorOf(r.embedding)
	if r.links != nil {
		err = json.Unmarshal(r.links, &r.Links)
	}
	return r.Memory, err
}

// memoryRowOf checks a caller's memory and converts it.
func memoryRowOf(m longterm.Memory) (r memoryRow, err error) {
	var errs [4]error
	r.Memory = m
	r.accessed, errs[0] = nanosOf("time of the last access", m.LastAccess)
	r.created, errs[1] = nanosOf("time when the memory was made", m.Created)
	r.updated, errs[2] = nanosOf("time when the memory was changed", m.Updated)
	r.embedding = bytesOf(m.Embedding)
	if len(m.Links) > 0 {
		r.links, errs[3] = json.Marshal(m.Links)
	}
	return r, errors.Join(append(errs[:], checkID("memory", m.ID), checkName("user", m.User),
		checkName("category", string(m.Category)), checkName("embedder", m.Embedder),
		checkSize("content of the memory", len(m.Content), MaxMemory),
		checkSize("embedding and links of the memory", len(r.embedding)+len(r.links), MaxMemory))...)
}

func bytesOf(vector []float32) []byte {
	var b []byte
	for _, v := range vector {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func vectorOf(b []byte) []float32 {
	var vector []float32
	for ; len(b) >= 4; b = b[4:] {
		vector = append(vector, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return vector
}

// All implements [longterm.Store]. It may or may not show changes that are made during the iteration.
func (m *Memories) All(ctx context.Context) iter.Seq2[longterm.Memory, error] {
	query := `SELECT ` + memoryColumns + ` FROM memories m WHERE (m.created, m.id) > (?, ?) ORDER BY m.created, m.id
		LIMIT ?`
	return func(yield func(longterm.Memory, error) bool) {
		created, id := int64(math.MinInt64), ""
		for {
			page, err := get(ctx, m.store, "reading memories", func(tx *sql.Tx) ([]longterm.Memory, error) {
				return list(tx, scanMemory, query, created, id, pageOfMemories)
			})
			if err != nil {
				yield(longterm.Memory{}, err)
				return
			}
			for _, v := range page {
				if !yield(v, nil) {
					return
				}
				id = v.ID
			}
			if len(page) < pageOfMemories {
				return
			}
			if created, err = nanosOf("", page[len(page)-1].Created); err != nil {
				yield(longterm.Memory{}, err)
				return
			}
		}
	}
}

// Put implements [longterm.Store]. It returns [ErrTooLarge] for a content over [MaxMemory].
func (m *Memories) Put(ctx context.Context, memories ...longterm.Memory) error {
	doing := "keeping memories"
	rows := make([]memoryRow, len(memories))
	for i, v := range memories {
		var err error
		if rows[i], err = memoryRowOf(v); err != nil {
			return m.store.explain(doing, fmt.Errorf("memory %d: %w", i+1, err))
		}
	}
	return m.store.write(ctx, doing, func(tx *sql.Tx) error {
		w, err := newMemoryWriter(tx)
		if err != nil {
			return err
		}
		for i := range rows {
			if err := w.put(&rows[i]); err != nil {
				return err
			}
		}
		return nil // the statements end with the transaction
	})
}

// Delete implements [longterm.Store].
func (m *Memories) Delete(ctx context.Context, ids ...string) error {
	return m.store.write(ctx, "deleting memories", func(tx *sql.Tx) error {
		for _, id := range ids {
			var key int64
			err := tx.QueryRow(`DELETE FROM memories WHERE id = ? RETURNING key`, id).Scan(&key)
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			_, err = tx.Exec(`DELETE FROM memory_words WHERE rowid = ?1; DELETE FROM memory_parts WHERE rowid = ?1`, key)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Touch counts an access of each memory. Unknown ids are ignored.
func (m *Memories) Touch(ctx context.Context, at time.Time, ids ...string) error {
	doing := "noting accesses"
	accessed, err := nanosOf("time of the access", at)
	if err != nil {
		return m.store.explain(doing, err)
	}
	return m.store.write(ctx, doing, func(tx *sql.Tx) error {
		for _, id := range ids {
			_, err := tx.Exec(`UPDATE memories SET accesses = accesses + 1, accessed = ? WHERE id = ?`, accessed, id)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Changes returns what all processes changed after the change with a number: the added and changed memories, in their
// present state, the ids of the deleted ones, and the number of the last change. If after is below 0, it returns only
// that number.
func (m *Memories) Changes(ctx context.Context, after int64) (
	changed []longterm.Memory, deleted []string, last int64, err error,
) {
	err = m.store.read(ctx, "reading changes of memories", func(tx *sql.Tx) error {
		err := tx.QueryRow(`SELECT coalesce(max(n), 0) FROM memory_changes`).Scan(&last)
		if err != nil || after < 0 || last <= after {
			return err
		}
		changed, err = list(tx, scanMemory, `SELECT `+memoryColumns+` FROM memory_changes c JOIN memories m ON m.id = c.id
			WHERE c.n > ? ORDER BY c.n`, after)
		if err != nil {
			return err
		}
		deleted, err = list(tx, scanText, `SELECT id FROM memory_changes c WHERE n > ?
			AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = c.id) ORDER BY n`, after)
		return err
	})
	return changed, deleted, last, err
}
