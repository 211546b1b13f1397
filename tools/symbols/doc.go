// Package symbols finds the definitions of a source file: their qualified names, kinds, lines and signatures.
//
// Of does so for one file, a Cache for many: it keeps what was found in memory, and between processes on disk. Mask blanks
// comments and strings, for those who look for names.
//
// # How definitions are found
//
// Go is parsed, as far as it parses. Each other language has a table: what is comment and string, and patterns that are
// tried in order on each line with those blanked. A body ends with its brace, with its indentation, or with a word that is
// indented as its first line. Names are qualified by what is around: Class.method.
//
// No other program is asked, universal-ctags neither: the same source gives the same symbols on every machine, and nothing
// is run on files of strangers. It is what the tables are measured against.
//
// # Invariants
//
//   - Symbols lie in the file, come by their first line, end after they begin, and an outer one comes before what is in it.
//   - The time of a file grows with its length whatever stands in it; above 2 MiB, or with lines of 500 bytes on average,
//     it has no symbols (FuzzOf, TestHostile).
//   - What is on disk is of one version of the tables, the scanner and Go (TestVersion). It is bounded by bytes, packs that
//     were used least recently go first; what is damaged is found again.
//
// # Agreement with universal-ctags
//
// Of name and line, with universal-ctags 5.9 and for the kinds that both know, on alertmanager, django, ansible, express,
// jQuery and what else of JavaScript lies in these, zod, vscode-languageserver-node, gson, petclinic, ripgrep, redis with
// jemalloc, fmt, spdlog, Newtonsoft.Json, efcore, sinatra, laravel, okhttp, oh-my-zsh and bats:
//
//	FORAY_TREES=DIR:DIR… go test -run TreesAgainstCtags -v ./tools/symbols
//
//	language    files   ours  ctags   both  precision  recall
//	go            357   3836   3836   3836      1.000   1.000
//	python       4329  49741  49749  49741      1.000   1.000
//	javascript    304   1731   1452    962      0.556   0.663
//	typescript    691   8405   6490   6246      0.743   0.962
//	java          311   4334   3959   3931      0.907   0.993
//	rust          110   4008   3971   3965      0.989   0.998
//	c             425   9083   9134   8999      0.991   0.985
//	c++           507  11840  11853  11370      0.960   0.959
//	csharp       3681  35911  29481  27267      0.759   0.925
//	ruby          168   1186   1186   1178      0.993   0.993
//	php          1705  17177  16802  16766      0.976   0.998
//	kotlin        148   1966   2094   1966      1.000   0.939
//	shell         984   1527   1603   1527      1.000   0.953
//	lua            21     34     34     34      1.000   1.000
//
// With -differences N it prints N that only one side has. Of ours, drawn evenly and read by hand, 24 of 25 were
// definitions in JavaScript, 25 of 25 in TypeScript, 19 of 20 in C#, and the tables were mended for the two others: ctags 5.9 does not know
// nullable types, file-scoped namespaces and local types of C#, functions with result types in arrows and what comes behind
// some regular expressions of TypeScript, functions in object literals behind a regular expression of JavaScript, methods of
// anonymous and local classes of Java. Of those that only ctags has, 3 of 25, 1 of 25 and 2 of 20
// were: its others are objects as classes,
// anonymous functions under made-up names, imports of types, statements as "try (" and "lock (", calls, "options=()",
// parameters of lambdas of Kotlin. What we do lack: functions with a name that are passed as arguments, local functions of
// C#, and in C and C++ what macros make.
//
// ctags 5.9 has no parser for Swift and Scala; those tables are held to the samples in testdata only, as are Lua, Perl and
// Elixir but for a few files.
//
// # Speed
//
// By processor time of one core (BenchmarkOf with FORAY_TREE): Python 74 MB/s, Java, Rust, C and C# about 50, TypeScript 40,
// Go 25; for django's 2,850 files of 18 MB 51 MB in 339,000 allocations. On two cores that others kept busy, one pass over
// these took 3.0 s cold with writing, 0.13 s from disk and 0.03 s from memory (BenchmarkCache).
package symbols
