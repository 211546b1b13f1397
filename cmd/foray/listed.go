package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/providers"
)

// What is asked of a list of models at most.
const (
	listTime  = 5 * time.Second
	listBytes = 8 << 20 // OpenRouter's is about 1 MB
)

// listed returns the names of the models that the server says it has; none when it does not say. Why not is of no
// interest: a request to the same server has failed before.
func (t target) listed(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.base+t.list, nil)
	if err != nil {
		return nil
	}
	if t.key != "" {
		t.sign(req)
	}
	resp, err := providers.WithoutRedirects(nil).Do(req)
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
	if resp.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(resp.Body, listBytes)).Decode(&list) != nil {
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
	return slices.DeleteFunc(names, func(name string) bool {
		return name == "" || len(t.key) >= shortestKey && strings.Contains(name, t.key) || !talks(name)
	})
}

// sign puts the key into the header where the service wants it.
func (t target) sign(req *http.Request) {
	switch t.name {
	case "gemini", "generativeai":
		req.Header.Set("x-goog-api-key", t.key)
	case "anthropic": // its list is not of OpenAI's dialect
		req.Header.Set("x-api-key", t.key)
		req.Header.Set("anthropic-version", "2023-06-01")
	default:
		req.Header.Set("Authorization", "Bearer "+t.key)
	}
}

// silent are parts of the names of models that hold no conversation.
var silent = []string{"embed", "whisper", "tts", "moderation", "dall-e", "rerank", "transcribe", "guard", "realtime", "-image", "sora", "bge-"}

// talks reports whether the name of a model is one that may answer in text.
func talks(name string) bool {
	return !slices.ContainsFunc(silent, func(part string) bool { return strings.Contains(strings.ToLower(name), part) })
}
