package recall

import (
	"context"
	"iter"

	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/internal/textsearch"
	"github.com/forayhq/foray/toollimit"
)

// turnStore keeps each turn as a memory.
type turnStore []textsearch.Turn

// All implements [longterm.Store].
func (s turnStore) All(context.Context) iter.Seq2[longterm.Memory, error] {
	return func(yield func(longterm.Memory, error) bool) {
		for _, t := range s {
			m := longterm.Memory{ID: t.ID, Category: longterm.Fact, Content: t.Text, Importance: 5, Created: t.At}
			if !yield(m, nil) {
				return
			}
		}
	}
}

// Put implements [longterm.Store]. Nothing is kept.
func (turnStore) Put(context.Context, ...longterm.Memory) error { return nil }

// Delete implements [longterm.Store].
func (turnStore) Delete(context.Context, ...string) error { return nil }

// asMemories searches the turns as foray memory search would if each were remembered, without neighbours and speakers.
func asMemories(c *conversation) func(string, int) []place {
	ctx := context.Background()
	l, err := longterm.Open(ctx, &longterm.Options{Store: turnStore(c.turns)})
	return func(question string, limit int) (places []place) {
		if err != nil {
			return nil
		}
		found, _ := l.Search(ctx, longterm.Query{Text: question, Limit: min(limit, 10), MinSimilarity: -1})
		for _, m := range found {
			places = append(places, place{[]string{m.ID}, toollimit.Tokens(m.Content)})
		}
		return places
	}
}
