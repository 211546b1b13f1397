package gemini

import (
	"context"
	"strings"

	library "google.golang.org/genai"

	"github.com/forayhq/foray/providers"
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
	if err != nil {
		return 0, m.service.Failed(ctx, err)
	}
	return m.service.Counted(answer.TotalTokens)
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
	return m.service.Embed(ctx, texts, func(ctx context.Context, batch []string) (vectors [][]float32, err error) {
		contents := make([]*library.Content, len(batch))
		for i, text := range batch {
			contents[i] = &library.Content{Parts: []*library.Part{{Text: text}}}
		}
		answer, err := m.client.Models.EmbedContent(ctx, m.config.EmbeddingName, contents, nil)
		if err != nil {
			return nil, err
		}
		for _, e := range answer.Embeddings {
			vectors = append(vectors, e.Values)
		}
		return vectors, nil
	})
}
