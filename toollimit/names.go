package toollimit

import (
	"iter"
	"regexp"
	"strings"
)

// A list of identifiers is between these, on a line of its own or in a JSON string.
const (
	namesOpen  = "[also there:"
	namesClose = "]"
)

// Bounds of a list of identifiers.
const (
	namesShare    = 8       // percent of the room
	maxNames      = 80      // identifiers
	maxName       = 60      // bytes of an identifier; longer ones are pieces of encoded data
	maxNamesInput = 1 << 20 // bytes of the missing text that are searched
)

func nameLine(names iter.Seq[string], room size, quoted bool, seen func(string) bool) string {
	around := "\n"
	if quoted {
		around = `""` + around
	}
	s := nameList(names, room.minus(sizeOf(around)), seen)
	switch {
	case s == "":
		return ""
	case quoted:
		s = quoteJSON(s)
	}
	return s + "\n"
}

// nameList lists unseen identifiers once each, in order of appearance, or returns "".
func nameList(identifiers iter.Seq[string], room size, seen func(string) bool) string {
	free := room.minus(sizeOf(namesOpen + namesClose))
	if free.cost <= 0 || free.runes <= 0 {
		return ""
	}
	var b strings.Builder
	known := make(map[string]bool)
	names := 0
	for name := range identifiers {
		if len(name) > maxName || known[name] || isLine(name) {
			continue
		}
		known[name] = true
		if seen(name) {
			continue
		}
		z := sizeOf(" " + name)
		if !z.within(free) || names == maxNames {
			break
		}
		free, names = free.minus(z), names+1
		b.WriteString(" " + name)
	}
	if names == 0 {
		return ""
	}
	return namesOpen + b.String() + namesClose
}

// isLine reports whether a name is the number of a match, such as L125.
func isLine(name string) bool { return name[0] == 'L' && strings.Trim(name[1:], "0123456789") == "" }

// nameLists matches the lists of identifiers that [Truncate] writes: on a line of their own, or as a JSON string.
var nameLists = regexp.MustCompile(`(?m)^\[also there:(?: \w+)+\]$|"\[also there:(?: \w+)+\]"`)

// StripNames removes the lists of identifiers that [Truncate] wrote, for measurements that must not credit a list. In
// JSON an empty string remains.
func StripNames(text string) string {
	if !strings.Contains(text, namesOpen) {
		return text
	}
	return nameLists.ReplaceAllStringFunc(text, func(list string) string {
		if list[0] == '"' {
			return `""`
		}
		return ""
	})
}

// minIdentifier is the length of the shortest identifier, in bytes: shorter names are ambiguous.
const minIdentifier = 4

// Identifiers yields the names in a text that a reader may need again: runs of letters, digits and underscores of at
// least 4 bytes that contain an inner underscore, a change from lower to upper case or a digit, or that are a segment
// of a path or of a dotted name. Numbers do not count. Each occurrence is yielded.
func Identifiers(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); {
			if classes[text[i]] == 0 {
				i++
				continue
			}
			start, distinct := i, false
			var letters, before byte
			for ; i < len(text); i++ {
				c := classes[text[i]]
				if c == 0 {
					break
				}
				distinct = distinct || c == digit || before == lower && c == upper || before == underscore && i > start+1
				letters |= c & (lower | upper)
				before = c
			}
			if i-start < minIdentifier || letters == 0 || !distinct && !isSegment(text, start, i) {
				continue
			}
			if !yield(text[start:i]) {
				return
			}
		}
	}
}

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

// isSegment reports whether text[start:end] is joined to another word by a slash, or by a dot between words.
func isSegment(text string, start, end int) bool {
	if start > 0 && (text[start-1] == '/' || text[start-1] == '.' && start > 1 && classes[text[start-2]] != 0) {
		return true
	}
	return end < len(text) && (text[end] == '/' || text[end] == '.' && end+1 < len(text) && classes[text[end+1]] != 0)
}
