// Package postgres keeps sessions in PostgreSQL, so that several machines share them. It is a module of its own: who
// does not import it does not download its driver.
//
// Start with [Open].
//
// # What it guarantees
//
// An append is one transaction, which the server has on disk when it returns, whatever its configuration says of
// synchronous_commit. Records have numbers without gaps: of two writers, one gets [session.ErrConflict]. Texts over
// 1 KiB are stored compressed, by their SHA-256, and once for all sessions.
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
