package catalog

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// at moves the endpoints of servers on this machine to other addresses: nobody listens at those that are left out.
func at(t *testing.T, addresses map[string]string) {
	t.Helper()
	before := Endpoints()
	t.Cleanup(func() { endpoints = before })
	endpoints = Endpoints()
	for i, e := range endpoints {
		if e.NoKey {
			endpoints[i].BaseURL = "http://127.0.0.1:1/v1"
			if own := addresses[e.Name]; own != "" {
				endpoints[i].BaseURL = own
			}
		}
	}
}

// TestFindLocal looks for servers of all kinds, among them one that is no model server.
func TestFindLocal(t *testing.T) {
	noKeys(t)
	llama := serverOf(t, map[string]string{"GET /props": `{"default_generation_settings":{"n_ctx":16384}}`, "GET /v1/models": llamaModels})
	list := map[string]string{"GET /v1/models": `{"data":[{"id":"text-embedding-1"},{"id":"first"},{"id":"second"}]}`}
	plain := serverOf(t, list)
	ollama := serverOf(t, map[string]string{
		"GET /api/ps": `{"models":[{"name":"bge-m3:latest"},{"name":"qwen3:4b"}]}`, "GET /v1/models": list["GET /v1/models"],
	})
	fresh := serverOf(t, map[string]string{"GET /api/version": `{"version":"0.12.6"}`, "GET /v1/models": `{"object":"list","data":null}`})
	studio := serverOf(t, map[string]string{
		"GET /api/v0/models": `{"data":[{"id":"e","type":"embeddings","state":"loaded"},{"id":"a","type":"llm","state":"not-loaded"},
			{"id":"b","type":"vlm","state":"loaded","max_context_length":8192}]}`,
		"GET /v1/models": list["GET /v1/models"],
	})
	page := serverOf(t, map[string]string{"GET /v1/models": "<!doctype html>", "GET /props": "<!doctype html>"})
	other := serverOf(t, map[string]string{"GET /v1/models": `{"models":3}`, "GET /props": `[]`, "GET /api/version": `"1.0"`})
	loading := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(loading.Close)
	for _, tt := range []struct {
		at   map[string]string
		base string
		want string
	}{
		{nil, "", ""},
		{map[string]string{"llamacpp": llama}, "", "llamacpp/coder"},
		{map[string]string{"vllm": plain, "llamacpp": llama, "lmstudio": studio, "ollama": ollama}, "",
			"llamacpp/coder lmstudio/b ollama/qwen3:4b vllm/first"},
		{map[string]string{"ollama": plain}, "", "ollama/first"},
		{map[string]string{"ollama": fresh, "llamacpp": page, "vllm": other}, "", "ollama/"},
		{map[string]string{"ollama": other, "lmstudio": page}, "", ""},
		{map[string]string{"llamacpp": loading.URL + "/v1"}, "", "llamacpp/default"},
		{nil, llama, "llamacpp/coder"},
		{nil, studio, "lmstudio/b"},
		{nil, plain, "llamacpp/first"}, // any server of the dialect
		{nil, page, ""},
		{nil, "http://192.0.2.7/v1", ""}, // not asked: plain HTTP
	} {
		t.Run("", func(t *testing.T) {
			at(t, tt.at)
			var got []string
			for _, x := range FindLocal(t.Context(), &Options{BaseURL: tt.base}) {
				got = append(got, x.String())
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%v %s: %v, want %s", tt.at, tt.base, got, tt.want)
			}
		})
	}
}
