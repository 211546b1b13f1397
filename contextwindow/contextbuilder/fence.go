package contextbuilder

import (
	"regexp"
	"strings"
)

// fenceTag finds what could close a fence, and what could open one of those that the runtime writes.
var fenceTag = regexp.MustCompile(`(?i)<([\s\p{Z}\p{C}]*(?:/|[a-z][a-z0-9]*_|(?:context|note|record|goal)\b))`)

// fenceName finds what cannot be a block's type.
var fenceName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// escape disarms what could open or close a fence in a text, and replaces what is not UTF-8.
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
