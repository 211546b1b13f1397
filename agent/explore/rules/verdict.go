package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/lookup"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools/report"
)

// verdict says whether the question is answered, and what is missing.
type verdict struct{ *links }

// answered reports whether the tree contains what the question asks about: an identifier or path of the question, or
// enough of its words together in one block.
func (r *verdict) answered(chosen []*block) bool {
	if len(chosen) == 0 {
		return false
	}
	if slices.ContainsFunc(slices.Collect(maps.Keys(r.missing())), func(i int) bool { return r.q.words[i].proper }) &&
		len(r.q.idents) == 0 {
		return false // the question is about a proper name that occurs nowhere
	}
	covered := r.coverage()
	present := slices.ContainsFunc(r.q.idents, r.occurs)
	if len(r.q.idents) > 0 && !present && len(r.e.globbed) == 0 {
		return false
	}
	if slices.ContainsFunc(r.best, func(b *block) bool { return b.ident != "" }) {
		return true
	}
	if present || len(r.e.globbed) > 0 {
		return covered >= nameCoverage
	}
	return covered >= foundCoverage || covered >= nameCoverage && (r.namedByWord() || r.namedByAll())
}

// namedByAll reports whether the name and the description of a definition in code have every word of the question that
// decides, and two of its words at least: the subject of a project is a rare word nowhere in it.
func (r *verdict) namedByAll() bool {
	decides := func(i int) bool { return r.q.words[i].weight > weakWeight && !r.q.words[i].optional }
	return slices.ContainsFunc(r.best, func(b *block) bool {
		if b.factor < 1 || len(b.inName)+len(b.inDoc) < 2 || !slices.ContainsFunc(b.inName, decides) {
			return false
		}
		for i := range r.q.words {
			if decides(i) && !slices.Contains(b.inName, i) && !slices.Contains(b.inDoc, i) {
				return false
			}
		}
		return true
	})
}

// namedByWord reports whether a definition in code has a rare word of the question in its name, or another word there
// and a rare one below it, or two words there, and most words of the question occur somewhere.
func (r *verdict) namedByWord() bool {
	strong, missing := 0, 0
	for i, w := range r.q.words {
		if w.weight > weakWeight && !w.optional {
			strong++
			if r.e.inFiles[i] == 0 {
				missing++
			}
		}
	}
	return 2*missing < strong && slices.ContainsFunc(r.best, func(b *block) bool {
		strong := func(i int) bool { return r.q.words[i].weight > weakWeight }
		rare := func(i int) bool {
			alone := len(b.inName)+len(b.inDoc)+len(b.inBody) == 1
			return strong(i) && r.idf(i) > rareWord && !(r.q.words[i].optional && alone) // not a word of the question
		}
		return b.factor == 1 && (slices.ContainsFunc(b.inName, rare) ||
			slices.ContainsFunc(b.inName, strong) &&
				(len(b.inName) > 1 || slices.ContainsFunc(slices.Concat(b.inDoc, b.inBody), rare)))
	})
}

// Least shares of the question's words for a first place that convinces, and how many they are, unless it has fewer: of
// 6 places that 107 questions about 24 projects had first for one word of several, two were right.
const (
	leastProof  = .35 // as [block.proof]
	leastHead   = .25 // in its name, signature or documentation
	leastShared = 2
)

// convinces reports whether the first place of an answer has enough of the question: an identifier of it, or words of
// it in its head and not only in its lines, where words occur by chance.
func (r *verdict) convinces(b *block) bool {
	switch {
	case r.q.issue, b.ident+b.uses != "", len(r.q.paths) > 0:
		return true
	case slices.ContainsFunc(r.q.idents, func(id ident) bool { return id.last == lastPart(ownerOf(b.Name)) }) &&
		r.asksFor(b, ownerOf(b.Name)):
		return true
	case slices.ContainsFunc(r.q.idents, r.occurs):
		return false // it has none of the names that the question is about
	case len(b.inName)+len(b.inDoc)+len(b.inBody) < min(leastShared, len(r.q.words)):
		return false
	}
	worths, whole := r.worths()
	head := 0.0
	for _, i := range slices.Concat(b.inName, b.inDoc) {
		head += worths[i]
	}
	return b.proof >= leastProof && head >= leastHead*whole
}

// coverage returns the largest proof of one block: the share of the question's words in it.
func (r *verdict) coverage() (best float64) {
	for _, b := range r.best {
		best = max(best, b.proof)
	}
	return best
}

// weak reports whether the question has only words that are common in all code.
func (r *verdict) weak() bool {
	return len(r.q.idents)+len(r.q.paths) == 0 &&
		!slices.ContainsFunc(r.q.words, func(w word) bool { return w.weight > weakWeight })
}

// absent says what the tree does not contain, and which names come near.
func (r *verdict) absent() []report.Statement {
	var out []report.Statement
	if r.e.timedOut {
		out = append(out, report.Statement{Text: "The time limit ended the search early. " +
			"The next statements cover only the files that were searched."})
	}
	none := lookup.NoneContains(r.e.searched) + " "
	none = strings.ToUpper(none[:1]) + none[1:]
	for _, id := range r.q.idents {
		if !r.occurs(id) {
			out = append(out, report.Statement{Text: none + "the name `" + id.text + "`."})
		}
	}
	if missing := r.missingWords(0); len(missing) > 0 && !r.q.long {
		out = append(out, report.Statement{Text: none + strings.Join(missing, ", ") + "."})
	}
	switch {
	case len(out) > 0 && !(r.e.timedOut && len(out) == 1):
	case r.uncounted() && len(r.e.truncated) > 0:
		out = append(out, report.Statement{Text: "The context window had no room for what was found, so nothing can be " +
			"concluded: ask with a larger budget, or without one."})
	case r.uncounted():
		out = append(out, report.Statement{
			Text: "Not all words of the question were searched for, so nothing can be concluded."})
	default:
		out = append(out, report.Statement{Text: fmt.Sprintf("No place in %s contains the words of the question together.",
			line.Count(r.e.searched, "file"))})
	}
	if near := r.nearestNames(); len(near) > 0 {
		out = append(out, report.Statement{Text: "The nearest names are " + strings.Join(near, ", ") + "."})
	}
	if language := r.q.language(); language != "" {
		out = append(out, report.Statement{Text: "The question is in " + language +
			", and a table translates terms only: ask with names from the code, or in English."})
	}
	return out
}

// uncounted reports whether the run ended before every word of the question was counted.
func (r *verdict) uncounted() bool {
	for i, w := range r.q.words {
		if !r.e.counted[i] && !w.optional {
			return true
		}
	}
	return false
}

// missingWords returns the words above a weight that no file contains, in quotes: those of [verdict.missing], and
// Chinese that has no translation.
func (r *verdict) missingWords(above float64) []string {
	var out []string
	for i, w := range r.q.words {
		if w.weight > above && (r.missing()[i] || w.foreign && r.e.counted[i] && r.e.inFiles[i] == 0) {
			out = append(out, "“"+w.text+"”")
		}
	}
	return out
}

// nowhere returns the words that decide and that no file contains, in quotes, if all files were searched.
func (r *verdict) nowhere() []string {
	if r.e.timedOut {
		return nil
	}
	return r.missingWords(weakWeight)
}

// missing returns the indexes of the words that were counted and that no file contains.
func (r *verdict) missing() map[int]bool {
	all := make(map[int]bool)
	for i, w := range r.q.words {
		if r.e.counted[i] && r.e.inFiles[i] == 0 && !w.optional {
			all[i] = true
		}
	}
	return all
}

const maxNearest = 5

// nearestNames returns near names: those that the tools suggest, then those of the best blocks.
func (r *verdict) nearestNames() []string {
	var out []string
	add := func(name string) {
		name = "`" + line.Truncate(name, 60) + "`"
		if len(out) < maxNearest && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, n := range r.e.nearest {
		if r.resembles(n) && !strings.Contains(n, " ") { // the title of a section is no name
			add(n)
		}
	}
	for _, b := range r.pick(3) {
		if b.Name != "" && len(b.inName)+len(b.inDoc) > 0 {
			add(b.Name)
		}
	}
	return out
}

// sharedLetters is how many first letters two parts of names must share to resemble each other.
const sharedLetters = 4

// resembles reports whether a part of a name begins like a name or word of the question.
func (r *verdict) resembles(name string) bool {
	var asked []string
	for _, id := range r.q.idents {
		asked = append(asked, identParts(id.last)...)
	}
	for _, w := range r.q.words {
		asked = append(asked, w.text)
	}
	for _, p := range identParts(name) {
		if len(p) < sharedLetters {
			continue
		}
		if slices.ContainsFunc(asked, func(a string) bool { return strings.HasPrefix(a, p[:sharedLetters]) }) {
			return true
		}
	}
	return false
}

// What a report does not cover: InNoFile precedes the words of its question that no file contains, and WasNotFound
// follows each name, in backticks.
const (
	InNoFile    = "in no file: "
	WasNotFound = " was not found"
)

// notCovered says what the report does not cover, a line each.
func (r *verdict) notCovered() []string {
	out := []string{}
	if len(r.e.located) > 0 {
		what := "definition"
		if r.q.issue {
			what = "file"
		}
		out = append(out, "confidence: how often a "+what+" ranked like this was right for recorded "+r.q.mode()+"s")
	}
	for _, id := range r.q.idents {
		switch near := r.nearestNames(); {
		case r.occurs(id):
		case len(near) > 0:
			out = append(out, "`"+id.text+"`"+WasNotFound+"; nearest: "+strings.Join(near, ", "))
		default:
			out = append(out, "`"+id.text+"`"+WasNotFound)
		}
	}
	for _, p := range r.q.paths {
		if strings.ContainsRune(p, '.') &&
			!slices.ContainsFunc(r.e.sorted, func(f *file) bool { return strings.Contains("/"+f.path+"/", "/"+p) }) &&
			!slices.ContainsFunc(r.e.globbed, func(g string) bool { return strings.HasSuffix(g, p) }) {
			out = append(out, "no file or directory `"+line.Truncate(p, 80)+"` was found")
		}
	}
	if missing := r.nowhere(); len(missing) > 0 {
		out = append(out, InNoFile+strings.Join(missing, ", "))
	}
	if r.weak() && len(r.q.words) > 0 {
		out = append(out,
			"the question has only words that are common in all code; name a function, a file or a term of its subject")
	}
	return append(out, r.e.gaps()...)
}

// nextQuestion asks about the most promising name that was not read.
func (r *verdict) nextQuestion(chosen []*block) string {
	for _, t := range r.targets() {
		if r.e.reading(t.Path, t.Start) == nil {
			return fmt.Sprintf("What does %s do?", t.symbol.Name)
		}
	}
	if len(chosen) > 0 && chosen[0].Name != "" {
		return fmt.Sprintf("Who calls %s?", chosen[0].Name)
	}
	return ""
}
