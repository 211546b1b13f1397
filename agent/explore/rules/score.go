package rules

import (
	"cmp"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Weights of what a search tells of a file, for trees that nothing else ranks. They are round numbers.
const (
	bodyWeight     = 1.0  // BM25 of the words in the file
	nameWeight     = 0.9  // a word in the file's name
	directoryShare = 0.5  // of that, in a directory's
	namedWeight    = 2.0  // a name of the question stands here
	pathNamed      = 15.0 // the question names the file
	saturation     = 1.2  // BM25's k1
	lengthShare    = 0.6  // BM25's b
)

// rank orders the files by what ranks the tree: locate, else the words of the question. Their priors are shares of the
// first one's.
func (r *run) rank() {
	e := r.e
	if len(e.located) > 0 {
		for _, f := range e.sorted {
			f.prior = e.priorOf(f)
		}
	} else {
		e.searchRank(r.q)
	}
	for _, f := range e.sorted {
		f.score = f.prior
	}
	r.ranked = slices.Clone(e.sorted)
	slices.SortStableFunc(r.ranked, func(a, b *file) int { return cmp.Compare(b.prior, a.prior) })
}

// searchRank ranks files by how often the words of the question stand in them, in their paths, and its names.
func (e *evidence) searchRank(q *question) {
	average := 1.0
	if e.entries > 0 {
		average = math.Max(1, float64(e.size)/float64(e.entries))
	}
	worths, whole := e.worths(q)
	best := 0.0
	for _, f := range e.sorted {
		score := e.body(f, worths, average) + f.names(q, worths) + f.named(q)
		score *= (.35 + .65*f.coverage(worths, whole)) * f.factor
		if q.namesPath(f.path) {
			score += pathNamed
		}
		f.prior = score
		best = math.Max(best, score)
	}
	for _, f := range e.sorted {
		f.prior /= math.Max(best, 1)
	}
}

// namesPath reports whether the question names a file, or a directory above it.
func (q *question) namesPath(p string) bool {
	return slices.ContainsFunc(q.paths, func(named string) bool {
		return p == named || strings.HasSuffix(p, "/"+named) || strings.HasSuffix(named, "/"+tail(p)) || strings.HasPrefix(p, named+"/")
	})
}

func (f *file) named(q *question) (score float64) {
	for _, id := range q.idents {
		n := 0
		for _, h := range f.lines {
			if id.re.MatchString(h.text) {
				n++
			}
		}
		score += namedWeight * math.Log1p(float64(min(n, 10)))
	}
	return score
}

// tail is the last two parts of a path, by which a traceback of an installed copy names it.
func tail(p string) string {
	dir, base := path.Split(p)
	if dir == "" {
		return "\x00"
	}
	return path.Base(dir) + "/" + base
}

// idf weighs a word by how few files hold it.
func (e *evidence) idf(word int) float64 {
	all := float64(max(e.searched, len(e.files), 1))
	n := math.Min(float64(e.inFiles[word]), all)
	return math.Log(1 + (all-n+.5)/(n+.5))
}

// leastIDF is what a word counts for that stands in every file.
const leastIDF = .2

// worth is what a word counts for in the question: its weight and its rarity. A word that stands nowhere counts as much
// as the others do on average, so that a question about something absent is not covered by the rest of its words.
func (e *evidence) worth(q *question, i int) float64 {
	if e.inFiles[i] > 0 {
		return q.words[i].weight * math.Max(e.idf(i), leastIDF)
	}
	if q.words[i].optional {
		return 0
	}
	sum, n := 0.0, 0
	for j, w := range q.words {
		if e.inFiles[j] > 0 && w.weight > weakWeight {
			sum += math.Max(e.idf(j), leastIDF)
			n++
		}
	}
	return q.words[i].weight * math.Max(sum/math.Max(float64(n), 1), 1)
}

// worths are those of all words, and their sum.
func (e *evidence) worths(q *question) ([]float64, float64) {
	worths, whole := make([]float64, len(q.words)), 0.0
	for i := range q.words {
		worths[i] = e.worth(q, i)
		whole += worths[i]
	}
	return worths, whole
}

func (e *evidence) body(f *file, worths []float64, average float64) (score float64) {
	size := average
	if f.size > 0 {
		size = float64(f.size)
	}
	for i, n := range f.counts {
		tf := float64(n)
		score += worths[i] * tf * (saturation + 1) / (tf + saturation*(1-lengthShare+lengthShare*size/average))
	}
	return score * bodyWeight
}

func (f *file) names(q *question, worths []float64) (score float64) {
	dir, base := path.Split(f.path)
	for i, w := range q.words {
		switch {
		case w.re.MatchString(base):
			score += worths[i] * nameWeight
		case w.re.MatchString(dir):
			score += worths[i] * nameWeight * directoryShare
		}
	}
	return score
}

// definition is how a line begins that defines something.
var definition = regexp.MustCompile(`^\s*(?:[\w@]+(?:\([^()]*\))?[\s*&]+){0,6}(?:func|def|class|type|struct|interface|enum|trait|impl|fn|function|module|macro_rules!|const|var|let|static|record|union|namespace|#\s*define|typedef|public|private|protected|abstract|async|get|set)\b`)

// defines reports whether the line of a hit defines the symbol that it stands in.
func (h hit) defines() bool {
	name := lastPart(h.symbol)
	if name == "" || !strings.Contains(h.text, name) {
		return false
	}
	return definition.MatchString(h.text) || memberLine(h.text, name)
}

// memberLine reports whether text begins as a method without a keyword does: modifiers, a type, the name, a bracket,
// and no semicolon at the end.
func memberLine(text, name string) bool {
	before, after, ok := strings.Cut(text, name)
	after = strings.TrimSpace(after)
	return ok && (strings.HasPrefix(after, "(") || strings.HasPrefix(after, "<") || strings.HasPrefix(after, "=")) &&
		!strings.HasSuffix(after, ";") && !strings.ContainsAny(before, "(.=,\"'") && !strings.Contains(before, "return")
}

func lastPart(name string) string {
	return name[strings.LastIndexAny(name, ".:#")+1:]
}

// names reports whether an identifier names the symbol of that qualified name.
func (id ident) names(symbol string) bool {
	if lastPart(symbol) != id.last {
		return false
	}
	owner := strings.TrimSuffix(strings.TrimSuffix(id.text, id.last), ".")
	return owner == "" || !strings.Contains(symbol, ".") || strings.EqualFold(lastPart(owner), ownerOf(symbol))
}

func ownerOf(symbol string) string {
	i := strings.LastIndexByte(symbol, '.')
	if i < 0 {
		return ""
	}
	return lastPart(symbol[:i])
}

// coverage is the share of the question's words that f holds, by what they are worth.
func (f *file) coverage(worths []float64, whole float64) float64 {
	if whole == 0 {
		return 1
	}
	sum := 0.0
	for i, n := range f.counts {
		if n > 0 {
			sum += worths[i]
		}
	}
	return sum / whole
}
