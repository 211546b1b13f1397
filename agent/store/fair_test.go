package store_test

import (
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Fifty who wait for a thread in one process get it in the order in which they came.
func TestLockInOrderOfArrival(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "f.db"), nil)
	held, err := s.LockThread(t.Context(), "t", time.Minute)
	must(t, err)
	const waiters = 50
	var all sync.WaitGroup
	var mu sync.Mutex
	var order []int
	for i := range waiters {
		all.Go(func() {
			unlock, err := s.LockThread(t.Context(), "t", 10*time.Minute)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			order = append(order, i)
			mu.Unlock()
			unlock()
		})
		time.Sleep(2 * time.Millisecond) // on a busy machine some still overtake
	}
	held()
	all.Wait()
	overtaken := 0
	for i, a := range order {
		for _, b := range order[:i] {
			if b > a {
				overtaken++
			}
		}
	}
	if pairs := waiters * (waiters - 1) / 2; len(order) != waiters || overtaken > pairs/10 {
		t.Errorf("of %d pairs, %d in the wrong order: %v", pairs, overtaken, order)
	}
}

// A process that always wants a thread leaves it to another one that waits.
func TestLockBesideABusyProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.db")
	busy, other := open(t, path, nil), open(t, path, nil) // two stores are like two processes: each opens the lock's file
	var turns atomic.Int64
	var all sync.WaitGroup
	ended := make(chan struct{})
	all.Go(func() {
		for {
			select {
			case <-ended:
				return
			default:
			}
			unlock, err := busy.LockThread(t.Context(), "t", 10*time.Minute)
			if err != nil {
				t.Error(err)
				return
			}
			turns.Add(1)
			time.Sleep(10 * time.Millisecond)
			unlock()
		}
	})
	for turns.Load() < 3 {
		time.Sleep(time.Millisecond)
	}
	const visits = 20
	before := turns.Load()
	for range visits {
		unlock, err := other.LockThread(t.Context(), "t", 10*time.Minute)
		must(t, err)
		unlock()
	}
	missed := turns.Load() - before
	close(ended)
	all.Wait()
	t.Logf("the busy process had %d turns while the other one had %d", missed, visits)
	if missed > 2*visits {
		t.Errorf("the other process had %d turns meanwhile", missed)
	}
}
