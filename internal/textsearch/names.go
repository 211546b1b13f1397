package textsearch

import "unicode/utf8"

// longestName is the length of the longest name that [Names] visits, in bytes. Longer ones are data.
const longestName = 64

// Names calls visit with the place of each name in source code: two to 64 letters, digits, underscores or bytes beyond
// ASCII, not beginning with a digit.
func Names(text []byte, visit func(from, to int)) {
	for i := 0; i < len(text); {
		if !inName(text[i]) {
			i++
			continue
		}
		from := i
		for i < len(text) && inName(text[i]) {
			i++
		}
		if n := i - from; n > 1 && n <= longestName && !isDigit(text[from]) {
			visit(from, i)
		}
	}
}

// A Splitter splits names of code into words. It keeps its buffer, so that a file of names costs no allocation a name.
type Splitter struct{ lower []byte }

// Split calls emit with each word of a name in lower case: http, server and v2 of "HTTPServer_v2". It returns all words
// joined. Both are valid until the next call. Only ASCII letters have case.
func (s *Splitter) Split(name []byte, emit func(word []byte)) (joined []byte) {
	s.lower = s.lower[:0]
	from := 0
	flush := func() {
		if from < len(s.lower) {
			emit(s.lower[from:])
		}
		from = len(s.lower)
	}
	for i, c := range name {
		if c == '_' || !inName(c) {
			flush()
			continue
		}
		if i > 0 && startsWord(name, i) {
			flush()
		}
		if isUpper(c) {
			c += 'a' - 'A'
		}
		s.lower = append(s.lower, c)
	}
	flush()
	return s.lower
}

// startsWord reports whether an upper-case letter begins a word: after a lower-case letter or a digit, or before a
// lower-case letter, as the second S of HTTPSServer.
func startsWord(name []byte, i int) bool {
	if !isUpper(name[i]) {
		return false
	}
	if before := name[i-1]; !isUpper(before) {
		return before != '_'
	}
	return i+1 < len(name) && name[i+1] >= 'a' && name[i+1] <= 'z'
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func inName(c byte) bool {
	return c >= 'a' && c <= 'z' || isUpper(c) || isDigit(c) || c == '_' || c >= utf8.RuneSelf
}
