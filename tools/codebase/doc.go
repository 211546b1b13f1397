// Package codebase is the tools that read a source tree, confined to its root: list, find, search, read, outline, look up
// definitions and references, map, report.
//
// Tools makes them over an fs.FS; OpenRoot opens a directory so that no link leads out of it. Every result is a value
// with a JSON form and a text of a kind (toollimit.Texter); with Options.JSON the JSON form is the text. A call that
// asks for what cannot be had is a *tools.Problem: a code, one sentence, what to try. It holds no path of the host.
//
// # How a tree is walked
//
// All tools share one walker and one ignore policy, which is ripgrep's where nothing else is said:
//
//   - .gitignore and .ignore files inside the root, nested, with negation, by git's rules byte for byte; .ignore is
//     stronger. Files outside the root, .git/info/exclude and a user's own excludes do not count, so that the same tree
//     gives the same answer everywhere.
//   - Names that begin with a dot are left out, unless an ignore file re-includes them, a glob asks for them, or the
//     path of the call lies below them.
//   - Weakest comes the built-in list: node_modules, bower_components, jspm_packages, __pycache__, __pypackages__,
//     *.egg-info, .DS_Store; vendor with a modules.txt; venv or env with a pyvenv.cfg. Other names of output directories
//     (build, dist, target, out) are names of sources too and left to .gitignore.
//   - The folders of version control are never entered.
//   - Links are listed with their target. Links to files inside the root are read, not searched (their target is);
//     links to directories and out of the root are not followed.
//
// Order is that of the tree: names by bytes, a directory before what is in it. The same call gives the same bytes, but for
// a call that runs out of time (Options.Timeout, or nine tenths of what the context has left), which says so.
//
// A walk counts the files that it comes to for whoever looks at the call (tools.Progress). How many there are it knows from the
// last walk of the whole tree. Where a call needs the tree twice, it counts twice.
//
// # What is done with a file
//
//	CRLF                lines end at CRLF as at LF; "$" matches before it
//	UTF-16 with a mark  decoded; read_file says so
//	UTF-8 with a mark   the mark is dropped
//	invalid UTF-8       searched as bytes; shown with U+FFFD; read_file says so
//	binary (NUL byte)   not searched, not read: skipped.binary
//	> Options.MaxFile   not searched, not read: skipped.too_large (10 MiB by default)
//	long lines          search shows 500 runes around the match, read_file 2,000 runes from column on
//	minified, > 2 MiB   searched and read, but without symbols
//	secret by its name  not searched, not read: skipped.secret; its name is listed
//	token in a file     shown as [redacted:type], and found as that: a pattern cannot spell a secret out
//	device, FIFO        never opened: skipped.unreadable
//
// # How a search runs
//
// The walk hands files to as many workers as there are processors, by the descriptor of their directory: on Linux a
// file costs four calls of the system, and no name is looked up twice. From each pattern the strings are taken of which
// one must occur in a match; they are found by their rarest byte, and only lines that hold one are looked at. These
// lines, and all lines when there are no such strings, go through an automaton whose states are made as they are
// reached, two halves of a file side by side; the regexp only finds the place in a line with a match. A pattern whose
// states are too many runs as a regexp, on stretches of lines that keep it in its fast path, until the time is up. Only
// hits that the page shows are kept. With multiline at most 65,536 hits of a file are told apart.
//
// # What stays in memory
//
// Contents and the names in directories, up to 256 MiB by the least recent use, from the first search on. A file is read
// again when its size, its times, its inode, or in a git tree its hash is another, and each time while its modification
// is less than two seconds old. A tree that is larger keeps a part in memory, which does not change from search to search.
//
// # How fast a search is
//
// Time of a search, its symbols and text included, divided by that of ripgrep 13 over the same tree, medians of eleven
// turns each on a machine with two cores; of each pair the first is the standard library (11,478 files, 157 MB), the
// second django (6,708 files). "first" has nothing in memory but what the system keeps. The machine was idle but for the
// last two rows: those are the better of two rounds beside other work, and one more under load gave up to 0.2 more.
//
//	                    wall clock                    processors
//	                    first       again             first       again
//	literal             1.3  1.4    0.5  0.6          1.3  1.3    0.5  0.5
//	frequent literal    0.9  1.0    0.4  0.5          1.2  1.1    0.6  0.5
//	either case         1.1  1.2    0.5  0.6          1.2  1.2    0.5  0.5
//	alternation         1.2  1.3    0.6  0.7          1.2  1.2    0.6  0.6
//	regexp              0.6  0.7    0.2  0.3          0.6  0.6    0.3  0.3
//	no literal          0.8  1.0    0.5  0.5          0.8  1.0    0.5  0.5
//
//	FORAY_TREES=/src/django go test -run '^$' -bench Ratio -benchtime 11x ./tools/codebase
//
// A directory of a million files of two bytes: list_dir 1.8 s, glob 3.7 s, a search 30 s and then 18 s (ripgrep 24 s, on
// the same busy machine), where the default time of 20 s gives a part that says so.
//
// # Where a search differs from ripgrep's
//
// TestSearchLikeRipgrep holds both to the same lines. Named differences:
//
//   - A file with a NUL byte is not searched; ripgrep shows what it finds before that byte.
//   - The syntax is RE2's: \w, \d, \s and \b are ASCII. word=true goes by letters, marks, digits and connectors of Unicode,
//     as with ripgrep.
//   - CRLF is LF before the search. In ripgrep with --crlf "." and negated classes match no CR at all.
//   - In a regexp, a byte that is no UTF-8 counts as one character, U+FFFD, which "." matches; in ripgrep it does not.
//   - include does not bring back what is ignored; -g does.
//   - With multiline a file counts as too large when its bytes times the instructions of the compiled pattern are more than
//     2^27, about a second of work: 5 MB for "if err != nil \{\s+return", 1.5 MB for "\(\n.{1,40}\n\)".
//   - A credential is replaced before it is searched.
//
// # How symbols are found
//
// By package symbols, which says for which languages and how well. Names are qualified by what is around: Class.method.
// They are cached by content, in Options.Symbols or in memory.
//
//   - find_symbol reads the files that hold the word and tells the definitions whose last parts are the name. When there is
//     none it looks in all files for names in another case, that hold it, or that are defined in something else.
//   - references compares names, not what they mean; comments and strings do not count, code inside of strings does. With
//     the path of one of several definitions, files of other languages are left out, and those that hold neither the name
//     of its file nor of its directory.
//   - repo_map ranks files by PageRank: a file leads to those that define the names it uses, the more the longer the name is
//     and the less where many define it; names that only methods have count behind a dot. A definition gets what leads to
//     its name. The ranking begins everywhere, less in tests, or at the focus.
package codebase
