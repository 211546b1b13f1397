// Package recall is the tools by which a model reads again what its window no longer shows.
//
// read_working_memory returns a text that a cut or a compaction took out of the view, by the id that the pointer in
// its place names. It reads the working memory of the run that calls it, with what its session has of runs before, and no
// other. Of a text that has expired it says so, and which call to make again. search_history looks through the
// thread of the run, search_memory, remember and forget through the memories of the run's user and of no other, and
// note_finding hands a finding to whoever keeps the task.
package recall
