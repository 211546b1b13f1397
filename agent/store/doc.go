// Package store keeps threads, memories, the bodies of working memory and the logs of windows in one SQLite file.
//
// A [Store] is a chat.Store, [Store.Memories] a memory.Store and memory.Follower, [Store.Sessions] memory.Bodies and
// [Store.Bodies] a contextwindow.Store: the interfaces stand with those who use them, and this package implements them.
//
//	threads ─┬─< messages     thread, seq     numbered from 1 in their thread; a number is never given twice
//	         └── summaries    thread          replaced only by who has read the last one
//	memories ─┬─ memory_words (FTS5)          stems of words; Chinese, Japanese, Korean by character
//	          └─ memory_parts (FTS5)          three characters each: parts of words
//	memory_changes            n               the last change of each memory, for other processes that know it
//	texts                     session, id     what sessions of working memory hold; one of a thread's id goes with it
//	bodies                    scope, id       full texts of what a window cut; a scope that is a thread's id goes with it
//	entries                   log, n          a window's log, from 0 without gaps; likewise
//
// The file is at [Path] unless another is given, and only its owner may read it. The schema has a version; a step leads
// from each to the next, taken whole or not at all when the file is opened, and none leads back.
//
// # Invariants
//
// What a method does it does whole or, with an error, not at all; when it has returned without one, the change is on the
// disk. A process that is killed loses the change under way and nothing else.
//
// Each row has a check sum. What a disk garbled is [ErrDamaged] when it is read, and never a wrong text. [Store.Check]
// reads everything. It cannot find a flipped bit in the newest, unmerged part of the write-ahead log: SQLite takes that for
// the end of the log.
//
// What is deleted is overwritten in the file; in the write-ahead log it may stand until the file is closed.
//
// Any number of goroutines and processes read side by side; one writes at a time and the others wait, at most
// [Options].Wait or until their context ends, and then get [ErrLocked]. Nothing is locked while a caller looks at what All yields or an export writes.
// Times come from the caller; the store looks at no clock but to wait.
//
// # Figures
//
// go test -run '^$' -bench . ./agent/store, on two shared cores: a message of 500 bytes is on the disk in 1.5 ms; the newest
// 20 of 10,000 messages are read in 0.4 ms; a search over 100,000 memories takes 1 to 4 ms, also if all its words are
// common, and to read all of them 0.4 s.
package store
