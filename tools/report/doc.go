// Package report is the answer to a question about a source tree: statements, places and excerpts with citations, and how
// they are printed.
//
// Start with [Report], and with [ParseCitation] for the one grammar of a citation.
package report
