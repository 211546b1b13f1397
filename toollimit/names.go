package toollimit

import (
	"iter"
	"regexp"
	"strings"
)

// The list of identifiers stands on a line of its own between these, or in a JSON string.
const (
	namesOpen  = "[also there:"
	namesClose = "]"
)

// maxName is the length of the longest identifier that is listed, in bytes: longer ones are pieces of encoded data.
const maxName = 60

// searchedForNames is how much of what is missing is searched for identifiers, in bytes.
const searchedForNames = 1 << 20

// nameList lists the identifiers that are not seen, each once, the first first; "" if there is no room or none.
func nameList(identifiers iter.Seq[string], room size, seen func(string) bool) string {
	free := room.minus(sizeOf(namesOpen + namesClose))
	if free.cost <= 0 || free.runes <= 0 {
		return ""
	}
	var b strings.Builder
	known := make(map[string]bool)
	names := 0
	for name := range identifiers {
		if len(name) > maxName || known[name] {
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

// nameLine is nameList as a line, or as a JSON string on a line.
func nameLine(text string, room size, quoted bool, seen func(string) bool) string {
	around := "\n"
	if quoted {
		around = `""` + around
	}
	s := nameList(Identifiers(text[:min(len(text), searchedForNames)]), room.minus(sizeOf(around)), seen)
	switch {
	case s == "":
		return ""
	case quoted:
		s = quoteJSON(s)
	}
	return s + "\n"
}

// listed cuts to a form in the room that a list of identifiers leaves, and puts the list where the form says. What a
// short list does not need goes to the form again.
func (c *cutter) listed(room size, form func(size) (string, int)) string {
	if c.quota.Seen == nil {
		s, _ := form(room)
		return s
	}
	names := room.share(namesShare)
	s, at := form(room.minus(names))
	list := c.missingNames(s, names)
	if sizeOf(list).within(names.share(50)) {
		s, at = form(room.minus(sizeOf(list)))
		list = c.missingNames(s, sizeOf(list))
	}
	return s[:at] + list + s[at:]
}

// missingNames lists, within room, identifiers of the text that are neither in shown nor seen elsewhere.
func (c *cutter) missingNames(shown string, room size) string {
	return nameLine(c.text, room, false, c.visible(Identifiers(shown)))
}

// visible returns whether an identifier is among those shown or seen elsewhere.
func (c *cutter) visible(shown iter.Seq[string]) func(string) bool {
	visible := make(map[string]bool)
	for name := range shown {
		visible[name] = true
	}
	return func(name string) bool { return visible[name] || c.quota.Seen(name) }
}

// nameLists finds the lists of identifiers that a cut wrote: on a line of their own, or as a JSON string.
var nameLists = regexp.MustCompile(`(?m)^\[also there:(?: \w+)+\]$|"\[also there:(?: \w+)+\]"`)

// StripNames removes the lists of identifiers that cuts wrote from a text, for measures that a list alone must not buy.
// Of a list in JSON an empty string is left.
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
