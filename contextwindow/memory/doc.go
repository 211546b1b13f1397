// Package memory is the parent of the packages that remember what no longer fits into the view of a window:
//
//	working   the full texts that windows truncated, by run and by thread
//	summary   the summaries of threads
//	task      the task that a conversation is working on
//	longterm  what is remembered of users across conversations
//
// Start with [Ask], the one way in which they call a model.
//
// # Invariants
//
//   - No lock is held while a model or an embedder is called.
//   - A model that fails, times out or answers nonsense changes no memory. A search works without an embedder.
//   - What users and models said is material for a prompt, never an instruction.
package memory
