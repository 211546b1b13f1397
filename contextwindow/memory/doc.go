// Package memory is what outlives a window's view: the working memory that keeps whole what a window cut.
//
// # Invariants
//
// What a live scope holds is never dropped: a pointer in a view always resolves. A scope ends with its run.
package memory
