package generativeai

import (
	"context"
	"errors"
	"iter"

	library "github.com/google/generative-ai-go/genai"
	"google.golang.org/api/iterator"
	"google.golang.org/protobuf/proto"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
)

// Stream sends req and yields the answer as it arrives.
func (m *Model) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return m.service.Stream(ctx, func(put func([]providers.Delta) error) error { return m.stream(ctx, req, put) })
}

func (m *Model) stream(ctx context.Context, req *providers.Request, put func([]providers.Delta) error) error {
	asked, history, last, err := m.request(req)
	if err != nil {
		return m.service.Wrap(providers.Invalid, err)
	}
	inner, cancel := context.WithCancel(ctx) // closes the body, which the library does only at the end
	defer cancel()
	chat := asked.StartChat()
	chat.History = history
	responses := chat.SendMessageStream(inner, last...)
	a := answer{service: m.service}
	for {
		response, err := responses.Next()
		var blocked *library.BlockedError
		switch {
		case errors.Is(err, iterator.Done), err != nil && a.settled && wire.IsHarmless(err):
			deltas, err := a.end(req)
			if err != nil {
				return err
			}
			return put(deltas)
		case errors.As(err, &blocked):
			return put([]providers.Delta{{Finish: providers.Filtered}}) // the prompt was blocked
		case err != nil:
			return m.read(err)
		}
		deltas, err := a.add(response)
		if err == nil {
			err = put(deltas)
		}
		if err != nil {
			return err
		}
	}
}

// read marks an error of the library as Malformed if the answer could not be decoded, which shows as an error of
// package proto.
func (m *Model) read(err error) error {
	if errors.Is(err, proto.Error) && !wire.IsError(err) {
		return m.service.Error(providers.Malformed, "reading the answer: "+err.Error())
	}
	return err
}

// Count returns how many tokens the service counts in the prompt, the tools and the single message of req. The library
// cannot count a conversation: that is an error of class Invalid. It sends a request that makes no answer. Its other
// errors are those of [Model.Stream].
func (m *Model) Count(ctx context.Context, req *providers.Request) (int, error) {
	asked, history, last, err := m.request(req)
	switch {
	case err != nil:
		return 0, m.service.Wrap(providers.Invalid, err)
	case len(history) > 0:
		return 0, m.service.Error(
			providers.Invalid, "the library counts one message and no conversation: use gemini/"+m.config.Name,
		)
	}
	counted, err := asked.CountTokens(ctx, last...)
	if err != nil {
		return 0, m.service.Failed(ctx, m.read(err))
	}
	return m.service.Counted(counted.TotalTokens)
}

// Embed returns one vector for each text, in order, from the model Config.EmbeddingName. It sends at most a hundred
// texts at once. The service refuses empty texts. Its errors are those of [Model.Stream].
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	embedder := m.client.EmbeddingModel(m.config.EmbeddingName)
	return m.service.Embed(ctx, texts, func(ctx context.Context, texts []string) (vectors [][]float32, err error) {
		batch := embedder.NewBatch()
		for _, text := range texts {
			batch.AddContent(library.Text(text))
		}
		answer, err := embedder.BatchEmbedContents(ctx, batch)
		if err != nil {
			return nil, m.read(err)
		}
		for _, e := range answer.Embeddings {
			vectors = append(vectors, e.Values)
		}
		return vectors, nil
	})
}
