// Package locate ranks the files of a source tree, and the definitions in them, for a question or an issue, without a
// language model.
//
// Tool makes the tool locate over an fs.FS. Measure, NewIndex and Index.Rank are its parts, for whoever keeps contents
// between trees himself, as a suite over the commits of a repository does.
//
// # How a file is ranked
//
// Every word of the tree is kept as a hash: identifiers and their snake and camel parts, stemmed, by file and by
// definition. A query is taken apart into its title, its first 700 characters, all its words, the identifiers, dotted
// names, paths, hashes of commits and numbers of issues in it, and what its own code defines. Each signal compares one
// part with one side of the files: their words, their best definition, path, names, the commits that changed them,
// and, in a second round, that the best files import them or lie beside them. Most signals are divided by their
// largest value over the tree; the sum is weighed by the table in signals.go. Then the 60 best files are read again
// for three words in a row that the query has too.
//
// # Invariants
//
//   - The same tree, history and query give the same bytes; scores that are equal come by path.
//   - A signal lies between 0 and 1, a score at most at 1. A file that no word of the query is in is not named.
//   - Only what the tools of codebase show is read; secrets are redacted before words are taken.
//   - Statistics are kept between calls and taken again for files whose size, time or hash changed. They take about
//     twice the memory of the text, 600 MB to 1 GB for 100,000 small files; Options.Room bounds it, and the result says how many
//     files it left out.
//   - At the deadline the files that were measured are ranked, and the result says so. The next call goes on from there.
//   - A tree without a history is ranked without commits.
//
// README.md holds what it was measured to find, what each signal is worth, and what did not help.
package locate
