package search

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/forayhq/foray/tools/tree"
)

// A Result is what a search found. Items are the first files with a hit, in tree order: as many as the query asks for,
// and perhaps more.
type Result struct {
	Items         []File         `json:"items"`
	FilesSearched int            `json:"files_searched"`
	FilesMatched  int            `json:"files_matched"`
	Hits          int            `json:"hits"`               // in all files
	Patterns      []patternCount `json:"patterns,omitempty"` // one each, if there are several
	Shown         int            `json:"-"`                  // hits in all files, with at most Query.PerFile of each

	bytes    int       // of all files searched
	variants []variant // counted, unless there are hits
}

// A patternCount counts the hits of one of several patterns.
type patternCount struct {
	Pattern string `json:"pattern"`
	Hits    int    `json:"hits"`
	Files   int    `json:"files"`
}

// A File is a file with its hits.
type File struct {
	Path    string  `json:"path"`
	Hits    int     `json:"hits"`              // in the file, returned or not
	Matches []Match `json:"matches,omitempty"` // those that are returned, by line
}

// A Match is one hit. Lines and columns count from 1, columns in runes.
type Match struct {
	Line    int      `json:"line"`
	EndLine int      `json:"end_line,omitempty"` // multiline: the last line, when it is not Line
	Column  int      `json:"column"`
	Symbol  string   `json:"symbol,omitempty"`  // qualified name of the innermost symbol around it
	Text    string   `json:"text"`              // the line, at most 500 runes around the match
	Pattern int      `json:"pattern,omitempty"` // which of several patterns, from 1: the first that hits
	Before  []string `json:"before,omitempty"`  // the lines before it
	After   []string `json:"after,omitempty"`   // the lines after its first, those of a multiline hit included
}

// Run searches the files below the directory base, or the file base. When the time is up, it returns what it has found
// and the error of [tree.Expired].
func (s *Search) Run(ctx context.Context, t *tree.Tree, base tree.Place) (*Result, tree.Skipped, error) {
	k := quota{want: s.Most, finished: map[int]int{}}
	variants, hit := s.variants(true), atomic.Bool{}
	sw := s.sweep(base.Path, func(found *tally, p string, c tree.Content) {
		enough := k.enough.Load()
		found.bytes += len(c.Data)
		r := s.file(ctx, t, p, c, !s.Brief && !enough)
		if found.add(r, !enough); r.Hits > 0 {
			hit.Store(true)
		}
		for i := range variants {
			if !hit.Load() {
				variants[i].count(ctx, t, p, c)
			}
		}
	})
	sw.Done = func(batch int, found *tally) { k.done(batch, found.shown) }
	batches, skipped, err := sw.Run(ctx, t, base)
	out := &Result{Items: []File{}, variants: variants}
	if len(s.patterns) > 1 {
		for _, source := range s.Query.Patterns {
			out.Patterns = append(out.Patterns, patternCount{Pattern: source})
		}
	}
	for _, b := range batches {
		skipped.TooLarge += b.tooLarge
		out.FilesSearched += b.searched
		out.FilesMatched += b.files
		out.Hits += b.hits
		out.Shown += b.shown
		out.bytes += b.bytes
		for i, n := range b.patterns {
			out.Patterns[i].Hits += n.Hits
			out.Patterns[i].Files += n.Files
		}
		out.Items = append(out.Items, b.found...)
	}
	return out, skipped, err
}

// file searches one file. If a hit may show a credential, it searches again in the redacted text. It searches only
// there for the marks of redacted credentials.
func (s *Search) file(ctx context.Context, t *tree.Tree, p string, c tree.Content, texts bool) fileHits {
	if s.forMarks {
		return s.find(ctx, t, p, t.Shown(c), texts)
	}
	r := s.find(ctx, t, p, c.Data, texts)
	if r.Hits == 0 || !r.suspect && !c.Spans() {
		return r
	}
	if shown := t.Shown(c); !bytes.Equal(shown, c.Data) {
		return s.find(ctx, t, p, shown, texts)
	}
	return r
}

// A tally counts the hits in a batch of files, and keeps the files with hits while the search needs more.
type tally struct {
	searched, tooLarge, files, hits, shown, bytes int

	patterns []patternCount // counts by pattern, without its text; nil for a single pattern
	found    []File
}

// add counts the hits of a file, and keeps them if keep is set.
func (n *tally) add(r fileHits, keep bool) {
	n.searched++
	if errors.Is(r.err, errTooLarge) {
		n.tooLarge++
		if r.Hits == 0 {
			n.searched--
		}
	}
	if r.Hits == 0 {
		return
	}
	n.files++
	n.hits += r.Hits
	n.shown += r.shown
	if n.patterns == nil {
		n.patterns = make([]patternCount, len(r.counts))
	}
	for i, hits := range r.counts {
		n.patterns[i].Hits += hits
		n.patterns[i].Files += min(hits, 1)
	}
	if keep {
		n.found = append(n.found, r.File)
	}
}

// A quota says when a search has enough hits to return. Those are the first in tree order, but batches finish in any
// order, so it counts only batches without an unfinished one before them.
type quota struct {
	want   int
	enough atomic.Bool

	mu       sync.Mutex
	finished map[int]int // hits to return, by finished batch after next
	next     int         // first batch that is not finished
	have     int         // hits to return in the batches before next
}

func (k *quota) done(batch, hits int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.finished[batch] = hits
	for {
		n, ok := k.finished[k.next]
		if !ok {
			return
		}
		delete(k.finished, k.next)
		k.have += n
		k.next++
		if k.have >= k.want {
			k.enough.Store(true)
			return
		}
	}
}
