package locate

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
)

// A Similarity returns how similar in meaning each passage is to a query, in any unit: an embedding model, or one that
// reranks. The errors are its own.
type Similarity = func(ctx context.Context, query string, passages []string) ([]float64, error)

// Bounds of what a Similarity is asked. Small embedding models read 512 tokens and one passage of that length a second.
const (
	similarFiles  = 10
	similarQuery  = 1_500 // bytes
	similarSource = 1_000 // bytes of a passage
)

// similarWeight is how much of its score the least similar of the best files loses, as the weight of a signal. A small
// model knows less about code than the words do: multilingual-e5-small changed none of the figures of 71 questions.
const similarWeight = .2

// punish lowers the scores of the best files by how much less similar than the most similar one their best definitions
// are.
func (s *scoring) punish(
	ctx context.Context, query string, total []float64, read func(string) ([]byte, error), similar Similarity,
) error {
	var files []int
	var passages []string
	for _, f := range byScore(total)[:min(similarFiles, len(total))] {
		if text, err := read(s.ix.files[f].Path); err == nil && s.mentions(f) {
			files, passages = append(files, f), append(passages, s.passage(f, text))
		}
	}
	if len(files) < 2 {
		return nil
	}
	values, err := similar(ctx, cut(query, similarQuery), passages)
	if err != nil {
		return err
	}
	if len(values) != len(files) {
		return fmt.Errorf("%d values for %d passages", len(values), len(files))
	}
	most, least := slices.Max(values), slices.Min(values)
	if !(most > least) { // also for NaN
		return nil
	}
	for i, f := range files {
		total[f] -= similarWeight * (most - values[i]) / (most - least)
	}
	return nil
}

// passage returns what represents a file: its path and the lines of its best definition.
func (s *scoring) passage(f int, text []byte) string {
	best := 0
	for c, fit := range s.chunks[f] {
		if fit > s.chunks[f][best] {
			best = c
		}
	}
	if best < len(s.ix.files[f].Stats.chunks) {
		if c := s.ix.files[f].Stats.chunks[best]; c.start > 0 {
			lines := bytes.SplitAfter(text, []byte("\n"))
			text = bytes.Join(lines[min(c.start-1, len(lines)):min(c.end, len(lines))], nil)
		}
	}
	return s.ix.files[f].Path + "\n" + cut(string(text), similarSource)
}

func cut(text string, most int) string {
	return strings.ToValidUTF8(text[:min(most, len(text))], "")
}
