package generativeai

import (
	"context"
	"errors"
	"fmt"
	"iter"

	library "github.com/google/generative-ai-go/genai"
	"google.golang.org/api/iterator"

	"github.com/forayhq/foray/providers"
)

// Stream sends req and yields the answer as it comes.
func (m *Model) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		if err := m.stream(ctx, req, yield); err != nil && !errors.Is(err, errBrokenOff) {
			yield(providers.Delta{}, m.failed(ctx, err))
		}
	}
}

// errBrokenOff says that the caller has seen enough.
var errBrokenOff = errors.New("broken off")

func (m *Model) stream(ctx context.Context, req *providers.Request, yield func(providers.Delta, error) bool) error {
	asked, history, last, err := m.request(req)
	if err != nil {
		return m.wrap(providers.Invalid, err)
	}
	inner, cancel := context.WithCancel(ctx) // closes the body, which the library does at the end only
	defer cancel()
	chat := asked.StartChat()
	chat.History = history
	responses := chat.SendMessageStream(inner, last...)
	a := answer{model: m}
	for {
		response, err := responses.Next()
		var blocked *library.BlockedError
		switch {
		case errors.Is(err, iterator.Done), err != nil && a.finish != 0 && !isError(err): // what broke behind the finish is not missed
			deltas, err := a.end(req)
			if err != nil {
				return err
			}
			return pass(ctx, deltas, yield)
		case errors.As(err, &blocked):
			return pass(ctx, []providers.Delta{{Finish: providers.Filtered}}, yield) // the prompt was blocked
		case err != nil:
			return err
		}
		if err := pass(ctx, a.add(response), yield); err != nil {
			return err
		}
	}
}

// isError reports whether err was told by the service, and not by the transport.
func isError(err error) bool {
	var e *providers.Error
	return errors.As(err, &e)
}

// pass yields deltas, until the context ends.
func pass(ctx context.Context, deltas []providers.Delta, yield func(providers.Delta, error) bool) error {
	for _, d := range deltas {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !yield(d, nil) {
			return errBrokenOff
		}
	}
	return nil
}

// Count returns how many tokens the service counts in the prompt, the tools, and the one message of req: the library
// cannot count a conversation, which is an error of class Invalid. It costs a request, and no answer is made. Errors are as of Stream.
func (m *Model) Count(ctx context.Context, req *providers.Request) (int, error) {
	asked, history, last, err := m.request(req)
	switch {
	case err != nil:
		return 0, m.wrap(providers.Invalid, err)
	case len(history) > 0:
		return 0, m.error(providers.Invalid, "the library counts one message and no conversation: use gemini/"+m.config.Name)
	}
	counted, err := asked.CountTokens(ctx, last...)
	switch {
	case err != nil:
		return 0, m.failed(ctx, err)
	case counted.TotalTokens <= 0:
		return 0, m.error(providers.Malformed, "the service answered without a count"+m.hint())
	}
	return int(counted.TotalTokens), nil
}

// maxEmbedded is how many texts the service takes at once.
const maxEmbedded = 100

// Embed returns a vector for each text, in their order, of the model Config.EmbeddingName. It sends a hundred texts at
// once at most. No text may be empty: the service refuses that. Errors are as of Stream.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	embedder := m.client.EmbeddingModel(m.config.EmbeddingName)
	vectors := make([][]float32, 0, len(texts))
	for start := 0; start < len(texts); start += maxEmbedded {
		texts := texts[start:min(start+maxEmbedded, len(texts))]
		batch := embedder.NewBatch()
		for _, text := range texts {
			batch.AddContent(library.Text(text))
		}
		answer, err := embedder.BatchEmbedContents(ctx, batch)
		if err != nil {
			return nil, m.failed(ctx, err)
		}
		if len(answer.Embeddings) != len(texts) {
			return nil, m.error(providers.Malformed, fmt.Sprintf("the service answered %d texts with %d vectors", len(texts), len(answer.Embeddings)))
		}
		for _, e := range answer.Embeddings {
			vectors = append(vectors, e.Values)
		}
	}
	return vectors, nil
}
