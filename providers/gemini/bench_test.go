package gemini_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	library "google.golang.org/genai"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/geminitest"
)

// hello, bye and usage are events as the service writes them.
const (
	hello = `data: {"candidates": [{"content": {"parts": [{"text": "Hello"}],"role": "model"},"index": 0}],"usageMetadata": {"promptTokenCount": 11,"candidatesTokenCount": 1,"totalTokenCount": 12,"promptTokensDetails": [{"modality": "TEXT","tokenCount": 11}]},"modelVersion": "gemini-2.5-flash","responseId": "v1aXaLK1"}` + "\r\n\r\n"
	bye   = `data: {"candidates": [{"content": {"parts": [{"text": ""}],"role": "model"},"finishReason": "STOP","index": 0}],"usageMetadata": {"promptTokenCount": 11,"candidatesTokenCount": 2,"totalTokenCount": 13},"modelVersion": "gemini-2.5-flash","responseId": "v1aXaLK1"}` + "\r\n\r\n"
)

// plainServer answers with wire, without a look at requests.
func plainServer(t testing.TB, wire string) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		geminitest.Stream(wire)(w, r)
	}))
	t.Cleanup(server.Close)
	return server
}

// BenchmarkRequest is a short answer on a connection of this machine: what a request costs besides the model.
func BenchmarkRequest(b *testing.B) { benchmark(b, 0, hello+bye) }

// BenchmarkChunk is the cost of a piece, in an answer of 1,000 of them; BenchmarkChunkOfLibrary is what the library
// alone takes for the same.
func BenchmarkChunk(b *testing.B) { benchmark(b, 1000, strings.Repeat(hello, 1000)+bye) }

// benchmark asks again and again; the time of one piece is told where there are pieces.
func benchmark(b *testing.B, pieces int, wire string) {
	m := newModel(b, plainServer(b, wire).URL)
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

func BenchmarkChunkOfLibrary(b *testing.B) {
	const pieces = 1000
	client, err := library.NewClient(b.Context(), &library.ClientConfig{
		APIKey: key, Backend: library.BackendGeminiAPI,
		HTTPOptions: library.HTTPOptions{BaseURL: plainServer(b, strings.Repeat(hello, pieces)+bye).URL},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range client.Models.GenerateContentStream(b.Context(), "gemini-2.5-flash", library.Text("Hello"), nil) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*pieces), "ns/piece")
}

// BenchmarkLongRequest is the encoding and sending of a conversation of 200 calls and results, 400 KB.
func BenchmarkLongRequest(b *testing.B) {
	m := newModel(b, plainServer(b, hello+bye).URL)
	req := &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: "Hello"}}}
	for i := range 200 {
		call := transcript.ToolCall{ID: providers.CallID(i+1, 1), Name: "read", Args: []byte(`{"path":"a.go"}`)}
		req.Messages = append(req.Messages,
			transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{call}},
			transcript.Message{Role: transcript.Tool, CallID: call.ID, Name: "read", Text: strings.Repeat("if a < b {\n", 180)})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := providers.Ask(b.Context(), m, req); err != nil {
			b.Fatal(err)
		}
	}
}

// TestManyStreams has 1,000 streams under way at once, half of which are broken off: none is left behind, which
// TestMain looks at.
func TestManyStreams(t *testing.T) {
	const streams = 1000
	begun, goOn := make(chan struct{}, streams), make(chan struct{})
	m := newModel(t, gated(t, goOn).URL)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for i := range streams {
		wg.Go(func() {
			text := ""
			for d, err := range m.Stream(ctx, &providers.Request{}) {
				if err != nil {
					t.Errorf("stream %d: %v", i, err)
					break
				}
				if text += d.Text; text == "Hello" && d.Text != "" {
					begun <- struct{}{}
					<-goOn
				}
				if i%2 == 0 && text == "HelloHello" {
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
	close(goOn)
	wg.Wait()
}

// gated answers with a piece, and with the rest when goOn is closed.
func gated(t *testing.T, goOn chan struct{}) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		geminitest.Stream(hello)(w, r)
		w.(http.Flusher).Flush()
		select {
		case <-goOn:
			io.WriteString(w, hello+bye)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	return server
}
