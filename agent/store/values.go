package store

import (
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc32"
	"math"
	"time"
	"unicode/utf8"
)

// maxID is the longest id or name that is kept, in bytes.
const maxID = 1024

// checkID returns ErrInvalid for what cannot name something: nothing, what is not UTF-8 and would not survive an export,
// and what is longer than maxID.
func checkID(what, id string) error {
	switch {
	case id == "":
		return fmt.Errorf("%w: no id of the %s", ErrInvalid, what)
	default:
		return checkName("id of the "+what, id)
	}
}

// checkName is checkID for a name that may be empty.
func checkName(what, name string) error {
	switch {
	case len(name) > maxID:
		return fmt.Errorf("%w: the %s has %d bytes, %d are the most", ErrInvalid, what, len(name), maxID)
	case !utf8.ValidString(name):
		return fmt.Errorf("%w: the %s %q is not UTF-8", ErrInvalid, what, name)
	}
	return nil
}

// checkSize returns ErrTooLarge for more bytes than limit.
func checkSize(what string, bytes, limit int) error {
	if bytes > limit {
		return fmt.Errorf("%w: the %s takes %d bytes, %d are the most", ErrTooLarge, what, bytes, limit)
	}
	return nil
}

// The years whose times fit into nanoseconds since 1970.
const firstYear, lastYear = 1678, 2261

// nanosOf returns a time as it is stored.
func nanosOf(what string, t time.Time) (int64, error) {
	if t.IsZero() {
		return math.MinInt64, nil
	}
	if y := t.UTC().Year(); y < firstYear || y > lastYear {
		return 0, fmt.Errorf("%w: the %s is in the year %d", ErrInvalid, what, y)
	}
	return t.UnixNano(), nil
}

// timeOf returns the time that nanosOf stored, in UTC.
func timeOf(nanos int64) time.Time {
	if nanos == math.MinInt64 {
		return time.Time{}
	}
	return time.Unix(0, nanos).UTC()
}

// A sum is the check sum of a row under way: each column goes in with its length, in a fixed order.
type sum struct{ crc hash.Hash32 }

func newSum() sum { return sum{crc32.New(crc32.MakeTable(crc32.Castagnoli))} }

func (s sum) text(columns ...string) sum {
	for _, c := range columns {
		s.bytes([]byte(c))
	}
	return s
}

func (s sum) bytes(column []byte) sum {
	s.num(int64(len(column)))
	_, _ = s.crc.Write(column) // a hash never fails
	return s
}

func (s sum) num(columns ...int64) sum {
	var b [8]byte
	for _, c := range columns {
		binary.LittleEndian.PutUint64(b[:], uint64(c))
		_, _ = s.crc.Write(b[:])
	}
	return s
}

// check returns ErrDamaged unless the sum is the one that was stored with the row.
func (s sum) check(stored int64, what string, args ...any) error {
	if int64(s.crc.Sum32()) != stored {
		return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(what, args...))
	}
	return nil
}

func (s sum) value() int64 { return int64(s.crc.Sum32()) }
