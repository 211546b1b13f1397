package explore

import (
	"cmp"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/tools/locate"
	"github.com/forayhq/foray/tools/report"
)

// Bounds and weights of the mix of rankings. A place adds the weight of a ranking, divided by its rank there and
// mixDepth. So the explorer's first place mostly comes first, and the best definition of the whole tree soon after it.
// Chosen on evals/answers/testdata/open_chosen.jsonl, where the ranking alone has the answer first half as often.
const (
	maxDefinitions = 60
	mixDepth       = 3
	foundWeight    = 2 // of the places of the heuristic explorer; the definitions of the whole tree weigh 1
)

// closeShare is the share of the first score from which a second one is close.
const closeShare = .9

// A spot is the first line of a definition.
type spot struct {
	path string
	line int
}

// A ranking is the definitions of the whole tree with the words of a question, or with words that mean the same.
type ranking struct {
	places []report.Place       // best first
	scores map[spot]float64     // of the places
	line   func(string) float64 // how much a line has of the question
	factor func(report.Place) float64
}

// rankingOf returns the ranking for a question, by the index of the run that made the records.
func rankingOf(records []agent.ToolRecord, question, words string) ranking {
	located := &locate.Result{}
	for _, rec := range records {
		if l, ok := rec.Value.(*locate.Result); ok {
			located = l
		}
	}
	twist, codes := twistOf(question), codesOf(question)
	ranked := located.Lookup(question, strings.Join(append(twist.means, words), " "))
	r := ranking{scores: map[spot]float64{}, line: ranked.Line, factor: func(p report.Place) float64 {
		if hasCode(codes, p.Path, p.Symbol) {
			return codeFactor
		}
		return twist.factor(p.Symbol)
	}}
	for _, d := range ranked.Definitions(maxDefinitions) {
		r.places = append(r.places, report.Place{Path: d.Path, Start: d.Start, End: d.End, Symbol: d.Symbol})
		r.scores[spot{d.Path, d.Start}] = d.Score * r.factor(r.places[len(r.places)-1])
	}
	return r
}

// mix mixes the places of the heuristic explorer with a ranking, best first. Definitions of the names in the question
// precede both.
func mix(found []report.Place, records []agent.ToolRecord, r ranking) []report.Place {
	worth, index := map[spot]float64{}, map[spot]int{}
	var mixed []report.Place
	add := func(places []report.Place, weight float64) {
		for i, p := range places {
			at := spot{p.Path, p.Start}
			if n, ok := index[at]; !ok {
				index[at] = len(mixed)
				mixed = append(mixed, p)
			} else {
				mixed[n].End = max(mixed[n].End, p.End) // the explorer may know the first line only
			}
			worth[at] += r.factor(p) * weight / float64(mixDepth+i)
		}
	}
	add(found, foundWeight)
	add(r.places, 1)
	slices.SortStableFunc(mixed, func(a, b report.Place) int {
		return cmp.Compare(worth[spot{b.Path, b.Start}], worth[spot{a.Path, a.Start}])
	})
	return append(exactPlaces(records), mixed...)
}

// areClose reports whether the first two places rank about equally high, and no name of the question decides.
func areClose(places []report.Place, scores map[spot]float64) bool {
	if len(places) < 2 {
		return false
	}
	a, b := places[0], places[1]
	first, second := scores[spot{a.Path, a.Start}], scores[spot{b.Path, b.Start}]
	if strings.HasPrefix(a.Why, definesWhy) || first == 0 || second == 0 {
		return strings.HasPrefix(a.Why, definesWhy) && strings.HasPrefix(b.Why, definesWhy)
	}
	return min(first, second) >= closeShare*max(first, second)
}
