package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/store/internal/packed"
	"github.com/jackc/pgx/v5"
	"github.com/klauspost/compress/s2"
)

// maxID is the length of the longest id, in bytes.
const maxID = 1024

// checkID returns the context's error, or [ErrInvalid] for an id that an export would lose.
func checkID(ctx context.Context, id string) error {
	switch {
	case id == "":
		return fmt.Errorf("%w: the session has no id", ErrInvalid)
	case len(id) > maxID || !utf8.ValidString(id):
		return fmt.Errorf("%w: the id of a session is UTF-8 of at most %d bytes, not %.40q", ErrInvalid, maxID, id)
	}
	return ctx.Err()
}

// A batch is the records of one append, as they are stored.
type batch struct {
	from    int
	records [][]byte
	hashes  [][]byte // sorted, so that two appends that share bodies do not wait for each other in a circle
	sizes   []int64
	bodies  [][]byte
}

// pack converts records.
func pack(from int, records []session.Record) (*batch, error) {
	b := &batch{from: from}
	var p packed.Packer
	for i := range records {
		data, err := p.Pack(&records[i])
		if err != nil {
			return nil, fmt.Errorf("record %d: %w", from+i, err)
		}
		b.records = append(b.records, data)
	}
	for hash := range p.Bodies {
		b.hashes = append(b.hashes, hash[:])
	}
	slices.SortFunc(b.hashes, bytes.Compare)
	for _, hash := range b.hashes {
		text := p.Bodies[packed.Hash(hash)]
		b.sizes = append(b.sizes, int64(len(text)))
		b.bodies = append(b.bodies, s2.Encode(nil, []byte(text)))
	}
	return b, nil
}

// AppendRecords implements [session.Store]. It returns [ErrTooLarge] for a text over 32 MiB. After an error of the
// network nobody can say whether the records were added: read them.
func (s *Store) AppendRecords(ctx context.Context, id string, from int, records ...session.Record) error {
	err := checkID(ctx, id)
	var b *batch
	if err == nil {
		b, err = pack(from, records)
	}
	if err == nil {
		err = s.putElsewhere(ctx, b)
	}
	if err == nil {
		err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return b.add(ctx, tx, id) })
	}
	if err != nil {
		return fmt.Errorf("adding records to session %q: %w", id, err)
	}
	return nil
}

// add writes the batch. The row of the session serves as the lock of its records.
func (b *batch) add(ctx context.Context, tx pgx.Tx, id string) error {
	query := `UPDATE sessions SET records = records + $2, updated = clock_timestamp()
		WHERE id = $1 AND records = $3 RETURNING key`
	if b.from == 0 {
		query = `INSERT INTO sessions AS s (id, records) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE
			SET records = s.records + $2, updated = clock_timestamp() WHERE s.records = $3 RETURNING key`
	}
	var key int64
	err := tx.QueryRow(ctx, query, []byte(id), len(b.records), b.from).Scan(&key)
	if errors.Is(err, pgx.ErrNoRows) {
		return b.conflict(ctx, tx, id)
	}
	if err != nil {
		return err
	}
	var all pgx.Batch
	if len(b.hashes) > 0 {
		all.Queue(`INSERT INTO bodies (hash, size, data) SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bytea[])
			ON CONFLICT DO NOTHING`, b.hashes, b.sizes, b.bodies)
		all.Queue(`INSERT INTO session_bodies (session, body) SELECT $1, unnest($2::bytea[]) ON CONFLICT DO NOTHING`,
			key, b.hashes)
	}
	all.Queue(`INSERT INTO records (session, n, data) SELECT $1, $2::bigint + i - 1, data
		FROM unnest($3::bytea[]) WITH ORDINALITY AS r (data, i)`, key, b.from, b.records)
	return tx.SendBatch(ctx, &all).Close()
}

// conflict returns the error for a session that has other records than the caller knows.
func (b *batch) conflict(ctx context.Context, tx pgx.Tx, id string) error {
	has := 0
	err := tx.QueryRow(ctx, `SELECT records FROM sessions WHERE id = $1`, []byte(id)).Scan(&has)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	return fmt.Errorf("%w: it has %d records, not %d", session.ErrConflict, has, b.from)
}
