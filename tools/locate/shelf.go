package locate

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/tree"
)

// A shelf is a tree with the statistics of its files, which are taken again for files that changed.
type shelf struct {
	tree *tree.Tree
	o    Options
	turn chan struct{} // holds one token: whoever has it refreshes

	kept    map[string]kept // by path
	index   *Index
	history []Commit
	asked   bool // for the history
}

// A kept is the statistics of a file as it was; nil for one that is left out.
type kept struct {
	size  int64
	stamp any // as tree.File has it
	stats *Stats
	skip  skip
}

// A skip is why a file is left out.
type skip int

const (
	taken skip = iota
	secret
	large
	binary
	unreadable
	room // Options.Room is used up
)

// A coverage is how much of a tree an index holds.
type coverage struct {
	skipped tree.Skipped
	room    int  // files without room
	late    bool // the deadline came first
}

func newShelf(t *tree.Tree, o Options) *shelf {
	s := &shelf{tree: t, o: o, turn: make(chan struct{}, 1), kept: map[string]kept{}}
	s.turn <- struct{}{}
	return s
}

// refresh returns the index of the tree as it is now, as far as there was time.
func (s *shelf) refresh(ctx context.Context) (*Index, coverage, error) {
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
	told := s.ask(ctx)
	files, changed, late, err := s.walk(ctx)
	if err == nil {
		changed = s.fit(files, changed)
		s.measure(ctx, files, changed)
	}
	s.hear(ctx, <-told)
	if err != nil {
		return nil, coverage{}, err
	}
	ix, covered := s.assemble(files, len(changed) > 0, late)
	return ix, covered, nil
}

// isLate reports whether the time of a call is up, rather than its caller gone.
func isLate(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errLate) }

// A past is what came of asking for the history.
type past struct {
	asked   bool
	commits []Commit
	err     error
}

// ask asks for the history, unless that was done. There is one answer in the channel.
func (s *shelf) ask(ctx context.Context) <-chan past {
	out := make(chan past, 1)
	if s.asked || s.o.History == nil {
		out <- past{}
		return out
	}
	go func() {
		p := past{asked: true}
		p.commits, p.err = s.o.History(ctx, maxCommits, maxFiles+1)
		out <- p
	}()
	return out
}

// hear takes the history. Where there is none for good the other signals stand; one that there was no time for is asked
// for again.
func (s *shelf) hear(ctx context.Context, p past) {
	switch {
	case !p.asked:
	case p.err == nil:
		s.asked, s.history, s.index = true, p.commits, nil
	case ctx.Err() == nil:
		s.asked = true
	}
}

// A place is a file that the walk found.
type place struct {
	path string
	kept kept
}

// walk lists the files whose words are taken, and the indexes of those that are new or changed.
func (s *shelf) walk(ctx context.Context) (files []place, changed []int, late bool, err error) {
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
			p.kept.skip = secret
		case "too_large":
			p.kept.skip = large
		default:
			p.kept = kept{size: f.Size, stamp: f.Stamp}
			if was, ok := s.kept[f.Path]; ok && was.stamp == f.Stamp {
				p.kept = was
			} else {
				changed = append(changed, len(files))
			}
		}
		files = append(files, p)
	}
	return files, changed, false, nil
}

// perFile is what a file takes of the room beside its text, in bytes.
const perFile = 2 << 10

// fit leaves out files that there is no room for, source before settings, documents and tests, by path. It returns the
// changed files that are left.
func (s *shelf) fit(files []place, changed []int) []int {
	used := int64(0)
	full := make(map[int]bool)
	for _, k := range []kind{source, config, document, test} {
		for i := range files {
			if files[i].kept.skip != taken || kindOf(files[i].path) != k {
				continue
			}
			size := files[i].kept.size + perFile
			if used += size; used > s.o.Room {
				used -= size
				files[i].kept = kept{skip: room}
				full[i] = true
			}
		}
	}
	return slices.DeleteFunc(changed, func(i int) bool { return full[i] })
}

// measure takes the statistics of the changed files, side by side, until ctx ends.
func (s *shelf) measure(ctx context.Context, files []place, changed []int) {
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
				f.kept.stats, f.kept.skip = s.one(f.path)
				count.Add(1)
			}
		})
	}
	workers.Wait()
}

func (s *shelf) one(name string) (*Stats, skip) {
	text, err := s.tree.Read(name)
	switch {
	case errors.Is(err, tree.ErrSkipped):
		return nil, binary
	case err != nil:
		return nil, unreadable
	}
	return measure(name, text, s.tree.Symbols(name, text)), taken
}

// assemble makes the index of what was measured, or keeps the one there is when nothing changed.
func (s *shelf) assemble(files []place, changed, late bool) (*Index, coverage) {
	c := coverage{late: late}
	now := make(map[string]kept, len(files))
	if late {
		maps.Copy(now, s.kept) // the walk did not come to all of them
	}
	list := make(map[string]*Stats, len(files))
	for _, f := range files {
		switch {
		case f.kept.stats != nil:
			list[f.path] = f.kept.stats
		case f.kept.skip == taken:
			c.late = true
			continue // not measured yet: the next call goes on with it
		case f.kept.skip == room:
			c.room++
			continue
		default:
			c.count(f.kept.skip)
		}
		now[f.path] = f.kept
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
	case taken, room:
	}
}
