package toollimit

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/toollimit/internal/grep"
	"github.com/forayhq/foray/toollimit/internal/jsontext"
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
	return countMatches(searchKind(k, text, q.Query), text) <= q.MaxMatches
}

// How many lines, and which percentage of them, show that a text is the result of a search.
const (
	searchLines = 64
	searchShare = 90
	wordShare   = 80
)

// searchKind returns [Search] for a plain text, or the output of a command, that is the result of a search in files:
// nearly all its first lines are "path:12:text", and most hold a word of the query. Without a query the form is enough
// for a text. What compilers print is not a search: a column follows the number of the line.
func searchKind(k Kind, text, query string) Kind {
	words := queryWords(query)
	if k != Text && k != Output || k == Output && len(words) == 0 {
		return k
	}
	lines, other := grep.Sample(text, searchLines)
	if len(lines) < 2 || len(lines)*100 < (len(lines)+other)*searchShare {
		return k
	}
	held := 0
	for _, l := range lines {
		l = lowerASCII(l)
		if len(words) == 0 || slices.ContainsFunc(words, func(w string) bool { return strings.Contains(l, lowerASCII(w)) }) {
			held++
		}
	}
	if held*100 < len(lines)*wordShare {
		return k
	}
	return Search
}

// matchKeys are the members of JSON whose elements are matches; the first that occurs counts.
var matchKeys = []string{`"matches"`, `"hits"`, `"results"`}

// matchKey returns the key of the arrays of matches in JSON, their number and that of their elements.
func matchKey(d *jsontext.Document) (key string, arrays, matches int) {
	for _, key := range matchKeys {
		if arrays, matches := d.Elements(key); arrays > 0 {
			return key, arrays, matches
		}
	}
	return "", 0, 0
}

func countMatches(k Kind, text string) (n int) {
	switch k {
	case Search:
		for l := range strings.Lines(grep.Group(text)) {
			if grep.IsMatch(l) {
				n++
			}
		}
		if n == 0 {
			return countMatches(JSON, text)
		}
	case Listing:
		for l := range strings.Lines(text) {
			if strings.TrimSpace(l) != "" && !isNote(l) {
				n++
			}
		}
	case Text, Output, JSON:
		if slices.ContainsFunc(matchKeys, func(key string) bool { return strings.Contains(text, key) }) {
			if in := (&input{kind: k, text: text}); in.document() != nil {
				_, _, n = matchKey(in.doc)
			}
		}
	case File, Diff, Receipt, Batch, Error, Binary:
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
