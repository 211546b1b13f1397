package codebase

import (
	"bytes"
	"context"
	"errors"
)

func (t *tree) search(ctx context.Context, in searchArgs) (*SearchResult, error) {
	out := &SearchResult{Items: []FileMatches{}, Page: Page{asJSON: t.o.JSON}}
	q, err := in.query(&out.Page)
	if err != nil {
		return nil, err
	}
	out.Mode = q.mode
	ctx, stop := t.clock(ctx)
	defer stop()
	base, err := t.searched(ctx, orElse(in.Path, "."))
	if err != nil {
		return nil, err
	}
	found, pool, err := t.find(ctx, q, base, out)
	if err != nil {
		return nil, err
	}
	q.show(found, pool, out)
	t.decorate(ctx, q, out)
	if out.Hits == 0 && !out.TimedOut {
		t.explainNothing(ctx, q, base, out)
	}
	return out, nil
}

// searched resolves the directory or file to search.
func (t *tree) searched(ctx context.Context, p string) (place, error) {
	base, err := t.resolve(ctx, p)
	if err == nil && !base.info.IsDir() && !t.o.AllowSecrets && isSecret(base.path) {
		err = t.fault(ctx, base.path, errSecret)
	}
	return base, err
}

// A fileHits is what one file holds.
type fileHits struct {
	path    string
	matches []Match // the first of them, when they can be shown
	kept    int     // how many of them can be shown: query.perFile at most; 1 where only files are shown
	hits    int
	counts  []int // by pattern, when there are several
	suspect bool  // a line with a hit may hold a credential
	err     error // why not all of it was searched
}

// find searches what is below base and returns the files with a hit, in the order of the tree: at least as many as the
// query shows. pool is how many hits all files could show.
func (t *tree) find(ctx context.Context, q *query, base place, out *SearchResult) (found []fileHits, pool int, err error) {
	k := quota{want: q.offset + q.limit, finished: map[int]int{}}
	s := sweep{t: t, q: q, ctx: ctx, done: k.done, look: func(b *batch, p string, c content) {
		enough := k.enough.Load()
		b.add(t.hits(ctx, q, p, c, q.mode == "content" && !enough), !enough)
	}}
	all, err := s.run(base, &out.Page)
	if err != nil {
		return nil, 0, err
	}
	found, pool = q.sum(all, out)
	return found, pool, nil
}

// hits searches one file.
func (t *tree) hits(ctx context.Context, q *query, p string, c content, texts bool) fileHits {
	r := q.find(ctx, p, c.data, texts)
	if r.hits > 0 && !t.o.AllowSecrets && (r.suspect || opensBlock(c.data)) {
		// What a pattern finds in a credential must not tell its letters: search again in what may be shown.
		if shown := t.shown(c); !bytes.Equal(shown, c.data) {
			r = q.find(ctx, p, shown, texts)
		}
	}
	return r
}

// A tally is counts over files.
type tally struct {
	files, hits, kept int
	patterns          []PatternCount // hits and files, without the pattern; none for a single pattern
}

// add counts the hits of a file, and keeps them if keep is set.
func (b *batch) add(r fileHits, keep bool) {
	if errors.Is(r.err, errDeadline) || errors.Is(r.err, context.Canceled) {
		r.err = nil // the sweep sees that itself
	}
	if b.skipped.skip(r.err) && r.hits == 0 {
		b.searched--
		return
	}
	if r.hits == 0 {
		return
	}
	b.tally.files++
	b.tally.hits += r.hits
	b.tally.kept += r.kept
	if b.tally.patterns == nil {
		b.tally.patterns = make([]PatternCount, len(r.counts))
	}
	for i, n := range r.counts {
		b.tally.patterns[i].Hits += n
		b.tally.patterns[i].Files += min(n, 1)
	}
	if keep {
		b.found = append(b.found, r)
	}
}

// sum adds up the batches: counts go to out, the files that are kept and how many hits could be shown are returned.
func (q *query) sum(all []*batch, out *SearchResult) (found []fileHits, pool int) {
	if len(q.sources) > 1 {
		for _, s := range q.sources {
			out.Patterns = append(out.Patterns, PatternCount{Pattern: s})
		}
	}
	for _, b := range all {
		out.FilesSearched += b.searched
		out.FilesMatched += b.tally.files
		out.Hits += b.tally.hits
		pool += b.tally.kept
		for i, n := range b.tally.patterns {
			out.Patterns[i].Hits += n.Hits
			out.Patterns[i].Files += n.Files
		}
		found = append(found, b.found...)
	}
	return found, pool
}

// show moves the hits that offset and limit choose into out.
func (q *query) show(found []fileHits, pool int, out *SearchResult) {
	if q.mode != "content" {
		from, to := window(len(found), q.offset, q.limit)
		for _, f := range found[from:to] {
			out.Items = append(out.Items, FileMatches{Path: f.path, Hits: f.hits})
		}
		out.cut(out.FilesMatched, from, to-from)
		out.pastEnd(q.offset, out.FilesMatched, "files")
		return
	}
	before := 0
	for _, f := range found {
		from := min(max(q.offset-before, 0), f.kept)
		to := min(max(q.offset+q.limit-before, from), f.kept)
		before += f.kept
		if to > from {
			out.Items = append(out.Items, FileMatches{Path: f.path, Hits: f.hits, Matches: f.matches[from:to]})
			out.Returned += to - from
		}
	}
	out.Total = out.Hits
	switch {
	case q.offset+out.Returned < pool:
		out.Truncated, out.TruncatedBy, out.Next = true, "limit", q.offset+out.Returned
	case pool < out.Hits && !out.Truncated:
		out.Truncated, out.TruncatedBy = true, "max_per_file"
	}
	if pool < out.Hits {
		out.note("%s left out by max_per_file=%d", plural(out.Hits-pool, "hit"), q.perFile)
	}
	out.pastEnd(q.offset, pool, "hits")
}
