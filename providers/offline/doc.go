// Package offline is a model that follows a script: the same answers every time, with no network, no key and no clock.
// It is for tests and examples, of this module and of its users.
//
// A script is a list of lines; each request takes the next. A Line says what the answer holds, how long it lets wait,
// and how it fails, so that a test can play every fault that a service has: an error of any class, an answer that
// breaks off, an empty one, one cut by its length, a call whose arguments are no JSON. Func decides when the request
// is there, Repeat serves many requests with one line. Requests returns what the model was asked.
//
// # Invariants
//
// The model passes providertest.Run. It starts no goroutine; it waits only for Delay, on a timer that testing/synctest
// knows, and the end of the context ends the wait. The ids it gives to calls are counted, never drawn.
package offline
