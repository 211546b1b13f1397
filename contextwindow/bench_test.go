package contextwindow

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// unitOf4KB is a round with a result of 4 KB.
func unitOf4KB(n int) (transcript.Message, transcript.Message) {
	id := fmt.Sprintf("call_%d", n)
	head := transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: id, Name: "read", Args: json.RawMessage(`{"path":"a/b.go"}`)}}}
	return head, transcript.Message{Role: transcript.Tool, CallID: id, Name: "read", Text: words(1_200)[:4_096]}
}

// BenchmarkAppend appends rounds with a result of 4 KB to windows of different lengths. The time must not depend on
// the length: 1 µs and 4 ns a byte.
func BenchmarkAppend(b *testing.B) {
	for _, units := range []int{10, 1_000, 10_000} {
		b.Run(fmt.Sprintf("units=%d", units), func(b *testing.B) {
			head, result := unitOf4KB(0)
			w := New(Budget{Limit: 1 << 40, Profile: Off}, nil)
			grow := func() {
				for range units {
					if _, err := w.Append(head, result); err != nil {
						b.Fatal(err)
					}
				}
			}
			grow()
			b.SetBytes(int64(len(result.Text)))
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				if n++; n%units == 0 { // keep the length within a factor of two
					b.StopTimer()
					w = New(Budget{Limit: 1 << 40, Profile: Off}, nil)
					grow()
					b.StartTimer()
				}
				if _, err := w.Append(head, result); err != nil {
					b.Fatal(err)
				}
				w.Usage()
			}
		})
	}
}

// BenchmarkSignedTurn fits, takes the view and appends a turn of 4 KB whose answer has provider data. The time must not
// depend on the length.
func BenchmarkSignedTurn(b *testing.B) {
	for _, units := range []int{10, 2_000} {
		b.Run(fmt.Sprintf("units=%d", units), func(b *testing.B) {
			head, result := unitOf4KB(0)
			head.ProviderData = &transcript.ProviderData{Dialect: "d", Model: "m", Tokens: 100, Data: make([]byte, 400)}
			w, turns := New(Budget{Limit: 1 << 40, Profile: Off}, nil), 0
			turn := func() {
				if turns++; turns%units == 0 {
					w = New(Budget{Limit: 1 << 40, Profile: Off}, nil)
				}
				if _, err := w.Fit(); err != nil {
					b.Fatal(err)
				}
				w.View()
				if _, err := w.Append(head, result); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				turn()
			}
		})
	}
}

// BenchmarkView takes the view of a window of 10,000 rounds after an append.
func BenchmarkView(b *testing.B) {
	head, result := unitOf4KB(0)
	w := New(Budget{Limit: 1 << 40, Profile: Off}, nil)
	for range 10_000 {
		if _, err := w.Append(head, result); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if len(w.View()) != 20_000 {
			b.Fatal("messages are missing")
		}
	}
}

// BenchmarkFit compacts a window of 128,000 tokens at each level of the ladder.
func BenchmarkFit(b *testing.B) {
	head, result := unitOf4KB(0)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		w := New(Budget{Limit: 128_000, Profile: Ladder}, nil)
		for w.Usage().Share() < .99 {
			if _, err := w.Append(head, result); err != nil {
				b.Fatal(err)
			}
		}
		b.StartTimer()
		if c, err := w.Fit(); err != nil || c.Level == 0 {
			b.Fatal(c, err)
		}
	}
}

func TestViewAllocatesNothing(t *testing.T) {
	w := window(200_000, Ladder)
	ask(t, w, "prompt")
	fill(t, w, .5, 200)
	round(t, w, words(200))
	if n := testing.AllocsPerRun(100, func() { w.View(); w.Usage() }); n != 0 {
		t.Errorf("View and Usage allocate %.0f times", n)
	}
}
