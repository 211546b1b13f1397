// Package store keeps threads, memories, the texts of working memory and the logs of windows in one SQLite
// file.
//
// Start with [Open]. The interfaces are those of the packages that use them: a [Store] is a [chat.Store],
// [Store.Memories] a [longterm.Store], [Store.Sessions] a [working.Archive] and [Store.Bodies] a
// [contextwindow.Store].
//
//	threads ─┬─< messages     thread, seq   numbered from 1 in their thread; no number is used twice
//	         └── summaries    thread        replaced only by a caller that has read the latest one
//	memories ─┬─ memory_words (FTS5)        stems of words; Chinese, Japanese and Korean by character
//	          └─ memory_parts (FTS5)        sequences of three characters, to find parts of words
//	memory_changes            n             the last change of each memory, for other processes
//	texts                     session, id   texts of working memory
//	bodies                    scope, id     full texts of what a window truncated
//	entries                   log, n        the log of a window, from 0 without gaps
//
// Deleting a thread also deletes the texts, bodies and entries whose session, scope or log is the thread's id.
//
// The file is at [Path] unless another is given, and only its owner may read it. When it is opened,
// migrations bring an older schema to the current version, all of them or none. Older schemas cannot be restored.
//
// # Invariants
//
// A method does all of its work or, with an error, none. When it returns without an error, the change is on
// the disk. A killed process loses only its unfinished change.
//
// Each row has a checksum: reading corrupt data returns [ErrDamaged], never a wrong text. [Store.Check] reads
// everything. It cannot find a flipped bit in the newest part of the write-ahead log, because SQLite ends the
// log there.
//
// Deleted data is overwritten in the file. In the write-ahead log it may remain until the file is closed.
//
// Any number of goroutines and processes may read concurrently. One writes at a time; the others wait up to
// [Options].Wait or until their context ends, and then get [ErrLocked]. No lock is held while a caller
// handles what [Memories.All] yields or an export writes. Times come from the caller; the store reads the
// clock only to wait.
//
// # Figures
//
// Measured by go test -run '^$' -bench . ./agent/store on two shared cores: a message of 500 bytes is on
// the disk in 1.5 ms. The newest 20 of 10,000 messages are read in 0.4 ms. A search over 100,000 memories
// takes 1 to 4 ms, even if all its words are common, and reading all of them takes 0.4 s.
package store
