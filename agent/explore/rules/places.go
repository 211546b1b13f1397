package rules

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/tools/report"
)

// calibration is how often the file at a place, from the first, was right: the share of 273 recorded issues, and of 130
// recorded questions, about Python projects where it was one of the files that were to be found. Places beyond the last
// count as it.
var calibration = map[bool][]float64{ // by whether it is an issue
	true:  {.71, .12, .08, .04, .01},
	false: {.77, .38, .17, .14, .08, .08, .06, .06, .06, .03},
}

// calibrated gives each place the confidence of its file, where the tree was ranked as it was measured: by locate.
func (r *writer) calibrated(places []report.Place) {
	if len(r.e.located) == 0 {
		return
	}
	table := calibration[r.q.issue]
	rank := make(map[string]int)
	for i, p := range places {
		at, known := rank[p.Path]
		if !known {
			at = len(rank)
			rank[p.Path] = at
		}
		places[i].Confidence = table[min(at, len(table)-1)]
	}
}

// placesOf adds to the chosen places what else is to be looked at: for an issue first what is ranked best, for a
// question rather what belongs together.
func (r *writer) placesOf(chosen []report.Place) []report.Place {
	if r.q.issue {
		places := r.withCandidates(r.withDefinitions(chosen))
		return r.withHops(places, len(places))
	}
	return r.withCandidates(r.withHops(chosen, hopsFrom))
}

// withDefinitions puts the definitions that locate ranks best after the first places of an issue: a fix often changes
// several in one file, and the ranking predicts them better than reading does.
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

// definitions are those that locate names, with its scores.
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

// placeOf is the place of a definition that locate names, as it was found inside its file, if it was.
func (r *writer) placeOf(b *block) report.Place {
	if i := slices.IndexFunc(r.best, func(o *block) bool { return o.Path == b.Path && o.Name == b.Name }); i >= 0 {
		if p, ok := r.prose.place(r.best[i]); ok {
			return p
		}
	}
	return report.Place{Path: b.Path, Start: b.Start, End: b.End, Symbol: b.Name,
		Why: strings.Join(r.e.files[b.Path].candidate.why, ", ")}
}

// withHops adds the definitions that were read because the best blocks call them and that are named by a word of the
// question, after the first so many places.
func (r *writer) withHops(places []report.Place, from int) []report.Place {
	at, n := min(len(places), from), 0
	for _, t := range r.targets() {
		s := t.symbol
		known := slices.ContainsFunc(places,
			func(p report.Place) bool { return p.Path == s.Path && p.Start <= s.Start && s.Start <= p.End })
		if known || n == maxHops || r.nameWorth(s.Name) == 0 || r.e.reading(s.Path, s.Start) == nil {
			continue
		}
		places = slices.Insert(places, at,
			report.Place{Path: s.Path, Start: s.Start, End: s.End, Symbol: s.Name, Why: "called by " + t.from.Name})
		at, n = at+1, n+1
	}
	return places
}

// withCandidates adds the best candidates without a chosen definition, so that the places name enough files.
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

// A writer makes the report on a question of what is known.
type writer struct {
	*links
	verdict verdict
	prose   prose
}

func newWriter(l *links) *writer { return &writer{l, verdict{l}, prose{l}} }
