package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	library "github.com/sashabaranov/go-openai"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
	"github.com/forayhq/foray/toollimit"
)

// maxTexts and maxTextTokens bound one request for vectors: OpenAI accepts 2,048 texts and 300,000 tokens, others less.
const (
	maxTexts      = 128
	maxTextTokens = 100_000
)

// maxVectors bounds an answer with vectors in bytes: 128 vectors of 4,096 numbers are 11 MB of text.
const maxVectors = 64 << 20

// Embed returns one vector for each text, in order and all of the same length. It asks POST /embeddings of the model
// Config.Name, in as many sequential requests as needed, and sends Config.ExtraBody too, as in "dimensions". An empty
// text is sent as a space, because services refuse an empty one. Errors are [*providers.Error].
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	var out [][]float32
	for len(texts) > 0 {
		n := batch(texts)
		vectors, err := m.embed(ctx, texts[:n])
		if err != nil {
			return nil, m.report.Failed(ctx, err)
		}
		if len(out) > 0 && len(vectors[0]) != len(out[0]) {
			return nil, m.report.Error(providers.Malformed, "the vectors of two requests differ in length")
		}
		out, texts = append(out, vectors...), texts[n:]
	}
	return out, nil
}

// batch returns how many of the texts fit into one request: at least one.
func batch(texts []string) int {
	tokens := 0
	for i, text := range texts {
		if tokens += toollimit.Tokens(text); i > 0 && (i == maxTexts || tokens > maxTextTokens) {
			return i
		}
	}
	return len(texts)
}

// embed sends one request.
func (m *Model) embed(ctx context.Context, texts []string) ([][]float32, error) {
	input := make([]string, len(texts))
	for i, text := range texts {
		input[i] = cmp.Or(text, " ")
	}
	body, err := wire.Encode(library.EmbeddingRequest{
		Input: input, Model: library.EmbeddingModel(m.config.Name), EncodingFormat: library.EmbeddingEncodingFormatFloat,
	})
	if err != nil {
		return nil, m.report.Wrap(providers.Invalid, err)
	}
	resp, err := m.post(ctx, "/embeddings", m.withExtra(body[:len(body)-1], nil))
	if err != nil {
		return nil, err
	}
	var answer library.EmbeddingResponse
	if err := m.readWhole(resp, &answer); err != nil {
		return nil, err
	}
	if len(answer.Data) != len(texts) {
		return nil, m.report.Misled(providers.Malformed, fmt.Sprintf("%d vectors for %d texts", len(answer.Data), len(texts)))
	}
	out := make([][]float32, len(texts))
	for _, v := range answer.Data {
		length := len(v.Embedding)
		if v.Index < 0 || v.Index >= len(out) || out[v.Index] != nil || length == 0 ||
			length != len(answer.Data[0].Embedding) {
			return nil, m.report.Error(providers.Malformed, "want one vector for each text, all of the same length")
		}
		out[v.Index] = v.Embedding
	}
	return out, nil
}

// readWhole decodes a response of one JSON value into v. If the value is an error object, it returns that error.
func (m *Model) readWhole(resp *http.Response, v any) error {
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxVectors+1))
	switch {
	case err != nil:
		return err
	case len(raw) > maxVectors:
		return m.report.Error(providers.Malformed, fmt.Sprintf("the answer is longer than %d bytes", maxVectors))
	case wire.IsPage(resp.Header, raw):
		return m.report.Misled(providers.Malformed, "the server answered with a web page")
	case !json.Valid(raw):
		if err := json.NewDecoder(bytes.NewReader(raw)).Decode(new(json.RawMessage)); err == io.ErrUnexpectedEOF {
			return err // the answer is cut
		}
		return m.report.Error(providers.Malformed, "the answer is not JSON: "+string(raw))
	}
	if f, ok := eventFault(bytes.TrimSpace(raw), false); ok {
		return m.classify(f, http.StatusOK)
	}
	return json.Unmarshal(raw, v)
}
