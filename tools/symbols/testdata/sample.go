// Package sample is a sample.
package sample

// Limit is the most.
const Limit = 10

const (
	// A is one.
	A = iota
	B
)

var x, _ = 1, 2

// A Box holds.
type Box[T any] struct {
	v T
}

type (
	// Doer does.
	Doer  interface{ Do() error }
	Alias = int
)

// Get gets.
// Second line.
func (b *Box[T]) Get(
	n int,
) (T, error) {
	f := func() {}
	f()
	return b.v, nil
}
