// Package suites has what the commands that measure foray share, and those of them that need no model to ask and none
// that embeds. Each command has a file of its own.
//
// Start with [Commands] and [Flags].
package suites
