package locate

import (
	"cmp"
	"slices"
	"strings"
)

type explainer struct{ *scoring }

// explain names the main signals of a file and their findings.
func (s explainer) explain(f int) (why, evidence []string) {
	const least = .05 // of an undivided score
	why, evidence = []string{}, []string{}
	part := func(i signal) float64 { return weight(i, s.q.mode) * s.values[i][f] }
	var list []signal
	for i := range signalCount {
		if part(i) > least {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b signal) int { return cmp.Compare(part(b), part(a)) })
	for _, i := range list {
		why = append(why, policy[i].name)
		if found := s.evidence(i, f); found != "" {
			evidence = append(evidence, policy[i].name+": "+found)
		}
	}
	return why, evidence
}

// maxEvidence is how many findings of one signal are named.
const maxEvidence = 3

func (s explainer) evidence(i signal, f int) string {
	switch i {
	case sBody:
		return s.wordsIn(s.ix.files[f].Stats.bag, nil)
	case sTitle:
		return s.wordsIn(s.ix.files[f].Stats.bag, s.title)
	case sPath:
		return s.wordsIn(s.ix.files[f].path, nil)
	case sNames:
		return s.wordsIn(s.ix.files[f].Stats.names, nil)
	case sDefined:
		return s.definedIn(f)
	case sQualified:
		return strings.Join(s.only(s.q.qualified, func(name string) []int { return s.ix.qualified(name) }, f), ", ")
	case sCited:
		return s.citedIn(f)
	case sMentioned:
		return strings.Join(s.only(s.q.paths, s.ix.atPath, f), ", ")
	}
	return ""
}

// wordsIn names the most significant words of the query in a bag, only those with a weight if weights are given.
func (s explainer) wordsIn(b bag, weights []float64) string {
	type found struct {
		text  string
		value float64
	}
	var list []found
	for _, h := range b.hits(s.lookup) {
		if weights == nil || weights[h.at] > 0 {
			text := s.q.all.text[s.lookup.terms[h.at]]
			list = append(list, found{text, s.idf[h.at] * saturated.Weight(float64(h.n), 0, 1)})
		}
	}
	slices.SortFunc(list, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.text, b.text))
	})
	var names []string
	for _, w := range list {
		if len(names) < maxEvidence && !slices.Contains(names, w.text) {
			names = append(names, w.text)
		}
	}
	return strings.Join(names, ", ")
}

// definedIn names the definitions of the file that the query mentions, rarest first.
func (s explainer) definedIn(f int) string {
	names := slices.DeleteFunc(slices.Clone(s.q.names), func(name string) bool {
		return s.worth(name) == 0 || !slices.Contains(s.ix.defined[name], f)
	})
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(s.worth(b), s.worth(a)) })
	return strings.Join(names[:min(maxEvidence, len(names))], ", ")
}

func (s explainer) only(list []string, files func(string) []int, f int) []string {
	var out []string
	for _, one := range list {
		if len(out) < maxEvidence && slices.Contains(files(one), f) {
			out = append(out, one)
		}
	}
	return out
}

// citedIn names the commits that the query cites and that changed the file.
func (s explainer) citedIn(f int) string {
	const digits = 10
	var names []string
	for _, i := range s.cited {
		c := &s.ix.history[i]
		if len(names) < maxEvidence && slices.Contains(c.files, s.ix.files[f].Path) {
			names = append(names, cmp.Or(c.hash[:min(digits, len(c.hash))], "#"+strings.Join(c.numbers, ", #")))
		}
	}
	return strings.Join(names, ", ")
}
