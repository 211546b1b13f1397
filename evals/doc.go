// Package evals runs contenders on the same cases and collects their outcomes. Each suite is a package below it.
//
// Start with [Suite.Run].
//
// A [Case] is one input, a [Contender] a named function from inputs to outputs, a [Check] a promise that every output
// must keep. [Suite.Run] plays every contender on every case and returns the outcomes in the order cases ×
// contenders. A suite then adds up its outcomes and prints them as a [Table] in Markdown, or as JSON.
//
// The folder peers is a module of its own: it compares the agent with other libraries (make bench-peers).
//
// # Invariants
//
//   - The same cases and contenders give the same outcomes in the same order, with any number of workers.
//   - A contender that fails or panics fails its own outcome only.
//   - When the context ends, Run returns its error and starts nothing more.
package evals
