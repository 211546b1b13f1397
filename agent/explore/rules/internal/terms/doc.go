// Package terms turns programmers' words in German and Chinese, and phrases of spoken English, into the words that code
// uses.
//
// Start with [Chinese], [German] and [Phrases].
package terms
