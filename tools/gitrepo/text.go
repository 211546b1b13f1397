package gitrepo

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// oneLine replaces control characters by spaces.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

func short(hash string) string { return hash[:min(len(hash), 10)] }

// address matches a mail address, including angle brackets.
var address = regexp.MustCompile(` ?<[^<>\s@]*@[^<>\s]*>|\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b`)

// withoutAddresses removes mail addresses: nobody needs them to understand code.
func withoutAddresses(s string) string {
	if !strings.Contains(s, "@") {
		return s
	}
	return address.ReplaceAllString(s, "")
}

// unquote undoes git's quoting of a name. It returns a name without quotes unchanged.
func unquote(s string) (string, bool) {
	if len(s) < 2 || s[0] != '"' {
		return s, true
	}
	plain, err := strconv.Unquote(s)
	return plain, err == nil
}
