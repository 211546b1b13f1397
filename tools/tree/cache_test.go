package tree

import (
	"fmt"
	"testing"
)

// The cache holds no more than its bytes; of a tree that is larger it keeps a part from search to search, and another
// tree takes its place when it is searched again and again.
func TestCacheIsBounded(t *testing.T) {
	m := newCache()
	m.most = 10_000
	old := stamp{size: 1000, regular: true}
	round := func(tree string) (known int) {
		m.startSweep()
		for i := range 30 {
			p := fmt.Sprintf("%s/%02d", tree, i)
			if m.get(p, old, 0) != nil {
				known++
			} else if _, err := m.keep(p, old, 0, Content{Data: make([]byte, 1000)}, nil); err != nil {
				t.Fatal(err)
			}
			if m.bytes > 10_000 {
				t.Fatalf("%d bytes", m.bytes)
			}
		}
		return known
	}
	for i, want := range []int{0, 6, 6, 6} {
		if got := round("a"); got != want {
			t.Errorf("round %d over a: %d files known, want %d", i, got, want)
		}
	}
	last := 0
	for range 4 {
		last = round("b")
	}
	if last != 6 {
		t.Errorf("%d files of b known in the end, want 6", last)
	}
	for i := range 30 {
		_ = m.get(fmt.Sprintf("b/%02d", i), stamp{}, 0)
	}
	if m.bytes != 0 {
		t.Errorf("%d bytes are left of nothing", m.bytes)
	}
	if _, err := m.keep("huge", old, 0, Content{Data: make([]byte, 20_000)}, nil); err != nil || m.bytes != 0 {
		t.Errorf("%v, %d bytes: what does not fit was kept", err, m.bytes)
	}
}
