// Package harness has the commands of foray eval that run people's own task sets, and read what came of it. Each
// command has a file of its own.
//
// Start with [Commands].
package harness
