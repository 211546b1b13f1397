// Package inspectlog writes and reads the logs of Inspect, a framework of the UK AI Security Institute for evaluations:
// .eval files, which its viewer and its tools open.
//
// Start with [Write] or [Read].
//
// # Format
//
// A .eval file is a zip of JSON: header.json (what ran, and the totals), summaries.json (a line of each sample), a
// file in samples/ for each trial, and _journal/, from which Inspect continues logs. Write compresses with deflate;
// Read also knows zstd, which newer versions of Inspect write. Samples are tasks and epochs are trials. A log has one
// model, which is the subject here: write a log for each subject.
//
// # What is kept
//
// The events of a trial come from its trace: every request as sent, with its tools and its answer, tool calls,
// compactions of the window with their sizes, notes, warnings, and a score for each check. The score "passed" says
// whether all checks passed. Messages that several requests share are stored once, as Inspect does.
//
// Read makes results of a log: those of other programs as far as they have scores, and those of Write as they were, but
// for answers over a few kilobytes, calls and traces.
package inspectlog
