package openai

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	library "github.com/sashabaranov/go-openai"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
	"github.com/forayhq/foray/toollimit"
)

// maxTexts and maxTextTokens bound one request for vectors: OpenAI accepts 2,048 texts and 300,000 tokens, others less.
const (
	maxTexts      = 128
	maxTextTokens = 100_000
)

// Bounds on an answer with vectors.
const (
	maxVector     = 256 << 10        // bytes of one vector, and of any other field: 8,192 numbers of 32 digits
	maxVectorTime = 10 * time.Minute // a slow machine reads the texts in less
	maxFields     = 32               // besides the vectors
	maxRefusal    = 64 << 10         // bytes of an answer without vectors
)

// Embed returns one vector for each text, in order and all of the same length. It asks POST /embeddings of the model
// Config.Name, in as many sequential requests as needed, and sends Config.ExtraBody too, as in "dimensions". An empty
// text is sent as a space, because services refuse an empty one. Errors are [*providers.Error]; a vector may have 256
// KB and a request ten minutes.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	var out [][]float32
	for len(texts) > 0 {
		n := batch(texts)
		vectors, err := m.embed(ctx, texts[:n])
		if err != nil {
			return nil, err
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

// embed makes one request, within its time.
func (m *Model) embed(ctx context.Context, texts []string) ([][]float32, error) {
	ctx, cancel := m.report.WithinTime(ctx, maxVectorTime)
	defer cancel()
	vectors, err := m.requestVectors(ctx, texts)
	if err != nil {
		return nil, m.report.Failed(ctx, err)
	}
	return vectors, nil
}

func (m *Model) requestVectors(ctx context.Context, texts []string) ([][]float32, error) {
	input := make([]string, len(texts))
	for i, text := range texts {
		input[i] = cmp.Or(text, " ")
	}
	body, err := line.JSON(library.EmbeddingRequest{
		Input: input, Model: library.EmbeddingModel(m.config.Name), EncodingFormat: library.EmbeddingEncodingFormatFloat,
	})
	if err != nil {
		return nil, m.report.Wrap(providers.Invalid, err)
	}
	resp, err := m.post(ctx, "/embeddings", m.withExtra(body[:len(body)-1], nil))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	all, err := m.readVectors(resp, len(texts))
	if err != nil {
		return nil, err
	}
	if len(all) != len(texts) {
		return nil, m.report.Misled(providers.Malformed, fmt.Sprintf("%d vectors for %d texts", len(all), len(texts)))
	}
	out := make([][]float32, len(texts))
	for _, v := range all {
		length := len(v.Embedding)
		if v.Index < 0 || v.Index >= len(out) || out[v.Index] != nil || length == 0 || length != len(all[0].Embedding) {
			return nil, m.report.Error(providers.Malformed, "want one vector for each text, all of the same length")
		}
		out[v.Index] = v.Embedding
	}
	return out, nil
}

// readVectors reads the vectors of an answer to n texts one by one, so that an answer without an end takes no memory.
// If the answer is an error object, it returns that error.
func (m *Model) readVectors(resp *http.Response, n int) ([]library.Embedding, error) {
	tooLong := m.report.TooLong(fmt.Sprintf("one vector is longer than %d KB", maxVector>>10))
	bounded := &wire.Bounded{Reader: resp.Body, Left: maxVector, TooLong: tooLong}
	in := bufio.NewReader(bounded)
	start, err := in.Peek(1)
	for err == nil && bytes.ContainsAny(start, " \t\r\n") {
		in.Discard(1)
		start, err = in.Peek(1)
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	if wire.IsPage(resp.Header, start) || string(start) != "{" {
		return nil, m.withoutVectors(resp, in)
	}
	all, fields := []library.Embedding(nil), map[string]json.RawMessage{}
	d := json.NewDecoder(in)
	for _, err = d.Token(); err == nil && d.More(); {
		var name json.Token
		if name, err = d.Token(); err != nil {
			break
		}
		bounded.Left = maxVector
		if name == "data" {
			if all, err = decodeVectors(d, bounded, n); len(all) > n {
				return all, nil
			}
			continue
		}
		var raw json.RawMessage
		if err = d.Decode(&raw); err == nil && len(fields) < maxFields {
			fields[fmt.Sprint(name)] = raw
		}
	}
	if err == nil {
		_, err = d.Token()
	}
	var syntax *json.SyntaxError
	switch {
	case err == io.EOF:
		return nil, io.ErrUnexpectedEOF // the answer is cut
	case errors.As(err, &syntax):
		return nil, m.report.Error(providers.Malformed, "the answer is not JSON: "+err.Error())
	case err != nil:
		return nil, err
	}
	raw, err := line.JSON(fields)
	if err != nil {
		return nil, err
	}
	if f, ok := eventFault(raw, false); ok {
		return nil, m.classify(f, http.StatusOK)
	}
	return all, nil
}

// decodeVectors reads a list of vectors, and at most one more than it needs.
func decodeVectors(d *json.Decoder, bounded *wire.Bounded, most int) (all []library.Embedding, err error) {
	for _, err = d.Token(); err == nil && d.More() && len(all) <= most; {
		var v library.Embedding
		bounded.Left = maxVector
		if err = d.Decode(&v); err == nil {
			all = append(all, v)
		}
	}
	if err == nil && len(all) <= most {
		_, err = d.Token()
	}
	return all, err
}

// withoutVectors returns the error of an answer that is not an object.
func (m *Model) withoutVectors(resp *http.Response, in io.Reader) error {
	raw, err := io.ReadAll(io.LimitReader(in, maxRefusal))
	raw = bytes.TrimSpace(raw)
	switch {
	case err != nil:
		return err
	case wire.IsPage(resp.Header, raw):
		return m.report.Misled(providers.Malformed, "the server answered with a web page")
	case json.Valid(raw):
		if f, ok := eventFault(raw, false); ok {
			return m.classify(f, http.StatusOK)
		}
	}
	return m.report.Error(providers.Malformed, "the answer is not JSON with vectors: "+string(raw))
}
