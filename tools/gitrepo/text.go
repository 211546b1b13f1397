package gitrepo

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// show is a name as a line can hold it: quoted when it has control characters or is not UTF-8.
func show(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, unicode.IsControl) < 0 {
		return s
	}
	return strconv.Quote(s)
}
