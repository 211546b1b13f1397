package locate

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/testfile"
	"github.com/forayhq/foray/internal/textsearch"
)

// An Index is the files of one tree. It does not change and is safe for concurrent use.
type Index struct {
	files   []indexedFile
	history []Commit
	byPath  map[string]int
	defined map[string][]int // by the last part of a name: files that define it
	byBase  map[string][]int // by the last part of a module
	names   map[string][]int // by file name
	modules modules
	links   [][]int // by file: the files that it imports
	churn   []int   // by file: how many recent commits changed it

	average, chunk, named float64 // average number of terms in a file, in a definition, and in the names of a file
}

type indexedFile struct {
	Path  string
	Stats *Stats
	path  bag
	kind  kind
	aside float64 // value of the signal sAside
}

// NewIndex indexes files by path. Unless nil, history returns at most so many commits, newest first, each with up to so
// many changed files.
func NewIndex(files map[string]*Stats, history func(commits, files int) []Commit) *Index {
	ix := &Index{
		files: make([]indexedFile, 0, len(files)), byPath: make(map[string]int, len(files)),
		defined: make(map[string][]int), byBase: make(map[string][]int), names: make(map[string][]int),
	}
	if history != nil {
		ix.history = history(maxCommits, maxFiles+1)
	}
	for _, p := range slices.Sorted(maps.Keys(files)) {
		ix.add(p, files[p])
	}
	ix.helpers()
	ix.measure()
	ix.link()
	return ix
}

// helpers turns a Python package called test into source if no file in it is named like a test, because no runner
// would find one.
func (ix *Index) helpers() {
	holds := make(map[string]bool) // test folders that contain a test
	for i := range ix.files {
		if testfile.Named(ix.files[i].Path) {
			holds[testfile.Folder(ix.files[i].Path)] = true
		}
	}
	for i := range ix.files {
		f := &ix.files[i]
		folder := testfile.Folder(f.Path)
		_, packaged := ix.byPath[folder+"/__init__.py"]
		if path.Base(folder) == "test" && packaged && !holds[folder] && path.Ext(f.Path) == ".py" {
			f.kind = source
		}
	}
}

func (ix *Index) add(p string, s *Stats) {
	i := len(ix.files)
	var terms []term
	var sp splitter
	raw := []byte(strings.TrimSuffix(p, path.Ext(p)))
	textsearch.Names(raw, func(from, to int) { sp.terms(raw[from:to], func(t term) { terms = append(terms, t) }) })
	ix.files = append(ix.files, indexedFile{p, s, newBag(terms), kindOf(p), asideOf(p, s.generated)})
	ix.byPath[p] = i
	ix.names[path.Base(p)] = append(ix.names[path.Base(p)], i)
	base := path.Base(moduleOf(p))
	ix.byBase[base] = append(ix.byBase[base], i)
	for c := range s.chunks {
		name := lastPart(s.chunks[c].name)
		if in := ix.defined[name]; name != "" && (len(in) == 0 || in[len(in)-1] != i) {
			ix.defined[name] = append(in, i)
		}
	}
}

func (ix *Index) measure() {
	var total, names, inChunks, chunks int
	for i := range ix.files {
		s := ix.files[i].Stats
		total += s.bag.length()
		names += s.names.length()
		for c := range s.chunks {
			if n := s.chunks[c].bag.length(); n > 0 {
				inChunks += n
				chunks++
			}
		}
	}
	n := float64(max(len(ix.files), 1))
	ix.average, ix.named = max(float64(total)/n, 1), max(float64(names)/n, 1)
	ix.chunk = max(float64(inChunks)/float64(max(chunks, 1)), 1)
}

// recentCommits is how many commits show how often a file changes.
const recentCommits = 1000

func (ix *Index) link() {
	ix.modules = newModules(ix.files)
	ix.links = make([][]int, len(ix.files))
	for f := range ix.files {
		for _, m := range ix.files[f].Stats.imports {
			for _, to := range ix.modules.resolve(ix.files[f].Path, m) {
				if to != f && !slices.Contains(ix.links[f], to) {
					ix.links[f] = append(ix.links[f], to)
				}
			}
		}
	}
	ix.churn = make([]int, len(ix.files))
	for i := range ix.history[:min(len(ix.history), recentCommits)] {
		for _, p := range ix.history[i].files {
			if f, ok := ix.byPath[p]; ok {
				ix.churn[f]++
			}
		}
	}
}

// qualified lists the files that define a name of two parts, such as Class.method.
func (ix *Index) qualified(name string) []int {
	return slices.DeleteFunc(slices.Clone(ix.defined[lastPart(name)]), func(f int) bool {
		chunks := ix.files[f].Stats.chunks
		return !slices.ContainsFunc(chunks, func(c chunk) bool {
			return c.name == name || strings.HasSuffix(c.name, "."+name)
		})
	})
}

// atPath lists the files that a path may mean, in full or by its end, even in an installed copy of the tree.
func (ix *Index) atPath(p string) []int {
	return slices.DeleteFunc(slices.Clone(ix.names[path.Base(p)]), func(f int) bool {
		file := ix.files[f].Path
		return file != p && !strings.HasSuffix(file, "/"+p) && !strings.HasSuffix(p, "/"+file)
	})
}

// atModule lists the files of a module, given as a path or its end.
func (ix *Index) atModule(p string) []int {
	return slices.DeleteFunc(slices.Clone(ix.byBase[path.Base(p)]), func(f int) bool {
		m := moduleOf(ix.files[f].Path)
		return m != p && !strings.HasSuffix(m, "/"+p)
	})
}
