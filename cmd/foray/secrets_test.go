package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/providers/catalog"
)

// secretKey is the key of all providers in these tests; it may be in a header that arrives, and nowhere else.
const secretKey = "sk-secret-0123456789-abcdefghijklmnop"

// echoes are servers that send all that they were told back, as errors and as answers.
var echoes = map[string]func(http.ResponseWriter, *http.Request, string){
	"401 JSON": func(w http.ResponseWriter, _ *http.Request, told string) { jsonError(w, 401, told) },
	"404 JSON": func(w http.ResponseWriter, _ *http.Request, told string) { jsonError(w, 404, "model not found: "+told) },
	"400 text": func(w http.ResponseWriter, _ *http.Request, told string) { http.Error(w, told, 400) },
	"429 JSON": func(w http.ResponseWriter, _ *http.Request, told string) {
		w.Header().Set("Retry-After", "3600")
		jsonError(w, 429, told)
	},
	"page": func(w http.ResponseWriter, _ *http.Request, told string) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<html>%s", told)
	},
	"redirect": func(w http.ResponseWriter, r *http.Request, told string) {
		http.Redirect(w, r, "/elsewhere?key="+secretKey, http.StatusFound)
	},
	"no JSON": func(w http.ResponseWriter, _ *http.Request, told string) { events(w, "{"+told) },
	"in stream": func(w http.ResponseWriter, _ *http.Request, told string) {
		events(w, marshalled(object{"type": "error", "error": object{"message": told, "code": 400}}))
	},
	"answer": func(w http.ResponseWriter, r *http.Request, told string) {
		if strings.HasSuffix(r.URL.Path, "/messages") {
			events(w, marshalled(object{"type": "content_block_start", "index": 0, "content_block": object{"type": "text", "text": ""}}))
		}
		for len(told) > 0 {
			n := min(7, len(told))
			events(w, piece(r, told[:n]))
			told = told[n:]
		}
		events(w, ending(r))
	},
}

type object = map[string]any

func marshalled(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func jsonError(w http.ResponseWriter, status int, told string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprint(w, marshalled(object{"error": object{"message": told, "code": "code " + told, "status": "status " + told}}))
}

// events sends lines of a stream.
func events(w http.ResponseWriter, data string) {
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: %s\n\n", data)
	w.(http.Flusher).Flush()
}

// piece is a piece of text on the wire that a request came by.
func piece(r *http.Request, text string) string {
	switch {
	case strings.HasSuffix(r.URL.Path, "/responses"):
		return marshalled(object{"type": "response.output_text.delta", "output_index": 0, "item_id": "i", "delta": text})
	case strings.Contains(r.URL.Path, "GenerateContent"):
		return marshalled(object{"candidates": []object{{"content": object{"role": "model", "parts": []object{{"text": text}}}}}})
	case strings.HasSuffix(r.URL.Path, "/api/chat"):
		return marshalled(object{"message": object{"content": text}, "done": false})
	case strings.HasSuffix(r.URL.Path, "/messages"):
		return marshalled(object{"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": text}})
	}
	return marshalled(object{"choices": []object{{"index": 0, "delta": object{"content": text}}}})
}

// ending is the event that ends an answer.
func ending(r *http.Request) string {
	switch {
	case strings.HasSuffix(r.URL.Path, "/responses"):
		return marshalled(object{"type": "response.completed", "response": object{"status": "completed", "output": []object{}}})
	case strings.Contains(r.URL.Path, "GenerateContent"):
		return marshalled(object{"candidates": []object{{"content": object{"role": "model", "parts": []object{{"text": "."}}}, "finishReason": "STOP"}}})
	case strings.HasSuffix(r.URL.Path, "/api/chat"):
		return marshalled(object{"message": object{"content": ""}, "done": true})
	case strings.HasSuffix(r.URL.Path, "/messages"):
		return marshalled(object{"type": "message_delta", "delta": object{"stop_reason": "end_turn"}})
	}
	return marshalled(object{"choices": []object{{"index": 0, "delta": object{}, "finish_reason": "stop"}}})
}

// TestKeysStayHidden has every provider's key sent back in every way, and looks for it in all that foray leaves.
func TestKeysStayHidden(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	dialects := []string{"openai", "xai", "anthropic", "ollama", "gemini", "generativeai"} // of the others only what differs by their rows
	if ostest.RaceDetector {
		dialects = dialects[:1] // all have the goroutines of one
	}
	setKeys(t)
	for _, b := range catalog.Endpoints() {
		for name, echo := range echoes {
			few := name == "401 JSON" || name == "answer"
			if !slices.Contains(dialects, b.Name) && (!few || ostest.RaceDetector) {
				continue
			}
			t.Run(b.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				left := hidden(t, dir, b, echo)
				if strings.Contains(left, secretKey) {
					t.Errorf("the key is in:\n%s", left)
				}
				if !strings.Contains(left, "[secret]") && name != "page" && name != "redirect" {
					t.Errorf("what was sent back is nowhere:\n%s", left)
				}
			})
		}
	}
}

// keyForms are the forms in which a server may send the key back, other than as it is.
var keyForms = map[string]func(key string) string{
	"escapes of JSON":         func(key string) string { return each(`\u%04x`, key) },
	"escapes of JSON in JSON": func(key string) string { return each(`\\u%04X`, key) },
	"escapes of Go":           func(key string) string { return strconv.Quote(each(`\x%02x`, key)) },
	"percent-encoding":        func(key string) string { return each("%%%02x", key) },
	"references of HTML":      func(key string) string { return each("&#%d;", key) },
	"Basic":                   func(key string) string { return base64.StdEncoding.EncodeToString([]byte("user:" + key)) },
	"hexadecimal":             func(key string) string { return fmt.Sprintf("%x", key) },
}

// each writes every character of a key with a format for its number.
func each(format, key string) (text string) {
	for _, c := range []byte(key) {
		text += fmt.Sprintf(format, c)
	}
	return text
}

// TestKeyFormsStayHidden has a key sent back in other forms, in errors, answers and lists of models. A JSON body that
// has a form without more escapes holds the key itself once it is decoded.
func TestKeyFormsStayHidden(t *testing.T) {
	if ostest.RaceDetector {
		t.Skip("long; TestKeysStayHidden has the same goroutines")
	}
	dir := smallRepo(t)
	var endpoint catalog.Endpoint
	for _, b := range catalog.Endpoints() {
		if b.Name == "llamacpp" {
			endpoint = b
		}
	}
	setKeys(t)
	for form, write := range keyForms {
		for _, name := range []string{"400 text", "401 JSON", "in stream", "answer", "a raw error"} {
			t.Run(form+"/"+name, func(t *testing.T) {
				t.Parallel()
				left := hidden(t, dir, endpoint, func(w http.ResponseWriter, r *http.Request, _ string) {
					if name == "a raw error" {
						w.WriteHeader(http.StatusBadRequest)
						fmt.Fprintf(w, `{"error":{"message":"bad key %s"}}`, write(secretKey))
						return
					}
					echoes[name](w, r, "the key is "+write(secretKey)+".")
				})
				if strings.Contains(left, secretKey) || strings.Contains(left, write(secretKey)) {
					t.Errorf("the key is in:\n%s", left)
				}
				if !strings.Contains(left, "[secret]") {
					t.Errorf("what was sent back is nowhere:\n%s", left)
				}
			})
		}
	}
}

// setKeys gives every provider the secret key.
func setKeys(t *testing.T) {
	t.Setenv("FORAY_MODEL", "")
	for _, b := range catalog.Endpoints() {
		t.Setenv(b.Keys[0], secretKey)
	}
}

// hidden explores with a provider whose server echoes, asks the doctor, and returns all that is left of that.
func hidden(t *testing.T, dir string, b catalog.Endpoint, echo func(http.ResponseWriter, *http.Request, string)) string {
	told := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var headers bytes.Buffer
		if err := r.Header.Write(&headers); err != nil {
			t.Error(err)
		}
		told = told || strings.Contains(headers.String(), secretKey)
		if strings.Contains(r.URL.String(), secretKey) {
			t.Errorf("the key is in the URL %v", r.URL)
		}
		var text string
		for _, name := range []string{"Authorization", "X-Goog-Api-Key", "X-Api-Key"} {
			text += r.Header.Get(name) + " "
		}
		text += r.URL.String()
		if r.Method == http.MethodGet {
			fmt.Fprint(w, marshalled(object{"data": []object{{"id": text}}, "models": []object{{"name": text}}}))
			return
		}
		echo(w, r, text)
	}))
	defer server.Close()
	var output bytes.Buffer
	out := t.TempDir()
	model := []string{"--model", b.Name + "/some-model-2", "--base-url", server.URL}
	for _, args := range [][]string{
		append([]string{"explore", "-v", "--repo", dir, "--trace", filepath.Join(out, "trace"), "--record", filepath.Join(out, "record"), "question"}, model...),
		append([]string{"explore", "--format", "json", "--repo", dir, "question"}, model...),
		append([]string{"chat", "--db", filepath.Join(out, "chat.db"), "--repo", dir, "question"}, model...),
		append([]string{"doctor"}, model...),
	} {
		root := newRoot()
		root.SetArgs(args)
		root.SetOut(&output)
		root.SetErr(&output)
		cli.PrintError(&output, root.ExecuteContext(t.Context())) // most fail, as they should
	}
	output.WriteString(servedAnswers(t, append([]string{"--db", filepath.Join(out, "serve.db"), "--repo", dir}, model...), "question"))
	for _, name := range []string{"trace", "record", "serve.db"} {
		raw, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Errorf("%v\n%s", err, &output)
		}
		output.Write(raw)
	}
	if !told {
		t.Errorf("the server was not told the key:\n%s", &output)
	}
	return output.String()
}

// servedAnswers serves with these flags, and returns all that a client gets for its messages, as JSON and as events, and
// all that the server says.
func servedAnswers(t *testing.T, flags []string, messages ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var output lockedBuffer
	root := newRoot()
	root.SetArgs(append([]string{"serve", "--addr", "127.0.0.1:0"}, flags...))
	root.SetOut(&output)
	root.SetErr(&output)
	ended := make(chan error, 1)
	go func() { ended <- root.ExecuteContext(ctx) }()
	url := ""
	if !until(time.Minute, func() bool {
		url = regexp.MustCompile(`(?m)^http://127\.0\.0\.1:\d+$`).FindString(output.String())
		return url != ""
	}) {
		t.Fatalf("no address: %s", output.String())
	}
	client := &servedForay{t: t, url: url}
	client.ask("POST", "/v1/threads", "", "", `{"id":"t"}`)
	for _, kind := range []string{"text/event-stream", "application/json"} {
		for _, message := range messages {
			_, body := client.ask("POST", "/v1/threads/t/messages", "", kind, marshalled(object{"text": message}))
			fmt.Fprintln(&output, body)
		}
	}
	_, kept := client.ask("GET", "/v1/threads/t/messages", "", "", "")
	fmt.Fprintln(&output, kept)
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("serving: %v; it said: %s", err, output.String())
	}
	return output.String()
}
