// Package speech reads what people write to an assistant: its sentences, whether one asks, whether a message only agrees.
package speech

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forayhq/foray/toollimit"
)

// limit is how much of a text is looked at, in bytes.
const MaxBytes = 256 << 10

// ends returns the two ends of a text that is too long to be looked at.
func Ends(text string) string {
	if len(text) <= MaxBytes {
		return text
	}
	return text[:MaxBytes/2] + "\n[…]\n" + text[len(text)-MaxBytes/2:]
}

func IsQuestion(sentence string) bool {
	sentence = strings.TrimRight(sentence, " \"'”’)）")
	return strings.HasSuffix(sentence, "?") || strings.HasSuffix(sentence, "？") || strings.HasSuffix(sentence, "吗")
}

func HasAny(text string, words []string) bool {
	text = " " + strings.ToLower(text)
	return slices.ContainsFunc(words, func(w string) bool {
		if w[0] < utf8.RuneSelf {
			w = " " + w // English words begin where a word begins
		}
		return strings.Contains(text, w)
	})
}

// mostSentences bounds how many sentences of a message are looked at.
const mostSentences = 40

// sentences parts a text into its first sentences. Points inside of names and numbers end none.
func Sentences(text string) []string {
	text = text[:min(len(text), MaxBytes/8)]
	var found []string
	for line := range strings.Lines(strings.ToValidUTF8(text, "")) {
		rest := line
		for rest != "" && len(found) < mostSentences {
			end := sentenceEnd(rest)
			if s := strings.TrimSpace(strings.TrimLeft(rest[:end], "-*#> \t")); s != "" {
				found = append(found, s)
			}
			rest = rest[end:]
		}
	}
	return found
}

// sentenceEnd returns the length of the first sentence of a line, its end included.
func sentenceEnd(line string) int {
	for i, r := range line {
		next := i + utf8.RuneLen(r)
		switch r {
		case '。', '！', '？', '；':
			return next
		case '.', '!', '?':
			if after, _ := utf8.DecodeRuneInString(line[next:]); next >= len(line) || unicode.IsSpace(after) {
				return next
			}
		}
	}
	return len(line)
}

// clip returns the first runes of a text, on one line.
func Clip(text string, most int) string {
	text = strings.Join(strings.Fields(text[:min(len(text), 4*most+64)]), " ")
	text = strings.ToValidUTF8(text, "")
	if toollimit.Runes(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}

// Contains reports whether a text has any of the parts, anywhere.
func Contains(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) })
}
