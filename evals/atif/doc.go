// Package atif writes trajectories in ATIF, Harbor's Agent Trajectory Interchange Format, version 1.7.
//
// Start with [Write].
//
// A trajectory is one JSON object. Its steps are the system prompt, what the user said, each answer of the model with
// its calls and their results, and each compaction of the window as a step of the system with the sizes in extra.
// Agents that others asked are embedded trajectories. The verdict on the trial is in the extra of the root.
package atif
