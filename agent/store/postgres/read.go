package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"time"

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
	return func(yield func(session.Record, error) bool) {
		r := &reader{store: s}
		err := checkID(ctx, id)
		if err == nil {
			err = s.pool.QueryRow(ctx, `SELECT key, records FROM sessions WHERE id = $1`, []byte(id)).Scan(&r.key, &r.left)
		}
		if errors.Is(err, pgx.ErrNoRows) {
			err = session.ErrUnknown
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
		u := packed.Unpacker{Body: r.body}
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
		u := packed.Unpacker{Body: func(hash packed.Hash, _ bool) (packed.Body, error) {
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
	rows, err := r.store.pool.Query(ctx, `SELECT hash, size FROM bodies WHERE hash = ANY ($1)`, hashes)
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
	_, err = pgx.ForEachRow(rows, []any{&hash, &size, &data}, func() error {
		if n, err := s2.DecodedLen(data); err != nil || int64(n) != size || n > packed.MaxText {
			return fmt.Errorf("%w: body %x has %d bytes, not %d", ErrDamaged, hash, n, size)
		}
		text, err := s2.Decode(nil, data)
		if err != nil || sha256.Sum256(text) != packed.Hash(hash) {
			return fmt.Errorf("%w: body %x holds another text: %v", ErrDamaged, hash, err)
		}
		r.texts[packed.Hash(hash)] = string(text)
		return nil
	})
	return err
}

// An Info is what a list shows of a session.
type Info struct {
	ID      string
	Records int
	Created time.Time
	Updated time.Time // when records were last added
}

// List returns sessions, last updated first. It skips offset sessions and returns at most limit.
func (s *Store) List(ctx context.Context, offset, limit int) ([]Info, error) {
	rows, err := s.pool.Query(ctx, `SELECT id, records, created, updated FROM sessions ORDER BY updated DESC, id
		LIMIT $1 OFFSET $2`, max(0, limit), max(0, offset))
	if err != nil {
		return nil, fmt.Errorf("listing sessions: %w", err)
	}
	var list []Info
	var id []byte
	var i Info
	_, err = pgx.ForEachRow(rows, []any{&id, &i.Records, &i.Created, &i.Updated}, func() error {
		i.ID, i.Created, i.Updated = string(id), i.Created.UTC(), i.Updated.UTC()
		list = append(list, i)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing sessions: %w", err)
	}
	return list, nil
}
