package longterm

import (
	"context"
	"fmt"
)

// A ground is what an embedding model says of texts that have nothing to do with each other: the mean of their cosines.
// It is near 0 for some models and .8 for others (multilingual-e5-small), so that a cosine means nothing without it.
type ground struct {
	query, statement float64 // of a question and a statement; of two statements
	dimensions       int
}

// unrelated are texts of the kind that memories and questions are, each about something else.
var unrelated = struct{ statements, queries []string }{
	[]string{
		"The user prefers short answers.", "Deployments happen on Tuesdays.", "Ada plays the cello in an orchestra.",
		"Invoices are kept for ten years.", "用户住在里斯本。", "Der Server steht im zweiten Stock.",
	},
	[]string{"what colour was the old car?", "how long did the flight take?", "which plants need shade?"},
}

// measured returns the ground of the embedder, which it measures at its first use. The error is the embedder's or the
// context's.
func (e *embedder) measured(ctx context.Context) (*ground, error) {
	select {
	case e.measuring <- struct{}{}:
		defer func() { <-e.measuring }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if known, _ := e.state(); known != nil {
		return known, nil
	}
	statements, err := unit(ctx, e.ask, unrelated.statements)
	if err != nil {
		return nil, err
	}
	queries, err := unit(ctx, e.askQuery, unrelated.queries)
	if err != nil {
		return nil, err
	}
	g := &ground{}
	for _, v := range statements {
		g.dimensions = max(g.dimensions, len(v))
	}
	var of, with []float64
	for i, a := range statements {
		for _, b := range statements[:i] {
			of = append(of, dot(a, b))
		}
		for _, q := range queries {
			with = append(with, dot(q, a))
		}
	}
	g.statement, g.query = max(mean(of), 0), max(mean(with), 0)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known = g
	return g, nil
}

// unit returns vectors of length 1, and nil for those without a direction: a simple model may know none of the words.
func unit(ctx context.Context, ask embedFunc, texts []string) ([][]float32, error) {
	vectors, err := ask(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("embedding: %w", err)
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("embedding: %d vectors for %d texts", len(vectors), len(texts))
	}
	out := make([][]float32, len(vectors))
	for i, v := range vectors {
		out[i] = normal(v)
	}
	return out, nil
}

func mean(values []float64) (sum float64) {
	for _, v := range values {
		sum += v / float64(len(values))
	}
	return sum
}
