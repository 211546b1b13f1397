// Package providertest tests whether a model keeps the contract of package providers.
//
// Start with [Run] and a [Suite]. A case is a list of [Turn] values, independent of any dialect. The suite's New
// makes a service that speaks them in its dialect, and the model that asks this service. [Missing], [Turns] and
// [Write] help a service over HTTP. Each failure is followed by the rule that it breaks.
//
// The suite checks what callers rely on: the order of a stream; what arrives when an answer breaks off; whole
// calls with unique ids; usage; error classes, numbers and waits; provider data that returns byte for byte; that
// cancelling is prompt and leaks nothing; and that requests are not modified.
//
// A [Hostile] is a server for tests of what a client survives.
package providertest
