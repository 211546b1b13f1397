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
// TABLE
//
// With -differences N it prints what only one side has. Nearly all of ours that ctags lacks are definitions: ctags 5.9 does
// not know nullable types, file-scoped namespaces and local types of C#, arrow functions with types and what comes behind
// some regular expressions of TypeScript, functions assigned to properties and those in object literals of JavaScript,
// methods of anonymous and local classes of Java. Nearly all of its own that we lack are none: anonymous functions by made-up
// names, objects as classes, statements such as "try (" and "options=()", type imports, calls, parameters of lambdas of
// Kotlin, lambdas and closures in variables. We do lack functions that are passed as arguments with a name, and in C and
// C++ what macros make: a macro with parentheses before a function is taken for it, or hides it.
//
// ctags 5.9 has no parser for Swift and Scala; those tables are held to the samples in testdata only, as are Lua, Perl and
// Elixir but for a few files.
//
// # Speed
//
// By processor time of one core (BenchmarkOf over the trees named above): Python 74 MB/s, Java, Rust, C, C# about 50,
// TypeScript 40, Go 25, with about 19 allocations a kilobyte of source or less. Of django's 2,800 Python files, 18 MB, on two
// busy cores, the same pass took 3.0 s cold with writing, 0.13 s from disk, 0.03 s from memory (BenchmarkCache).
package symbols
