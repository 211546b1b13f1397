package catalog

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// serverOf plays a server that answers each path with its body, and others with 404.
func serverOf(t *testing.T, bodies map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := bodies[r.Method+" "+r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

const llamaModels = `{"object":"list","data":[{"id":"coder","meta":{"n_ctx_train":32768}}]}`

// servers are what real servers answer, shortened, with what is read of it.
var servers = []struct {
	name   string
	bodies map[string]string
	want   string
}{
	{"llamacpp/coder", map[string]string{
		"GET /props": `{"default_generation_settings":{"id":0,"n_ctx":16384},"total_slots":1,"chat_template":"…",
			"chat_template_caps":{"supports_tools":true},"modalities":{"vision":false,"audio":false},"build_info":"b1"}`,
		"GET /v1/models": llamaModels,
	}, `{16384 32768 1 map[tools:true vision:false] false }`},
	{"llamacpp/coder", map[string]string{"GET /props": `{"default_generation_settings":{"n_ctx":4096}}`}, `{4096 0 0 map[] false }`},
	{"llamacpp/coder", map[string]string{ // fields of other types than today's
		"GET /props": `{"total_slots":"1","modalities":{"vision":"yes"},"chat_template_caps":{"supports_tools":"yes"},
			"default_generation_settings":{"n_ctx":4096}}`,
	}, `{4096 0 0 map[] false }`},
	{"llamacpp/coder", map[string]string{"GET /props": `{"default_generation_settings":{"n_ctx":4096},"total_slots":-3}`},
		`{4096 0 0 map[] false }`},
	{"openai/coder", map[string]string{"GET /props": `{"default_generation_settings":{"n_ctx":4096}}`}, `{0 0 0 map[] false }`},
	{"vllm/qwen", map[string]string{
		"GET /v1/models": `{"data":[{"id":"other","max_model_len":1},{"id":"qwen","max_model_len":40960}]}`,
	}, `{40960 0 0 map[] false }`},
	{"lmstudio/qwen", map[string]string{
		"GET /api/v0/models": `{"data":[{"id":"qwen","type":"vlm","state":"loaded","max_context_length":131072,
			"loaded_context_length":8192,"capabilities":["tool_use"]}]}`,
	}, `{8192 131072 0 map[tools:true vision:true] false }`},
	{"ollama/qwen3", map[string]string{
		"POST /api/show": `{"parameters":"temperature 0.6\nnum_ctx    8192","model_info":{"qwen3.context_length":40960},
			"capabilities":["completion","tools","thinking"]}`,
		"GET /api/ps": `{"models":[{"name":"qwen3:latest","context_length":16384}]}`,
	}, `{16384 40960 0 map[thinking:true tools:true vision:false] false }`},
	{"ollama/qwen3", map[string]string{
		"POST /api/show": `{"parameters":"num_ctx 8192","model_info":{"qwen3.context_length":40960}}`,
		"GET /api/ps":    `{"models":[{"name":"qwen3:4b","context_length":16384}]}`,
	}, `{8192 40960 0 map[] false }`},
}

func TestServed(t *testing.T) {
	noKeys(t)
	for _, tt := range servers {
		target, err := Resolve(tt.name, &Options{BaseURL: serverOf(t, tt.bodies)})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(target.Served(t.Context())); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestServedLies answers with what cannot be true: it is ignored with a word, or in silence if it is no answer.
func TestServedLies(t *testing.T) {
	noKeys(t)
	settings := func(n string) string { return `{"default_generation_settings":{"n_ctx":` + n + `}}` }
	for _, tt := range []struct{ body, doubt string }{
		{settings("0"), "n_ctx is 0"},
		{settings("-1"), "n_ctx is -1"},
		{settings("1e12"), "n_ctx is 1e12"},
		{settings("1.5"), "n_ctx is 1.5"},
		{settings(`"16384"`), `n_ctx is "16384"`},
		{settings(`{"a":[1,2,` + strings.Repeat("3,", 1000) + `4]}`), "n_ctx is {"},
		{settings("null"), ""},
		{settings("16384.0"), ""},
		{`{"default_generation_settings":"none"}`, ""},
		{`{"default_generation_settings":{"n_ctx":4096`, ""},
		{`<!doctype html><title>Welcome</title>`, ""},
		{`[1,2,3]`, ""},
		{`{"data":[]}`, ""},
		{``, ""},
		{`{"chat_template":"` + strings.Repeat("x", maxServedBytes) + `","default_generation_settings":{"n_ctx":4096}}`, ""},
	} {
		at := serverOf(t, map[string]string{"GET /props": tt.body})
		target, err := Resolve("llamacpp/coder", &Options{BaseURL: at})
		if err != nil {
			t.Fatal(err)
		}
		s := target.Served(t.Context())
		wrong := s.Window != 0 && s.Window != 16384 || len(s.Doubt) > 100
		if wrong || (tt.doubt == "") != (s.Doubt == "") || !strings.Contains(s.Doubt, tt.doubt) {
			t.Errorf("%.60s: %+v", tt.body, s)
		}
		if adopted, notice := target.Adopt(s); adopted.Window != s.Window || (notice == "") != (s.Doubt == "") {
			t.Errorf("%.60s: window %d, %q", tt.body, adopted.Window, notice)
		}
	}
}

// TestServedSilence asks servers that do not answer: nobody listens, the connection closes, the answer does not come.
func TestServedSilence(t *testing.T) {
	noKeys(t)
	closes := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer closes.Close()
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // or the end of the request would not be noticed
		<-r.Context().Done()
	}))
	defer hangs.Close()
	for _, at := range []string{"http://127.0.0.1:1", closes.URL, hangs.URL, "http://192.0.2.7", "http://me:key@host"} {
		for _, name := range []string{"llamacpp/m", "ollama/m", "vllm/m", "lmstudio/m"} {
			target, err := Resolve(name, &Options{BaseURL: at + "/v1"})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			if got := fmt.Sprint(target.Served(ctx)); got != "{0 0 0 map[] false }" {
				t.Errorf("%s at %s: %s", name, at, got)
			}
			cancel()
		}
	}
}

// TestAwait waits for a server that loads its model, and no longer than it may.
func TestAwait(t *testing.T) {
	noKeys(t)
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`)
			return
		}
		fmt.Fprint(w, `{"default_generation_settings":{"n_ctx":16384}}`)
	}))
	defer server.Close()
	target, err := Resolve("llamacpp/m", &Options{BaseURL: server.URL + "/v1"})
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if s := target.Await(ended); s.Loading || s.Window != 0 {
		t.Errorf("after the end: %+v", s)
	}
	if s := target.Await(t.Context()); s.Loading || s.Window != 16384 {
		t.Errorf("loaded: %+v", s)
	}
}

// TestServedSendsTheKeyToItsServerOnly follows no redirect.
func TestServedSendsTheKeyToItsServerOnly(t *testing.T) {
	noKeys(t)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s was asked, with the key %q", r.URL, r.Header.Get("Authorization"))
	}))
	defer elsewhere.Close()
	keys := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer sk-0123456789" {
			keys++
		}
		http.Redirect(w, r, elsewhere.URL, http.StatusFound)
	}))
	defer server.Close()
	for _, name := range []string{"llamacpp/m", "ollama/m", "vllm/m", "lmstudio/m"} {
		target, err := Resolve(name, &Options{BaseURL: server.URL + "/v1", Key: "sk-0123456789"})
		if err != nil {
			t.Fatal(err)
		}
		target.Served(t.Context())
	}
	if keys < 4 {
		t.Errorf("%d questions had the key", keys)
	}
}

func TestAdopt(t *testing.T) {
	noKeys(t)
	for _, tt := range []struct {
		name   string
		asked  int
		served Served
		window int
		notice string
	}{
		{"llamacpp/m", 0, Served{}, 0, ""},
		{"llamacpp/m", 8192, Served{}, 8192, ""},
		{"llamacpp/m", 0, Served{Window: 16384}, 16384, ""},
		{"llamacpp/m", 8192, Served{Window: 16384}, 8192, ""},
		{"llamacpp/m", 32768, Served{Window: 16384}, 16384,
			"the server runs a window of 16,384 tokens; foray uses that. To use more: llama-server -c 32768"},
		{"llamacpp/m", 65536, Served{Window: 16384, Longest: 32768, Slots: 4}, 16384,
			"the server runs a window of 16,384 tokens; foray uses that. To use more: llama-server -c 32768 -np 1"},
		{"llamacpp/m", 0, Served{Window: 512}, 512, // too few for a run
			"the server runs a window of 512 tokens; foray uses that. To use more: llama-server -c 16384"},
		{"vllm/m", 65536, Served{Window: 16384, Longest: 16384}, 16384,
			"the server runs a window of 16,384 tokens; foray uses that"},
		{"ollama/llama3.1:8b", 0, Served{Window: 4096, Longest: 131072}, 4096, // the table says 128,000
			"the server runs a window of 4,096 tokens; foray uses that. To use more: --window 16384"},
		{"ollama/qwen3", 0, Served{}, 16384, // as for a model that is not loaded
			"the server is asked to run a window of 16,384 tokens. To use more: --window 32768"},
		{"ollama/m", 0, Served{Longest: 8192}, 8192, ""},
		{"ollama/m", 32768, Served{Window: 4096, Longest: 131072}, 32768, ""}, // the request asks for it
		{"ollama/m", 65536, Served{Window: 4096, Longest: 40960}, 40960,
			"the model has a window of 40,960 tokens at most; foray uses that"},
	} {
		target, err := Resolve(tt.name, &Options{Window: tt.asked})
		if err != nil {
			t.Fatal(err)
		}
		if got, notice := target.Adopt(tt.served); got.Window != tt.window || notice != tt.notice {
			t.Errorf("%s, %d of %+v: %d, %q", tt.name, tt.asked, tt.served, got.Window, notice)
		}
	}
}
