package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/agent/store"
)

// A file that may not grow keeps all that it has, and goes on once it may.
func TestFull(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "f.db")
	s, err := store.Open(ctx, path, &store.Options{MaxSize: 400 << 10})
	must(t, err)
	must(t, s.CreateThread(ctx, threadOf("t")))
	last := int64(0)
	for err == nil {
		_, err = appendTo(ctx, s, "t", last, say(strings.Repeat("x", 5000)), say("and one more"))
		if err == nil {
			last += 2
		}
	}
	if !errors.Is(err, store.ErrFull) || !strings.Contains(err.Error(), path) {
		t.Errorf("no clear error: %v", err)
	}
	if err := s.Memories().Put(ctx, remembered("m", strings.Repeat("many words ", 50_000))); !errors.Is(err, store.ErrFull) {
		t.Errorf("a memory: %v", err)
	}
	if th, err := s.Thread(ctx, "t"); th.Last != last || last < 10 || err != nil {
		t.Errorf("%+v, want up to %d: %v", th, last, err)
	}
	must(t, s.Check(ctx))
	must(t, s.Close())
	s = open(t, path, nil)
	added, err := appendTo(ctx, s, "t", last, say("there is room again"))
	must(t, err)
	if added[0].Seq != last+1 {
		t.Errorf("a gap: %d behind %d", added[0].Seq, last)
	}
	must(t, s.Check(ctx))
}

// Nothing is lost when Close comes while others write: what was acknowledged is there.
func TestCloseWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.db")
	s, err := store.Open(t.Context(), path, nil)
	must(t, err)
	const writers = 8
	var last [writers]int64
	var started, done = make(chan struct{}, writers), make(chan error, writers)
	for i := range writers {
		go func() {
			id := fmt.Sprint("t", i)
			err := s.CreateThread(context.Background(), threadOf(id))
			started <- struct{}{}
			for err == nil {
				if _, err = appendTo(context.Background(), s, id, last[i], say("x")); err == nil {
					last[i]++
				}
			}
			done <- err
		}()
	}
	for range writers {
		<-started
	}
	must(t, s.Close())
	for range writers {
		if err := <-done; !errors.Is(err, store.ErrClosed) {
			t.Error(err)
		}
	}
	s = open(t, path, nil)
	for i := range writers {
		th, err := s.Thread(t.Context(), fmt.Sprint("t", i))
		if errors.Is(err, chat.ErrNoThread) && last[i] == 0 {
			continue
		}
		if th.Last != last[i] || err != nil {
			t.Errorf("thread %d ends with %d, want %d: %v", i, th.Last, last[i], err)
		}
	}
	must(t, s.Check(t.Context()))
}

// An end of the context before something begins ends it, and the database in memory is still there.
func TestCancelled(t *testing.T) {
	s := open(t, "", nil)
	must(t, s.CreateThread(t.Context(), threadOf("t")))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 10 {
		if _, err := appendTo(ctx, s, "t", 0, say("x")); !errors.Is(err, context.Canceled) {
			t.Errorf("writing: %v", err)
		}
		if _, err := s.Thread(ctx, "t"); !errors.Is(err, context.Canceled) {
			t.Errorf("reading: %v", err)
		}
	}
	if th, err := s.Thread(t.Context(), "t"); th.Messages != 0 || err != nil {
		t.Errorf("%+v %v", th, err)
	}
	if _, err := store.Open(ctx, filepath.Join(t.TempDir(), "f.db"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("opening: %v", err)
	}
}
