// Package terms turns programmers' words in German and Chinese into the English words that code uses.
//
// Start with [Chinese] and [German].
package terms
