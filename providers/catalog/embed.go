package catalog

import (
	"context"
	"errors"
	"math"
	"strings"

	"github.com/forayhq/foray/providers"
)

// An Embedder turns texts into vectors whose directions show which texts are alike in meaning.
type Embedder struct {
	Name string // PROVIDER/MODEL
	// Embed returns one vector for each text, in order and all of the same length. Errors are [*providers.Error].
	Embed func(ctx context.Context, texts []string) ([][]float32, error)

	query, passage string // what the model wants before a text
}

// asked says what embedding models want before a query and before a passage, by a part of their names, as their model
// cards say. A model that is not here wants nothing.
var asked = []struct{ name, query, passage string }{
	{"e5", "query: ", "passage: "},                                                   // intfloat/multilingual-e5-small
	{"nomic-embed", "search_query: ", "search_document: "},                           // nomic-ai/nomic-embed-text-v1.5
	{"mxbai-embed", "Represent this sentence for searching relevant passages: ", ""}, // mixedbread-ai/mxbai-embed-large-v1
	{"bge-m3", "", ""}, // BAAI/bge-m3
	{"bge-", "Represent this sentence for searching relevant passages: ", ""}, // BAAI/bge-base-en-v1.5
}

// Embedder opens the target as an embedding model. It reaches no server. Endpoints that are asked in OpenAI's form,
// with Ollama's, are asked at /embeddings. The errors are those of [Target.Open].
func (t Target) Embedder() (*Embedder, error) {
	if t.dialect == ollamaDialect {
		t.dialect = openaiDialect // its own dialect is for windows, which embedding models do not have
	}
	m, err := t.dial()
	if err != nil {
		return nil, err
	}
	vectors, ok := m.(interface {
		Embed(ctx context.Context, texts []string) ([][]float32, error)
	})
	if !ok {
		cause := errors.New("its dialect has no embeddings")
		return nil, &providers.Error{Class: providers.Invalid, Provider: t.Name, Model: t.Model, Err: cause}
	}
	e := &Embedder{Name: t.String(), Embed: vectors.Embed}
	for _, a := range asked {
		if strings.Contains(strings.ToLower(t.Model), a.name) {
			e.query, e.passage = a.query, a.passage
			break
		}
	}
	return e, nil
}

// Passages returns the vectors of texts to be found. The errors are those of Embed.
func (e *Embedder) Passages(ctx context.Context, texts []string) ([][]float32, error) {
	return e.Embed(ctx, prefixed(e.passage, texts))
}

// Queries returns the vectors of texts to find others by. The errors are those of Embed.
func (e *Embedder) Queries(ctx context.Context, texts []string) ([][]float32, error) {
	return e.Embed(ctx, prefixed(e.query, texts))
}

func prefixed(mark string, texts []string) []string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = mark + text
	}
	return all
}

// Similar returns how similar each passage is to a query, as the cosine of their vectors: -1 to 1, 0 for a vector
// without a direction. The errors are those of Embed.
func (e *Embedder) Similar(ctx context.Context, query string, passages []string) ([]float64, error) {
	vectors, err := e.Embed(ctx, append([]string{e.query + query}, prefixed(e.passage, passages)...))
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(passages))
	for i := range out {
		out[i] = cosine(vectors[0], vectors[i+1])
	}
	return out, nil
}

func cosine(a, b []float32) float64 {
	dot, as, bs := 0.0, 0.0, 0.0
	for i := range min(len(a), len(b)) {
		x, y := float64(a[i]), float64(b[i])
		dot, as, bs = dot+x*y, as+x*x, bs+y*y
	}
	if c := dot / math.Sqrt(as*bs); !math.IsNaN(c) && !math.IsInf(c, 0) {
		return c
	}
	return 0
}
