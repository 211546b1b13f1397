package providertest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/forayhq/foray/internal/ostest"
)

// TestHostile checks that each attack of each wire begins, and ends when the client disconnects: Server.Close waits for
// the handlers.
func TestHostile(t *testing.T) {
	ostest.SkipRaced(t)
	server := httptest.NewServer(new(Hostile))
	defer server.Close()
	client := Client(t)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	names, _ := new(Hostile).Attacks()
	for _, w := range hostileWires {
		for _, name := range append(names, fine) {
			silent := strings.HasPrefix(name, "hang") || name == "endless-hints"
			limit := 30 * time.Second
			if silent {
				limit = 50 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			path := "/v1" + w.path
			if w.plain || strings.HasPrefix(w.path, ":") || w.path == "EmbedContents" || w.path == "" {
				path = "/" + name + "/v1beta/models/x" + w.path
			}
			body, _ := json.Marshal(map[string]string{"model": name})
			req, _ := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+path, bytes.NewReader(body))
			resp, err := client.Do(req)
			if err == nil {
				size := int64(256)
				if name == fine {
					size = 1 << 16
				}
				var raw []byte
				raw, err = io.ReadAll(io.LimitReader(resp.Body, size))
				resp.Body.Close()
				if len(raw) == 0 && !silent && name != "redirects" && name != "endless-chunk" {
					t.Errorf("%s of %q: nothing arrived: %v", name, w.path, err)
				}
				if name == fine && (err != nil || !json.Valid(lastEvent(raw))) {
					t.Errorf("%s of %q: %v: %s", name, w.path, err, raw)
				}
			}
			if ctx.Err() != nil && !silent {
				t.Errorf("%s of %q: nothing arrived in %v", name, w.path, limit)
			}
			cancel()
		}
	}
}

// lastEvent returns the last value of an answer.
func lastEvent(raw []byte) []byte {
	text := strings.TrimSuffix(strings.TrimSpace(string(raw)), "\n\ndata: [DONE]")
	return []byte(strings.TrimPrefix(text[strings.LastIndexByte(text, '\n')+1:], "data: "))
}

// TestHostileByName checks that a model's name chooses an attack, also for requests of the background alone.
func TestHostileByName(t *testing.T) {
	for _, tc := range []struct{ path, body, want string }{
		{"/v1/chat/completions", `{"model":"cut"}`, "cut"},
		{"/cut/v1/models", ``, "cut"},
		{"/v1beta/models/cut:streamGenerateContent", `{"contents":[]}`, "cut"},
		{"/v1/responses", `{"model":"background-cut","tools":[{}]}`, fine},
		{"/v1/responses", `{"model":"background-cut","tools":[]}`, "cut"},
		{"/background-cut/api/chat", `{"model":"qwen3"}`, "cut"},
		{"/v1/responses", `{"model":"fine"}`, fine},
	} {
		if got := named(tc.path, []byte(tc.body)); got != tc.want {
			t.Errorf("%s %s: attack %q, want %q", tc.path, tc.body, got, tc.want)
		}
	}
}
