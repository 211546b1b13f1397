package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/store/internal/packed"
	"github.com/jackc/pgx/v5"
	"github.com/klauspost/compress/s2"
)

// pageOfRecords bounds how many records are read at once, and pageOfBytes how many bytes of their texts at least end a
// page.
const (
	pageOfRecords = 200
	pageOfBytes   = 8 << 20
)

// Records implements [session.Store]. It returns [ErrDamaged] for a record that is not as it was written, or whose text
// is missing. No connection is held while the caller handles a record.
func (s *Store) Records(ctx context.Context, id string) iter.Seq2[session.Record, error] {
	return s.read(ctx, id, func(*reader) error { return nil })
}

// OpenRecords implements [session.Opener].
func (s *Store) OpenRecords(ctx context.Context, id string) iter.Seq2[session.Record, error] {
	return s.read(ctx, id, func(r *reader) error {
		later := context.WithoutCancel(ctx) // bodies are read for as long as the run lasts
		sizes, err := r.allSizes(ctx)
		r.leave = func(hash packed.Hash) (packed.Left, error) {
			size, known := sizes[hash]
			if !known {
				return packed.Left{}, fmt.Errorf("%w: body %x is missing", ErrDamaged, hash)
			}
			return packed.Left{Size: int(size), Read: func() (string, error) { return s.body(later, hash) }}, nil
		}
		return err
	})
}

// body reads one body.
func (s *Store) body(ctx context.Context, hash packed.Hash) (string, error) {
	r := &reader{store: s, texts: make(map[packed.Hash]string)}
	if err := r.bodies(ctx, [][]byte{hash[:]}); err != nil {
		return "", fmt.Errorf("reading a text: %w", err)
	}
	k, err := r.body(hash, true)
	return k.Text, err
}

// read yields the records of a session, once its reader is prepared.
func (s *Store) read(ctx context.Context, id string, prepare func(*reader) error) iter.Seq2[session.Record, error] {
	return func(yield func(session.Record, error) bool) {
		r := &reader{store: s}
		err := checkID(ctx, id)
		if err == nil {
			err = s.pool.QueryRow(ctx, `SELECT key, records FROM sessions WHERE id = $1`, []byte(id)).Scan(&r.key, &r.left)
		}
		if errors.Is(err, pgx.ErrNoRows) {
			err = session.ErrUnknown
		}
		if err == nil {
			err = prepare(r)
		}
		var page []session.Record
		for err == nil && r.left > 0 { // records only ever follow, so that all pages are of one state
			page, err = r.page(ctx)
			for i := range page {
				if !yield(page[i], nil) {
					return
				}
			}
		}
		if err != nil {
			yield(session.Record{}, fmt.Errorf("session %q: %w", id, err))
		}
	}
}

// A reader reads the records that a session had at first.
type reader struct {
	store   *Store
	key     int64
	n, left int // number of the next record, and how many follow
	rows    [][]byte
	texts   map[packed.Hash]string
	leave   func(packed.Hash) (packed.Left, error) // see [packed.Unpacker]
}

// page returns the next records. An error may follow some of them.
func (r *reader) page(ctx context.Context) (page []session.Record, err error) {
	if len(r.rows) == 0 {
		if err := r.read(ctx); err != nil {
			return nil, err
		}
	}
	take := len(r.rows)
	if err := r.load(ctx, &take); err != nil {
		return nil, err
	}
	for _, data := range r.rows[:take] {
		u := packed.Unpacker{Body: r.body, Leave: r.leave}
		rec, err := u.Unpack(data)
		if err != nil {
			return page, fmt.Errorf("record %d: %w", r.n, err)
		}
		page = append(page, rec)
		r.n, r.left, r.rows = r.n+1, r.left-1, r.rows[1:]
	}
	return page, nil
}

// body returns a body that load has read.
func (r *reader) body(hash packed.Hash, asText bool) (packed.Body, error) {
	text, found := r.texts[hash]
	switch {
	case !found:
		return packed.Body{}, fmt.Errorf("%w: body %x is missing", ErrDamaged, hash)
	case asText:
		return packed.Body{Text: text}, nil
	}
	return packed.Body{Raw: []byte(text)}, nil
}

// read reads the next rows.
func (r *reader) read(ctx context.Context) error {
	rows, err := r.store.pool.Query(ctx, `SELECT n, data FROM records
		WHERE session = $1 AND n >= $2 AND n < $3 ORDER BY n`, r.key, r.n, r.n+min(r.left, pageOfRecords))
	if err != nil {
		return err
	}
	n, data := 0, []byte(nil)
	_, err = pgx.ForEachRow(rows, []any{&n, &data}, func() error {
		if want := r.n + len(r.rows); n != want {
			return fmt.Errorf("%w: record %d is missing", ErrDamaged, want)
		}
		r.rows = append(r.rows, data)
		data = nil
		return nil
	})
	if err == nil && len(r.rows) == 0 {
		return fmt.Errorf("%w: record %d is missing, or the session was removed meanwhile", ErrDamaged, r.n)
	}
	return err
}

// load reads the bodies of the next rows, and sets take to how many rows fill a page.
func (r *reader) load(ctx context.Context, take *int) error {
	var hashes [][]byte
	after := make(map[packed.Hash]int) // index of the row that first refers to it
	for i, data := range r.rows {
		u := packed.Unpacker{Leave: r.leave, Body: func(hash packed.Hash, _ bool) (packed.Body, error) {
			if _, seen := after[hash]; !seen {
				after[hash] = i
				hashes = append(hashes, hash[:])
			}
			return packed.Body{}, nil
		}}
		_, _ = u.Unpack(data) // page returns the error
	}
	r.texts = make(map[packed.Hash]string)
	if len(hashes) == 0 {
		return nil
	}
	sizes, err := r.sizes(ctx, hashes)
	if err != nil {
		return err
	}
	bytes := int64(0)
	for i, hash := range hashes {
		if bytes += sizes[packed.Hash(hash)]; bytes > pageOfBytes {
			*take = after[packed.Hash(hash)] + 1
			for i++; i < len(hashes) && after[packed.Hash(hashes[i])] < *take; i++ {
			}
			hashes = hashes[:i]
			break
		}
	}
	return r.bodies(ctx, hashes)
}

// sizes returns how long bodies are, in bytes.
func (r *reader) sizes(ctx context.Context, hashes [][]byte) (map[packed.Hash]int64, error) {
	return sizesIn(r.store.pool.Query(ctx, `SELECT hash, size FROM bodies WHERE hash = ANY ($1)`, hashes))
}

// allSizes returns how long all bodies of the session are, in bytes.
func (r *reader) allSizes(ctx context.Context) (map[packed.Hash]int64, error) {
	return sizesIn(r.store.pool.Query(ctx, `SELECT hash, size FROM session_bodies JOIN bodies ON hash = body
		WHERE session = $1`, r.key))
}

func sizesIn(rows pgx.Rows, err error) (map[packed.Hash]int64, error) {
	if err != nil {
		return nil, err
	}
	sizes := make(map[packed.Hash]int64)
	hash, size := []byte(nil), int64(0)
	_, err = pgx.ForEachRow(rows, []any{&hash, &size}, func() error {
		sizes[packed.Hash(hash)] = size
		return nil
	})
	return sizes, err
}

// bodies reads bodies, and checks each against its hash.
func (r *reader) bodies(ctx context.Context, hashes [][]byte) error {
	rows, err := r.store.pool.Query(ctx, `SELECT hash, size, data FROM bodies WHERE hash = ANY ($1)`, hashes)
	if err != nil {
		return err
	}
	hash, size, data := []byte(nil), int64(0), []byte(nil)
	elsewhere := make(map[packed.Hash]int64)
	_, err = pgx.ForEachRow(rows, []any{&hash, &size, &data}, func() error {
		if data == nil {
			elsewhere[packed.Hash(hash)] = size
			return nil
		}
		text, err := textOf(packed.Hash(hash), size, data)
		r.texts[packed.Hash(hash)] = text
		data = nil
		return err
	})
	if err != nil {
		return err
	}
	return r.store.getElsewhere(ctx, elsewhere, r.texts)
}

// textOf returns the text of a body, and checks it against its hash.
func textOf(hash packed.Hash, size int64, data []byte) (string, error) {
	if n, err := s2.DecodedLen(data); err != nil || int64(n) != size || n > packed.MaxText {
		return "", fmt.Errorf("%w: body %x has %d bytes, not %d", ErrDamaged, hash, n, size)
	}
	text, err := s2.Decode(nil, data)
	if err != nil || sha256.Sum256(text) != hash {
		return "", fmt.Errorf("%w: body %x holds another text: %v", ErrDamaged, hash, err)
	}
	return string(text), nil
}
