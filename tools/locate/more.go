package locate

import (
	"cmp"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
)

func (s *scoring) more() {
	s.frames()
	s.qualified()
	s.titleSymbols()
	s.nameWords()
	s.coverage()
	s.priors()
	s.imported()
}

func (s *scoring) frames() {
	list := s.q.frames
	for i, fr := range list {
		p := strings.TrimLeft(fr.path, "./")
		v := float64(i+1) / float64(len(list))
		bestLen := 0
		var hit []int
		for f := range s.ix.files {
			file := s.ix.files[f].Path
			n := 0
			if p == file || strings.HasSuffix(p, "/"+file) {
				n = len(file)
			} else if strings.HasSuffix(file, "/"+p) && strings.Contains(p, "/") {
				n = len(p)
			}
			if n == 0 {
				continue
			}
			if n > bestLen {
				bestLen, hit = n, nil
			}
			if n == bestLen {
				hit = append(hit, f)
			}
		}
		for _, f := range hit {
			s.values[sFrame][f] = max(s.values[sFrame][f], v)
		}
	}
}

func (s *scoring) qualified() {
	want := map[string]float64{}
	for _, d := range s.q.dotted {
		parts := strings.Split(d, ".")
		for n := 2; n <= len(parts); n++ {
			want[strings.Join(parts[n-2:n], ".")] = 1
		}
	}
	if len(want) == 0 {
		return
	}
	df := map[string]int{}
	got := make([][]string, len(s.ix.files))
	for f := range s.ix.files {
		for _, c := range s.ix.files[f].Stats.chunks {
			if want[c.name] > 0 {
				got[f] = append(got[f], c.name)
				df[c.name]++
			}
		}
	}
	for f := range got {
		for _, name := range distinct(got[f]) {
			s.values[sQualified][f] += idf(df[name], len(s.ix.files))
		}
	}
}

func (s *scoring) titleSymbols() {
	names, words := s.nameWeights(s.q.titleNames), s.nameWeights(s.q.titleWords)
	for name := range names {
		delete(words, name)
	}
	for f := range s.ix.files {
		seen := map[string]bool{}
		for _, c := range s.ix.files[f].Stats.chunks {
			name := last(c.name)
			if seen[name] {
				continue
			}
			if w := names[name]; w > 0 {
				seen[name] = true
				s.values[sTitleSymbol][f] += w
			}
			if w := words[name]; w > 0 {
				seen[name] = true
				s.values[sTitleWord][f] += w
			}
		}
	}
}

func (s *scoring) nameWords() {
	for f := range s.ix.files {
		b := &s.ix.files[f].Stats.names
		b.each(s.q.all.terms, func(i int, n uint16) {
			s.values[sNames][f] += s.idf[i] * bm25(n, b.length, s.ix.named) * (s.q.all.weight[i]*.3 + s.title[i])
		})
	}
}

func (s *scoring) coverage() {
	total := 0.0
	for i := range s.title {
		if s.title[i] > 0 {
			total += s.idf[i]
		}
	}
	if total == 0 {
		return
	}
	for f := range s.ix.files {
		for _, h := range s.hits[f] {
			if s.title[h.at] > 0 {
				s.values[sCover][f] += s.idf[h.at] / total
			}
		}
		s.ix.files[f].path.each(s.q.all.terms, func(i int, _ uint16) {
			if s.title[i] > 0 && !s.has(f, i) {
				s.values[sCover][f] += s.idf[i] / total
			}
		})
		chunks := s.ix.files[f].Stats.chunks
		var top []float64
		for c := range chunks {
			if s.bestOf[f][c] > 0 {
				top = append(top, s.bestOf[f][c])
			}
			v, w := 0.0, 0.0
			extra := 0.0
			var sp splitter
			got := map[term]bool{}
			chunks[c].bag.each(s.q.all.terms, func(i int, n uint16) {
				if s.title[i] > 0 {
					got[s.q.all.terms[i]] = true
				}
			})
			sp.terms([]byte(strings.ReplaceAll(chunks[c].name, ".", "_")), func(t term) {
				if at, found := slices.BinarySearch(s.q.all.terms, t); found && s.title[at] > 0 {
					extra += s.idf[at] * .7
				}
			})
			s.ix.files[f].path.each(s.q.all.terms, func(i int, _ uint16) {
				if s.title[i] > 0 && !got[s.q.all.terms[i]] {
					extra += s.idf[i] * .7
				}
			})
			chunks[c].bag.each(s.q.all.terms, func(i int, n uint16) {
				if s.title[i] > 0 {
					v += s.idf[i] / total
					w += s.idf[i] * bm25(n, chunks[c].bag.length, s.ix.chunk)
				}
			})
			s.values[sCoverChunk][f] = max(s.values[sCoverChunk][f], v)
			s.values[sTitleChunk][f] = max(s.values[sTitleChunk][f], w)
			s.values[sTitleChunkPath][f] = max(s.values[sTitleChunkPath][f], w+extra)
		}
		slices.SortFunc(top, func(a, b float64) int { return cmp.Compare(b, a) })
		for i, v := range top[:min(len(top), 4)] {
			s.values[sTop][f] += v / float64(i+1)
		}
	}
}

func (s *scoring) has(f, term int) bool {
	for _, h := range s.hits[f] {
		if h.at == term {
			return true
		}
	}
	return false
}

func (s *scoring) priors() {
	for f := range s.ix.files {
		s.values[sChurn][f] = math.Log1p(float64(s.ix.churn[f]))
		s.values[sSize][f] = math.Log1p(float64(s.ix.files[f].Stats.lines))
		p := s.ix.files[f].Path
		if moduleOf(p) != strings.TrimSuffix(p, path.Ext(p)) {
			s.values[sInit][f] = 1
		}
		for d := range strings.SplitSeq(path.Dir(p), "/") {
			if asides[d] {
				s.values[sAside][f] = 1
			}
		}
	}
}

var asides = setOf("docs doc examples example benchmarks benchmark bench asv_bench samples demo demos tutorials galleries migrations locale vendor _vendor third_party externals extern packages scripts tools ci release bin")

// imported are the modules that the text's code imports, and the files that define a name taken from one.
func (s *scoring) imported() {
	for _, m := range s.q.imports {
		for _, f := range s.ix.modules.resolve("", m) {
			s.values[sImport][f] = max(s.values[sImport][f], .5)
		}
		dir, name := path.Split(m)
		dir = strings.Trim(dir, "/")
		if dir == "" || s.ix.defined[name] == 0 {
			continue
		}
		top, _, _ := strings.Cut(dir, "/")
		for f := range s.ix.files {
			p := s.ix.files[f].Path
			mod := moduleOf(p)
			if !strings.HasPrefix(mod, top+"/") && !strings.Contains(mod, "/"+top+"/") {
				continue
			}
			for _, c := range s.ix.files[f].Stats.chunks {
				if c.name == name {
					v := .6
					if strings.HasPrefix(mod, dir) || strings.Contains(mod, "/"+dir) {
						v = 1
					}
					s.values[sImport][f] = max(s.values[sImport][f], v)
					break
				}
			}
		}
	}
}

// spread lets the best files speak for those they are linked with.
func (s *scoring) spread(total []float64) {
	const seeds = 20
	order := s.order(total)
	weight := make([]float64, len(total))
	if len(order) == 0 || total[order[0]] <= 0 {
		return
	}
	for r, f := range order[:min(seeds, len(order))] {
		weight[f] = max(total[f], 0) / total[order[0]] / math.Sqrt(float64(r+1))
	}
	for f, links := range s.ix.links {
		for _, to := range links {
			s.values[sLinks][to] += weight[f] / math.Sqrt(float64(len(links)))
			s.values[sLinked][f] += weight[to] / math.Sqrt(float64(len(links)+1))
			if s.ix.files[f].kind == test {
				s.values[sTested][to] += s.values[sBody][f] * s.values[sBody][f] * s.values[sBody][f] / math.Sqrt(float64(len(links)))
			}
		}
	}
	for _, c := range s.ix.history[:min(len(s.ix.history), 5000)] {
		if len(c.Files) > 10 || len(c.Files) < 2 {
			continue
		}
		sum := 0.0
		for _, p := range c.Files {
			if f, ok := s.ix.byPath[p]; ok {
				sum += weight[f]
			}
		}
		if sum == 0 {
			continue
		}
		for _, p := range c.Files {
			if f, ok := s.ix.byPath[p]; ok {
				s.values[sTogether][f] += (sum - weight[f]) / float64(len(c.Files)-1)
			}
		}
	}
	for f := range s.values[sTogether] {
		s.values[sTogether][f] /= math.Sqrt(float64(s.ix.churn[f] + 5))
	}
	folders := map[string]float64{}
	for f, w := range weight {
		folders[path.Dir(s.ix.files[f].Path)] += w
	}
	for f, w := range weight {
		s.values[sFolder][f] = folders[path.Dir(s.ix.files[f].Path)] - w
	}
	s.feedback()
	normalise(s.values[sFeedback])
	normalise(s.values[sFolder])
	for _, i := range []signal{sLinks, sLinked, sTested, sTogether} {
		normalise(s.values[i])
	}
}

func (s *scoring) order(total []float64) []int {
	order := make([]int, len(total))
	for f := range order {
		order[f] = f
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(total[b], total[a]) })
	return order
}

func (s *scoring) total() []float64 {
	total := make([]float64, len(s.ix.files))
	for i := range policy {
		w := weight(signal(i), s.q.mode)
		if w == 0 {
			continue
		}
		for f := range total {
			total[f] += w * s.values[i][f]
		}
	}
	return total
}

// passages reads the best files again and looks for words in a row that the text has too.
func (s *scoring) passages(order []int, read func(string) ([]byte, error)) {
	const most = 60
	if read == nil || len(s.q.runs) == 0 {
		return
	}
	order = order[:min(most, len(order))]
	df := map[term]int{}
	found := make([][]term, len(order))
	for i, f := range order {
		text, err := read(s.ix.files[f].Path)
		if err != nil {
			continue
		}
		seen := map[term]bool{}
		eachRun(text, func(t term) {
			if s.q.runs[t] > 0 && !seen[t] {
				seen[t] = true
				found[i] = append(found[i], t)
				df[t]++
			}
		})
	}
	for i, f := range order {
		for _, t := range found[i] {
			s.values[sPhrase][f] += idf(df[t], most)
		}
		s.values[sPhrase][f] = math.Sqrt(s.values[sPhrase][f])
	}
	normalise(s.values[sPhrase])
}

// feedback asks again with the identifiers of the definitions that fit best, tests and documents among them.
func (s *scoring) feedback() {
	const chunks, terms = 15, 30
	type at struct {
		f, c int
		v    float64
	}
	var best []at
	for f := range s.ix.files {
		for c, v := range s.bestOf[f] {
			if v > 0 {
				best = append(best, at{f, c, v})
			}
		}
	}
	slices.SortFunc(best, func(a, b at) int { return cmp.Or(cmp.Compare(b.v, a.v), cmp.Compare(a.f, b.f), cmp.Compare(a.c, b.c)) })
	weight := map[term]float64{}
	for i, a := range best[:min(len(best), chunks)] {
		for _, ct := range s.ix.files[a.f].Stats.chunks[a.c].bag.counts {
			weight[ct.term] += a.v / best[0].v / float64(i+2)
		}
	}
	all := slices.Sorted(maps.Keys(weight))
	df := make([]int, len(all))
	for f := range s.ix.files {
		s.ix.files[f].Stats.bag.each(all, func(i int, _ uint16) { df[i]++ })
	}
	n := len(s.ix.files)
	for i, t := range all {
		if df[i] < 2 || df[i] > n/5 {
			weight[t] = 0
			continue
		}
		weight[t] *= idf(df[i], n)
	}
	slices.SortFunc(all, func(a, b term) int { return cmp.Or(cmp.Compare(weight[b], weight[a]), cmp.Compare(a, b)) })
	all = all[:min(len(all), terms)]
	slices.Sort(all)
	for f := range s.ix.files {
		b := &s.ix.files[f].Stats.bag
		b.each(all, func(i int, n uint16) {
			s.values[sFeedback][f] += weight[all[i]] * bm25(n, b.length, s.ix.average)
		})
	}
}
