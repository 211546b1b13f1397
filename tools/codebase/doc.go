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
// The files are searched side by side. From each pattern the strings are taken of which one must occur in a match; they
// are found with bytes.Index (in either case with two bytes.IndexByte), and only lines that hold one see the regexp. A
// pattern without such strings is run on stretches of lines that keep regexp in its fast path. On 11,478 files of 157 MB
// on two cores, warm, a literal took 0.15 s, either case 0.16 s, an alternation 0.18 s, no literal 1.0 s; ripgrep 13 took
// 0.07, 0.08, 0.07 and 0.15 s (BenchmarkTools). With multiline at most 65,536 hits of a file are told apart.
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
