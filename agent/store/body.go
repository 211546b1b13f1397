package store

import (
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

const bodyColumns = `hash, size, data, sum`

var (
	zstdEncoder = sync.OnceValues(func() (*zstd.Encoder, error) {
		return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false))
	})
	zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
		return zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxRecord))
	})
)

// A bodyRow is a body as it is stored.
type bodyRow struct {
	hash []byte
	size int64
	data []byte
}

func (r *bodyRow) sum() sum { return newSum().bytes(r.hash).num(r.size).bytes(r.data) }

// scanBody returns the text of a body.
func scanBody(from row) (string, error) {
	var r bodyRow
	var stored int64
	if err := from.Scan(&r.hash, &r.size, &r.data, &stored); err != nil {
		return "", err
	}
	if err := r.sum().check(stored, "body %x", r.hash); err != nil {
		return "", err
	}
	decoder, err := zstdDecoder()
	if err != nil {
		return "", err
	}
	text, err := decoder.DecodeAll(r.data, make([]byte, 0, r.size))
	if err != nil || int64(len(text)) != r.size {
		return "", fmt.Errorf("%w: body %x: %w", ErrDamaged, r.hash, err)
	}
	return string(text), nil
}

// addBody stores a text unless it is stored already, and returns its key and its size in the database, in bytes.
func addBody(tx *sql.Tx, hash bodyHash, text string) (key, bytes int64, err error) {
	err = tx.QueryRow(`SELECT key, length(data) FROM bodies WHERE hash = ?`, hash[:]).Scan(&key, &bytes)
	if !errors.Is(err, sql.ErrNoRows) {
		return key, bytes, err
	}
	encoder, err := zstdEncoder()
	if err != nil {
		return 0, 0, err
	}
	r := bodyRow{hash[:], int64(len(text)), encoder.EncodeAll([]byte(text), nil)}
	err = tx.QueryRow(`INSERT INTO bodies (hash, size, data, sum) VALUES (?, ?, ?, ?) RETURNING key`, r.hash, r.size,
		r.data, r.sum().value()).Scan(&key)
	return key, int64(len(r.data)), err
}

// A bodyReader reads bodies and keeps them for the next record, since records share them.
type bodyReader struct {
	texts map[bodyHash]string
	bytes int // of texts
}

// maxKept is how much a bodyReader keeps, in bytes.
const maxKept = 64 << 20

func (b *bodyReader) read(tx *sql.Tx, hash bodyHash) (string, error) {
	if text, found := b.texts[hash]; found {
		return text, nil
	}
	text, err := scanBody(tx.QueryRow(`SELECT `+bodyColumns+` FROM bodies WHERE hash = ?`, hash[:]))
	if errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("%w: body %x is missing", ErrDamaged, hash)
	}
	if b.bytes += len(text); b.bytes > maxKept || b.texts == nil {
		b.texts, b.bytes = make(map[bodyHash]string), len(text)
	}
	b.texts[hash] = text
	return text, err
}
