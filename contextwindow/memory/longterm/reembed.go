package longterm

import (
	"context"
	"slices"
)

// embedBatch is how many texts Reembed gives to the embedder at a time.
const embedBatch = 64

// Reembed embeds the memories that have no embedding of the current embedder, or one of another length, and returns how
// many. If the embedder or the store fails, the memories embedded until then keep their embeddings.
func (l *Memories) Reembed(ctx context.Context) (done int, err error) {
	if l.embedder.ask == nil {
		return 0, nil
	}
	g, err := l.embedder.measured(ctx)
	if err != nil {
		return 0, err
	}
	l.mu.Lock()
	l.shelf.measure(g.dimensions)
	l.mu.Unlock()
	for batch := range slices.Chunk(l.unembedded(), embedBatch) {
		n, err := l.reembed(ctx, batch)
		if err != nil && len(batch) > 1 && ctx.Err() == nil { // perhaps for one of them: one by one
			n, err = l.reembedEach(ctx, batch)
		}
		if done += n; err != nil {
			return done, err
		}
	}
	return done, nil
}

// maxRefused is how many memories in a row an embedder may refuse before Reembed gives up.
const maxRefused = 3

// reembedEach embeds memories one by one, and passes over those that the embedder refuses.
func (l *Memories) reembedEach(ctx context.Context, batch []Memory) (done int, err error) {
	refused := 0
	for _, m := range batch {
		n, err := l.reembed(ctx, []Memory{m})
		if done += n; err == nil {
			refused = 0
		} else if refused++; refused == maxRefused || ctx.Err() != nil {
			return done, err
		}
	}
	return done, nil
}

func (l *Memories) reembed(ctx context.Context, batch []Memory) (int, error) {
	texts := make([]string, len(batch))
	for i, m := range batch {
		texts[i] = m.Content
	}
	vectors, err := vectorsOf(ctx, l.embedder.ask, texts...)
	if err != nil {
		return 0, err
	}
	if err := l.Refresh(ctx); err != nil { // what another process has deleted or changed meanwhile stays so
		return 0, err
	}
	return l.takeVectors(ctx, batch, vectors)
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
