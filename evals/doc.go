// Package evals runs subjects side by side over the same cases and reports what came out; a suite is a folder below it.
//
// # How a suite is built
//
// A Case is one input, a Contender a named func that turns an input into an output, a Check a promise that every output
// has to keep. Suite.Run plays every contender on every case, on as many workers as it is allowed, and returns the
// outcomes in the order cases × contenders, whatever the workers did. A suite then adds its outcomes up and prints them
// as a Table in Markdown, or as JSON.
//
// # Invariants
//
//   - The same cases and contenders give the same outcomes in the same order, with any number of workers.
//   - A contender that fails or panics fails its own outcome only.
//   - When the context ends, Run ends with its error and starts nothing more.
package evals
