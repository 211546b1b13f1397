// Package toollimit counts tokens and cuts a text of a given kind to its room without breaking its form.
//
// # How tokens are counted
//
// [Tokens] walks the bytes once through a table of states: what came before (the place in a word, a run of digits,
// punctuation or blanks, a script) and the class of the next byte give a weight in thousandths of a token. The weights
// were fitted on an exact tokenizer, cl100k_base, with two percent to spare; models that count otherwise have a ratio to
// it, which the caller learns. The state after a newline is the first one, so the cost of lines adds up exactly: a cut
// counts each line once and never the same text again and again.
//
// # How a text is cut
//
//	file      head, an outline of the gap, tail, the footer of the tool
//	search    notes, all files with counts, matches, fewer in each before fewer files, lines around while there is room;
//	          what grep and ripgrep print is put into groups by file first
//	listing   the upper levels, deeper directories as counts: paths, indented or drawn trees, sections of ls -R
//	JSON      all keys, the first and last elements of arrays with a count, long strings cut inside; always valid, and
//	          lines of JSON stay lines of JSON
//	output    head, error lines of the middle with those near them, a longer tail
//	diff      all headers, bodies until the room is full; the names of the files first
//	receipt   first lines, then status, reason and errors
//	batch     fair shares of the room to its parts, each cut by its own kind
//	error     head and a longer tail
//	binary    described, never passed on; so is what is no text, whatever its kind, when it does not fit
//	text      60 % head, 40 % tail; JSON in it stays JSON
//
// What stands for the missing part says how much it is and how to get it: by the lines or the offset of the whole text,
// and its id. Between lines that are picked from the middle, "…" stands for what is left out.
//
// A quota that knows what is visible elsewhere ([Quota.Seen]) has two effects. In files, output and texts, lines with
// identifiers that stand nowhere else are picked from the middle. And for every kind, at most a fifth of the room lists
// identifiers of the missing part that stand nowhere else: on a line "[also there: …]", in JSON in a string of its own.
//
// # Invariants
//
//   - A text within its quota is returned as it is.
//   - A cut text is within every bound of its quota, marker, escaping and pointer included, down to one token or rune.
//   - It is never larger than the text it was cut from, neither in tokens nor in runes.
//   - It is valid UTF-8, and no rune, surrogate pair or JSON value is split.
//   - Cutting it again with the same quota changes nothing.
//   - Equal arguments give equal bytes. Nothing panics, whatever the bytes.
package toollimit
