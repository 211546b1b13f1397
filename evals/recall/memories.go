package recall

import (
	"context"
	"errors"
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
// An embedder of o compares them too; nil: words alone do.
func asMemories(ctx context.Context, c *conversation, o *longterm.Options) (searcher, error) {
	with := longterm.Options{Store: turnStore(c.turns)}
	if o != nil {
		with.Embed, with.EmbedQuery, with.Embedder = o.Embed, o.EmbedQuery, o.Embedder
	}
	l, err := longterm.Open(ctx, &with)
	if err != nil {
		return nil, err
	}
	if _, err := l.Reembed(ctx); err != nil {
		return nil, err
	}
	return func(question string, limit int) ([]place, error) {
		failed := l.Failures()
		found, err := l.Search(ctx, longterm.Query{Text: question, Limit: min(limit, 10), MinSimilarity: -1})
		if err == nil && l.Failures() > failed {
			err = errUnembedded
		}
		var places []place
		for _, m := range found {
			places = append(places, place{[]string{m.ID}, toollimit.Tokens(m.Content)})
		}
		return places, err
	}, nil
}

// errUnembedded ends a measurement that would otherwise show what words alone find under the name of the embedder.
var errUnembedded = errors.New("the embedding model failed, or took more than 5 seconds, for a question (a slow one needs --jobs 1)")
