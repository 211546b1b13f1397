// Package localize measures how well a method finds the code that an issue or a question is about.
//
// Start with [Load] and [Run]. [Subjects] are the methods to compare; a [Subject] of your own is a
// function.
//
// # Data
//
// A line of the data is one instance:
//
//	{"instance_id","repo","mirror","base_commit","problem_statement","gold_files","gold_functions","sets"}
//
// Its repository is read at its commit from a directory owner+name/repo, bare or not. Nothing is checked
// out. The history of a subject ends with that commit. The report names instances without their repository
// or commit.
//
// # Protocol
//
// Accuracy at k is strict: the share of instances with all files among the first k. The share with any file
// is reported next to it. Functions follow LocAgent (Chen et al., 2025): all that the change touched must
// be among the first k, a constructor counts as its class, and instances without functions do not count.
// Intervals are Wilson's of 95 %.
//
// # Splits
//
// A quarter of the instances, by a hash of their ids, is the split test. The weights of the ranking and the
// calibration were chosen on the rest.
//
// # Cost
//
// The commits of a repository share most of their contents. Their statistics are computed once and kept
// until the last instance of the repository. Subjects that use tools instead, such as the heuristic explorer, start
// from nothing for each instance, so their time is that of a cold run.
package localize
