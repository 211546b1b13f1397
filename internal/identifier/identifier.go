// Package identifier finds the names in a text that a reader may need again, and chooses the lines that show most of
// them.
//
// Start with [All] for the identifiers of a text, and with [Vocabulary] for those of texts that are asked about again.
package identifier

import "iter"

// shortest is the length of the shortest identifier, in bytes: shorter names are ambiguous.
const shortest = 4

// All yields the names in a text that a reader may need again: runs of letters, digits and underscores of at
// least 4 bytes that contain an inner underscore, a change from lower to upper case or a digit, or that are a segment
// of a path or of a dotted name. Numbers do not count. Each occurrence is yielded.
func All(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := 0 // of the word before i, which is in lower case up to there
		for i := 0; i < len(text); {
			if m := int(marks[text[i]]); m <= 0 {
				i++
				start += (i - start) & m // start = i after a byte between words, without a branch to mispredict
				continue
			}
			if classes[text[i]] == 0 { // a mark between words: the one before it ends here
				if i-start >= shortest && isSegment(text, start, i) && !yield(text[start:i]) {
					return
				}
				i++
				start = i
			}
			var seen, before byte
			if i > start {
				seen, before = lower, lower
			}
			for ; i < len(text); i++ {
				c := classes[text[i]]
				if c == 0 {
					break
				}
				seen |= c | pairs[before<<4|c]
				if before = c; i == start {
					before &^= underscore // the first is not an inner one
				}
			}
			word, from := text[start:i], start
			if start = i; len(word) < shortest || seen&(lower|upper) == 0 {
				continue
			}
			if (seen&distinct != 0 || isSegment(text, from, i)) && !yield(word) {
				return
			}
		}
	}
}

// The marks of bytes. Only a word with a marked byte in it or beside it may be an identifier. Most have none, and their
// ends are where a processor would mispredict.
const (
	apart  = -1 // between words
	marked = 1  // in identifiers but not a lower letter, or between segments
)

var marks = func() (table [256]int8) {
	for c, class := range classes {
		switch {
		case class&^lower != 0 || c == '/' || c == '.':
			table[c] = marked
		case class == 0:
			table[c] = apart
		}
	}
	return table
}()

// The classes of the bytes of identifiers.
const (
	lower = 1 << iota
	upper
	digit
	underscore
)

var classes = func() (table [256]byte) {
	for c := range table {
		switch {
		case c >= 'a' && c <= 'z':
			table[c] = lower
		case c >= 'A' && c <= 'Z':
			table[c] = upper
		case c >= '0' && c <= '9':
			table[c] = digit
		case c == '_':
			table[c] = underscore
		}
	}
	return table
}()

// distinct is set in pairs.
const distinct = 16

// pairs holds, by the class of the byte before times 16 and that of a byte, whether the two make a name distinct. A
// table is faster than conditions, which the processor cannot predict.
var pairs = func() (table [256]byte) {
	for _, before := range []byte{0, lower, upper, digit, underscore} {
		for _, c := range []byte{lower, upper, digit, underscore} {
			if c == digit || before == lower && c == upper || before == underscore {
				table[before<<4|c] = distinct
			}
		}
	}
	return table
}()

// isSegment reports whether text[start:end] is joined to another word by a slash, or by a dot between words.
func isSegment(text string, start, end int) bool {
	if start > 0 && (text[start-1] == '/' || text[start-1] == '.' && start > 1 && classes[text[start-2]] != 0) {
		return true
	}
	return end < len(text) && (text[end] == '/' || text[end] == '.' && end+1 < len(text) && classes[text[end+1]] != 0)
}
