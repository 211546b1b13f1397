package locate

import "math"

// passageFiles is how many of the best files are read again.
const passageFiles = 60

// takePassages reads the best files again and looks for three consecutive words of the query: a quoted message or a
// line of code.
func (s *scoring) takePassages(order []int, read func(string) ([]byte, error)) {
	if len(s.q.runs) == 0 {
		return
	}
	order = order[:min(passageFiles, len(order))]
	df := make(map[term]int)
	found := make([][]term, len(order))
	for i, f := range order {
		text, err := read(s.ix.files[f].Path)
		if err != nil {
			continue // changed in the meantime: use the other signals
		}
		seen := make(map[term]bool)
		eachRun(text, func(t term) {
			if s.q.runs[t] && !seen[t] {
				seen[t] = true
				found[i] = append(found[i], t)
				df[t]++
			}
		})
	}
	for i, f := range order {
		v := 0.0
		for _, t := range found[i] {
			v += idf(df[t], passageFiles)
		}
		s.values[sPhrase][f] = math.Sqrt(v)
	}
	normalise(s.values[sPhrase])
}
