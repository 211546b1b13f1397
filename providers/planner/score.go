package planner

import (
	"cmp"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Weights of the signals of a file. They are round numbers, tried on questions about repositories of several
// languages; none was fitted.
const (
	bodyWeight     = 1.0  // BM25 of the words in the file
	nameWeight     = 0.9  // a word in the file's name
	directoryShare = 0.5  // of that, in a directory's
	definedWeight  = 1.0  // a word in the name of a definition
	togetherWeight = 1.2  // two or more words in the name of one definition
	identDefined   = 12.0 // an identifier of the question is defined here
	identStands    = 2.0  // it stands here
	pathNamed      = 15.0 // the question names the file
	saturation     = 1.2  // BM25's k1
	lengthShare    = 0.6  // BM25's b
)

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

// rank scores all files and returns them, best first.
func (e *evidence) rank(q *question) []*file {
	average := 1.0
	if e.entries > 0 {
		average = math.Max(1, float64(e.size)/float64(e.entries))
	}
	all := e.sorted
	worths, whole := e.worths(q)
	for _, f := range all {
		f.score = e.body(f, worths, average)
		f.score += f.names(q, worths) + f.definitions(q, worths) + f.idents(q)
		f.covered = f.coverage(worths, whole)
		f.score *= (.35 + .65*f.covered) * q.factor(f.path)
		for _, p := range q.paths {
			if f.path == p || strings.HasSuffix(f.path, "/"+p) || strings.HasSuffix(p, "/"+tail(f.path)) {
				f.score += pathNamed
			} else if strings.HasPrefix(f.path, p+"/") || strings.Contains(f.path, "/"+p+"/") {
				f.score *= 2
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *file) int { return cmp.Compare(b.score, a.score) })
	return all
}

// tail is the last two parts of a path, by which a traceback of an installed copy names it.
func tail(p string) string {
	dir, base := path.Split(p)
	if dir == "" {
		return "\x00"
	}
	return path.Base(dir) + "/" + base
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

// definitions scores the names of the definitions in f: each word once, and the best name that joins several.
func (f *file) definitions(q *question, worths []float64) float64 {
	defined := make([]bool, len(q.words))
	best, score := 0.0, 0.0
	for _, name := range f.defined() {
		sum, n := 0.0, 0
		for i, w := range q.words {
			if w.re.MatchString(lastPart(name)) {
				defined[i] = true
				sum += worths[i]
				n++
			}
		}
		if n > 1 {
			best = math.Max(best, sum)
		}
	}
	for i, d := range defined {
		if d {
			score += worths[i]
		}
	}
	return score*definedWeight + best*togetherWeight
}

// defined are the names that f defines, as far as it is known.
func (f *file) defined() []string {
	var names []string
	for _, s := range f.symbols {
		names = append(names, s.name)
	}
	for _, h := range f.lines {
		if h.defines() {
			names = append(names, h.symbol)
		}
	}
	return names
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

func (f *file) idents(q *question) (score float64) {
	for _, id := range q.idents {
		stands := 0
		defined := slices.ContainsFunc(f.symbols, func(s symbol) bool { return id.names(s.name) })
		for _, h := range f.lines {
			if id.re.MatchString(h.text) {
				stands++
				defined = defined || id.names(h.symbol) && h.defines()
			}
		}
		if defined {
			score += identDefined
		}
		score += identStands * math.Log1p(float64(min(stands, 10)))
	}
	return score
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
