package openai_test

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/openai"
)

func TestNewRefuses(t *testing.T) {
	const secret = "s3cr3t-in-the-url"
	for _, tt := range []struct {
		name   string
		config openai.Config
		says   string
	}{
		{"no name", openai.Config{Name: " ", Key: key}, "Config.Name is empty"},
		{"no key for OpenAI", openai.Config{Name: "m"}, "requires a key"},
		{"credentials", openai.Config{Name: "m", BaseURL: "https://user:" + secret + "@example.com/v1"}, "contains credentials"},
		{"the endpoint", openai.Config{Name: "m", BaseURL: "https://example.com/v1/chat/completions/"}, "leave that out"},
		{"the endpoint of the other wire", openai.Config{Name: "m", BaseURL: "https://example.com/v1/responses"}, "leave that out"},
		{"a wire that is none", openai.Config{Name: "m", BaseURL: "http://localhost", Wire: "http"}, `unknown wire "http"`},
		{"a field of the responses wire", openai.Config{Name: "m", Key: key, ExtraBody: map[string]json.RawMessage{"store": json.RawMessage("true")}}, `"store" is written`},
		{"a client that trusts everybody", openai.Config{Name: "m", Key: key, HTTPClient: &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}}, "does not verify"},
		{"not encrypted", openai.Config{Name: "m", BaseURL: "http://example.com/v1"}, "exposes the key"},
		{"a key with a line end", openai.Config{Name: "m", Key: secret + "\n"}, "the key contains"},
		{"a header with a line end", openai.Config{Name: "m", Key: key, ExtraHeaders: map[string]string{"X-A": secret + "\r\nX-B: c"}}, `"X-A" cannot be sent`},
		{"a header without a name", openai.Config{Name: "m", Key: key, ExtraHeaders: map[string]string{"": secret}}, "cannot be sent"},
		{"an organization with a line end", openai.Config{Name: "m", Key: key, Organization: "a\nb"}, "organization"},
		{"a field of ours", openai.Config{Name: "m", Key: key, ExtraBody: map[string]json.RawMessage{"stream": json.RawMessage("false")}}, `"stream" is written`},
		{"a field that is not JSON", openai.Config{Name: "m", Key: key, ExtraBody: map[string]json.RawMessage{"a": json.RawMessage("{")}}, `"a" is not JSON`},
	} {
		m, err := openai.New(tt.config)
		if err == nil || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), secret) || m != nil {
			t.Errorf("%s: error %v, want one that says %q", tt.name, err, tt.says)
		}
	}
	_, err := openai.New(openai.Config{Name: "m"})
	if providers.ClassOf(err) != providers.Auth {
		t.Errorf("a missing key has the class %q", providers.ClassOf(err))
	}
}

func TestAllowHTTP(t *testing.T) {
	if _, err := openai.New(openai.Config{Name: "m", BaseURL: "http://10.0.0.1/v1", AllowHTTP: true}); err != nil {
		t.Error(err)
	}
}

// TestKeyIsNeverShown has a server that gives back all that it is told, in every way in which an answer fails.
func TestKeyIsNeverShown(t *testing.T) {
	const header = "header-secret-42"
	answers := map[string]func(w http.ResponseWriter, told string){
		"a message": func(w http.ResponseWriter, told string) {
			w.WriteHeader(401)
			fmt.Fprintf(w, `{"error":{"message":%q,"code":%q}}`, told, told)
		},
		"a text": func(w http.ResponseWriter, told string) { w.WriteHeader(500); io.WriteString(w, told) },
		"a page": func(w http.ResponseWriter, told string) { w.WriteHeader(404); io.WriteString(w, "<html>"+told) },
		"inside": func(w http.ResponseWriter, told string) { fmt.Fprintf(w, "%sdata: {\"error\":%q}\n\n", hello, told) },
		"an event": func(w http.ResponseWriter, told string) {
			fmt.Fprintf(w, "%sevent: error\ndata: %s\n\n", hello, strings.ReplaceAll(told, "\n", " "))
		},
		"no JSON": func(w http.ResponseWriter, told string) {
			fmt.Fprintf(w, "%sdata: %s\n\n", hello, strings.ReplaceAll(told, "\n", " "))
		},
		"another form": func(w http.ResponseWriter, told string) { fmt.Fprintf(w, "data: {\"choices\":%q}\n\n", told) },
		"a finish": func(w http.ResponseWriter, told string) {
			fmt.Fprintf(w, "data: {\"choices\":[{\"finish_reason\":%q}],\"error\":%q}\n\n", told, told)
		},
		"failed": func(w http.ResponseWriter, told string) {
			fmt.Fprintf(w, "data: {\"type\":\"response.failed\",\"response\":{\"error\":{\"code\":%q,\"message\":%q}}}\n\n", told, told)
		},
		"an item": func(w http.ResponseWriter, told string) {
			fmt.Fprintf(w, "data: {\"type\":\"response.output_item.done\",\"item\":%q}\n\n", told)
		},
		"a redirect": func(w http.ResponseWriter, told string) {
			w.Header().Set("Location", "http://127.0.0.1:1/?"+key)
			w.WriteHeader(307)
		},
		"a broken header": func(w http.ResponseWriter, told string) { w.Header().Set("Content-Length", "5"); w.WriteHeader(500) },
	}
	for name, answer := range answers {
		for _, wire := range []openai.Wire{openai.Chat, openai.Responses} {
			m := serve(t, func(w http.ResponseWriter, r *http.Request) {
				var told strings.Builder
				r.Header.Write(&told)
				if strings.Contains(r.URL.String(), key) {
					t.Errorf("the key is in the URL %s", r.URL)
				}
				answer(w, told.String())
			}, func(c *openai.Config) {
				c.Wire, c.ExtraHeaders = wire, map[string]string{"X-Extra": "Bearer " + header}
			})
			_, err := providers.Ask(t.Context(), m, &providers.Request{})
			_, embedErr := m.Embed(t.Context(), []string{"a"})
			for _, err := range []error{err, embedErr} {
				var e *providers.Error
				if !errors.As(err, &e) {
					t.Errorf("%s: error %v", name, err)
					continue
				}
				for _, shown := range []string{err.Error(), fmt.Sprintf("%+v %#v %#v", err, *e, e.Err), e.Code} {
					if strings.Contains(shown, key) || strings.Contains(shown, header) {
						t.Errorf("%s: a secret is in %s", name, shown)
					}
				}
			}
		}
	}
}

// TestRedirectsCarryNothing has a server that sends callers to another host: nothing arrives there, on any path.
func TestRedirectsCarryNothing(t *testing.T) {
	var arrived atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived.Add(1) }))
	t.Cleanup(other.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		redirect := func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL+r.URL.Path, status) }
		for _, wire := range []openai.Wire{openai.Chat, openai.Responses} {
			m := serve(t, redirect, func(c *openai.Config) { c.Wire = wire })
			_, err := providers.Ask(t.Context(), m, &providers.Request{})
			_, embedErr := m.Embed(t.Context(), []string{"a"})
			if providers.ClassOf(err) != providers.Malformed || providers.ClassOf(embedErr) != providers.Malformed {
				t.Errorf("%d on %s: %v; %v", status, wire, err, embedErr)
			}
		}
	}
	if n := arrived.Load(); n != 0 {
		t.Errorf("%d requests arrived at another host", n)
	}
}

// TestUnknownCertificate has a server whose certificate nobody vouches for: nothing is told to it.
func TestUnknownCertificate(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("told: %v", r.Header) }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	for _, wire := range []openai.Wire{openai.Chat, openai.Responses} {
		_, err := providers.Ask(t.Context(), newModel(t, server.URL, func(c *openai.Config) { c.Wire = wire }), &providers.Request{})
		if providers.ClassOf(err) != providers.Invalid || !strings.Contains(err.Error(), "certificate") {
			t.Errorf("%s: %v", wire, err)
		}
	}
}

func TestConfigAndModelDoNotShowTheKey(t *testing.T) {
	c := openai.Config{Name: "m", Key: key, ExtraHeaders: map[string]string{"X-A": "token " + key}}
	m, err := openai.New(c)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	shown := fmt.Sprintf("%v %+v %#v %s %v %+v %#v %s %s", c, c, c, c, m, m, m, m, raw)
	if strings.Contains(shown, key) || !strings.Contains(shown, "openai/m at api.openai.com") {
		t.Errorf("shown: %s", shown)
	}
}

func TestRequest(t *testing.T) {
	req := &providers.Request{
		System: "Be brief.", MaxOutput: 50, Choice: providers.Required, Schema: json.RawMessage(`{"type":"object"}`),
		Messages: []transcript.Message{{Role: transcript.User, Text: "a < b"}, {Role: transcript.Assistant}, {Role: transcript.User, Text: "c"}},
		Tools:    []transcript.ToolSchema{{Name: "run"}},
	}
	body, header := sent(t, req, func(c *openai.Config) {
		c.Organization = "org-1"
		c.ExtraHeaders = map[string]string{"X-Title": "foray"}
	})
	const want = `{"max_tokens":50,"messages":[{"content":"Be brief.","role":"system"},{"content":"a < b","role":"user"},{"content":"c","role":"user"}],` +
		`"model":"model-1","response_format":{"json_schema":{"name":"answer","schema":{"type":"object"},"strict":true},"type":"json_schema"},` +
		`"stream":true,"stream_options":{"include_usage":true},"tool_choice":"required",` +
		`"tools":[{"function":{"name":"run","parameters":{"properties":{},"type":"object"}},"type":"function"}]}`
	raw, err := json.Marshal(body)
	if got := strings.ReplaceAll(string(raw), `\u003c`, "<"); err != nil || got != want {
		t.Errorf("sent\n%s\nwant\n%s", got, want)
	}
	if header.Get("Authorization") != "Bearer "+key || header.Get("OpenAI-Organization") != "org-1" || header.Get("X-Title") != "foray" {
		t.Errorf("headers %v", header)
	}
	req.Tools = nil
	body, _ = sent(t, req, func(c *openai.Config) { c.Quirks = &openai.Quirks{NoStreamOptions: true} })
	for _, field := range []string{"tool_choice", "tools", "stream_options"} {
		if value, ok := body[field]; ok {
			t.Errorf("without tools and usage, %s is %v", field, value)
		}
	}
}

// TestRequestsExtendEachOther shows what caches of prompts need: the messages of a request are, byte for byte, the
// beginning of those of the next one, with nothing escaped that need not be.
func TestRequestsExtendEachOther(t *testing.T) {
	var bodies []string
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(raw))
		stream(calls(`{"index":0,"id":"a","extra_content":{"s":"<sig>"},"function":{"name":"list","arguments":"{\"p\" : \"a&b\"}"}}`))(w, r)
	})
	req := &providers.Request{System: "s", Messages: []transcript.Message{{Role: transcript.User, Text: "if a < b && c > d"}}}
	for range 4 {
		r, err := providers.Ask(t.Context(), m, req)
		if err != nil {
			t.Fatal(err)
		}
		call := r.Message.Calls[0]
		req.Messages = append(req.Messages, r.Message, transcript.Message{Role: transcript.Tool, CallID: call.ID, Text: "<b>"})
	}
	for i, body := range bodies[1:] {
		before, _, _ := strings.Cut(bodies[i], `],"stream"`)
		if !strings.HasPrefix(body, before) {
			t.Errorf("request %d does not extend the one before:\n%s\n%s", i+2, bodies[i], body)
		}
		if strings.Contains(body, `\u00`) || !strings.Contains(body, `{"s":"<sig>"}`) {
			t.Errorf("request %d escapes what it need not: %s", i+2, body)
		}
	}
}
