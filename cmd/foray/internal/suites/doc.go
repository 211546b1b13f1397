// Package suites has what the commands that measure foray share, and those commands that need neither a chat model nor
// an embedding model. Each command has a file of its own.
//
// Start with [Commands] and [Flags].
package suites
