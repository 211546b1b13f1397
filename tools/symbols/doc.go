// Package symbols finds the definitions of a source file: their qualified names, kinds, lines and signatures.
//
// Of does so for one file. Go is parsed, as far as it parses. The other languages have a table of patterns each, tried
// on lines whose comments and strings are blanked; a body ends with its brace or its indentation. Names are qualified by
// what is around: Class.method. The same source gives the same symbols on every machine.
package symbols
