// Package servertest tests package temporal against the real server, in the process of the tests. It is a module of its
// own, since the server is a gigabyte of modules: it has no code, and nothing imports it.
//
// Start with its tests: make test-temporal.
package servertest
