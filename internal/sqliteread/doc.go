// Package sqliteread opens SQLite databases of other programs without changing them.
//
// Start with [Open].
package sqliteread
