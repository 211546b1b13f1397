// Package scripted is a model that follows a script: the same answers every time, without a network, a key or a
// clock. It is for tests and examples, in this module and in its users'.
//
// Start with [New]. A script is a list of [Line] values; each request takes the next one. A line says what the
// answer contains, how long it takes, and how it fails: with an error of any class ([Fail], [Busy]), by breaking
// off ([Broken]), by hanging (Line.Hang), by being too long (Options.Limit), or by breaking the contract
// ([Malformed], [Deltas]). [Func] makes a line from the request, [Repeat] serves several requests with one line.
// [Model.Requests] returns what the model was asked.
//
// # Invariants
//
// The model passes providertest.Run. It starts no goroutine. It waits only for Delay and Pace, on timers that
// testing/synctest controls, and the end of the context ends a wait. Call ids are counted, never random.
package scripted
