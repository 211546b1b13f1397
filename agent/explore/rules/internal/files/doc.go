// Package files answers questions about a file or a directory that the question names: what it is for, what it defines
// or holds.
//
// Start with [Ask].
package files
