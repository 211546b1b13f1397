package gitrepo

import (
	"regexp"
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

// oneLine keeps a text to one line without control characters.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// clip shortens a text to a number of runes.
func clip(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

// short is a hash as people write it.
func short(hash string) string { return hash[:min(len(hash), 10)] }

// address is a mail address, with the brackets around it if it has some.
var address = regexp.MustCompile(` ?<[^<>\s@]*@[^<>\s]*>|\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b`)

// withoutAddresses leaves the names of people and takes their addresses out: nobody needs them to understand code.
func withoutAddresses(s string) string {
	if !strings.Contains(s, "@") {
		return s
	}
	return address.ReplaceAllString(s, "")
}

// author is a name on one line; of an address in its place what stands before the "@".
func author(name string) string {
	name, _, _ = strings.Cut(oneLine(name), "@")
	return strings.TrimSpace(clip(name, 80))
}

// unquote undoes git's quoting of a name; a name without quotes is returned as it is.
func unquote(s string) (string, bool) {
	if len(s) < 2 || s[0] != '"' {
		return s, true
	}
	plain, err := strconv.Unquote(s)
	return plain, err == nil
}
