package longterm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forayhq/foray/contextwindow/memory/longterm"
)

// A slowStore holds its first call until open is closed, counts the calls, and refuses what refuse returns an error for.
type slowStore struct {
	mapStore
	open, called chan struct{}
	once         sync.Once
	calls        atomic.Int64
	refuse       func(longterm.Memory) error
}

func newSlowStore() *slowStore {
	return &slowStore{open: make(chan struct{}), called: make(chan struct{}),
		refuse: func(longterm.Memory) error { return nil }}
}

func (s *slowStore) hold() {
	s.calls.Add(1)
	s.once.Do(func() { close(s.called) })
	<-s.open
}

func (s *slowStore) Put(ctx context.Context, memories ...longterm.Memory) error {
	s.hold()
	for _, m := range memories {
		if err := s.refuse(m); err != nil {
			return err
		}
	}
	return s.mapStore.Put(ctx, memories...)
}

func (s *slowStore) Delete(ctx context.Context, ids ...string) error {
	s.hold()
	return s.mapStore.Delete(ctx, ids...)
}

const crowd = 50

// atOnce lets a crowd call fn while the store is busy, and returns the errors.
func (s *slowStore) atOnce(fn func(i int) error) []error {
	errs := make([]error, crowd)
	var started, all sync.WaitGroup
	for i := range crowd {
		started.Add(1)
		all.Go(func() {
			started.Done()
			errs[i] = fn(i)
		})
	}
	started.Wait()
	time.Sleep(50 * time.Millisecond) // to get into line; who comes late only adds to the calls
	close(s.open)
	all.Wait()
	return errs
}

// Those who come while the store is busy do not wait for one another: it gets their memories at once.
func TestChangesAreWrittenTogether(t *testing.T) {
	s := newSlowStore()
	l := longTerm(t, &longterm.Options{Store: s})
	ids := make([]string, crowd)
	err := errors.Join(s.atOnce(func(i int) error {
		m, err := l.Save(t.Context(), longterm.Memory{Category: longterm.Fact, Content: fmt.Sprint("note ", i)}, monday)
		ids[i] = m.ID
		if got, lost := l.Get(m.ID); lost != nil || got.Content != fmt.Sprint("note ", i) {
			return fmt.Errorf("acknowledged, and not there: %+v %w", got, lost)
		}
		return err
	})...)
	if n := s.calls.Load(); err != nil || n > crowd/2 || len(s.kept) != crowd {
		t.Errorf("%d calls for %d memories of %d: %v", n, len(s.kept), crowd, err)
	}
	s.open = make(chan struct{})
	s.calls.Store(0)
	err = errors.Join(s.atOnce(func(i int) error { return l.Delete(t.Context(), ids[i]) })...)
	if n := s.calls.Load(); err != nil || n > crowd/2 || len(s.kept) != 0 || len(l.List("", "", true)) != 0 {
		t.Errorf("%d calls to delete; %d memories are left: %v", n, len(s.kept), err)
	}
}

// Changes of one memory that are written together see each other.
func TestChangesOfOneMemoryTogether(t *testing.T) {
	s := newSlowStore()
	s.open, s.once = closed(), sync.Once{}
	l := longTerm(t, &longterm.Options{Store: s})
	m := save(t, l, "", "+")
	s.open = make(chan struct{})
	err := errors.Join(s.atOnce(func(int) error {
		_, err := l.Update(t.Context(), m.ID, monday, func(m *longterm.Memory) { m.Content += "+" })
		return err
	})...)
	got, lost := l.Get(m.ID)
	want := strings.Repeat("+", crowd+1)
	if err := errors.Join(err, lost); err != nil || got.Content != want || s.kept[m.ID].Content != want {
		t.Errorf("%q, in the store %q: %v", got.Content, s.kept[m.ID].Content, err)
	}
}

func closed() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// A memory that the store refuses fails alone.
func TestRefusedAmongOthers(t *testing.T) {
	s := newSlowStore()
	tooLarge := errors.New("too large")
	s.refuse = func(m longterm.Memory) error {
		if strings.HasSuffix(m.Content, "7") {
			return tooLarge
		}
		return nil
	}
	l := longTerm(t, &longterm.Options{Store: s})
	for i, err := range s.atOnce(func(i int) error {
		_, err := l.Save(t.Context(), longterm.Memory{Category: longterm.Fact, Content: fmt.Sprint("note ", i)}, monday)
		return err
	}) {
		if errors.Is(err, tooLarge) != (i%10 == 7) || err != nil && i%10 != 7 {
			t.Errorf("note %d: %v", i, err)
		}
	}
	if here := len(l.List("", "", false)); here != crowd*9/10 || len(s.kept) != here {
		t.Errorf("%d memories, %d in the store", here, len(s.kept))
	}
}

type timeout struct{ error }

func (timeout) Timeout() bool { return true }

// A store that is locked is not asked again for each of those who wait: that would add up.
func TestTimeoutOfAll(t *testing.T) {
	s := newSlowStore()
	locked := timeout{errors.New("locked")}
	s.refuse = func(longterm.Memory) error { return locked }
	l := longTerm(t, &longterm.Options{Store: s})
	for i, err := range s.atOnce(func(i int) error {
		_, err := l.Save(t.Context(), longterm.Memory{Category: longterm.Fact, Content: fmt.Sprint("note ", i)}, monday)
		return err
	}) {
		if !errors.Is(err, locked) {
			t.Errorf("note %d: %v", i, err)
		}
	}
	if n := s.calls.Load(); n > crowd/2 || len(l.List("", "", false)) != 0 {
		t.Errorf("%d calls", n)
	}
}

// Who gives up while others are written is gone at once, and nothing of it is written.
func TestGivesUpWaiting(t *testing.T) {
	s := newSlowStore()
	l := longTerm(t, &longterm.Options{Store: s})
	first := make(chan error, 1)
	go func() {
		_, err := l.Save(context.Background(), longterm.Memory{Category: longterm.Fact, Content: "patient"}, monday)
		first <- err
	}()
	<-s.called
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 3)
	go func() {
		_, err := l.Save(ctx, longterm.Memory{Category: longterm.Fact, Content: "hasty"}, monday)
		gone <- err
	}()
	go func() { gone <- l.Delete(ctx, "x") }()
	go func() { gone <- l.Reload(ctx) }()
	cancel()
	for range 3 {
		select {
		case err := <-gone:
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		case <-time.After(20 * time.Second):
			t.Error("it still waits for a store that is busy")
		}
	}
	close(s.open)
	if err := <-first; err != nil || s.calls.Load() != 1 {
		t.Errorf("%d calls: %v", s.calls.Load(), err)
	}
	if list := l.List("", "", true); len(list) != 1 || len(s.kept) != 1 || list[0].Content != "patient" {
		t.Errorf("%+v", list)
	}
}

// A store that panics takes the others with it neither for ever nor as if they were kept.
func TestStoreThatPanics(t *testing.T) {
	s := newSlowStore()
	s.refuse = func(longterm.Memory) error { panic("a bug") }
	l := longTerm(t, &longterm.Options{Store: s})
	errs := s.atOnce(func(i int) (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v", p)
			}
		}()
		_, err = l.Save(t.Context(), longterm.Memory{Category: longterm.Fact, Content: fmt.Sprint("note ", i)}, monday)
		return err
	})
	for i, err := range errs {
		if err == nil {
			t.Errorf("note %d is acknowledged", i)
		}
	}
	s.refuse = func(longterm.Memory) error { return nil }
	save(t, l, "", "afterwards")
}
