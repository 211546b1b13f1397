package toollimit

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/forayhq/foray/toollimit/internal/grep"
)

// Limits on how the searched words are found. They bound the work on a result of many megabytes.
const (
	sampledHits  = 200 // matches that are looked at
	triedWords   = 24  // words of the query that are looked for, the longest first
	maxWords     = 4   // searched words, such as those of a|b
	minWord      = 2   // bytes of a word of the query
	minCommon    = 3   // bytes of a word that the matches share
	commonShare  = 60  // percent of the matches that share a word if the query is unknown
	minWordShare = 10  // percent of the matches that a further word of the query must explain
)

// searched returns the words that a search looked for: those of the query that the matches contain, or else the word
// that most matches share.
func (h *hits) searched(query string) []string {
	lines := h.sample()
	if words := explain(slices.Clone(lines), queryWords(query)); len(words) > 0 {
		return words
	}
	counts := make(map[string]int)
	for _, l := range lines {
		words := wordsOf(l, minCommon) // in their own case: Truncate and truncate are two
		slices.Sort(words)
		for _, w := range slices.Compact(words) {
			counts[w]++
		}
	}
	best := ""
	for w, n := range counts {
		if n*100 < len(lines)*commonShare || isCommon(w) {
			continue
		}
		if c := cmp.Or(n-counts[best], len(w)-len(best), cmp.Compare(best, w)); best == "" || c > 0 {
			best = w
		}
	}
	if best == "" || len(lines) < 2 {
		return nil
	}
	return []string{best}
}

// sample returns the texts of at most sampledHits matches, spread evenly.
func (h *hits) sample() []string {
	step, n := 1+h.hits/sampledHits, 0
	var lines []string
	for i := range h.files {
		for _, m := range h.files[i].matches {
			if n%step == 0 {
				_, text := grep.CutMatch(m.text)
				lines = append(lines, text[:min(len(text), 1<<10)])
			}
			n++
		}
	}
	return lines
}

// explain chooses the words that most lines hold, then those that most of the other lines hold, longer ones first.
func explain(lines, words []string) (chosen []string) {
	all := len(lines)
	for i, l := range lines {
		lines[i] = lowerASCII(l)
	}
	for len(lines) > 0 && len(chosen) < maxWords {
		best, most := "", 0
		for _, w := range words {
			n, low := 0, lowerASCII(w)
			for _, l := range lines {
				if strings.Contains(l, low) {
					n++
				}
			}
			if n > most {
				best, most = w, n
			}
		}
		if most == 0 || len(chosen) > 0 && most*100 < all*minWordShare {
			break
		}
		chosen = append(chosen, best)
		best = lowerASCII(best)
		lines = slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, best) })
	}
	return chosen
}

// queryWords returns the words of a query, the longest first: a text, a regular expression, or the arguments of a call.
// The letters of escapes such as \b or \w are no words. Words such as func count only if there are no others.
func queryWords(query string) []string {
	b := []byte(query)
	for i := 1; i < len(b); i++ {
		if b[i-1] == '\\' && strings.IndexByte("bBdDsSwWnrtAzZ", b[i]) >= 0 {
			b[i] = ' '
		}
	}
	words := wordsOf(string(b), minWord)
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	words = slices.Compact(words)
	if rare := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return isCommon(w) }); len(rare) > 0 {
		words = rare
	}
	return words[:min(len(words), triedWords)]
}

func wordsOf(s string, least int) []string {
	words := strings.FieldsFunc(s, noWord)
	return slices.DeleteFunc(words, func(w string) bool { return len(w) < least })
}

// lowerASCII lowers ASCII letters and keeps every length.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}

// isCommon reports whether a word opens definitions, or is another that searches seldom look for.
func isCommon(w string) bool {
	switch w {
	case "import", "return", "self", "this":
		return true
	}
	return openings[w] != 0
}

// defines reports whether a match defines one of the words: after an opening, and in Go after a receiver. Definitions
// without an opening are known by the symbol that the tool names: "L12 [window.fit] int fit(int room) {".
func defines(match string, words []string) bool {
	symbol, text := grep.CutMatch(match)
	indented := strings.HasPrefix(text, " ") || strings.HasPrefix(text, "\t")
	text = strings.Trim(text, " \t\r\n")
	if i := strings.LastIndexAny(symbol, ".:#/"); isWord(symbol[i+1:], words) {
		before, after, _ := strings.Cut(text, symbol[i+1:])
		if after != "" && (before == "" || after[0] == '(' && !strings.HasSuffix(after, ";") && isType(before)) {
			return true
		}
	}
	kind, rest := openingOf(text)
	comment := strings.HasPrefix(text, "# ") || strings.HasPrefix(text, "##")
	if comment || kind != definition && (kind != value || indented) {
		return false
	}
	if strings.HasPrefix(rest, "(") {
		_, rest, _ = strings.Cut(rest, ")")
	}
	name := strings.TrimLeft(rest, " *&")
	if end := strings.IndexFunc(name, noWord); end >= 0 {
		name = name[:end]
	}
	return isWord(name, words)
}

// isWord reports whether a name is one of the words. A word without capitals matches in any case.
func isWord(name string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		return len(w) == len(name) && (w == name || w == lowerASCII(w) && w == lowerASCII(name))
	})
}

// isType reports whether s may be the type and the modifiers before the name of a function.
func isType(s string) bool {
	return strings.HasSuffix(s, " ") && !strings.HasPrefix(s, "return ") &&
		strings.IndexFunc(s, func(r rune) bool { return noWord(r) && !strings.ContainsRune(" *&<>[],:~", r) }) < 0
}

func noWord(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// The classes of files, the most telling first.
const (
	source = iota
	test
	prose // and data, and code that others wrote
)

// classOf guesses the class of a file from its path.
func classOf(path string) int {
	path = "/" + strings.ToLower(strings.ReplaceAll(path, `\`, "/"))
	has := func(parts []string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(path, part) })
	}
	end := path[strings.LastIndexByte(path, '/'):]
	end = end[max(strings.LastIndexByte(end, '.'), 0):]
	switch {
	case slices.Contains(proseEnds, end), has(proseParts):
		return prose
	case has(testParts):
		return test
	}
	return source
}

var (
	testParts = []string{
		"_test.", ".test.", ".spec.", "_spec.", "/test_", "tests.", "test.java", "test.kt", "test.cs", "test.php", "/test/",
		"/tests/", "/testing/", "/testdata/", "/__tests__/", "/spec/", "/fixtures/",
	}
	proseParts = []string{"/vendor/", "/node_modules/", "/third_party/", ".min.", "/dist/", "/changelog", "/license"}
	proseEnds  = []string{
		".md", ".markdown", ".rst", ".txt", ".adoc", ".org", ".html", ".svg", ".json", ".jsonl", ".lock", ".sum", ".csv",
		".tsv", ".map", ".log", ".po", ".xml", ".ipynb", ".txtar", ".snap",
	}
)

// rank orders the files: those that define a searched word, then source before tests before prose, then those with
// more hits. It chooses the match that each shows first.
func (h *hits) rank(query string) {
	h.words = h.searched(query)
	h.order = make([]int, len(h.files))
	for i := range h.files {
		f := &h.files[i]
		h.order[i] = i
		path, count := grep.CutFile(f.head.of(h.text))
		f.class, f.hits = classOf(path), max(count, len(f.matches))
		if len(h.words) > 0 {
			f.best = slices.IndexFunc(f.matches, func(m hitLine) bool { return defines(m.text, h.words) })
		}
		if f.best < 0 {
			f.best, f.plain = 0, 1
		}
	}
	slices.SortStableFunc(h.order, func(i, j int) int {
		a, b := &h.files[i], &h.files[j]
		return cmp.Or(a.plain-b.plain, a.class-b.class, b.hits-a.hits)
	})
}

// ranked returns the groups of files in order, as far as names are searched.
func (h *hits) ranked() string {
	var b strings.Builder
	b.Grow(min(len(h.text), 2*maxNamesInput))
	for _, i := range h.order {
		end := len(h.text)
		if i+1 < len(h.files) {
			end = h.files[i+1].head.at
		}
		if b.WriteString(h.text[h.files[i].head.at:end]); b.Len() >= maxNamesInput {
			break
		}
	}
	return b.String()
}
