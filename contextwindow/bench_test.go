package contextwindow

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// verbs and nouns make up the names in a [unitOf4KB].
var (
	verbs = strings.Fields("allow apply bind build check close count drop fetch find keep list load merge open parse read save send trim")
	nouns = strings.Fields("Account Batch Branch Cache Client Config Cursor Digest Event Filter Header Index Invoice Ledger Limit " +
		"Message Metric Module Order Period Pool Price Profile Query Queue Quota Record Region Report Route Rule Sample Schema Score " +
		"Section Server Session Shard Signal Source Stage State Stream Symbol Table Target Task Tenant Ticket Token Topic Trace")
)

// unitOf4KB is a turn that reads 4 KB of source code, different for each n.
func unitOf4KB(n int) (transcript.Message, transcript.Message) {
	random := rand.New(rand.NewPCG(uint64(n), 0))
	noun := func() string { return nouns[random.IntN(len(nouns))] }
	name := func() string { return verbs[random.IntN(len(verbs))] + noun() + noun() }
	var b strings.Builder
	for b.Len() < 4_096 {
		fmt.Fprintf(&b, "// %s returns what the service knows of it.\nfunc (s *%s) %s(id string) (%s, error) {\n", name(), noun(), name(), noun())
		for range 2 + random.IntN(8) {
			fmt.Fprintf(&b, "\ts.%s(id, %s.%s, %d)\n", name(), noun(), name(), random.IntN(1_000))
		}
		b.WriteString("\treturn nil, err\n}\n\n")
	}
	id := fmt.Sprintf("call_%d", n)
	args := json.RawMessage(fmt.Sprintf(`{"path":"services/%s/v%d.go"}`, noun(), n))
	head := transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: id, Name: "read", Args: args}}}
	return head, transcript.Message{Role: transcript.Tool, CallID: id, Name: "read", Text: b.String()[:4_096]}
}

// BenchmarkAppend appends rounds with a result of 4 KB to windows of different lengths. The time must not depend on
// the length: 1 µs and 4 ns a byte.
func BenchmarkAppend(b *testing.B) {
	for _, units := range []int{10, 1_000, 10_000} {
		b.Run(fmt.Sprintf("units=%d", units), func(b *testing.B) {
			head, result := unitOf4KB(0)
			w := New(Budget{Limit: math.MaxInt, Profile: Off}, nil)
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
					w = New(Budget{Limit: math.MaxInt, Profile: Off}, nil)
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
			w, turns := New(Budget{Limit: math.MaxInt, Profile: Off}, nil), 0
			turn := func() {
				if turns++; turns%units == 0 {
					w = New(Budget{Limit: math.MaxInt, Profile: Off}, nil)
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
	w := New(Budget{Limit: math.MaxInt, Profile: Off}, nil)
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

// BenchmarkFit compacts a window of 128,000 tokens: for the first time, and again after 500 turns more.
func BenchmarkFit(b *testing.B) {
	for _, profile := range []Profile{Lean, Ladder} {
		for _, turns := range []int{0, 500} {
			b.Run(fmt.Sprintf("%s/after=%d", profile, turns), func(b *testing.B) { benchmarkFit(b, profile, turns) })
		}
	}
}

func benchmarkFit(b *testing.B, profile Profile, turns int) {
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		w := New(Budget{Limit: 128_000, Profile: profile}, nil)
		for n, compacted := 0, false; !compacted; n++ {
			head, result := unitOf4KB(n)
			if _, err := w.Append(head, result); err != nil {
				b.Fatal(err)
			}
			if n >= turns {
				b.StartTimer() // calls that compact nothing take next to no time
			}
			c, err := w.Fit()
			b.StopTimer()
			if err != nil {
				b.Fatal(err)
			}
			compacted = n >= turns && c.Level > 0
		}
		b.StartTimer()
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
