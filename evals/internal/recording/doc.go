// Package recording reads recorded runs of agents and arranges their messages for feeding to a compaction policy.
//
// Start with [Load], which recognizes several formats. A [Trajectory] is one run as [Unit]s; a [Counter] counts its
// tokens.
package recording
