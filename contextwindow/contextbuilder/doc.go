// Package contextbuilder decides what a run is told besides its own log: sections and their shares, injected blocks, the
// window over a thread's turns, the pinned instruction.
package contextbuilder
