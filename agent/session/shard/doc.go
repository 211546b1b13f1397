// Package shard spreads sessions over several stores, each with a database of its own.
//
// Start with [New]. The id of a session decides where it is ([Place]), so that all processes agree without asking each
// other, and no table has to be kept. A shard that is added takes its share from all others, and nothing else moves: of
// n shards and one more, one session in n+1. Move those first, with nobody writing: append their records to the new
// shard, then delete them from the old one.
//
// docs/scale.md says when more than one database is needed. FORAY_SIMULATE=1000000 go test -run Simulation -v
// ./agent/session/shard prints how a million sessions spread, and what ten thousand workers do when some of them die.
package shard
