// Package search finds patterns in the files of a tree, in parallel, with the matches of ripgrep.
//
// Start with [New].
package search
