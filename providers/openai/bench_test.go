package openai_test

import (
	"context"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/openai"
)

// BenchmarkRequest is a short answer on a connection of this machine: what a request costs besides the model.
func BenchmarkRequest(b *testing.B) {
	b.Run("chat", func(b *testing.B) { benchmark(b, 0, hello+stop+end) })
	b.Run("responses", func(b *testing.B) { benchmark(b, 0, began+said+completed, onResponses) })
}

// BenchmarkChunk is the cost of a piece, in an answer of 1,000 of them.
func BenchmarkChunk(b *testing.B) {
	b.Run("chat", func(b *testing.B) { benchmark(b, 1000, strings.Repeat(hello, 1000)+stop+end) })
	b.Run("responses", func(b *testing.B) { benchmark(b, 1000, strings.Repeat(said, 1000)+completed, onResponses) })
}

// benchmark asks again and again; the time of one piece is told where there are pieces.
func benchmark(b *testing.B, pieces int, wire string, change ...func(*openai.Config)) {
	m := serve(b, stream(wire), change...)
	req := &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: "Hello"}}}
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range m.Stream(b.Context(), req) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	if pieces > 0 {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*pieces), "ns/piece")
	}
}

// TestManyStreams has 1,000 streams under way at once, on both wires, half of which are broken off: none is left behind,
// and each costs less than maxStream bytes, the server's side included.
func TestManyStreams(t *testing.T) {
	const streams, maxStream = 1000, 128 << 10
	begun, goOn := make(chan struct{}, streams), make(chan struct{})
	handler := func(w http.ResponseWriter, r *http.Request) {
		piece, last := hello, hello+stop+end
		if strings.HasSuffix(r.URL.Path, "/responses") {
			piece, last = said, said+completed
		}
		stream(piece)(w, r)
		w.(http.Flusher).Flush()
		select {
		case <-goOn:
			io.WriteString(w, last)
		case <-r.Context().Done():
		}
	}
	models := []*openai.Model{serve(t, handler), serve(t, handler, onResponses)}
	before := heap()
	start := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for i := range streams {
		wg.Go(func() {
			text := ""
			for d, err := range models[i%2].Stream(ctx, &providers.Request{}) {
				if err != nil {
					t.Errorf("stream %d: %v", i, err)
					break
				}
				if text += d.Text; text == "Hello" && d.Text != "" {
					begun <- struct{}{}
					<-goOn
				}
				if i%4 < 2 && text == "HelloHello" { // the others are broken off
					break
				}
			}
			if text != "HelloHello" {
				t.Errorf("stream %d: %q", i, text)
			}
		})
	}
	for range streams {
		<-begun
	}
	used, goroutines := heap()-before, runtime.NumGoroutine()
	close(goOn)
	wg.Wait()
	t.Logf("%d streams at once: %d KB and %d goroutines a stream, client and server; %v in all", streams, used/streams>>10, goroutines/streams, time.Since(start).Round(time.Millisecond))
	if used > streams*maxStream {
		t.Errorf("%d streams hold %d MB", streams, used>>20)
	}
}

// heap returns the bytes that are in use.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapInuse + m.StackInuse)
}
