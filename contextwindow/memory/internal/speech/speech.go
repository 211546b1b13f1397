// Package speech reads what people write to an assistant: its sentences, whether one asks, whether a message only
// agrees.
//
// Start with [Sentences].
package speech

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/forayhq/foray/contextwindow/internal/said"
	"github.com/forayhq/foray/internal/line"
)

// MaxBytes is how much of a text is read.
const MaxBytes = 256 << 10

// Ends returns a text, or its beginning and end if it is longer than [MaxBytes].
func Ends(text string) string {
	if len(text) <= MaxBytes {
		return text
	}
	return text[:MaxBytes/2] + "\n[…]\n" + text[len(text)-MaxBytes/2:]
}

// Clip returns the first runes of a text, on one line. It reads no more of the text than it needs.
func Clip(text string, most int) string {
	return line.Truncate(line.Flat(strings.ToValidUTF8(text[:min(len(text), 4*most+64)], "")), most)
}

// maxSentences is how many sentences of a message are read.
const maxSentences = 40

// Sentences splits a text into its first sentences. A point inside a name or number ends none.
func Sentences(text string) []string {
	text = text[:min(len(text), MaxBytes/8)]
	var found []string
	for rest := range strings.Lines(strings.ToValidUTF8(text, "")) {
		for rest != "" && len(found) < maxSentences {
			end := said.SentenceEnd(rest)
			if s := strings.TrimSpace(strings.TrimLeft(rest[:end], "-*#> \t")); s != "" {
				found = append(found, s)
			}
			rest = rest[end:]
		}
	}
	return found
}

var (
	fenced = regexp.MustCompile("(?s)```.*?(?:```|$)")
	tagged = regexp.MustCompile(`(?s)<[a-z][\w-]*(?: [^<>]*)?>.*?</[a-z][\w-]*>`)
	cited  = regexp.MustCompile(`(?m)^[ \t]*>.*$`)
)

// OwnWords returns what a person wrote into a message: no code in fences, no elements in tags, no lines quoted with
// ">", no logs, and of a long message only its beginning and its end.
func OwnWords(message string) string {
	message = tagged.ReplaceAllString(fenced.ReplaceAllString(Ends(message), "\n"), "\n")
	return said.Own(cited.ReplaceAllString(message, ""))
}

// IsQuestion reports whether a sentence ends as a question does.
func IsQuestion(sentence string) bool {
	sentence = strings.TrimRight(sentence, " \"'”’)）")
	return strings.HasSuffix(sentence, "?") || strings.HasSuffix(sentence, "？") || strings.HasSuffix(sentence, "吗")
}

// HasAny reports whether a text has any of some phrases in lower case, English ones from the beginning of a word on.
func HasAny(text string, phrases []string) bool {
	text = " " + strings.ToLower(text)
	return slices.ContainsFunc(phrases, func(p string) bool {
		if p[0] < utf8.RuneSelf {
			p = " " + p
		}
		return strings.Contains(text, p)
	})
}

// StartsWith reports whether a text begins with any of some phrases in lower case.
func StartsWith(text string, phrases []string) bool {
	text = strings.ToLower(text[:min(len(text), 64)])
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.HasPrefix(text, p) })
}

// Contains reports whether a text has any of the parts, anywhere.
func Contains(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) })
}

// Fenced returns a text with which no element that it is shown in can be closed: closing tags are escaped, and invalid
// UTF-8 is replaced.
func Fenced(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "</", `<\/`)
}
