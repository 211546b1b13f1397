// Package sessiontest checks implementations of [session.Store].
//
// Start with [Run].
package sessiontest
