// Package sessionwalk is a run for tests of sessions: it reads and writes pages, and continues after any interruption
// as it would have without.
//
// Start with [New].
package sessionwalk
