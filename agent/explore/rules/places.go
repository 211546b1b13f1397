package rules

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/tools/report"
)

// calibration holds the confidence of each rank: how often the file at that rank was one of the files to find, in 273
// recorded issues and 130 recorded questions about Python projects. Later ranks have the confidence of the last.
var calibration = map[bool][]float64{ // key: is it an issue
	true:  {.71, .12, .08, .04, .01},
	false: {.77, .38, .17, .14, .08, .08, .06, .06, .06, .03},
}

// addConfidence gives each place the confidence of its file's rank. It needs the ranking of locate, for which the
// confidence was measured.
func (r *writer) addConfidence(places []report.Place) {
	if len(r.e.located) == 0 {
		return
	}
	table := calibration[r.q.issue]
	rank := make(map[string]int)
	for i, p := range places {
		at, ranked := rank[p.Path]
		if !ranked {
			at = len(rank)
			rank[p.Path] = at
		}
		places[i].Confidence = table[min(at, len(table)-1)]
	}
}

// addPlaces adds more places to look at to the picked ones. An issue prefers what locate ranks best, because a fix
// changes it; a question prefers the definitions that the picked ones call.
func (r *writer) addPlaces(picked []report.Place) []report.Place {
	if r.q.issue {
		places := r.withCandidates(r.withDefinitions(picked))
		return r.withHops(places, len(places))
	}
	return r.withCandidates(r.withHops(picked, hopsFrom))
}

// withDefinitions inserts the definitions that locate ranks best after the first places of an issue. A fix often
// changes several definitions in one file, and the ranking predicts them better than reading does.
func (r *writer) withDefinitions(places []report.Place) []report.Place {
	if len(r.e.located) == 0 {
		return places
	}
	own := min(len(places), ownPlaces)
	first, rest := slices.Clone(places[:own]), places[own:]
	for _, b := range inOrder(r.ranked, r.definitions()) {
		if len(first) < issuePlaces && !slices.ContainsFunc(first, b.is) {
			first = append(first, r.placeOf(b))
		}
	}
	for _, p := range rest {
		if !slices.ContainsFunc(first, func(o report.Place) bool { return o.Path == p.Path && o.Start == p.Start }) {
			first = append(first, p)
		}
	}
	return first
}

// definitions returns the definitions that locate names, with its scores.
func (r *writer) definitions() (all []*block) {
	for _, c := range r.e.located {
		for i, s := range c.functions {
			all = append(all, &block{symbol: s, own: c.scores[i]})
		}
	}
	return all
}

// is reports whether a place is the definition b.
func (b *block) is(p report.Place) bool {
	return p.Path == b.Path && (p.Symbol == b.Name || p.Start == b.Start)
}

// placeOf returns the place of a definition that locate names: with the evidence found in its file if there is any,
// else with the reasons of locate.
func (r *writer) placeOf(b *block) report.Place {
	if i := slices.IndexFunc(r.best, func(o *block) bool { return o.Path == b.Path && o.Name == b.Name }); i >= 0 {
		if p, ok := r.prose.place(r.best[i]); ok {
			return p
		}
	}
	return report.Place{Path: b.Path, Start: b.Start, End: b.End, Symbol: b.Name,
		Why: strings.Join(r.e.files[b.Path].candidate.why, ", ")}
}

// withHops inserts, after the first so many places, definitions that the best blocks call. Each was read, and a word of
// the question is in its name.
func (r *writer) withHops(places []report.Place, from int) []report.Place {
	at, n := min(len(places), from), 0
	for _, t := range r.targets() {
		s := t.symbol
		listed := slices.ContainsFunc(places,
			func(p report.Place) bool { return p.Path == s.Path && p.Start <= s.Start && s.Start <= p.End })
		if listed || n == maxHops || r.nameWorth(s.Name) == 0 || r.e.reading(s.Path, s.Start) == nil {
			continue
		}
		places = slices.Insert(places, at,
			report.Place{Path: s.Path, Start: s.Start, End: s.End, Symbol: s.Name, Why: "called by " + t.from.Name})
		at, n = at+1, n+1
	}
	return places
}

// withCandidates appends the best candidates that no place names yet, so that the places name enough files.
func (r *writer) withCandidates(places []report.Place) []report.Place {
	files := make(map[string]bool)
	for _, p := range places {
		files[p.Path] = true
	}
	for _, f := range r.ranked {
		c := f.candidate
		if len(files) >= placesFiles || f.score <= 0 {
			break
		}
		if c == nil || files[f.path] {
			continue
		}
		files[f.path] = true
		p := report.Place{Path: f.path, Start: 1, End: 1, Why: strings.Join(c.why, ", ")}
		if len(c.functions) > 0 {
			p.Start, p.End, p.Symbol = c.functions[0].Start, c.functions[0].End, c.functions[0].Name
		}
		places = append(places, p)
	}
	return places
}

// A writer makes the report on a question from the evidence.
type writer struct {
	*links
	verdict verdict
	prose   prose
}

func newWriter(l *links) *writer { return &writer{l, verdict{l}, prose{l}} }
