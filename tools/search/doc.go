// Package search finds patterns in the files of a tree, in parallel, with the matches of ripgrep and about
// its speed.
//
// Start with [New] and [Search.Run].
//
// # How a search runs
//
// [tree.Sweep] hands files to one worker per processor, while the walk is under way; on Linux a file costs
// four system calls. From each pattern the search derives needles, strings one of which occurs in every
// match. It finds them by their rarest byte, and looks only at lines that hold one. These lines, or all
// lines if a pattern has no needles, go through an automaton that builds its states when they are reached,
// and reads two halves of a file at once. The regexp only locates the match within a line. A pattern with
// too many states runs as a regexp, on chunks of lines that keep it in its fast path, until the time is up.
// With several patterns, at most 65,536 hits of each are compared in a file.
//
// # How fast it is
//
// Time of a search, with symbols and text, divided by that of ripgrep 13 over the same tree: medians of
// eleven runs on an idle machine with two cores. The first of each pair is the standard library (11,478
// files, 157 MB), the second django (6,708 files). "first" has only the system's cache. The last two rows
// are the better of two rounds beside other work; one more round under load gave up to 0.2 more.
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
// In a directory of a million files of two bytes, list_dir takes 1.8 s, glob 3.7 s, and a search 30 s and
// then 18 s (ripgrep 24 s, on the same busy machine). The default limit of 20 s gives a partial result that
// says so.
//
// # Where it differs from ripgrep
//
// TestSearchLikeRipgrep compares the lines that both find. These differences are known:
//
//   - A file with a NUL byte is not searched; ripgrep shows what it finds before that byte.
//   - The syntax is RE2's: \w, \d, \s and \b are ASCII. Query.Word goes by letters, marks, digits and
//     connectors of Unicode, as in ripgrep.
//   - CRLF is LF before the search. In ripgrep with --crlf, "." and negated classes never match CR.
//   - In a regexp, a byte that is not UTF-8 counts as the character U+FFFD, which "." matches; in ripgrep
//     it does not.
//   - Query.Include does not bring back ignored files; -g does.
//   - With Query.Lines, a file is too large if its bytes times the instructions of the program exceed 2^27,
//     about a second of work: 5 MB for "if err != nil \{\s+return", 1.5 MB for "\(\n.{1,40}\n\)".
//   - A credential is replaced before it is searched.
package search
