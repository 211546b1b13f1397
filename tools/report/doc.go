// Package report is the answer to a question about a source tree, and how it is printed: statements, places and
// excerpts with citations.
//
// Start with [Report]. [ParseCitation] reads the one form of citations in this module, and [Citation.String] writes it.
package report
