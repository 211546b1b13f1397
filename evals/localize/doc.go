// Package localize measures how well the code is found that an issue or a question is about.
//
// # Data
//
// A line of the data is one instance:
//
//	{"instance_id","repo","mirror","base_commit","problem_statement","gold_files","gold_functions","sets"}
//
// Its repository is read at its commit from a folder owner+name/repo, bare or not: nothing is checked out. The history that
// a subject sees ends with that commit. Instances whose repository or commit is not there are named in the report.
//
// # Protocol
//
// Accuracy at k is strict: the share of instances of which all files are among the first k. The share of which any is goes
// beside it. Functions are counted as by LocAgent (Chen et al., 2025): all that the change touched must be among the first
// k, a constructor stands for its class, and instances without functions are left out. Intervals are Wilson's of 95 %.
//
// # Splits
//
// A quarter of the instances, by a hash of their ids, is the split test. The weights of the ranking and the calibration were
// chosen on the rest.
//
// # Cost
//
// The commits of a repository share most contents, of which the statistics are taken once and kept while instances of the
// repository are left. Subjects that go through tools instead, as the planner, start from nothing for each instance; their
// time is that of a cold run.
package localize
