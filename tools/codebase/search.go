package codebase

import (
	"bytes"
	"context"
	"path"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sourcegraph/conc/iter"
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
	base, err := t.resolve(ctx, orElse(in.Path, "."))
	if err != nil {
		return nil, err
	}
	files, err := t.targets(ctx, base, q, &out.Page)
	if err != nil {
		return nil, err
	}
	found, err := t.sweep(ctx, q, files, out)
	if err != nil {
		return nil, err
	}
	q.show(found, out)
	t.decorate(ctx, q, out)
	if out.Hits == 0 && !out.TimedOut {
		t.explainNothing(ctx, q, files, out)
	}
	return out, nil
}

// targets lists the files to search: what the walk takes in below a directory, or one file.
func (t *tree) targets(ctx context.Context, base place, q *query, page *Page) ([]string, error) {
	if !base.info.IsDir() {
		if !t.o.AllowSecrets && isSecret(base.path) {
			return nil, t.fault(ctx, base.path, errSecret)
		}
		if !base.info.Mode().IsRegular() {
			page.Skipped.Unreadable++
			return nil, nil
		}
		return []string{base.path}, nil
	}
	var files []string
	w := walker{t: t, ctx: ctx, hidden: slices.ContainsFunc(q.include, dotted)}
	err := w.walk(base.path, func(n node) error {
		switch {
		case n.kind == otherNode:
			w.skipped.Unreadable++
		case n.kind != fileNode || !q.wants(n.path, base.path):
		case !t.o.AllowSecrets && isSecret(n.path):
			w.skipped.Secret++
		default:
			files = append(files, n.path)
		}
		return nil
	})
	return files, page.finish(ctx, err, &w)
}

// A fileHits is what one file holds.
type fileHits struct {
	path    string
	matches []Match // the first of them, at most query.perFile
	hits    int
	counts  []int // by pattern, when there are several
	err     error // why it was not searched
	done    bool
}

// sweep searches the files side by side and returns those with a hit, in the order of files.
func (t *tree) sweep(ctx context.Context, q *query, files []string, out *SearchResult) ([]fileHits, error) {
	results := make([]fileHits, len(files))
	buffers := sync.Pool{New: func() any { return new([]byte) }}
	var late atomic.Bool
	it := iter.Iterator[batch]{MaxGoroutines: t.o.Workers}
	it.ForEach(batches(files), func(b *batch) {
		buf := buffers.Get().(*[]byte)
		defer buffers.Put(buf)
		dir := t.folder(b.dir)
		defer dir.close()
		for _, i := range b.files {
			if late.Load() || expired(ctx) != nil {
				late.Store(true)
				return
			}
			results[i] = t.searchFile(q, dir, files[i], buf)
		}
	})
	if late.Load() {
		if err := out.ended(ctx, expired(ctx)); err != nil {
			return nil, err
		}
	}
	return q.tally(results, out), nil
}

// A batch is files of one directory, by their index.
type batch struct {
	dir   string
	files []int
}

// maxBatch is small enough that two processors share a large directory.
const maxBatch = 64

func batches(files []string) []batch {
	var all []batch
	at := map[string]int{}
	for i, p := range files {
		dir := path.Dir(p)
		b, ok := at[dir]
		if !ok || len(all[b].files) == maxBatch {
			b = len(all)
			at[dir] = b
			all = append(all, batch{dir: dir})
		}
		all[b].files = append(all[b].files, i)
	}
	return all
}

// searchFile searches the file p of the directory dir, reading into *buf.
func (t *tree) searchFile(q *query, dir folder, p string, buf *[]byte) fileHits {
	c, err := t.loadFrom(dir.fsys, dir.prefix+path.Base(p), *buf)
	if err != nil {
		return fileHits{path: p, err: err, done: true}
	}
	if c.encoding == "" && cap(c.data) > cap(*buf) {
		*buf = c.data[:0]
	}
	r := q.find(p, c.data)
	if r.hits > 0 {
		// What a pattern finds in a credential must not tell its letters: search again in what may be shown.
		if shown := t.redact(c.data); !bytes.Equal(shown, c.data) {
			r = q.find(p, shown)
		}
	}
	return r
}

func (q *query) tally(results []fileHits, out *SearchResult) []fileHits {
	var found []fileHits
	if len(q.sources) > 1 {
		for _, s := range q.sources {
			out.Patterns = append(out.Patterns, PatternCount{Pattern: s})
		}
	}
	for _, r := range results {
		if !r.done || (out.Skipped.skip(r.err) && r.hits == 0) {
			continue
		}
		out.FilesSearched++
		for i, n := range r.counts {
			out.Patterns[i].Hits += n
			out.Patterns[i].Files += min(n, 1)
		}
		if r.hits > 0 {
			out.FilesMatched++
			out.Hits += r.hits
			found = append(found, r)
		}
	}
	return found
}

// show moves the hits that offset and limit choose into out.
func (q *query) show(found []fileHits, out *SearchResult) {
	if q.mode != "content" {
		from, to := window(len(found), q.offset, q.limit)
		for _, f := range found[from:to] {
			out.Items = append(out.Items, FileMatches{Path: f.path, Hits: f.hits})
		}
		out.cut(len(found), from, to-from)
		out.pastEnd(q.offset, len(found), "files")
		return
	}
	pool := 0
	for _, f := range found {
		n := len(f.matches)
		from := min(max(q.offset-pool, 0), n)
		to := min(max(q.offset+q.limit-pool, from), n)
		pool += n
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
