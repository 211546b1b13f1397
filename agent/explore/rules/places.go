package rules

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/tools/report"
)

// definitionShare is how often the first definition is right where its file is: 22 of 29 open questions about eight
// projects, and 35 of 51 others.
const definitionShare = .7

// longShare is how much less often the first place of a long question is right: .24 of 55, mostly of large_chosen.jsonl
// and large_other.jsonl, where .33 would be said.
const longShare = .7

// addConfidence gives the files of places, in their order, the confidence that locate has in its files: how likely a
// file at that rank is right, given the gap of the scores. A question asks for the definition, which is less sure.
func (r *writer) addConfidence(places []report.Place) {
	rank := make(map[string]int)
	for i, p := range places {
		if _, ranked := rank[p.Path]; !ranked {
			rank[p.Path] = len(rank)
		}
		if at := rank[p.Path]; at < len(r.e.located) {
			places[i].Confidence = r.e.located[at].sure
			if !r.q.issue {
				places[i].Confidence *= definitionShare
			}
			if r.q.long {
				places[i].Confidence *= longShare
			}
		}
	}
}

// addPlaces adds more places to look at to the picked ones. An issue prefers what locate ranks best, because a fix
// changes it; a question prefers the definitions that the picked ones call.
func (r *writer) addPlaces(picked []report.Place) []report.Place {
	if r.q.issue {
		places := r.withCandidates(r.withDefinitions(picked))
		return r.withHops(places, len(places))
	}
	return sourceFirst(r.q, r.withCandidates(r.withHops(picked, hopsFrom)),
		func(p report.Place) (string, string) { return p.Path, p.Symbol })
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
		Why: r.e.files[b.Path].candidate.reasons(r.q)}
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
		p := report.Place{Path: f.path, Start: 1, End: 1, Why: c.reasons(r.q)}
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

// signalReasons says what the signals of locate mean. QUESTION is what was asked: a question or an issue.
var signalReasons = map[string]string{
	"bm25": "uses the words of the QUESTION", "function": "a definition in it uses the words of the QUESTION",
	"title": "uses the words of the QUESTION", "lead": "uses the first words of the QUESTION",
	"cover": "uses the words of the QUESTION", "phrase": "uses words of the QUESTION in a row",
	"path": "words of the QUESTION are in its path", "title-path": "words of the QUESTION are in its path",
	"file-name": "words of the QUESTION are in its name", "names": "defines names with words of the QUESTION",
	"symbol": "defines a name of the QUESTION", "qualified": "defines a name of the QUESTION",
	"title-symbol": "defines a name of the QUESTION", "name": "uses names of the QUESTION",
	"title-function": "a definition in it uses the words of the QUESTION",
	"commits":        "commits about this changed it", "together": "changes together with the best files",
	"cited":     "the QUESTION names a commit that changed it",
	"mentioned": "the QUESTION names it", "module": "the QUESTION names its module",
	"imported": "the best files import it", "tested": "tests of this import it",
	"folder": "beside the best files", "uses": "uses the best definitions",
}

// maxReasons is how many signals of locate a place names.
const maxReasons = 2

// reasons says why locate ranks a file, by its main signals.
func (c *candidate) reasons(q *question) string {
	var all []string
	for _, s := range c.why {
		text := strings.ReplaceAll(signalReasons[s], "QUESTION", q.mode())
		if text != "" && !slices.Contains(all, text) && len(all) < maxReasons {
			all = append(all, text)
		}
	}
	return strings.Join(all, ", ")
}
