package contextbuilder

import (
	"regexp"
	"strings"
)

// fenceTag matches what could close a fence, or open one that the runtime writes.
var fenceTag = regexp.MustCompile(`(?i)<([\s\p{Z}\p{C}]*(?:/|[a-z][a-z0-9]*_|(?:context|note|record|goal)\b))`)

// fenceName matches valid block types.
var fenceName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// joint bounds how many more tokens two texts take joined than apart.
const joint = 2

// escape disarms fences inside a text and replaces bytes that are not UTF-8.
func escape(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if !strings.Contains(text, "<") {
		return text
	}
	return fenceTag.ReplaceAllString(text, `<\$1`)
}

// fence puts an escaped text between tags.
func fence(name, attributes, escaped string) string {
	if attributes != "" {
		attributes = " " + attributes
	}
	return "<" + name + attributes + ">\n" + escaped + "\n</" + name + ">"
}
