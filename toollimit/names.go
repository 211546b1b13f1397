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
