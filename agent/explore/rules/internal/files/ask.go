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
	Users   bool     // the question asks what uses the file, too
}

// andUsers matches what asks for the users of a file, after a question for the whole of it.
var andUsers = lazyregexp.New(`(?i),?\s*\b(?:and|&|und)\s+(?:who|what|where|which \w+|wer|was|wo)\s+(?:else )?` +
	`(?:is it (?:used|imported|needed|called)|(?:uses?|imports?|needs?|calls?|depends? on|requires?|` +
	`benutzt|nutzt|importiert|verwendet) (?:it|them|this|that|sie|es|ihn))\b.*$`)

// underFolder matches a file, its group, and the folder that it is said to be in; remark what somebody says of it.
var (
	underFolder = lazyregexp.New(`(?i)(\S+\.\w{1,6}) (?:under|in|inside|below) (?:the )?\w\S*/\S*`)
	remark      = lazyregexp.New(`(?i)\?\s+(?:it|there|this|that|looks|seems|i)\b[^?]*$`)
)

// maxOthers is how many words a question may have that say something else beside one that asks for the whole: "I am trying
// to understand the mvc sample. Can you go through boot.js with me?" has one.
const maxOthers = 2

// mostExists is the same for a question why a file exists, which may say what it is compared with.
const mostExists = 8

// maxQuestion is the longest question about a file, in bytes. A longer one is a story.
const maxQuestion = 200

var (
	// pathForm matches what may be a path; it is one with a slash, with an extension, or if its name has none.
	pathForm = lazyregexp.New(`^\.{0,2}/?[\pL\pN_@.+~-]+(?:/[\pL\pN_@.+~-]+)*/?$`)
	hasExt   = lazyregexp.New(`[^./]\.(?:[a-z][A-Za-z0-9]{0,9}|[A-Z])$`)
	// sourceExt are extensions that names of code and of products do not end in.
	sourceExt = lazyregexp.New(`[^./]\.(?:go|pyi?|rb|rs|java|kt|c|h|cc|cpp|hpp|cxx|cs|php|swift|scala|tsx?|jsx|` +
		`exs?|erl|lua|` +
		`sh|md|rst|adoc|toml|ya?ml|json|xml|proto|zig|nim|dart|hs|ml|clj)$`)
	bareName = lazyregexp.New(`^(?i:readme|makefile|gnumakefile|dockerfile|justfile|rakefile|gemfile|procfile|` +
		`license|` +
		`licence|copying|changelog|codeowners|jenkinsfile|vagrantfile)$`)
	identifier = lazyregexp.New(`[_:()]|\p{Ll}\p{Lu}|\d`)
	split      = lazyregexp.New(`(\p{Han})([^\p{Han}\s])|([^\p{Han}\s])(\p{Han})`)
	separator  = lazyregexp.New(`[\s,;:!?"'“”„«»‘’「」，。！？、：；()]+|\.(?:\s|$)|\s[-–—]\s`)
)

// Ask returns the file or directory that a question is about. It reports false if the question names none, or more than
// one, or asks for something in it or for what uses it: if it has words that are neither in the path nor those with which
// people ask what a file is. A few are allowed beside a word that asks for no less than the whole, and for a directory.
func Ask(question string) (Subject, bool) {
	q := strings.TrimSpace(question)
	if q == "" || len(q) > maxQuestion || strings.Contains(q, "\n") {
		return Subject{}, false
	}
	users := andUsers.MatchString(q)
	q = andUsers.ReplaceAllString(q, "?")
	q = split.ReplaceAllString(split.ReplaceAllString(q, "$1$3 $2$4"), "$1$3 $2$4")
	q = quotedMessage.ReplaceAllString(q, " ")
	if dispensable.MatchString(q) {
		q = "what is it for: " + dispensable.ReplaceAllString(q, " ")
	}
	q = underFolder.ReplaceAllString(remark.ReplaceAllString(q, "?"), "$1")
	if m := thenSays.FindStringSubmatch(q); m != nil {
		q = m[1]
	}
	words := strings.Fields(q)
	exists := existence.MatchString(q)
	if first := slices.IndexFunc(words, func(w string) bool { return isPath(unquoted(w)) }); exists && first >= 0 {
		for i := first + 1; i < len(words); i++ {
			if isPath(unquoted(words[i])) {
				words[i] = "" // what it is compared with
			}
		}
	}
	at := pathOf(words)
	if at < 0 {
		return Subject{}, false
	}
	given := unquoted(words[at])
	s := Subject{Path: strings.Trim(strings.TrimPrefix(given, "./"), "/"), Users: users,
		Certain: sourceExt.MatchString(given) || strings.Contains(given, "/") && hasExt.MatchString(given)}
	words[at] = " "
	rest := strings.Join(words, " ")
	w := wordsOf(&s, rest)
	most := 0
	if isFile := hasExt.MatchString(given) || bareName.MatchString(given); !w.place && len(s.Kinds) == 0 && (w.whole || !isFile) ||
		aboutIt.MatchString(rest) {
		most = maxOthers
	}
	if doing.MatchString(rest) {
		most = mostExists
	}
	if exists {
		most, w.place, w.relation = mostExists, false, false
	}
	s.Inside = w.others > most || w.relation || relation.MatchString(rest)
	inTree := strings.Contains(s.Path, "/") && !strings.HasPrefix(given, "/")
	return s, s.Path != "" && (!s.Inside || s.Certain && inTree)
}

// asked says which words a question has.
type asked struct {
	others   int  // that say something else
	whole    bool // one asks for the whole
	place    bool // one asks for a place, a time, a reason or an amount
	relation bool // one asks for what uses or tests something
}

// wordsOf reads the words around the path of a subject, and gives it the kinds that they name.
func wordsOf(s *Subject, rest string) (found asked) {
	for _, w := range separator.Split(rest, -1) {
		low := strings.ToLower(strings.Trim(w, "`*._-"))
		kind, isKind := kindOf(low)
		switch {
		case low == "" || inPath(s.Path, low):
		case relations[low] || low == "used" && !usedFor.MatchString(rest):
			found.relation = true
		case asksWhole[low]:
			found.whole = true
		case locates[low]:
			found.place = true
		case filler[low]:
		case isKind:
			s.Kinds = append(s.Kinds, kind...)
		case onlyHan(low):
			found.whole = true
			found.place = found.place || hanLocates.MatchString(low)
			if hanFiller.ReplaceAllString(low, "") != "" {
				found.others++
			}
			for word, of := range hanKinds {
				if strings.Contains(low, word) {
					s.Kinds = append(s.Kinds, of...)
				}
			}
		case identifier.MatchString(w):
			found.others += maxOthers + 1
		default:
			found.others++
		}
	}
	return found
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
	return pathForm.MatchString(w) && strings.Trim(w, "./") != "" && !strings.HasPrefix(w, "..") && !abbreviation[strings.ToLower(w)] &&
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
