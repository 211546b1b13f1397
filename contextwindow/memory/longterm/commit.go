package longterm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// mostTogether is how many changes are written together at most, so that no caller waits long for those of others.
const mostTogether = 256

// A change waits to be written. It puts memories or deletes some.
type change struct {
	// puts returns the memories to put. It is called again if they are to be put alone.
	puts    func(get getter) ([]Memory, error)
	deletes []string

	gone <-chan struct{} // closed when the caller no longer waits
	done chan struct{}   // closed when err is known
	err  error
}

// A getter returns a memory as it is before a change, or [ErrNotFound].
type getter = func(id string) (Memory, error)

// errUnwritten is the error of a change whose store panicked.
var errUnwritten = errors.New("saving a memory: the store did not return")

// A line is where changes wait for the store. One at a time reads or writes it.
type line struct {
	put, remove writer
	busy        chan struct{} // holds a value while the store is in use

	mu      sync.Mutex // guards waiting; never held while calling out
	waiting []*change  // in order of arrival
}

// A writer writes changes, all of them or, with an error, none, and sets the error of each.
type writer func(ctx context.Context, changes []*change) error

// commit writes a change. While the store is busy changes gather, and whoever gets the store next writes all of them:
// so the time of a change hardly depends on how many wait. ctx ends the wait for the store. A change that is being
// written is waited for, since only then its caller knows whether it took effect.
func (l *line) commit(ctx context.Context, c *change) error {
	c.gone, c.done, c.err = ctx.Done(), make(chan struct{}), errUnwritten
	l.mu.Lock()
	l.waiting = append(l.waiting, c)
	l.mu.Unlock()
	if !l.tryLock() {
		select {
		case l.busy <- struct{}{}:
		case <-c.done:
			return c.err
		case <-ctx.Done():
			if l.withdraw(c) {
				return fmt.Errorf("waiting to change memories: %w", ctx.Err())
			}
			<-c.done
			return c.err
		}
	}
	defer l.unlock()
	for {
		select {
		case <-c.done:
			return c.err
		default:
			l.writeNext(ctx)
		}
	}
}

// lock waits for the store.
func (l *line) lock(ctx context.Context) error {
	select {
	case l.busy <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *line) tryLock() bool {
	select {
	case l.busy <- struct{}{}:
		return true
	default:
		return false
	}
}

func (l *line) unlock() { <-l.busy }

// withdraw takes back a change, unless it is being written.
func (l *line) withdraw(c *change) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.waiting, c)
	if i < 0 {
		return false
	}
	l.waiting = slices.Delete(l.waiting, i, i+1)
	return true
}

// writeNext writes the changes that wait, those that put before those that delete: no caller knows yet which of them
// came first. The caller has locked the line.
func (l *line) writeNext(ctx context.Context) {
	l.mu.Lock()
	n := min(len(l.waiting), mostTogether)
	together := slices.Clone(l.waiting[:n])
	l.waiting = slices.Delete(l.waiting, 0, n)
	l.mu.Unlock()
	defer func() {
		for _, c := range together {
			close(c.done)
		}
	}()
	deletes := func(c *change) bool { return c.puts == nil }
	puts := func(c *change) bool { return c.puts != nil }
	attempt(ctx, slices.DeleteFunc(slices.Clone(together), deletes), l.put)
	attempt(ctx, slices.DeleteFunc(slices.Clone(together), puts), l.remove)
}

// attempt writes changes together. If the store refuses them, it writes each alone: the others must not fail for one
// that the store cannot take. After a time-out nothing is tried again.
func attempt(ctx context.Context, changes []*change, write writer) {
	if len(changes) == 0 {
		return
	}
	together, end := wanted(ctx, changes)
	defer end()
	err := write(together, changes)
	var timeout interface{ Timeout() bool }
	if err == nil || len(changes) == 1 || errors.Is(err, context.Canceled) || errors.As(err, &timeout) && timeout.Timeout() {
		return
	}
	for i := range changes {
		attempt(ctx, changes[i:i+1], write)
	}
}

// wanted returns a context that ends when the callers of all changes have gone. The caller must call end.
func wanted(ctx context.Context, changes []*change) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var watch sync.WaitGroup
	watch.Go(func() {
		for _, c := range changes {
			select {
			case <-c.gone:
			case <-ctx.Done():
				return
			}
		}
		cancel()
	})
	return ctx, func() {
		cancel()
		watch.Wait()
	}
}

// put writes the memories that a func makes of the present ones.
func (l *Memories) put(ctx context.Context, puts func(get getter) ([]Memory, error)) error {
	return l.line.commit(ctx, &change{puts: puts})
}

// writePuts puts the memories of changes into the store and then onto the shelf. It returns the error of the store.
func (l *Memories) writePuts(ctx context.Context, changes []*change) error {
	var all []Memory
	at := map[string]int{} // in all, by id
	get := func(id string) (Memory, error) {
		if n, ok := at[id]; ok {
			return all[n], nil
		}
		return l.Get(id)
	}
	errs := make([]error, len(changes))
	for i, c := range changes {
		var memories []Memory
		memories, errs[i] = c.puts(get)
		for _, m := range memories {
			if n, ok := at[m.ID]; ok {
				all[n] = m
				continue
			}
			at[m.ID] = len(all)
			all = append(all, m)
		}
	}
	var err error
	if l.store != nil && len(all) > 0 {
		if err = l.store.Put(ctx, all...); err != nil {
			err = fmt.Errorf("saving a memory: %w", err)
		}
	}
	for i, c := range changes {
		c.err = cmp.Or(errs[i], err)
	}
	if err != nil || len(all) == 0 {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range all {
		l.shelf.put(m, l.embedder.comparable(m))
	}
	l.version.Add(1)
	return nil
}

// writeDeletes removes the memories of changes from the store and then from the shelf. It returns the error of the
// store.
func (l *Memories) writeDeletes(ctx context.Context, changes []*change) error {
	var ids []string
	for _, c := range changes {
		ids = append(ids, c.deletes...)
	}
	var err error
	if l.store != nil {
		if err = l.store.Delete(ctx, ids...); err != nil {
			err = fmt.Errorf("deleting memories: %w", err)
		}
	}
	for _, c := range changes {
		c.err = err
	}
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		l.shelf.remove(id)
	}
	l.shelf.tidy()
	l.version.Add(1)
	return nil
}
