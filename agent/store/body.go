package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/forayhq/foray/agent/store/internal/packed"
	"github.com/klauspost/compress/s2"
)

const bodyColumns = `hash, size, data, sum`

// A bodyRow is a body as it is stored.
type bodyRow struct {
	hash []byte
	size int64
	data []byte
}

func (r *bodyRow) sum() sum { return newSum().bytes(r.hash).num(r.size).bytes(r.data) }

// scanBody returns the text of a body.
func scanBody(from row) ([]byte, error) {
	var r bodyRow
	var stored int64
	if err := from.Scan(&r.hash, &r.size, &r.data, &stored); err != nil {
		return nil, err
	}
	return r.text(nil, stored)
}

// text returns the text of a body that is stored with a sum. It is in the buffer if that is long enough.
func (r *bodyRow) text(buffer []byte, stored int64) ([]byte, error) {
	if err := r.sum().check(stored, "body %x", r.hash); err != nil {
		return nil, err
	}
	if size, err := s2.DecodedLen(r.data); err != nil || int64(size) != r.size || size > maxRecord {
		return nil, fmt.Errorf("%w: body %x has %d bytes, not %d", ErrDamaged, r.hash, size, r.size)
	}
	text, err := s2.Decode(buffer, r.data)
	if err != nil {
		return nil, fmt.Errorf("%w: body %x: %w", ErrDamaged, r.hash, err)
	}
	return text, nil
}

// addBody stores a text unless it is stored already, and returns its key and its size in the database, in bytes.
func addBody(tx queries, hash packed.Hash, text string) (key, bytes int64, err error) {
	err = tx.QueryRow(selectBody, hash[:]).Scan(&key, &bytes)
	if !errors.Is(err, sql.ErrNoRows) {
		return key, bytes, err
	}
	r := bodyRow{hash[:], int64(len(text)), s2.Encode(nil, []byte(text))}
	err = tx.QueryRow(insertBody, r.hash, r.size, r.data, r.sum().value()).Scan(&key)
	return key, int64(len(r.data)), err
}

// A bodyReader reads bodies and keeps them for the next record, since records share them.
type bodyReader struct {
	kept   map[packed.Hash]packed.Body
	bytes  int                        // of them
	quoted map[string]json.RawMessage // see [packed.Unpacker]; they are about as large as the texts that they quote
}

// values returns the values to keep.
func (b *bodyReader) values() map[string]json.RawMessage {
	if b.quoted == nil {
		b.quoted = make(map[string]json.RawMessage)
	}
	return b.quoted
}

// maxKept is how much a bodyReader keeps, in bytes.
const maxKept = 64 << 20

func (b *bodyReader) read(tx *sql.Tx, hash packed.Hash, asText bool) (packed.Body, error) {
	k := b.kept[hash]
	if asText && k.Text != "" || !asText && k.Raw != nil {
		return k, nil
	}
	body, err := scanBody(tx.QueryRow(`SELECT `+bodyColumns+` FROM bodies WHERE hash = ?`, hash[:]))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return k, missingBody(hash)
	case err != nil:
		return k, err
	case asText:
		k.Text = string(body)
	default:
		k.Raw = body
	}
	if b.bytes += len(body); b.bytes > maxKept || b.kept == nil {
		b.kept, b.bytes = make(map[packed.Hash]packed.Body), len(body)
		clear(b.quoted)
	}
	b.kept[hash] = k
	return k, nil
}
