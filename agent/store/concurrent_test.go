package store_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"

	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/contextwindow/memory/summary"
	"github.com/forayhq/foray/contextwindow/memory/working"
)

// Fifty conversations side by side, each in its order, with everything else that a turn does beside them.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	const threads = 50
	writes := 1000
	if raced {
		writes = 200
	}
	ctx := t.Context()
	for name, path := range map[string]string{"file": filepath.Join(t.TempDir(), "f.db"), "memory": ""} {
		if raced && path == "" {
			continue // it is the same code
		}
		s := open(t, path, nil)
		var running sync.WaitGroup
		for i := range threads {
			running.Go(func() {
				if err := converse(t, s, fmt.Sprint("t", i), writes/threads); err != nil {
					t.Errorf("%s: thread %d: %v", name, i, err)
				}
			})
		}
		running.Wait()
		for i := range threads {
			ms, err := s.Messages(ctx, fmt.Sprint("t", i), 0, writes)
			if err != nil || len(ms) != writes/threads {
				t.Errorf("%s: thread %d has %d messages: %v", name, i, len(ms), err)
			}
			for n, m := range ms {
				if m.Seq != int64(n+1) || m.Text != fmt.Sprintf("t%d %d", i, n) {
					t.Errorf("%s: thread %d: message %d is %q", name, i, m.Seq, m.Text)
				}
			}
		}
		must(t, s.Check(ctx))
	}
}

func converse(t *testing.T, s *store.Store, id string, writes int) error {
	ctx := t.Context()
	if err := s.CreateThread(ctx, threadOf(id)); err != nil {
		return err
	}
	for n := range writes {
		if _, err := appendTo(ctx, s, id, int64(n), say(fmt.Sprintf("%s %d", id, n))); err != nil {
			return err
		}
		found, err := s.Recent(ctx, id, 0, 3)
		if err != nil || len(found) != min(3, n+1) || found[len(found)-1].Seq != int64(n+1) {
			return fmt.Errorf("after message %d: %v %w", n+1, found, err)
		}
		switch rand.IntN(8) {
		case 0:
			err = s.Memories().Put(ctx, remembered(id, fmt.Sprint("memory ", n)))
		case 1:
			_, err = s.Memories().Search(ctx, longterm.Query{Text: "memory"})
		case 2:
			var sum summary.Thread
			if sum, err = s.LoadSummary(ctx, id); err == nil {
				err = s.SaveSummary(ctx, id, sum.Last, summary.Thread{Text: "s", Last: int64(n + 1)})
			}
		case 3:
			err = s.Texts().Keep(ctx, id, []working.Entry{{ID: "b"}}, map[string]string{"b": id})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Two who write to one thread do not mix: who has not seen the other's message is told so.
func TestTwoWritersOfOneThread(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.db")
	a, b := open(t, path, nil), open(t, path, nil)
	must(t, a.CreateThread(t.Context(), threadOf("t")))
	var running sync.WaitGroup
	const each = 50
	moved := make([]int, 2)
	for i, s := range []*store.Store{a, b} {
		running.Go(func() {
			for n := 0; n < each; {
				th, err := s.Thread(t.Context(), "t")
				if err != nil {
					t.Error(err)
					return
				}
				if _, err = appendTo(t.Context(), s, "t", th.Last, say("question"), say("answer")); err == nil {
					n++
				} else {
					moved[i]++
				}
			}
		})
	}
	running.Wait()
	ms, err := b.Messages(t.Context(), "t", 0, 1000)
	if len(ms) != 4*each || err != nil {
		t.Fatalf("%d messages: %v", len(ms), err)
	}
	for i, m := range ms {
		if want := []string{"question", "answer"}[i%2]; m.Text != want || m.Seq != int64(i+1) {
			t.Errorf("message %d is %q, want %q", m.Seq, m.Text, want)
		}
	}
	t.Logf("told %v times that the thread had moved", moved)
}
