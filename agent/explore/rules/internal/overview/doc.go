// Package overview recognises questions about a project as a whole, and reads its licence, its first sentence and its
// entry points by the conventions of the languages.
//
// Start with [PartOf].
package overview
