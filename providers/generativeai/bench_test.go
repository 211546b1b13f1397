package generativeai_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	library "github.com/google/generative-ai-go/genai"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"
	transport "google.golang.org/api/transport/grpc"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/geminitest"
)

// plainServer answers with wire, without a look at requests.
func plainServer(b *testing.B, wire string) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		geminitest.Stream(wire)(w, r)
	}))
	b.Cleanup(server.Close)
	return server
}

// BenchmarkRequest is a short answer on a connection of this machine: what a request costs besides the model.
func BenchmarkRequest(b *testing.B) {
	m := newModel(b, plainServer(b, hello+bye).URL)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := providers.Ask(b.Context(), m, question()); err != nil {
			b.Fatal(err)
		}
	}
}

// nobody keeps the library from calling over gRPC.
type nobody struct{ transport.ConnPool }

const pieces = 300

// BenchmarkChunk is the cost of a piece, in an answer of 300 of them; BenchmarkChunkOfLibrary is what the library alone
// takes for the same, as the list that it asks for.
func BenchmarkChunk(b *testing.B) {
	m := newModel(b, plainServer(b, strings.Repeat(hello, pieces)+bye).URL)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := providers.Ask(b.Context(), m, question()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*pieces), "ns/piece")
}

func BenchmarkChunkOfLibrary(b *testing.B) {
	events := strings.Split(strings.TrimSpace(strings.Repeat(hello, pieces)+bye), "\n\n")
	list := "[" + strings.ReplaceAll(strings.Join(events, ",\n"), "data: ", "") + "]"
	client, err := library.NewClient(b.Context(), option.WithAPIKey(key), option.WithEndpoint(plainServer(b, list).URL), transport.WithConnPool(nobody{}))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		answer := client.GenerativeModel("gemini-2.5-flash").GenerateContentStream(b.Context(), library.Text("Hello"))
		for err = nil; err == nil; {
			_, err = answer.Next()
		}
		if err != iterator.Done {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*pieces), "ns/piece")
}
