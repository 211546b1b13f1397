// Package asked finds what a message asks if something is pasted beside the question: a log, a stack trace, code, a
// diff, data.
//
// Start with [Read].
//
// # How it reads
//
// A line is said or pasted. It is said if it reads like a sentence of English, German or Chinese, outside fences and
// indented blocks. Sentences that ask are the question if they begin or end the message, or have a blank line or a
// fence on both sides. A message that says more than a few sentences beside its question, or has headings, is a report:
// its title is its subject, and it stays whole. So is one with a title that ends in a question for an opinion.
package asked
