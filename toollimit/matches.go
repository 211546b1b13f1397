package toollimit

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/toollimit/internal/grep"
)

// withinMatches reports whether text has at most as many matches, or entries, as q allows. In a batch each part
// counts by itself.
func withinMatches(k Kind, text string, q Quota) bool {
	if q.MaxMatches <= 0 {
		return true
	}
	if k == Batch {
		return !slices.ContainsFunc(sections(text), func(part string) bool {
			return countMatches(partKind(part), part) > q.MaxMatches
		})
	}
	return countMatches(k, text) <= q.MaxMatches
}

func countMatches(k Kind, text string) (n int) {
	switch k {
	case Search:
		for l := range strings.Lines(grep.Group(text)) {
			if grep.IsMatch(l) {
				n++
			}
		}
	case Listing:
		for l := range strings.Lines(text) {
			if strings.TrimSpace(l) != "" && !isNote(l) {
				n++
			}
		}
	case Text, File, Output, JSON, Diff, Receipt, Batch, Error, Binary:
	}
	return n
}

// sectionStart begins the head line of a part of a batch, such as "== path".
const sectionStart = "== "

// sections splits a batch before each head line. Text before the first one is a part too.
func sections(s string) (parts []string) {
	for {
		i := strings.Index(s, "\n"+sectionStart)
		if i < 0 {
			return append(parts, s)
		}
		parts = append(parts, s[:i+1])
		s = s[i+1:]
	}
}

func firstLine(s string) string {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return s[:i+1]
	}
	return s
}

func partKind(body string) Kind {
	first := firstLine(body)
	switch _, _, ok := lineNumber(first, numberEnds[0]); {
	case ok:
		return File
	case strings.HasPrefix(first, "diff --git "):
		return Diff
	case len(parseHits(grep.Group(body)).files) > 0:
		return Search
	}
	return Text
}
