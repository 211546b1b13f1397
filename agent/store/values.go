package store

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"time"
	"unicode/utf8"
)

// maxID is the length of the longest id or name, in bytes.
const maxID = 1024

// checkID returns ErrInvalid for an id that is empty, longer than maxID, or not UTF-8 and so would not survive an
// export.
func checkID(what, id string) error {
	if id == "" {
		return fmt.Errorf("%w: the %s has no id", ErrInvalid, what)
	}
	return checkName("id of the "+what, id)
}

// checkName is checkID for a name that may be empty.
func checkName(what, name string) error {
	switch {
	case len(name) > maxID:
		return fmt.Errorf("%w: the %s has %d bytes, more than %d", ErrInvalid, what, len(name), maxID)
	case !utf8.ValidString(name):
		return fmt.Errorf("%w: the %s %q is not UTF-8", ErrInvalid, what, name)
	}
	return nil
}

// checkSize returns ErrTooLarge for more bytes than limit.
func checkSize(what string, bytes, limit int) error {
	if bytes > limit {
		return fmt.Errorf("%w: the %s has %d bytes, more than %d", ErrTooLarge, what, bytes, limit)
	}
	return nil
}

// The years whose times fit into an int64 of nanoseconds.
const firstYear, lastYear = 1678, 2261

// nanosOf returns a time in nanoseconds since 1970, as it is stored.
func nanosOf(what string, t time.Time) (int64, error) {
	if t.IsZero() {
		return math.MinInt64, nil
	}
	if y := t.UTC().Year(); y < firstYear || y > lastYear {
		return 0, fmt.Errorf("%w: the %s is in the year %d", ErrInvalid, what, y)
	}
	return t.UnixNano(), nil
}

// timeOf is the inverse of nanosOf. It returns times in UTC.
func timeOf(nanos int64) time.Time {
	if nanos == math.MinInt64 {
		return time.Time{}
	}
	return time.Unix(0, nanos).UTC()
}

// A sum is the checksum of a row from its columns, each with its length, in a fixed order.
type sum uint32

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func newSum() sum { return 0 }

func (s sum) text(columns ...string) sum {
	for _, c := range columns {
		s = s.bytes([]byte(c))
	}
	return s
}

func (s sum) bytes(column []byte) sum {
	return sum(crc32.Update(uint32(s.num(int64(len(column)))), castagnoli, column))
}

func (s sum) num(columns ...int64) sum {
	var b [8]byte
	for _, c := range columns {
		binary.LittleEndian.PutUint64(b[:], uint64(c))
		s = sum(crc32.Update(uint32(s), castagnoli, b[:]))
	}
	return s
}

// check returns ErrDamaged unless the sum equals the one stored with the row.
func (s sum) check(stored int64, what string, args ...any) error {
	if int64(s) != stored {
		return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(what, args...))
	}
	return nil
}

func (s sum) value() int64 { return int64(s) }
