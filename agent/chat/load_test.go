package chat_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
)

// loadEnv is how many turns TestLoad has in each of its conversations.
const loadEnv = "FORAY_LOAD"

// Fifty conversations at a time share a database and a store of memories; all their turns come, are kept and are
// answered, and what the process holds is bounded. The figures are printed, and only what does not depend on the machine
// is required.
func TestLoad(t *testing.T) {
	const conversations, most = 50, 50e6
	turns := 4
	if n, err := strconv.Atoi(os.Getenv(loadEnv)); err == nil {
		turns = n
	}
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "load.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	memories, err := longterm.Open(t.Context(), &longterm.Options{Store: s.Memories()})
	if err != nil {
		t.Fatal(err)
	}
	c := with(forgetful{})
	c.Store, c.Memory = s, memories
	h, first := open(t, c)
	ask(t, h, first, "I prefer short answers.") // what is made once, such as rules, is made
	before := heapInUse()
	took := make([][]time.Duration, conversations)
	start := time.Now()
	var all sync.WaitGroup
	for i := range conversations {
		id := create(t, h, chat.Thread{User: fmt.Sprintf("user %d", i)})
		all.Go(func() {
			for n := range turns {
				began := time.Now()
				text := fmt.Sprintf("Turn %d: the port of service %d is %d. ", n, n, 1000+n) + strings.Repeat("It matters. ", 20)
				if _, err := h.Do(t.Context(), id, text); err != nil {
					t.Errorf("conversation %d, turn %d: %v", i, n, err)
					return
				}
				took[i] = append(took[i], time.Since(began))
			}
		})
	}
	all.Wait()
	elapsed := time.Since(start)
	if err := h.Close(t.Context()); err != nil { // waits for what runs after the answers
		t.Fatal(err)
	}
	grown := float64(heapInUse()-before) / 1e6
	runtime.KeepAlive(memories)
	each := slices.Sorted(slices.Values(slices.Concat(took...)))
	t.Logf("%d conversations × %d turns: %.0f turns/s, p50 %v, p99 %v, slowest %v, heap + %.1f MB", conversations, turns,
		float64(len(each))/elapsed.Seconds(), each[len(each)/2], each[len(each)*99/100], each[len(each)-1], grown)
	if grown*1e6 > most {
		t.Errorf("%d conversations take %.1f MB", conversations, grown)
	}
	threads, err := s.Threads(t.Context(), "", 0, conversations+1)
	if err != nil {
		t.Fatal(err)
	}
	for _, th := range threads {
		if th.ID != first && th.Last < int64(2*turns) {
			t.Errorf("thread %s has %d of %d messages", th.ID, th.Last, 2*turns)
		}
	}
}

// heapInUse returns the bytes of live objects.
func heapInUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc) // less than before, too
}
