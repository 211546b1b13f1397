// Package locate ranks the files of a source tree and their definitions for a question or an issue, without
// a language model.
//
// Start with [Tool], which makes the tool locate over a tree. [Measure], [NewIndex] and [Index.Rank] are
// its parts, for callers that keep statistics of contents across trees, such as a suite over the commits of
// a repository.
//
// # How a file is ranked
//
// An index keeps every word of the tree as a hash: identifiers and their snake and camel parts, stemmed, by
// file and by definition. A query is split into its title, its first 700 characters, all its words, the
// identifiers, dotted names, paths, hashes of commits and numbers of issues in it, and the definitions of
// its own code. Each signal compares one of these parts with one aspect of the files: their words, best
// definition, path, names, or the commits that changed them; in a second round, that the best files import
// them or are in the same folder. Most signals are divided by their largest value in the tree. The score is
// their weighted sum, by the table in scoring.go. Finally the 60 best files are read again and searched for
// three consecutive words of the query.
//
// # Invariants
//
//   - The same tree, history and query give the same bytes. Equal scores are ordered by path.
//   - A signal is between 0 and 1, and a score is at most 1. A file without any word of the query is not
//     listed.
//   - Only files that the tools of codebase show are read, after secrets are redacted.
//   - Statistics are kept between calls, and renewed for files whose size, time or hash changed. They take
//     half as much memory as the text of large files, and 1.5 times as much as files of 1 KB. [Options]
//     can limit it (Room), and the result says how many files were left out.
//   - At the deadline, the files measured so far are ranked, and the result says so. The next call
//     continues.
//   - A tree without history is ranked without commits.
//
// README.md holds the measured accuracy, the value of each signal, and what did not help.
package locate
