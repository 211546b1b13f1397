package gemini

import (
	"context"
	"fmt"
	"strings"

	library "google.golang.org/genai"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/geminiwire"
)

// Count returns how many tokens the service counts in a request: prompt, messages and tools. It sends a request that
// makes no answer. Its errors are those of [Model.Stream].
func (m *Model) Count(ctx context.Context, req *providers.Request) (int, error) {
	body, err := m.encode(req)
	if err != nil {
		return 0, m.service.Wrap(providers.Invalid, err)
	}
	body["model"] = m.resource()
	config := &library.CountTokensConfig{HTTPOptions: replaced(map[string]any{"generateContentRequest": body})}
	answer, err := m.client.Models.CountTokens(ctx, m.config.Name, nil, config)
	switch {
	case err != nil:
		return 0, m.service.Failed(ctx, err)
	case answer.TotalTokens <= 0:
		return 0, m.service.Misled(providers.Malformed, "the service answered without a count")
	}
	return int(answer.TotalTokens), nil
}

// resource returns the model's name as the service's messages have it.
func (m *Model) resource() string {
	if strings.Contains(m.name, "/") {
		return m.name
	}
	return "models/" + m.name
}

// Embed returns one vector for each text, in order, from the model Config.EmbeddingName. It sends at most a hundred
// texts at once. The service refuses empty texts. Its errors are those of [Model.Stream].
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, 0, len(texts))
	for start := 0; start < len(texts); start += geminiwire.MaxEmbedded {
		batch := texts[start:min(start+geminiwire.MaxEmbedded, len(texts))]
		contents := make([]*library.Content, len(batch))
		for i, text := range batch {
			contents[i] = &library.Content{Parts: []*library.Part{{Text: text}}}
		}
		answer, err := m.client.Models.EmbedContent(ctx, m.config.EmbeddingName, contents, nil)
		if err != nil {
			return nil, m.service.Failed(ctx, err)
		}
		if len(answer.Embeddings) != len(batch) {
			return nil, m.service.Error(
				providers.Malformed, fmt.Sprintf(
					"the service answered %d texts with %d vectors", len(batch), len(answer.Embeddings),
				),
			)
		}
		for _, e := range answer.Embeddings {
			vectors = append(vectors, e.Values)
		}
	}
	return vectors, nil
}
