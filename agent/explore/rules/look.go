package rules

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/rulemodel"
)

// keywords open a definition in the languages that outline knows, and some more.
const keywords = `\b(?:func|def|class|type|struct|interface|enum|trait|impl|fn|function|module|const|var|let|static|record|public|private|protected|define|fun|macro_rules!)\b`

// look ranks the tree, looks up the names of the question and counts its words. Without locate it lists the tree and
// searches for definitions named by the words instead.
func (r *run) look() []rulemodel.Call {
	calls := []rulemodel.Call{rulemodel.Ask("locate", map[string]any{"query": clip(r.q.text, maxQuery), "k": candidates, "mode": r.q.mode()}, "rank files and definitions for the question")}
	for _, id := range r.q.idents[:min(len(r.q.idents), nameLookups)] {
		calls = append(calls, rulemodel.Ask("find_symbol", map[string]any{"name": id.text, "limit": 30}, "the question names it"))
	}
	if len(r.q.paths) > 0 {
		calls = append(calls, rulemodel.Ask("glob", map[string]any{"pattern": pathGlob(r.q.paths), "limit": 50}, "the question names it"))
	}
	if patterns := r.q.patterns(); len(patterns) > 0 {
		calls = append(calls, rulemodel.Ask("search", map[string]any{"patterns": patterns, "mode": "count", "limit": 1}, "in how many files the names and words of the question stand"))
	}
	if len(r.q.literals) > 0 {
		calls = append(calls, content(r.q.quotes(), 300, 3, "messages and lines of code that the issue quotes"))
	}
	if r.offered["locate"] {
		return calls
	}
	calls = append(calls, rulemodel.Ask("list_dir", map[string]any{"path": ".", "depth": listDepth, "limit": listLimit}, "sizes and names of files"))
	if len(r.q.idents) > 0 {
		calls = append(calls, content(r.q.names(), 1000, 30, "the names of the question"))
	}
	if len(r.q.words) > 0 {
		var patterns []string
		for _, w := range r.q.words {
			patterns = append(patterns, keywords+`.*(?:`+w.pattern+`)`)
		}
		calls = append(calls, content(patterns, 1500, 40, "definitions named by words of the question"))
	}
	return append(calls, r.count()...)
}

// maxQuery is how much of a question is ranked for, in characters.
const maxQuery = 20_000

// mode is what the ranking is told of the question.
func (q *question) mode() string {
	if q.issue {
		return "issue"
	}
	return "question"
}

// patterns find the names, messages and words of the question, each alone, as many as one search takes.
func (q *question) patterns() []string {
	var all []string
	for _, id := range q.idents {
		all = append(all, id.re.String())
	}
	for _, w := range q.byWeight() {
		all = append(all, w.pattern)
	}
	return all[:min(len(all), maxPatterns)]
}

// quotes are the patterns of what the issue quotes.
func (q *question) quotes() []string {
	var all []string
	for _, l := range q.literals {
		all = append(all, l.pattern)
	}
	return all[:min(len(all), maxPatterns)]
}

// names is one pattern for all names of the question, as a list.
func (q *question) names() []string {
	if len(q.idents) == 0 {
		return nil
	}
	var all []string
	for _, id := range q.idents {
		all = append(all, id.re.String())
	}
	return []string{strings.Join(all, "|")}
}

// count counts the words by file, the heaviest first, where nothing else ranks the tree.
func (r *run) count() []rulemodel.Call {
	if r.offered["locate"] {
		return nil
	}
	var calls []rulemodel.Call
	for _, w := range r.q.byWeight() {
		calls = append(calls, rulemodel.Ask("search", map[string]any{"pattern": w.pattern, "mode": "count", "limit": listLimit}, "the files that hold “"+w.text+"”"))
	}
	return calls
}

// pathGlob finds files by what the question names: whole, or as the end of a path.
func pathGlob(paths []string) string {
	var forms []string
	for _, p := range paths {
		forms = append(forms, globEscape(p))
	}
	return "**/{" + strings.Join(forms, ",") + "}"
}

func globEscape(p string) string {
	var b strings.Builder
	for _, c := range p {
		if strings.ContainsRune(`*?[]{},\!`, c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

func content(patterns []string, limit, perFile int, why string) rulemodel.Call {
	return rulemodel.Ask("search", map[string]any{"patterns": patterns, "context": 0, "limit": limit, "max_per_file": perFile}, why)
}

// byWeight are the words, heaviest first.
func (q *question) byWeight() []word {
	words := slices.Clone(q.words)
	slices.SortStableFunc(words, func(a, b word) int {
		switch {
		case a.weight > b.weight:
			return -1
		case a.weight < b.weight:
			return 1
		}
		return 0
	})
	return words
}
