// Package store keeps threads, memories, the texts of working memory and sessions, which are durable runs, in one
// SQLite file.
//
// Start with [Open]. The interfaces are those of the packages that use them: a [Store] is a [chat.Store],
// [Store.Memories] a [longterm.Store], [Store.Texts] a [working.Archive] and [Store.Sessions] a [session.Store].
//
//	threads ─┬─< messages     thread, seq   numbered from 1 in their thread; no number is used twice
//	         └── summaries    thread        replaced only by a caller that has read the latest one
//	memories ─┬─ memory_words (FTS5)        stems of words; Chinese, Japanese and Korean by character
//	          └─ memory_parts (FTS5)        sequences of three characters, to find parts of words
//	memory_changes            n             the last change of each memory, for other processes
//	texts                     session, id   texts of working memory
//	sessions ─┬─< records     session, n    of durable runs, from 0 without gaps; a record never changes
//	          └─> bodies      hash          texts of records over 1 KiB, compressed, each once (session_bodies)
//
// Deleting a thread also deletes the texts whose session is the thread's id. Deleting a session also deletes the bodies
// that no other session refers to.
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
// # Sessions
//
// A record is stored as JSON. Its texts over 1 KiB are bodies, found by their SHA-256 and compressed with S2: steps
// that read the same file, and forks of a session, share them. So are short texts that JSON would change, since they
// are not UTF-8. Raw JSON keeps its spaces, and refers to the texts of its step that it quotes. A run opens its session
// with [Sessions.OpenRecords], which leaves long results and values where they are. [Sessions.Remove] deletes the
// bodies that no other session holds, in the same transaction: [Store.Check] finds a body without a session, and a
// reference without a body.
//
// Each append also brings the row of its session up to date, so that [Sessions.List] reads one row a session.
//
// # Locks of threads and sessions
//
// A turn takes many transactions, so [Store.LockThread] keeps others out of its thread from its question to its
// answer. The lock is an exclusive flock (on Windows, an open that shares nothing) on a small file beside the
// database, PATH-lock-HASH, which exists while the lock is held and names the holder for people. Why not
//
//   - a row with the holder's process id: the id is used again, means nothing in another container, and says
//     nothing of a process that was killed;
//   - a row with a lease: it needs a heartbeat for each turn, keeps a killed holder's thread for as long as the
//     lease, and takes the thread from a process that is only stopped or suspended;
//   - the lock of SQLite: it would keep every other thread from being written, for minutes.
//
// The kernel frees a flock when its process ends, however it ends, and at no other time. So the next process takes
// over from a killed one at once, and never from one that lives; a stopped one has to be ended by its user. The file
// that a killed process leaves has no meaning, and the next holder of the thread removes it.
//
// The goroutines of a process get the lock of a thread in order of arrival. Processes do not: each tries every 20 ms.
// But those that try touch the file, and a holder that sees it leaves the lock free for 50 ms before the next of its
// own goroutines takes it. So of two processes that both always want a thread, each gets it after at most one turn of
// the other, as long as the system lets it run every 50 ms; of more, those that wait draw lots after each turn, and
// nobody who has just had the lock takes part.
//
// [Sessions.LockSession] takes the same kind of lock for as long as a session runs, and does not wait for it.
//
// The lock is not the last guard. [Store.SaveThread] and [Store.TruncateMessages] compare the thread's last message
// with what the caller knows, in the transaction that writes, and return [chat.ErrConflict] to a writer that has missed
// one. That holds if the file of a lock was removed by hand, and on file systems without locks, where LockThread
// keeps only the goroutines of a process apart. Over NFS, SQLite's write-ahead log is safe for the processes of one
// machine only, and so is this.
//
// Any number of goroutines and processes may read concurrently. One writes at a time; the others wait up to
// [Options].Wait or until their context ends, and then get [ErrLocked]. No lock is held while a caller
// handles what [Memories.All] yields or an export writes. Times come from the caller; the store reads the
// clock only to wait, and to say since when a lock is held.
//
// # Figures
//
// Measured by go test -run '^$' -bench . ./agent/store on two shared cores: a message of 500 bytes is on
// the disk in 1.5 ms. The newest 20 of 10,000 messages are read in 0.4 ms. A search over 100,000 memories
// takes 1 to 4 ms, even if all its words are common, and reading all of them takes 0.4 s. Fifty goroutines save 1,000
// memories a second through [longterm.Memories], and 450 while fifty threads are written, since those that come while
// the database is busy share a transaction.
//
// Sessions, on the same cores while others kept them busy (median; a tenth of the steps were faster than the second
// figure): a short step is on the disk in 0.7 ms (0.4). One that reads 200 KB takes 4 ms (2.5) if the text is new. A
// session of 2,000 steps that read 200 KB each, 400 MB, opens in 0.25 s and then holds 65 MB of memory; reading all of
// it takes seconds. In the database it takes 204 MB, and 22 MB if the texts come from 100 files.
package store
