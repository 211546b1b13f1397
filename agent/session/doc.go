// Package session describes durable runs: append-only lists of records from which a run continues in another process,
// with the same bytes in its window.
//
// Start with [Fold], which folds the records of a [Store] to a [State]. Package agent writes them, and resumes from
// them.
//
// # Records
//
// Each transaction of a run adds records: all of them, or none.
//
//	run       begins a run: agent, model, budget, prompt, and the setup of the program that made the agent
//	entries   what the log of the window grew by since the records before
//	answer    an answer whose calls have effects, before the first of them is made
//	call      such a call starts now
//	result    a call ended. A call without one is unknown: nobody can say whether it was done
//	verdict   what a person decided about a call that waits or is unknown
//	step      a step is whole
//	end       the run ended, or waits for a person
//	rewind    the session was taken back to an earlier record
//
// A step counts when its transaction is durable. What a process did after its last transaction did not happen: the
// next one does it again, from the same window, and so in the same bytes. The only exception are calls with effects,
// which are never repeated silently: see [Call].
//
// # Rewind and fork
//
// Records never change. A [Rewind] is a record like any other: what follows it continues the session from the record
// that it names, so the records between form a branch that is kept and can be returned to ([Undo]). [Fork] copies the
// records of a session up to a step.
package session
