//go:build race

package store_test

// raced reports whether the race detector is on, under which the database is twenty times slower.
const raced = true
