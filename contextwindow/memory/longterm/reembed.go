package longterm

import (
	"context"
	"slices"
)

// embedBatch is how many texts Reembed gives to the embedder at a time.
const embedBatch = 64

// Reembed embeds the memories that have no embedding of the current embedder and returns how many. If the embedder or
// the store fails, the memories embedded until then keep their embeddings.
func (l *Memories) Reembed(ctx context.Context) (done int, err error) {
	if l.embedder.ask == nil {
		return 0, nil
	}
	for batch := range slices.Chunk(l.unembedded(), embedBatch) {
		texts := make([]string, len(batch))
		for i, m := range batch {
			texts[i] = m.Content
		}
		vectors, err := l.embedder.vectors(ctx, texts...)
		if err != nil {
			return done, err
		}
		n, err := l.takeVectors(ctx, batch, vectors)
		if done += n; err != nil {
			return done, err
		}
	}
	return done, nil
}

func (l *Memories) unembedded() (found []Memory) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, e := range l.shelf.entries {
		if !e.removed && e.vector == nil {
			found = append(found, e.Memory)
		}
	}
	return found
}

// takeVectors writes the vectors of memories whose content is still the same.
func (l *Memories) takeVectors(ctx context.Context, batch []Memory, vectors [][]float32) (int, error) {
	n := 0
	err := l.put(ctx, func(get getter) (same []Memory, _ error) {
		for i, m := range batch {
			if now, err := get(m.ID); err == nil && now.Content == m.Content {
				now.Embedding, now.Embedder = vectors[i], l.embedder.name
				same = append(same, now)
			}
		}
		n = len(same)
		return same, nil
	})
	return n, err
}
