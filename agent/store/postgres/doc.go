// Package postgres keeps sessions in PostgreSQL, so that several machines share them. It is a module of its own: who
// does not import it does not download its driver.
//
// Start with [Open]. A run opens its session without the long results that its window does not show, and reads them
// when it needs them.
//
// # What it guarantees
//
// An append is one transaction, which the server has on disk when it returns, whatever its configuration says of
// synchronous_commit. Records have numbers without gaps: of two writers, one gets [session.ErrConflict]. Texts over
// 1 KiB are stored compressed, by their SHA-256, and once for all sessions.
//
// # Large texts
//
// With [Options].Bodies, texts of 64 KiB or more are kept outside of the database, in a bucket for example (package
// agent/store/s3). An append puts them there before its transaction, so that no record refers to a text that is not
// durable; if the store of bodies fails, nothing is added. Texts that the database knows are not put again. Readers
// check each against its SHA-256: a missing one, or another one, is [ErrDamaged] with its name.
//
// # Locks
//
// A store holds all its locks by one connection of its own, with advisory locks. The server frees them when the process
// ends or is killed. When a machine vanishes, it notices after tcp_keepalives_idle and the settings next to it: set
// them to a minute or so. If the connection breaks, another process may take the session while this one still runs it.
// Both are safe: only one of them can append the next record, and the other one ends with [session.ErrConflict].
//
// A pooler in between must pool sessions, not transactions: the latter loses advisory locks.
package postgres
