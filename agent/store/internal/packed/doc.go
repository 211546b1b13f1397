// Package packed converts the records of sessions to what databases store: short JSON, and long texts apart from it,
// named by their hash, so that each is stored once.
//
// Start with [Packer].
package packed
