package grep

import "strings"

// IsMatch reports whether s is a match, such as "L12 text", or "L12-14 text" for several lines.
func IsMatch(s string) bool {
	after := afterNumber(s)
	if strings.HasPrefix(after, "-") {
		after = strings.TrimLeft(after[1:], "0123456789")
		return len(after) > 0 && after[0] != '-' && !IsContext(s)
	}
	return after != "" && strings.IndexByte(" \t:", after[0]) >= 0
}

// IsContext reports whether s is a line around a match, such as "L11- text".
func IsContext(s string) bool {
	after := afterNumber(s)
	return strings.HasPrefix(after, "-") && (len(after) == 1 || after[1] < '0' || after[1] > '9')
}

// afterNumber returns the rest of s after "L" and a number, or after "L?"; "" if s has another form.
func afterNumber(s string) string {
	switch {
	case len(s) < 2 || s[0] != 'L':
		return ""
	case s[1] == '?':
		return s[2:]
	case s[1] < '0' || s[1] > '9':
		return ""
	}
	return strings.TrimLeft(s[1:], "0123456789")
}

// IsFile reports whether s names a file with its hits, such as "path (12 hits)".
func IsFile(s string) bool {
	s = strings.TrimRight(s, " \r\n")
	for _, end := range []string{" hits)", "(1 hit)", " matches)", "(1 match)"} {
		if strings.HasSuffix(s, end) {
			return !IsMatch(s) && !IsContext(s)
		}
	}
	return false
}

// CutMatch splits a match after its number and the symbol around it: "L12 [window.fit] text" gives "window.fit" and
// "text". The text is the end of s.
func CutMatch(s string) (symbol, text string) {
	after := afterNumber(s)
	if after == "" {
		return "", s
	}
	if after[0] == '-' { // the last line of a match of several
		after = strings.TrimLeft(after[1:], "0123456789")
	}
	text = strings.TrimPrefix(after, " ")
	if rest, ok := strings.CutPrefix(text, "["); ok {
		name, rest, ok := strings.Cut(rest, "] ")
		if ok && !strings.ContainsAny(name, " []") {
			return name, rest
		}
	}
	return "", text
}

// CutFile splits the line that names a file into its path and its number of hits, 0 if it has none.
func CutFile(s string) (path string, hits int) {
	i := strings.LastIndexByte(s, '(')
	if i < 0 {
		return strings.TrimSpace(s), 0
	}
	digits, _, _ := strings.Cut(strings.ReplaceAll(s[i+1:], ",", ""), " ")
	if !isNumber(digits) {
		return strings.TrimSpace(s), 0
	}
	return strings.TrimSpace(s[:i]), number(digits)
}

// Numbers returns the first and the last line number of a match, or twice the number of a context line; 0 if it has
// none.
func Numbers(s string) (from, to int) {
	after := afterNumber(s)
	if after == "" || s[1] == '?' {
		return 0, 0
	}
	from = number(s[1 : len(s)-len(after)])
	if to = from; after[0] == '-' {
		digits := after[1 : len(after)-len(strings.TrimLeft(after[1:], "0123456789"))]
		to = max(to, number(digits))
	}
	return from, to
}
