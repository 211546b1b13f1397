package codebase

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sourcegraph/conc"
)

// A sweep reads the files below a directory that a query wants, side by side and while the walk goes on.
type sweep struct {
	t   *tree
	q   *query
	ctx context.Context
	// look is called with each text file, of one batch at a time. It keeps no part of the bytes.
	look func(b *batch, p string, c content)
	// done is called when a batch was looked through; nil is nothing.
	done func(b *batch)

	work chan *batch
	late atomic.Bool
}

// A batch is files of one folder, in the order of their names, and what a sweep found in them.
type batch struct {
	index    int // in the order of the walk
	in       *folder
	names    []string
	searched int
	skipped  Skipped
	tally    tally
	found    []fileHits // of the files with a hit those that may be shown
}

// maxBatch is small enough that two processors share a large directory.
const maxBatch = 64

// minQueue is how many batches may wait for a worker at least: where directories are small, fewer would make walk and
// workers wait for each other. Each keeps its directory open.
const minQueue = 32

// run sweeps what is below base, or the file that base is, and returns the batches in the order of the walk. What was not
// read, and why, is in page.
func (s *sweep) run(base place, page *Page) ([]*batch, error) {
	s.t.memory.begin()
	s.work = make(chan *batch, max(4*s.t.o.Workers, minQueue))
	var wg conc.WaitGroup
	for range s.t.o.Workers {
		wg.Go(s.worker)
	}
	all, err := s.feed(base, page)
	wg.Wait()
	for _, b := range all {
		page.Skipped.add(b.skipped)
	}
	if err == nil && s.late.Load() {
		err = expired(s.ctx)
	}
	return all, page.ended(s.ctx, err)
}

// feed hands the files to the workers. It has closed the channel when it returns.
func (s *sweep) feed(base place, page *Page) ([]*batch, error) {
	defer close(s.work)
	f := feeder{s: s}
	defer f.flush()
	switch {
	case base.info.Mode().IsRegular():
		in := s.t.folder(path.Dir(base.path))
		defer in.release()
		f.add(in, path.Base(base.path))
		f.flush()
		return f.all, nil
	case !base.info.IsDir():
		page.Skipped.Unreadable++
		return nil, nil
	}
	err := s.t.wanted(s.ctx, base.path, s.q, page, func(n node) { f.add(n.in, n.name) })
	f.flush()
	return f.all, err
}

// wanted walks what is below the directory base and calls take for each file that q wants. Its error is how the walk
// ended, for Page.ended.
func (t *tree) wanted(ctx context.Context, base string, q *query, page *Page, take func(node)) error {
	w := walker{t: t, ctx: ctx, hidden: slices.ContainsFunc(q.include, dotted)}
	err := w.walk(base, func(n node) error {
		switch {
		case n.kind == otherNode:
			w.skipped.Unreadable++
		case n.kind == dirNode && q.excludes(n.path, base):
			return fs.SkipDir
		case n.kind != fileNode || !q.wants(n.path, base):
		case n.secret && !t.o.AllowSecrets:
			w.skipped.Secret++
		default:
			take(n)
		}
		return nil
	})
	page.Skipped.add(w.skipped)
	return err
}

// targets lists the files below the directory base.
func (t *tree) targets(ctx context.Context, base place, q *query, page *Page) ([]string, error) {
	var files []string
	err := t.wanted(ctx, base.path, q, page, func(n node) { files = append(files, n.path) })
	return files, page.ended(ctx, err)
}

// A feeder gathers files of a folder into batches.
type feeder struct {
	s    *sweep
	open *batch // not handed over yet
	all  []*batch
}

func (f *feeder) add(in *folder, name string) {
	if f.open != nil && (f.open.in != in || len(f.open.names) == maxBatch) {
		f.flush()
	}
	if f.open == nil {
		in.retain()
		f.open = &batch{index: len(f.all), in: in}
		f.all = append(f.all, f.open)
	}
	f.open.names = append(f.open.names, name)
}

func (f *feeder) flush() {
	if f.open == nil {
		return
	}
	select {
	case f.s.work <- f.open:
	case <-f.s.ctx.Done():
		f.s.late.Store(true)
		f.open.in.release()
	}
	f.open = nil
}

func (s *sweep) worker() {
	var buf []byte
	for b := range s.work {
		s.batch(b, &buf)
	}
}

func (s *sweep) batch(b *batch, buf *[]byte) {
	defer func() {
		b.in.release()
		b.names = nil // there may be very many
	}()
	for _, name := range b.names {
		if s.late.Load() || expired(s.ctx) != nil {
			s.late.Store(true)
			return
		}
		c, err := b.in.load(name, buf)
		if b.skipped.skip(err) {
			continue
		}
		b.searched++
		s.look(b, join(b.in.path, name), c)
	}
	if expired(s.ctx) != nil { // perhaps in the middle of the last file
		s.late.Store(true)
		return
	}
	if s.done != nil {
		s.done(b)
	}
}

// A quota knows when the hits that a search shows are found: those of a beginning of the tree, whatever is found behind.
type quota struct {
	want   int
	enough atomic.Bool

	mu       sync.Mutex
	finished map[int]int // hits that could be shown, of batches behind one that is not finished
	next     int         // the first batch that is not finished
	have     int         // hits of those before it
}

func (k *quota) done(b *batch) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.finished[b.index] = b.tally.kept
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
