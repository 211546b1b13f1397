// Package offline is a model that follows a script: the same answers every time, with no network, no key and no clock.
// It is for tests and examples, of this module and of its users.
//
// A script is a list of lines; each request takes the next. A Line says what the answer holds, how long it and its
// pieces let wait, and how it fails, so that a test can play every fault that a service has: an error of any class
// (Fail), a busy service (Busy), an answer that breaks off (Broken), one that never ends (Line.Hang), an empty one, one
// cut by its length, a request that is too long (Options.Limit), and streams that break the contract (Malformed, or
// Deltas for one's own). Func decides when the request is there, Repeat serves many requests with one line. Requests
// returns what the model was asked.
//
// # Invariants
//
// The model passes providertest.Run. It starts no goroutine; it waits only for Delay and Pace, on a timer that
// testing/synctest knows, and the end of the context ends the wait. The ids it gives to calls are counted, never drawn.
package scripted
