package documents

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/textsearch"
)

// A Query is what to find sections about.
type Query struct {
	words  []word
	byRoot map[string]int // index in words
}

// maxWords is how many words of a query count.
const maxWords = 24

// Parse takes a query apart. It returns false if the query contains no word.
func Parse(text string) (*Query, bool) {
	q := &Query{byRoot: make(map[string]int)}
	all := wordsOf(text)
	for i, w := range all {
		if i+1 < len(all) && particles[all[i+1].text] {
			w.joined = root(w.text + all[i+1].text)
		}
		if _, again := q.byRoot[w.root]; !again && len(q.words) < maxWords {
			q.byRoot[w.root] = len(q.words)
			if w.joined != "" {
				q.byRoot[w.joined] = len(q.words)
			}
			q.words = append(q.words, w)
		}
	}
	return q, len(q.words) > 0
}

// Count returns how many words of the query a text has, in any form or sense. Stop words do not count.
func (q *Query) Count(text string) (n int) {
	in := wordsOf(text)
	for _, w := range q.words {
		if !stops[w.text] && matches(w, in) {
			n++
		}
	}
	return n
}

// A Candidate is a section that shares a word with a query, with what [Query.Rank] needs to score it.
type Candidate struct {
	Section
	Path  string
	Score float64 // 0 to 1, set by [Query.Rank]: the share of the query that its title and text contain

	titled []float64 // by word of the query: how well the title matches it
	inside []int     // by word of the query: how often the section's own text contains it
	around []bool    // by word of the query: whether a title above it or its path contains it
	extra  float64   // weight of the words of the title that match nothing
	total  float64   // weight of all words of the title
}

// stopWeight is the weight of a stop word against 1.
const stopWeight = .08

func weightOf(w word) float64 {
	if stops[w.text] {
		return stopWeight
	}
	return 1
}

// Look returns the sections of a document, each with the words of the query that it contains.
func (q *Query) Look(name string, src []byte) []Candidate {
	sections := Sections(name, src)
	if len(sections) == 0 {
		return nil
	}
	lines := linesOf(src)
	file := wordsOf(path.Base(path.Dir(name)) + " " + strings.TrimSuffix(path.Base(name), path.Ext(name)))
	all := make([]Candidate, len(sections))
	var open []int
	for i, s := range sections {
		for len(open) > 0 && sections[open[len(open)-1]].Level >= s.Level {
			open = open[:len(open)-1]
		}
		c := Candidate{Section: s, Path: name, inside: make([]int, len(q.words)), around: make([]bool, len(q.words))}
		c.entitle(q)
		for t, w := range q.words {
			c.around[t] = matches(w, file) || slices.ContainsFunc(open, func(o int) bool { return all[o].titled[t] > 0 })
		}
		own := s.End
		if i+1 < len(sections) {
			own = min(own, sections[i+1].Start-1)
		}
		for _, l := range lines[min(s.Start, own):own] {
			q.count(l, c.inside)
		}
		all[i] = c
		open = append(open, i)
	}
	return all
}

func matches(w word, in []word) bool {
	return slices.ContainsFunc(in, func(o word) bool { return o.match(w) > misspelled })
}

// entitle compares the title with the query.
func (c *Candidate) entitle(q *Query) {
	c.titled = make([]float64, len(q.words))
	for _, w := range wordsOf(c.Title) {
		best := 0.0
		for t, of := range q.words {
			m := w.match(of)
			c.titled[t] = max(c.titled[t], m)
			best = max(best, m)
		}
		c.total += weightOf(w)
		if best == 0 {
			c.extra += weightOf(w)
		}
	}
}

// count counts the words of the query in a line of text.
func (q *Query) count(l string, in []int) {
	textsearch.Names([]byte(l), func(from, to int) {
		if t, ok := q.byRoot[root(strings.ToLower(l[from:to]))]; ok {
			in[t]++
		}
	})
}

// Shares of the score.
const (
	aroundShare = .5  // of a word that only the titles above or the path contain
	insideShare = .35 // of a word that only the text contains, at most
	titleShare  = .25 // of the score, for a title without other words
	nameWeight  = .2  // weight of a word in the title of the project's README: its name
	commonest   = .25 // least weight of a word that most sections contain

	absentWeight = .4 // factor of a word that no section contains: people ask in other words
)

// Rank scores candidates of all documents of a tree and sorts them, best first. A misspelled word counts only if no
// document has it as the query writes it. Rank drops candidates whose title and text contain no word of the query.
func (q *Query) Rank(all []Candidate) []Candidate {
	weights, known := q.weights(all)
	all = slices.DeleteFunc(all, func(c Candidate) bool {
		none := true
		for t := range q.words {
			if known[t] && c.titled[t] == misspelled {
				c.titled[t] = 0
			}
			none = none && (stops[q.words[t].text] || c.titled[t] == 0 && c.inside[t] == 0)
		}
		return none && !c.isWhole()
	})
	for i := range all {
		all[i].score(weights)
	}
	slices.SortStableFunc(all, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/")),
			cmp.Compare(a.Path, b.Path), cmp.Compare(b.Level, a.Level), cmp.Compare(a.Start, b.Start))
	})
	return all
}

// isWhole reports whether the title is the query, word for word.
func (c *Candidate) isWhole() bool {
	return c.extra == 0 && !slices.ContainsFunc(c.titled, func(m float64) bool { return m < sameWord })
}

// weights returns the weight of each word by its rarity, and which words occur as the query writes them.
func (q *Query) weights(all []Candidate) (weights []float64, known []bool) {
	weights, known = make([]float64, len(q.words)), make([]bool, len(q.words))
	most := textsearch.Rarity(float64(len(all)), 1)
	for t, w := range q.words {
		having := 0
		for i := range all {
			if all[i].inside[t] > 0 || all[i].titled[t] == sameWord {
				having++
			}
		}
		known[t] = having > 0
		rare := textsearch.Rarity(float64(len(all)), math.Max(1, float64(having))) / most
		weights[t] = weightOf(w) * (commonest + (1-commonest)*rare)
		if having == 0 {
			weights[t] *= absentWeight
		}
	}
	for i := range all {
		if c := &all[i]; c.Level == 1 && !strings.Contains(c.Path, "/") && readme.MatchString(c.Path) {
			for t := range q.words {
				if c.titled[t] == sameWord && len(q.words) > 1 {
					weights[t] *= nameWeight
				}
			}
			break
		}
	}
	return weights, known
}

func (c *Candidate) score(weights []float64) {
	sum, all := 0.0, 0.0
	for t, w := range weights {
		n := float64(c.inside[t])
		m := max(c.titled[t], insideShare*n/(n+1))
		if c.around[t] {
			m = max(m, aroundShare)
		}
		sum += w * m
		all += w
	}
	fit := 1 - c.extra/max(c.total, stopWeight)
	c.Score = math.Round(1e3*sum/all*(1-titleShare+titleShare*fit)*prior(c.Path)) / 1e3
}

var readme = lazyregexp.New(`(?i)(?:^|/)readme(?:\.(?:md|markdown|rst|txt|adoc|rdoc))?$`)

// priors are factors for documents that answer less often, by path. The first match counts.
var priors = []struct {
	re     *lazyregexp.Regexp
	factor float64
}{
	{priorPath(`(?:^|/)(?:node_modules|vendor|vendored|_vendor|third_party|deps|extern|externals?|dist)/`), .4},
	{priorPath(`(?:^|/)(?:tests?|testdata|fixtures?|__tests__|specs?|e2e|snapshots?)/`), .45},
	{priorPath(`(?:^|/)[^/]*(?:changelog|changes|release[-_]?notes|history|news)[^/]*$|(?:^|/)changelogs?/`), .6},
	{priorPath(`(?:^|/)(?:issue_template|pull_request_template|licen[cs]e|copying|authors|notice)[^/]*`), .6},
	{priorPath(`readme[-_.](?:[a-z]{2}|[a-z]{2}[-_][a-z]{2,4})\.\w+$|(?:^|/)(?:i18n|locales?|translations?)/`), .7},
	{priorPath(`(?:^|/)(?:examples?|samples?|demos?|benchmarks?)/`), .9},
	{priorPath(`^readme[^/]*$`), 1},
	{priorPath(`\.txt$`), .85},
	{priorPath(`^[^/]+$|^(?:docs?|documentation|guides?|manual|\.github)/`), .98},
}

func priorPath(pattern string) *lazyregexp.Regexp { return lazyregexp.New(`(?i)` + pattern) }

// prior returns the factor of a document.
func prior(p string) float64 {
	for _, k := range priors {
		if k.re.MatchString(p) {
			return k.factor
		}
	}
	return .95
}
