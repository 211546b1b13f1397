package longterm

import (
	"context"
	"slices"
)

// embeddedAtOnce is how many texts Reembed gives to the embedder at a time.
const embeddedAtOnce = 64

// Reembed embeds the memories that have no embedding of the embedder, and returns how many it did. The error is the
// embedder's or the store's; what was done until then stays.
func (l *Memories) Reembed(ctx context.Context) (done int, err error) {
	if l.embed == nil {
		return 0, nil
	}
	for batch := range slices.Chunk(l.unembedded(), embeddedAtOnce) {
		texts := make([]string, len(batch))
		for i, m := range batch {
			texts[i] = m.Content
		}
		vectors, err := embedded(ctx, l.embed, texts...)
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
	l.writing.Lock()
	defer l.writing.Unlock()
	var same []Memory
	for i, m := range batch {
		if now, err := l.Get(m.ID); err == nil && now.Content == m.Content {
			now.Embedding, now.Embedder = vectors[i], l.embedder
			same = append(same, now)
		}
	}
	if len(same) == 0 {
		return 0, nil
	}
	return len(same), l.write(ctx, same...)
}
