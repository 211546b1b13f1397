// Package tree reads a source tree under one policy: what the ignore rules leave out, which files are secret, and what of
// a file may be shown.
//
// Start with [Open] over a directory ([OpenRoot]) or any other file system.
package tree
