package catalog

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/providers"
)

// TestEmbedder asks servers of several endpoints for vectors, with what the model wants before a text.
func TestEmbedder(t *testing.T) {
	noKeys(t)
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.URL.Path != "/v1/embeddings" {
			t.Errorf("%s: %v", r.URL, err)
		}
		var data []string
		for i, text := range body.Input {
			x, y := 1, 0
			if strings.Contains(text, "other") {
				x, y = 0, 2
			}
			data = append(data, fmt.Sprintf(`{"index":%d,"embedding":[%d,%d]}`, i, x, y))
		}
		asked = append(asked, body.Input...)
		fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(data, ","))
	}))
	defer server.Close()
	for name, want := range map[string][]string{
		"llamacpp/E5-small":        {"query: same", "passage: one", "passage: other"},
		"ollama/nomic-embed-text":  {"search_query: same", "search_document: one", "search_document: other"},
		"openai/text-embedding-ad": {"same", "one", "other"},
	} {
		asked = nil
		target, err := Resolve(name, &Options{BaseURL: server.URL + "/v1", Key: "k-1"})
		if err != nil {
			t.Fatal(err)
		}
		e, err := target.Embedder()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := e.Similar(t.Context(), "same", []string{"one", "other"})
		if err != nil || !slices.Equal(asked, want) || len(got) != 2 || math.Abs(got[0]-1) > 1e-6 || got[1] != 0 || e.Name != name {
			t.Errorf("%s: %v of %q, %v", e.Name, got, asked, err)
		}
	}
	target, err := Resolve("openai/text-embedding-3-small", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := target.Embedder(); providers.ClassOf(err) != providers.Auth {
		t.Errorf("without a key: %v", err)
	}
}
