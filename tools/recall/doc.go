// Package recall holds the tools by which a model reads what its window no longer shows.
//
// Start with [ReadWorkingMemory]: it returns the full text of a truncated result, by the id that the
// pointer in its place names. [SearchHistory] searches the thread of the run; [SearchMemory], [Remember]
// and [Forget] work on the memories of the run's user; [NoteFinding] hands a finding to the task.
//
// Each tool reads only what belongs to the calling run ([tools.RunFrom]): its scope and session of working
// memory, its thread, its user.
package recall
