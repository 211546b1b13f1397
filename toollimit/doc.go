// Package toollimit counts tokens and truncates a text of a given kind without breaking its structure.
//
// Start with [Truncate] for a text that may be too long, and with [Tokens] to count.
//
// # How tokens are counted
//
// [Tokens] walks the bytes once through a table of states: what precedes a byte and the class of the byte give a cost
// in thousandths of a token. The costs were fitted on an exact tokenizer, cl100k_base, with two percent to
// spare. Other tokenizers have a ratio to it that the caller learns. Costs add up exactly over lines, so
// Truncate counts each line once.
//
// # How a text is truncated
//
//	file      head, an outline of the gap, tail, the footer of the tool
//	search    notes (at most a fifth), then matches before the names of files: one of each of the ten best files, up to
//	          three of them, one of every other file, more of all; then names of further files and context lines. Files
//	          that define the searched word come first, then source, tests and prose, those with more hits before
//	          others. Long lines are shortened around the word. The output of grep and ripgrep is first grouped by file
//	listing   the upper levels, deeper directories as counts: paths, indented or drawn trees, sections of ls -R
//	JSON      all keys, the first and last elements of arrays with a count, long strings shortened inside; always valid,
//	          and lines of JSON stay lines of JSON
//	output    head, error lines of the middle with the lines near them, a longer tail
//	diff      all headers, bodies until the room is full; file names first
//	receipt   first lines, then status, reason and errors
//	batch     fair shares of the room for its parts, each truncated by its own kind
//	error     head and a longer tail
//	binary    described, never shown; so is any other unreadable text that does not fit
//	text      60 % head, 40 % tail; JSON in it stays JSON
//
// Plain text and the output of a command that turn out to be a search in files are truncated as one. In JSON, the
// elements of arrays named matches, hits or results count as matches.
//
// A gap line says how much is missing and how to read it: by line numbers or an offset of the whole text,
// and by its id. Between lines picked from the middle, "…" marks omissions.
//
// If the quota knows what is visible elsewhere ([Quota.Seen]), two things change. In files, output and
// plain text, the middle shows lines with identifiers that appear nowhere else. And for every kind, up to 8 %
// of the room lists up to 80 such identifiers of the missing part: on a line "[also there: …]", or in a JSON
// string.
//
// # Invariants
//
//   - A text within its quota is returned unchanged.
//   - A truncated text is within every bound of its quota, including marker, escaping and pointer, down to
//     one token or one rune.
//   - It is never larger than the original, neither in tokens nor in runes.
//   - It is valid UTF-8, and no rune, surrogate pair or JSON value is split.
//   - Truncating it again with the same quota changes nothing.
//   - Equal arguments give equal bytes. No input causes a panic.
package toollimit
