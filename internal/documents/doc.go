// Package documents reads written documentation: it finds the sections of a document by their headings, ranks sections
// for a question by the words of their titles and texts, and finds the sentence that a section begins with.
//
// Start with [Sections] for one file, with [Parse] to rank the sections of many by their titles, and with [Ask] to rank
// their texts by what they say.
//
// It knows Markdown, reStructuredText, AsciiDoc, RDoc and manual pages. Headings in code blocks and comments do not
// count. A section reaches to the next heading of the same or a higher level.
package documents
