package catalog

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
)

// FindLocal asks the usual addresses of servers on the user's own machine, or o.BaseURL, and returns a target for each
// server that answers, in the order of the table. The model is one that the server has loaded, else the first that it
// lists; it is empty if the server has none.
func FindLocal(ctx context.Context, o *Options) []Target {
	ctx, cancel := context.WithTimeout(ctx, servedTime)
	defer cancel()
	found := make([]Target, len(endpoints))
	var wg sync.WaitGroup
	for i, e := range endpoints {
		if t, err := e.Target("", o); e.ask != nil && err == nil && t.allowed() {
			wg.Go(func() {
				if t.Model = t.any(ctx); t.Model != "" || t.isOllama(ctx) {
					found[i] = t
				}
			})
		}
	}
	wg.Wait()
	var all []Target
	for _, t := range found {
		if t.Name != "" {
			all = append(all, t)
		}
	}
	if o == nil || o.BaseURL == "" {
		return all
	}
	return one(ctx, all)
}

// one returns which of several targets at one address is that of the server there: the first whose own question is
// answered, else the first.
func one(ctx context.Context, all []Target) []Target {
	for i, t := range all {
		if s := t.Served(ctx); s.Window > 0 || s.Longest > 0 || s.Loading {
			return all[i : i+1]
		}
	}
	return all[:min(1, len(all))]
}

// any returns the name of a model that the server can answer with: a loaded one, else the first of its list.
func (t Target) any(ctx context.Context) string {
	switch t.Name {
	case ollamaName:
		for _, m := range t.running(ctx) {
			if answersText(m.Name) {
				return m.Name
			}
		}
	case lmstudioName:
		var list struct {
			Data []struct{ ID, Type, State string }
		}
		t.fetch(ctx, t.root()+"/api/v0/models", nil, &list)
		for _, m := range list.Data {
			if m.State == "loaded" && m.Type != "embeddings" {
				return m.ID
			}
		}
	}
	if names := t.List(ctx); len(names) > 0 {
		return names[0]
	}
	if t.Name == llamacppName && t.Served(ctx).Loading {
		return loadingModel
	}
	return ""
}

// loadingModel names the model of an older llama.cpp, which lists none while it is loading; it accepts any name.
const loadingModel = "default"

// isOllama reports whether Ollama answers, with models or without.
func (t Target) isOllama(ctx context.Context) bool {
	var v struct{ Version json.RawMessage }
	return t.Name == ollamaName && t.fetch(ctx, t.root()+"/api/version", nil, &v) == http.StatusOK && v.Version != nil
}
