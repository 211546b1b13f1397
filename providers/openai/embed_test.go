package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/openai"
)

// vectors answers with one vector for each text, in another order than the texts: {its length, its number}.
func vectors(t *testing.T, sizes *[]int) http.HandlerFunc {
	n := 0
	return func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("%s %v: %v", r.URL, r.Header, err)
		}
		*sizes = append(*sizes, len(body.Input))
		var data []object
		for i, text := range body.Input {
			data = append(data, object{"object": "embedding", "index": i, "embedding": []int{len(text), n}})
			n++
		}
		slices.Reverse(data)
		json.NewEncoder(w).Encode(object{"object": "list", "data": data, "model": "model-1", "usage": object{"prompt_tokens": 1, "total_tokens": 1}})
	}
}

func TestEmbed(t *testing.T) {
	var sizes []int
	m := serve(t, vectors(t, &sizes))
	embed := (func(context.Context, []string) ([][]float32, error))(m.Embed)
	texts := []string{"a", "", strings.Repeat("word ", 60_000), strings.Repeat("word ", 60_000)}
	for i := range 300 {
		texts = append(texts, strings.Repeat("x", i))
	}
	got, err := embed(t.Context(), texts)
	if err != nil || len(got) != len(texts) {
		t.Fatalf("%d vectors, error %v", len(got), err)
	}
	for i, v := range got {
		if want := []float32{float32(max(1, len(texts[i]))), float32(i)}; !cmp.Equal(v, want) {
			t.Fatalf("vector %d is %v, want %v", i, v, want)
		}
	}
	if want := []int{3, 128, 128, 45}; !cmp.Equal(sizes, want) {
		t.Errorf("requests of %v texts, want %v", sizes, want)
	}
	if got, err := embed(t.Context(), nil); len(got) != 0 || err != nil || len(sizes) != 4 {
		t.Errorf("no texts: %v, error %v", got, err)
	}
}

func TestEmbedFails(t *testing.T) {
	vector := func(index int, numbers string) string {
		return fmt.Sprintf(`{"index":%d,"embedding":[%s]}`, index, numbers)
	}
	list := func(vectors ...string) string { return `{"data":[` + strings.Join(vectors, ",") + `]}` }
	for _, tt := range []struct {
		name   string
		status int
		body   string
		class  providers.Class
		says   string
	}{
		{"no such model", 404, `{"error":{"message":"no such model","code":"model_not_found"}}`, providers.Invalid, "no such model"},
		{"too many", 429, `{"error":"slow down"}`, providers.Rate, "slow down"},
		{"too long", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens, however you requested 9000 tokens"}}`, providers.Overflow, "8192"},
		{"the key told", 401, `{"error":{"message":"bad ` + key + `"}}`, providers.Auth, "bad [secret]"},
		{"an error with success", 200, `{"error":{"message":"crashed","code":500}}`, providers.Transient, "crashed"},
		{"a page", 200, "<html>hello</html>", providers.Malformed, "/v1 right?"},
		{"no JSON", 200, "hello " + key, providers.Malformed, "not JSON"},
		{"cut", 200, `{"data":[{"index":0,"embed`, providers.Network, "unexpected EOF"},
		{"nothing", 200, "", providers.Malformed, "not JSON"},
		{"too few", 200, list(vector(0, "1,2")), providers.Malformed, "1 vectors for 2 texts"},
		{"one twice", 200, list(vector(0, "1,2"), vector(0, "1,2")), providers.Malformed, "all of the same length"},
		{"one too far", 200, list(vector(0, "1,2"), vector(2, "1,2")), providers.Malformed, "all of the same length"},
		{"different lengths", 200, list(vector(0, "1,2"), vector(1, "1")), providers.Malformed, "all of the same length"},
		{"empty ones", 200, list(vector(0, ""), vector(1, "")), providers.Malformed, "all of the same length"},
		{"words for numbers", 200, list(vector(0, `"a"`), vector(1, "1")), providers.Malformed, "reading the answer"},
	} {
		m := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(tt.status)
			io.WriteString(w, tt.body)
		})
		got, err := m.Embed(t.Context(), []string{"a", "b"})
		if providers.ClassOf(err) != tt.class || got != nil || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v, error %v, want class %s and %q", tt.name, got, err, tt.class, tt.says)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		cancel()
		<-r.Context().Done()
	}, func(c *openai.Config) {
		c.ExtraBody = map[string]json.RawMessage{"dimensions": json.RawMessage("2")}
	})
	if _, err := m.Embed(ctx, []string{"a"}); providers.ClassOf(err) != providers.Cancelled {
		t.Errorf("cancelled: %v", err)
	}
}

// hangs is a transport that never answers.
type hangs struct{}

func (hangs) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestEmbedEnds waits for vectors no longer than ten minutes, and says what it waited for.
func TestEmbedEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, err := openai.New(openai.Config{Name: "model-1", BaseURL: "https://example.com/v1", Key: key, HTTPClient: &http.Client{Transport: hangs{}}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Embed(t.Context(), []string{"a"})
		if providers.ClassOf(err) != providers.Network || !strings.Contains(err.Error(), "no vectors within 10m0s") {
			t.Errorf("a server that hangs: %v", err)
		}
	})
}
