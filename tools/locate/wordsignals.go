package locate

import (
	"path"
	"slices"
)

// takeWords computes the signals by the words of the query in each file: in its text (sBody, sTitle, sLead), in its
// path (sPath, sTitlePath, sFileName), and in the names that it defines (sNames). sCover is the share of the title's
// words, by weight, that the text or the path contains. Signals with "title" count the words of the title only.
func (s *scoring) takeWords() {
	const textWeight = .3 // of a word of the query's text in a name, relative to a word of its title
	titleTotal := 0.0
	for i, w := range s.title {
		if w > 0 {
			titleTotal += s.idf[i]
		}
	}
	named := weight(sFileName, s.q.mode) != 0
	parallel(len(s.ix.files), func(f int) {
		file := &s.ix.files[f]
		add := func(i signal, v float64) { s.values[i][f] += v }
		titleFound := 0.0
		for _, h := range s.hits[f] {
			v := s.idf[h.at] * bm25Weight(h.n, file.Stats.bag.length(), s.ix.average)
			add(sBody, v*s.q.all.weight[h.at])
			add(sTitle, v*s.title[h.at])
			add(sLead, v*s.lead[h.at])
			if s.title[h.at] > 0 {
				titleFound += s.idf[h.at]
			}
		}
		for _, h := range file.path.hits(s.lookup) {
			add(sPath, s.idf[h.at]*s.q.all.weight[h.at])
			add(sTitlePath, s.idf[h.at]*s.title[h.at])
			if s.title[h.at] > 0 && !slices.ContainsFunc(s.hits[f], func(o hit) bool { return o.at == h.at }) {
				titleFound += s.idf[h.at]
			}
		}
		if named {
			s.values[sFileName][f] = s.inFileName(file.Path)
		}
		names := file.Stats.names
		for _, h := range names.hits(s.lookup) {
			weight := textWeight*s.q.all.weight[h.at] + s.title[h.at]
			add(sNames, s.idf[h.at]*bm25Weight(h.n, names.length(), s.ix.named)*weight)
		}
		if titleTotal > 0 {
			add(sCover, titleFound/titleTotal)
		}
	})
}

// inFileName compares the title with the name of a file, or of its folder if the file represents that: the weight of
// the shared words, times their share of the name.
func (s *scoring) inFileName(p string) float64 {
	var sp splitter
	shared, whole := 0.0, 0.0
	sp.terms([]byte(path.Base(moduleOf(p))), func(t term) {
		at, found := s.lookup.find(t)
		switch {
		case !found:
			whole += unaskedWord
		case s.title[at] > 0:
			shared += s.idf[at]
			whole += s.idf[at]
		default:
			whole += s.idf[at]
		}
	})
	if whole == 0 {
		return 0
	}
	return shared * shared / whole
}

// unaskedWord is the weight of a word of a file name that the query lacks, about that of a word in one file of 200.
const unaskedWord = 5

// takeChunks compares the words of the query with those of each definition. The best one counts for the file.
func (s *scoring) takeChunks() {
	s.chunks = make([][]float64, len(s.ix.files))
	parallel(len(s.ix.files), func(f int) {
		chunks := s.ix.files[f].Stats.chunks
		s.chunks[f] = make([]float64, len(chunks))
		for c := range chunks {
			all, title := 0.0, 0.0
			bag := chunks[c].bag
			bag.each(s.hits[f], func(i int, n uint16) {
				v := s.idf[i] * bm25Weight(n, bag.length(), s.ix.chunk)
				all += v * (s.q.all.weight[i] + s.title[i])
				if s.title[i] > 0 {
					title += v
				}
			})
			s.chunks[f][c] = all
			s.values[sChunk][f] = max(s.values[sChunk][f], all)
			s.values[sTitleChunk][f] = max(s.values[sTitleChunk][f], title)
		}
	})
}
