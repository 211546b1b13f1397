package locate

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
)

// A signal is one reason for a file.
type signal int

const (
	sBody signal = iota
	sChunk
	sTitle
	sLead
	sPath
	sTitlePath
	sDefined
	sOccurring
	sCommits
	sMentioned
	sDotted
	sTest
	sDocument
	sQualified
	sTitleSymbol
	sNames
	sCover
	sPhrase
	sLinks
	sTogether
	sTitleChunk
	sPackage
	sTested
	sFolder
	sAside
	sCited
	sUses
	sFileName
	signalCount
)

// policy holds the name of each signal and its weight by mode. README.md says what each contributes.
var policy = [signalCount]struct {
	name            string
	issue, question float64
}{
	sBody:        {"bm25", .6, .4},
	sChunk:       {"function", .6, .8},
	sTitle:       {"title", .7, .6},
	sLead:        {"lead", .3, 0},
	sPath:        {"path", .6, .2},
	sTitlePath:   {"title-path", .3, .1},
	sDefined:     {"symbol", .5, .5},
	sOccurring:   {"name", 0, .5},
	sCommits:     {"commits", .6, .5},
	sMentioned:   {"mentioned", .6, .6},
	sDotted:      {"module", .5, .5},
	sTest:        {"test", -9, -.3},
	sDocument:    {"document", -2, -.8},
	sQualified:   {"qualified", .4, 0},
	sTitleSymbol: {"title-symbol", .3, 0},
	sNames:       {"names", .3, .4},
	sCover:       {"cover", .3, 0},
	sPhrase:      {"phrase", .3, .3},
	sLinks:       {"imported", .2, .4},
	sTogether:    {"together", 0, .2},
	sTitleChunk:  {"title-function", .5, 0},
	sPackage:     {"package", -.1, -.3},
	sTested:      {"tested", .2, .1},
	sFolder:      {"folder", .2, .2},
	sAside:       {"aside", -.8, -.8},
	sCited:       {"cited", .5, .5},
	sUses:        {"uses", 0, .3},
	sFileName:    {"file-name", 0, .3},
}

func weight(i signal, mode Mode) float64 {
	if mode == Issue {
		return policy[i].issue
	}
	return policy[i].question
}

func maxScore(mode Mode) (sum float64) {
	for i := range signalCount {
		sum += max(weight(i, mode), 0)
	}
	return sum
}

// A scoring is one query over one index. Each signal has a value from 0 to 1 for each file. Most signals are divided
// by their largest value.
type scoring struct {
	ix     *Index
	q      *query
	lookup *lookup   // the terms of q.all
	idf    []float64 // of those terms
	title  []float64 // their weights in the title, 0 if absent
	lead   []float64 // and in the lead
	hits   [][]hit   // by file: its terms
	values [signalCount][]float64
	chunks [][]float64 // by file and chunk: its fit
	cited  []int       // commits that the query cites
}

// align returns the weights of a part of the query in the order of all its terms.
func (s *scoring) align(part words) []float64 {
	weights := make([]float64, len(s.lookup.terms))
	for i, t := range part.terms {
		if at, found := s.lookup.find(t); found {
			weights[at] = part.weight[i]
		}
	}
	return weights
}

func (s *scoring) count() {
	s.hits = make([][]hit, len(s.ix.files))
	parallel(len(s.ix.files), func(f int) {
		s.hits[f] = s.ix.files[f].Stats.bag.hits(s.lookup)
	})
	df := make([]int, len(s.lookup.terms))
	for f := range s.hits {
		for _, h := range s.hits[f] {
			df[h.at]++
		}
	}
	s.idf = make([]float64, len(df))
	for i, n := range df {
		s.idf[i] = idf(n, len(s.ix.files))
	}
}

func (s *scoring) total() []float64 {
	total := make([]float64, len(s.ix.files))
	for i := range signalCount {
		if w := weight(i, s.q.mode); w != 0 {
			for f, v := range s.values[i] {
				total[f] += w * v
			}
		}
	}
	return total
}

// byScore orders the files, best first, equal scores by path.
func byScore(total []float64) []int {
	order := make([]int, len(total))
	for f := range order {
		order[f] = f
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(total[b], total[a]) })
	return order
}

func normalise(v []float64) {
	if m := slices.Max(append(v, 0)); m > 0 {
		for i := range v {
			v[i] /= m
		}
	}
}

// parallel calls do for every file, concurrently. Calls may only write data of their file.
func parallel(files int, do func(f int)) {
	const batch = 64 // files
	var mu sync.Mutex
	next := 0
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		next += batch
		return next - batch
	}
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), files/batch+1) {
		workers.Go(func() {
			for from := take(); from < files; from = take() {
				for f := from; f < min(from+batch, files); f++ {
					do(f)
				}
			}
		})
	}
	workers.Wait()
}
