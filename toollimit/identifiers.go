package toollimit

import "iter"

// minIdentifier is the length of the shortest identifier, in bytes: shorter ones stand for too many things.
const minIdentifier = 4

// Identifiers yields the names in a text that may be needed again: runs of letters, digits and underscores of at least
// 4 bytes that have an inner underscore, a change from lower to upper case or a digit, or that are a segment of a path
// or of a dotted name. Numbers are none. A name is yielded each time it stands there.
func Identifiers(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); {
			if !wordByte[text[i]] {
				i++
				continue
			}
			start := i
			for i < len(text) && wordByte[text[i]] {
				i++
			}
			if i-start >= minIdentifier && isIdentifier(text, start, i) && !yield(text[start:i]) {
				return
			}
		}
	}
}

// wordByte tells the bytes of identifiers.
var wordByte = func() (table [256]bool) {
	for c := range table {
		table[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
	}
	return table
}()

// isIdentifier reports whether the run of word bytes text[start:end] is an identifier.
func isIdentifier(text string, start, end int) bool {
	run := text[start:end]
	letters, telling := false, false
	for i := 0; i < len(run); i++ {
		switch c := run[i]; {
		case c >= '0' && c <= '9':
			telling = true
		case c == '_':
			telling = telling || i > 0 && i < len(run)-1
		default:
			letters = true
			if i > 0 && c <= 'Z' && run[i-1] >= 'a' && run[i-1] <= 'z' {
				telling = true
			}
		}
	}
	return letters && (telling || isSegment(text, start, end))
}

// isSegment reports whether text[start:end] is joined to another word by a slash, or by a dot between words.
func isSegment(text string, start, end int) bool {
	if start > 0 && (text[start-1] == '/' || text[start-1] == '.' && start > 1 && wordByte[text[start-2]]) {
		return true
	}
	return end < len(text) && (text[end] == '/' || text[end] == '.' && end+1 < len(text) && wordByte[text[end+1]])
}
