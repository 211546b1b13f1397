package chat_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/internal/ostest"
)

// Four conversations of 70 turns of 10 KB keep one copy of what a request needs of them: 7 MB, where 64 dead copies a thread
// took 136.
func TestMemoryOfConversations(t *testing.T) {
	if ostest.RaceDetector {
		t.Skip("the detector takes most of the memory that is measured")
	}
	s, err := store.Open(t.Context(), store.InMemory, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := with(forgetful{})
	c.Store = s
	h, _ := open(t, c)
	ids := []string{create(t, h, chat.Thread{}), create(t, h, chat.Thread{}), create(t, h, chat.Thread{}), create(t, h, chat.Thread{})}
	before := heapInUse()
	for n := range 70 {
		for _, id := range ids {
			ask(t, h, id, fmt.Sprintf("turn %d of %s ", n, id)+strings.Repeat(fmt.Sprintf("words of %d that say something. ", n), 300))
		}
	}
	if err := h.Close(t.Context()); err != nil { // waits for what runs behind the answers and holds their turns
		t.Fatal(err)
	}
	grown := float64(heapInUse()-before) / 1e6
	runtime.KeepAlive(h)
	t.Logf("heap + %.1f MB", grown)
	if grown > 15 {
		t.Errorf("four conversations take %.1f MB", grown)
	}
}

// BenchmarkTurnWithPastes is a turn of a thread of 100 pastes in a database, with a model that takes no time.
func BenchmarkTurnWithPastes(b *testing.B) {
	for _, size := range []int{100, 40_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s, err := store.Open(b.Context(), b.TempDir()+"/x.db", nil)
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			c := with(forgetful{})
			c.Store = s
			h, err := chat.New(c)
			if err != nil {
				b.Fatal(err)
			}
			thread, err := h.Create(b.Context(), chat.Thread{})
			if err != nil {
				b.Fatal(err)
			}
			n := 0
			turn := func() {
				n++
				if _, err := h.Do(b.Context(), thread.ID, fmt.Sprintf("turn %d ", n)+strings.Repeat("words that say something. ", size/26)); err != nil {
					b.Fatal(err)
				}
			}
			for range 100 {
				turn()
			}
			b.ReportAllocs()
			for b.Loop() {
				turn()
			}
			b.StopTimer()
			if err := h.Close(b.Context()); err != nil {
				b.Error(err)
			}
		})
	}
}
