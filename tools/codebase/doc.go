// Package codebase is the tools that read a source tree: list, find, search, read, outline, look up
// definitions and references, map, report.
//
// Start with [Tools] over a [tree.Tree].
//
// Every result is a value with a JSON form and a text of a kind ([toollimit.Texter]); with [Options].JSON
// the JSON form is the text. A call that cannot be answered returns a [tools.Problem]: a code, one sentence, and
// what to try. It never contains a path of the host. Package tree says which files the tools see, and package
// search how a search works.
//
// The same call on the same tree gives the same bytes, except a call that runs out of time, which says so.
// The limit is [tree.Options].Timeout, or nine tenths of what the context has left.
//
// # How lines are shown
//
// search shows 500 runes around a match, and read_file 2,000 runes of a line from a column on. The tools replace
// a credential with [redacted:type] before they show or search a text, so no pattern can guess it. A minified
// file, or one over 2 MiB, has no symbols.
//
// # How symbols are found
//
// Package symbols finds them, and says for which languages and how well. Names are qualified by the
// definitions around them: Class.method. They are cached by content.
//
//   - find_symbol reads the files that contain the word, and returns the definitions whose last parts are
//     the name. If it finds none, it looks in all files for names that differ in case, contain the name, or
//     have the same last part in another class or module.
//   - find_symbol with the kind heading ranks the sections of all documents by the words of their titles and
//     texts; titles count most. It forgives misspelled words, and prefers a README and docs to
//     changelogs, dependencies and the data of tests. outline lists the headings of a document.
//   - find_symbol with the kind section ranks the parts of documents by what they say on the words, with BM25:
//     each is the text below one title, or about 100 lines of it. Titles count three times. The documentation of a
//     library in lib.rs and doc.go counts as a document; changelogs, dependencies and the like do not.
//   - references compares names, not their meaning. Comments and strings do not count, but code inside of
//     strings does. Given the path of one of several definitions, it leaves out files in other languages,
//     and files that contain neither the name of its file nor of its directory.
//   - repo_map ranks files by PageRank. A file refers to those that define the names it uses; long names
//     count more, and names with many definitions less. Names of methods count only after a dot. A
//     definition gets the rank of the references to its name. The ranking starts everywhere, less in tests,
//     or at the focus.
package codebase
