package tree

import (
	"context"
	"io/fs"
	"path"
	"sync/atomic"

	"github.com/sourcegraph/conc"
)

// A Sweep reads the files below a directory in parallel, while the walk is still under way. Files come in batches; each
// batch collects what Look finds in a value of type T.
type Sweep[T any] struct {
	Hidden bool                   // visit hidden names
	Prune  func(dir string) bool  // whether to skip a directory; nil: skip none
	Take   func(path string) bool // whether to read a file; nil: read all
	Once   bool                   // cache a file only when it is read again, as most searches are the only one
	// Look is called with each text file. Batches run in parallel; the files of one do not. It must not keep any part of
	// c, whose memory is reused and which is not redacted.
	Look func(found *T, path string, c Content)
	// Done, unless nil, is called after the last file of a batch, with its number in the order of the walk.
	Done func(batch int, found *T)
}

// Run sweeps the files below the directory base, or the file base, and returns what each batch found, in the order of
// the walk. When the time is up, it returns what it has and the error of [Expired].
func (s Sweep[T]) Run(ctx context.Context, t *Tree, base Place) ([]T, Skipped, error) {
	defer t.view.waitForFirst(ctx, base, Scope{Hidden: s.Hidden})()
	t.cache.startSweep()
	r := sweepRun[T]{Sweep: s, t: t, ctx: ctx, work: make(chan []*batch[T], min(max(2*t.o.Workers, minQueue), maxQueue))}
	var wg conc.WaitGroup
	for range t.o.Workers {
		wg.Go(func() {
			var buf []byte
			for load := range r.work {
				for _, b := range load {
					r.batch(b, &buf)
				}
			}
		})
	}
	skipped, err := r.feed(base)
	wg.Wait()
	found := make([]T, len(r.all))
	for i, b := range r.all {
		found[i] = b.found
		skipped.Add(b.skipped)
	}
	if err == nil && r.late.Load() {
		err = Expired(ctx)
	}
	return found, skipped, err
}

// A sweepRun is one run of a [Sweep].
type sweepRun[T any] struct {
	Sweep[T]
	t    *Tree
	ctx  context.Context
	work chan []*batch[T]
	late atomic.Bool // the time was up or the call was cancelled, so files were not read
	open []*batch[T] // still filling, not queued yet
	held int         // files in open
	all  []*batch[T]
}

// A batch is files of one folder, in the order of their names.
type batch[T any] struct {
	index   int // in the order of the walk
	in      *folder
	paths   []string
	skipped Skipped
	found   T
}

// A load is some batches for one worker: one of few files would cost less to read than to hand over. maxBatch is small
// enough that two processors share a large directory. Each waiting batch keeps its directory open.
const (
	maxBatch   = 64 // files of a batch, and of a load
	maxFolders = 8  // batches of a load

	minQueue, maxQueue = 8, 48 // loads that may wait for a worker
)

// feed queues the files for the workers, and closes the queue.
func (r *sweepRun[T]) feed(base Place) (skipped Skipped, err error) {
	defer close(r.work)
	switch {
	case base.Info.Mode().IsRegular():
		in := r.t.folder(path.Dir(base.Path))
		defer in.release()
		r.add(in, base.Path)
	case !base.Info.IsDir():
		return Skipped{Unreadable: 1}, nil
	default:
		skipped, err = r.walk(base.Path)
	}
	r.flush()
	return skipped, err
}

func (r *sweepRun[T]) walk(base string) (Skipped, error) {
	own := Skipped{}
	skipped, err := r.t.Walk(r.ctx, base, Scope{Hidden: r.Hidden}, func(n Node) error {
		switch {
		case n.kind == otherKind:
			own.Unreadable++
		case n.IsDir() && r.Prune != nil && r.Prune(n.Path):
			return fs.SkipDir
		case !n.IsFile() || r.Take != nil && !r.Take(n.Path):
		case n.Secret:
			own.Secret++
		default:
			r.add(n.in, n.Path)
		}
		return nil
	})
	skipped.Add(own)
	return skipped, err
}

func (r *sweepRun[T]) add(in *folder, p string) {
	last := len(r.open) - 1
	if r.held == maxBatch || last == maxFolders-1 && r.open[last].in != in {
		r.flush()
		last = -1
	}
	if last < 0 || r.open[last].in != in {
		in.uses.Add(1)
		r.open = append(r.open, &batch[T]{index: len(r.all), in: in})
		last = len(r.open) - 1
		r.all = append(r.all, r.open[last])
	}
	r.open[last].paths = append(r.open[last].paths, p)
	r.held++
}

func (r *sweepRun[T]) flush() {
	if r.open == nil {
		return
	}
	select {
	case r.work <- r.open:
	case <-r.ctx.Done():
		r.late.Store(true)
		for _, b := range r.open {
			b.in.release()
		}
	}
	r.open, r.held = nil, 0
}

func (r *sweepRun[T]) batch(b *batch[T], buf *[]byte) {
	in := b.in.reopen()
	defer func() {
		in.release()
		b.in.release()
		b.in, b.paths = nil, nil // frees memory: a tree may have millions of files
	}()
	for _, p := range b.paths {
		if r.late.Load() || Expired(r.ctx) != nil {
			r.late.Store(true)
			return
		}
		c, err := in.load(p, buf, r.Once)
		if b.skipped.Count(err) {
			continue
		}
		r.Look(&b.found, p, c)
	}
	if Expired(r.ctx) != nil { // Look may have stopped within the last file
		r.late.Store(true)
		return
	}
	if r.Done != nil {
		r.Done(b.index, &b.found)
	}
}
