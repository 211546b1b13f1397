package store

// MaxRecord is for tests.
const MaxRecord = maxRecord
