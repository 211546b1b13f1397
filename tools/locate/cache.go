package locate

import (
	"context"
	"crypto/sha256"
	"errors"
	"maps"
	"path"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/tree"
)

// A treeCache is a tree with the statistics of its files. It renews those of changed files.
type treeCache struct {
	tree *tree.Tree
	o    Options
	turn chan struct{} // holds one token; its owner refreshes

	kept    map[string]entry // by path
	index   *Index
	history []Commit
	asked   bool // the history was requested
}

// An entry holds the statistics of a file, or nil if it is left out.
type entry struct {
	size  int64
	stamp any // as in tree.File
	stats *Stats
	skip  skip
}

// A skip is why a file is left out.
type skip int

const (
	included skip = iota
	secret
	large
	binary
	unreadable
	room // Options.Room is exhausted
)

type coverage struct {
	skipped tree.Skipped
	room    int  // files left out for lack of room
	late    bool // the deadline passed
}

func newTreeCache(t *tree.Tree, o Options) *treeCache {
	s := &treeCache{tree: t, o: o, turn: make(chan struct{}, 1), kept: map[string]entry{}}
	s.turn <- struct{}{}
	return s
}

// refresh returns the index of the tree, renewed as far as time permits.
func (s *treeCache) refresh(ctx context.Context) (*Index, coverage, error) {
	select {
	case <-s.turn:
	default:
		select {
		case <-s.turn:
		case <-ctx.Done():
			if isLate(ctx) {
				return NewIndex(nil, nil), coverage{late: true}, nil
			}
			return nil, coverage{}, ctx.Err()
		}
	}
	defer func() { s.turn <- struct{}{} }()
	history := s.requestHistory(ctx)
	files, changed, late, err := s.walk(ctx)
	if err == nil {
		changed = s.fit(files, changed)
		s.measure(ctx, files, changed)
	}
	s.receiveHistory(ctx, <-history)
	if err != nil {
		return nil, coverage{}, err
	}
	ix, covered := s.assemble(files, len(changed) > 0, late)
	return ix, covered, nil
}

// isLate reports whether the call ran out of time, rather than being cancelled.
func isLate(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errLate) }

type historyResult struct {
	asked   bool
	commits []Commit
	err     error
}

// requestHistory requests the history once. The channel receives one answer.
func (s *treeCache) requestHistory(ctx context.Context) <-chan historyResult {
	out := make(chan historyResult, 1)
	if s.asked || s.o.History == nil {
		out <- historyResult{}
		return out
	}
	go func() {
		p := historyResult{asked: true}
		p.commits, p.err = s.readHistory(ctx)
		out <- p
	}()
	return out
}

// readHistory returns the history, from the cache on disk if Options.HistoryOf is in it.
func (s *treeCache) readHistory(ctx context.Context) ([]Commit, error) {
	kept, of := s.tree.Options().Symbols, []byte(s.o.HistoryOf)
	if len(of) > 0 {
		if all, ok := decodeHistory(kept.Derived(historyKind, of)); ok {
			return all, nil
		}
	}
	all, err := s.o.History(ctx, maxCommits, maxFiles+1)
	if err == nil && len(of) > 0 {
		kept.Derive(historyKind, of, encodeHistory(all))
	}
	return all, err
}

// receiveHistory keeps the history. If it failed, the ranking works without it; if time ran out, the next call
// requests it again.
func (s *treeCache) receiveHistory(ctx context.Context, p historyResult) {
	switch {
	case !p.asked:
	case p.err == nil:
		s.asked, s.history, s.index = true, p.commits, nil
	case ctx.Err() == nil:
		s.asked = true
	}
}

type place struct {
	path  string
	id    []byte // as tree.File.Identity, of a changed file
	entry entry
}

// walk lists the files to index, and the positions of new or changed ones.
func (s *treeCache) walk(ctx context.Context) (files []place, changed []int, late bool, err error) {
	for f, err := range s.tree.Files(ctx, ".") {
		if err != nil {
			if isLate(ctx) {
				return files, changed, true, nil
			}
			return nil, nil, false, err
		}
		if !indexedName(f.Path) {
			continue
		}
		p := place{path: f.Path}
		switch f.Skip {
		case "secret":
			p.entry.skip = secret
		case "too_large":
			p.entry.skip = large
		default:
			p.entry = entry{size: f.Size, stamp: f.Stamp}
			if was, ok := s.kept[f.Path]; ok && was.stamp == f.Stamp {
				p.entry = was
			} else {
				p.id = f.Identity()
				changed = append(changed, len(files))
			}
		}
		files = append(files, p)
	}
	return files, changed, false, nil
}

// perFile is the overhead of a file, in bytes of Options.Room.
const perFile = 2 << 10

// fit leaves out files that exceed the room: source comes before settings, documents and tests, each by path. It
// returns the changed files that remain.
func (s *treeCache) fit(files []place, changed []int) []int {
	used := int64(0)
	full := make(map[int]bool)
	for _, k := range []kind{source, config, document, test} {
		for i := range files {
			if files[i].entry.skip != included || kindOf(files[i].path) != k {
				continue
			}
			size := files[i].entry.size + perFile
			if used += size; used > s.o.Room {
				used -= size
				files[i].entry = entry{skip: room}
				full[i] = true
			}
		}
	}
	return slices.DeleteFunc(changed, func(i int) bool { return full[i] })
}

// measure computes the statistics of the changed files, concurrently, until ctx ends.
func (s *treeCache) measure(ctx context.Context, files []place, changed []int) {
	count := tools.CountProgress(ctx, "files", len(changed))
	defer count.End()
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for ctx.Err() == nil {
				n := int(next.Add(1)) - 1
				if n >= len(changed) {
					return
				}
				f := &files[changed[n]]
				f.entry.stats, f.entry.skip = s.one(f.path, f.id)
				count.Add(1)
			}
		})
	}
	workers.Wait()
}

// one returns the statistics of a file. If the cache on disk knows the text by id, it does not read the file.
func (s *treeCache) one(name string, id []byte) (*Stats, skip) {
	kept, kind := s.tree.Options().Symbols, statsKind+path.Base(name)
	if id != nil {
		if sum := kept.Derived(sumKind, id); sum != nil {
			if stats, ok := decodeStats(kept.Derived(kind, sum)); ok {
				return stats, included
			}
		}
	}
	text, err := s.tree.Read(name)
	switch {
	case errors.Is(err, tree.ErrSkipped):
		return nil, binary
	case err != nil:
		return nil, unreadable
	}
	sum := sha256.Sum256(text)
	if id != nil {
		kept.Derive(sumKind, id, sum[:])
	}
	if stats, ok := decodeStats(kept.Derived(kind, sum[:])); ok {
		return stats, included
	}
	stats := measure(name, text, s.tree.Symbols(name, text))
	if b := encodeStats(stats); b != nil {
		kept.Derive(kind, sum[:], b)
	}
	return stats, included
}

// assemble indexes the measured files, or keeps the index if nothing changed.
func (s *treeCache) assemble(files []place, changed, late bool) (*Index, coverage) {
	c := coverage{late: late}
	now := make(map[string]entry, len(files))
	if late {
		maps.Copy(now, s.kept) // the walk did not reach all of them
	}
	list := make(map[string]*Stats, len(files))
	for _, f := range files {
		switch {
		case f.entry.stats != nil:
			list[f.path] = f.entry.stats
		case f.entry.skip == included:
			c.late = true
			continue // not measured yet: left to the next call
		case f.entry.skip == room:
			c.room++
			continue
		default:
			c.count(f.entry.skip)
		}
		now[f.path] = f.entry
	}
	if s.index == nil || changed || late || len(now) != len(s.kept) {
		s.index = NewIndex(list, func(int, int) []Commit { return s.history })
	}
	s.kept = now
	return s.index, c
}

func (c *coverage) count(why skip) {
	switch why {
	case secret:
		c.skipped.Secret++
	case large:
		c.skipped.TooLarge++
	case binary:
		c.skipped.Binary++
	case unreadable:
		c.skipped.Unreadable++
	case included, room:
	}
}
