package catalog

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/providers/anthropic"
	"github.com/forayhq/foray/providers/internal/wire"
)

// Bounds on a request for a list of models.
const (
	maxListTime  = 5 * time.Second
	maxListBytes = 8 << 20 // OpenRouter's list has about 1 MB
)

// List asks the server for its models and returns those that seem to answer in text. It returns nil on any failure,
// because callers use it for hints only.
func (t Target) List(ctx context.Context) []string {
	if !t.allowed() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, maxListTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.ListURL(), nil)
	if err != nil {
		return nil
	}
	if t.google() {
		req.URL.RawQuery = "pageSize=1000"
	}
	if t.key != "" {
		t.sign(req)
	}
	resp, err := wire.WithoutRedirects(t.options.HTTPClient).Do(req)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	var list struct {
		Data   []struct{ ID string }
		Models []struct {
			Name    string
			Methods []string `json:"supportedGenerationMethods"`
		}
	}
	if resp.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(resp.Body, maxListBytes)).Decode(&list) != nil {
		return nil
	}
	var names []string
	for _, m := range list.Data {
		names = append(names, m.ID)
	}
	for _, m := range list.Models {
		if len(m.Methods) == 0 || slices.Contains(m.Methods, "generateContent") {
			names = append(names, strings.TrimPrefix(m.Name, "models/"))
		}
	}
	listed := make(map[string]bool) // llama.cpp lists each model in both forms
	return slices.DeleteFunc(names, func(name string) bool {
		twice := listed[name]
		listed[name] = true
		return twice || name == "" || t.clean(name) != name || !answersText(name)
	})
}

// ListURL returns where the server lists its models.
func (t Target) ListURL() string {
	if !t.google() {
		return t.URL + "/models"
	}
	return t.URL + "/v1beta/models"
}

// sign puts the key into the header that the service reads.
func (t Target) sign(req *http.Request) {
	switch {
	case t.google():
		req.Header.Set("x-goog-api-key", t.key)
	case t.dialect == anthropicDialect:
		req.Header.Set("x-api-key", t.key)
		req.Header.Set("anthropic-version", anthropic.Version)
	default:
		req.Header.Set("Authorization", "Bearer "+t.key)
	}
}

// otherKinds are parts of the names of models that do not answer in text.
var otherKinds = []string{
	"embed", "whisper", "tts", "moderation", "dall-e", "rerank", "transcribe", "guard", "realtime", "-image",
	"sora", "bge-",
}

// answersText guesses from the name of a model whether it answers in text.
func answersText(name string) bool {
	name = strings.ToLower(name)
	return !slices.ContainsFunc(otherKinds, func(part string) bool { return strings.Contains(name, part) })
}
