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
