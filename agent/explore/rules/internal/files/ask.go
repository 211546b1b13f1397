package files

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// A Subject is the file or directory that a question is about.
type Subject struct {
	Path    string   // as the question writes it, without a slash at the end
	Kinds   []string // of the definitions that it asks for; nil: any
	Certain bool     // the text can only be a path: if nothing has it, that is the answer
	Inside  bool     // the question asks for something in it: only its absence is an answer
}

// How many words a question about a whole file or directory may have that say something else: "a.js, is that a template
// engine? what does it do" has two.
const (
	maxOthers      = 2
	maxOfDirectory = 4
)

// maxQuestion is the longest question about a file, in bytes. A longer one is a story.
const maxQuestion = 200

var (
	// pathForm matches what may be a path; it is one with a slash, with an extension, or if its name has none.
	pathForm = lazyregexp.New(`^\.{0,2}/?[\pL\pN_@.+~-]+(?:/[\pL\pN_@.+~-]+)*/?$`)
	hasExt   = lazyregexp.New(`[^./]\.(?:[a-z][A-Za-z0-9]{0,9}|[A-Z])$`)
	// sourceExt are extensions that names of code and of products do not end in.
	sourceExt = lazyregexp.New(`[^./]\.(?:go|pyi?|rb|rs|java|kt|c|h|cc|cpp|hpp|cxx|cs|php|swift|scala|tsx?|jsx|exs?|erl|lua|` +
		`sh|md|rst|adoc|toml|ya?ml|json|xml|proto|zig|nim|dart|hs|ml|clj)$`)
	bareName = lazyregexp.New(`^(?i:readme|makefile|gnumakefile|dockerfile|justfile|rakefile|gemfile|procfile|license|` +
		`licence|copying|changelog|codeowners|jenkinsfile|vagrantfile)$`)
	identifier = lazyregexp.New(`[_:()]|\p{Ll}\p{Lu}|\d`)
	split      = lazyregexp.New(`(\p{Han})([^\p{Han}\s])|([^\p{Han}\s])(\p{Han})`)
	separator  = lazyregexp.New(`[\s,;:!?"'“”„«»‘’「」，。！？、：；()]+|\.(?:\s|$)|\s[-–—]\s`)
)

// Ask returns the file or directory that a question is about. It reports false if the question names none, or more than
// one, or asks for something in it: if it has words that are neither in the path nor those with which people ask what a
// file is. A few are allowed beside a word that asks for the whole, and fewer where the question also asks for a place.
func Ask(question string) (Subject, bool) {
	q := strings.TrimSpace(question)
	if q == "" || len(q) > maxQuestion || strings.Contains(q, "\n") {
		return Subject{}, false
	}
	q = split.ReplaceAllString(split.ReplaceAllString(q, "$1$3 $2$4"), "$1$3 $2$4")
	words := strings.Fields(q)
	at := pathOf(words)
	if at < 0 {
		return Subject{}, false
	}
	given := unquoted(words[at])
	s := Subject{Path: strings.Trim(strings.TrimPrefix(given, "./"), "/"),
		Certain: sourceExt.MatchString(given) || strings.Contains(given, "/") && hasExt.MatchString(given)}
	words[at] = " "
	others, whole, inside := 0, false, false
	for _, w := range separator.Split(strings.Join(words, " "), -1) {
		low := strings.ToLower(strings.Trim(w, "`*._-"))
		kind, isKind := kindOf(low)
		switch {
		case asksWhole[low]:
			whole = true
		case locates[low]:
			inside = true
		case low == "" || filler[low] || inPath(s.Path, low):
		case isKind:
			s.Kinds, whole = append(s.Kinds, kind...), true
		case onlyHan(low):
			if hanFiller.ReplaceAllString(low, "") != "" {
				others++
			}
			for word, of := range hanKinds {
				if strings.Contains(low, word) {
					s.Kinds = append(s.Kinds, of...)
				}
			}
			whole, inside = true, inside || hanLocates.MatchString(low)
		case identifier.MatchString(w):
			others += maxOfDirectory + 1
		default:
			others++
		}
	}
	most := 0
	switch directory := strings.HasSuffix(given, "/") || !hasExt.MatchString(given) && !bareName.MatchString(given); {
	case inside && whole:
		most = 1
	case directory && !inside: // little else is asked of it
		most = maxOfDirectory
	case whole:
		most = maxOthers
	}
	s.Inside = others > most
	return s, s.Path != "" && (!s.Inside || s.Certain && strings.Contains(s.Path, "/"))
}

// pathOf returns the index of the only word that is a path, or the one beside a word for a directory; -1 without one.
func pathOf(words []string) int {
	at := -1
	for i, w := range words {
		w = unquoted(w)
		if !isPath(w) {
			continue
		}
		if at >= 0 {
			return -1
		}
		at = i
	}
	if at >= 0 {
		return at
	}
	isName := func(i int) bool {
		return i >= 0 && i < len(words) && pathForm.MatchString(unquoted(words[i])) &&
			!noName[strings.ToLower(unquoted(words[i]))]
	}
	switch i := slices.IndexFunc(words, func(w string) bool { return directory[strings.ToLower(unquoted(w))] }); {
	case i < 0:
		return -1
	case isName(i-1) && (i+1 >= len(words) || i > 1 && article[strings.ToLower(words[i-2])]):
		return i - 1
	case isName(i + 1):
		return i + 1
	case isName(i - 1):
		return i - 1
	}
	return -1
}

func isPath(w string) bool {
	return pathForm.MatchString(w) && strings.Trim(w, "./") != "" &&
		(strings.Contains(w, "/") || hasExt.MatchString(w) || bareName.MatchString(w))
}

// unquoted returns a word without quotes around it and marks of sentences after it.
func unquoted(w string) string {
	w = strings.Trim(w, "`\"'“”„«»‘’「」()*,;:?!？！，。")
	if isPath(w) {
		return strings.TrimSuffix(w, ".")
	}
	return strings.TrimRight(w, ".")
}

// inPath reports whether a word is a part of a path or of a name in it.
func inPath(p, word string) bool {
	for part := range strings.FieldsFuncSeq(strings.ToLower(p), func(c rune) bool { return strings.ContainsRune("/._-", c) }) {
		if part == word || part == word+"s" || part+"s" == word {
			return true
		}
	}
	return strings.EqualFold(path.Base(p), word)
}

func onlyHan(w string) bool {
	return !strings.ContainsFunc(w, func(c rune) bool { return !unicode.Is(unicode.Han, c) })
}

// kindOf returns the kinds of definitions that a word means, in the singular or plural.
func kindOf(word string) ([]string, bool) {
	for _, suffix := range []string{"", "s", "es", "n", "en", "e"} {
		if all, ok := kinds[strings.TrimSuffix(word, suffix)]; ok {
			return all, true
		}
	}
	return nil, false
}
