package contextbuilder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/contextbuilder/internal/cache"
	"github.com/forayhq/foray/contextwindow/transcript"
)

var (
	// ErrSystemTooLong means that the system prompt exceeds its ceiling, 80 % of the room by default. It is never
	// truncated.
	ErrSystemTooLong = errors.New("the system prompt is too long")

	// ErrClosed means that the builder was used after [Builder.Close].
	ErrClosed = cache.ErrClosed
)

// A Builder builds contexts. It is immutable apart from its caches and safe for concurrent use. Close it.
type Builder struct {
	config    Config
	sources   []Source
	owner     *cache.Owner
	blocks    *cache.Cache[content]
	pasts     *cache.Cache[past]
	gaps      *cache.Cache[string] // summaries of turns that compaction removed
	summaries *cache.Cache[threadSummary]
}

// New returns a builder, or everything that is wrong with its config.
func New(c Config) (*Builder, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("making a context builder: %w", err)
	}
	o := cache.NewOwner()
	b := &Builder{
		config: c, sources: c.Sources, owner: o,
		blocks: cache.New[content](o), pasts: cache.New[past](o), gaps: cache.New[string](o),
		summaries: cache.New[threadSummary](o),
	}
	if c.Memories != nil && !c.NoMemories {
		b.sources = slices.Concat(c.Sources, []Source{memorySource{c}, automatic{UserMemory(c.Memories)}})
	}
	return b, nil
}

// Close ends background work and waits for it. A closed builder returns [ErrClosed].
func (b *Builder) Close() { b.owner.Close() }

// Invalidate drops the cached blocks of a type in a conversation, for example after a memory was saved. The result of a
// fetch in flight is not cached.
func (b *Builder) Invalidate(thread, blockType string) { b.blocks.Invalidate(thread, blockType+"\x00") }

// Clear drops everything cached for a conversation, for example at its end or after its messages changed.
func (b *Builder) Clear(thread string) {
	b.blocks.Invalidate(thread, "")
	b.pasts.Invalidate(thread, "")
	b.gaps.Invalidate(thread, "")
	b.summaries.Invalidate(thread, "")
}

// A Built is the beginning of a run: System, then History, then Prompt, followed by Notes.
type Built struct {
	System  string
	History []transcript.Message // a message with summary and digest, then whole turns; paired, with their origin
	Head    int                  // how many messages of History hold summary and digest: 0 or 1
	Prompt  transcript.Message   // blocks, fenced, and the input
	Notes   []contextwindow.Note // the pinned instruction
	Blocks  []Block              // those in Prompt, as shown, in order
	Known   []Block              // of all sources, shown or not, whole: what Refresh compares with
	Stats   Stats
	Dropped []Decision // parts that had no room, failed or were late
}

// Build builds the context of a query. Sources, summaries and memories that fail or are late become decisions in the
// stats. It returns the error of ctx or of the thread, [ErrSystemTooLong], contextwindow.ErrIrreducible or
// [ErrClosed].
func (b *Builder) Build(ctx context.Context, q Query) (_ Built, err error) {
	defer wrap(&err)
	if err := b.complete(ctx, &q); err != nil {
		return Built{}, err
	}
	p, err := b.plan(q)
	if err != nil {
		return Built{}, err
	}
	deadline, cancel := context.WithTimeout(ctx, b.config.Deadline)
	defer cancel()
	asked := b.ask(q)
	summary, err := b.read(ctx, deadline, p)
	if err != nil {
		b.abandon(asked)
		return Built{}, err
	}
	blocks, err := b.gather(ctx, deadline, asked, p.stats)
	if err != nil {
		return Built{}, err
	}
	p.blocks.all = blocks
	return b.finish(ctx, p, summary)
}

// finish selects, compacts and renders.
func (b *Builder) finish(ctx context.Context, p *plan, summary string) (Built, error) {
	p.fill(summary)
	if err := p.compact(ctx); err != nil {
		return Built{}, err
	}
	p.summariseGap(ctx)
	p.settlePin()
	built := p.built()
	built.Stats.log(b.config.Log, p.q)
	return built, nil
}

// complete checks a query and reads the text of an input that the thread already holds.
func (b *Builder) complete(ctx context.Context, q *Query) error {
	if b.owner.Context().Err() != nil {
		return ErrClosed
	}
	if q.Room < 0 || q.Fixed < 0 || q.Seq < 0 || q.Turn < 0 {
		return fmt.Errorf("negative number in the query: room %d, fixed %d, seq %d, turn %d",
			q.Room, q.Fixed, q.Seq, q.Turn)
	}
	if q.Input == "" && q.Seq > 0 && b.config.Recent != nil && q.Thread != "" {
		ms, err := b.recent(ctx, *q, q.Seq+1, 1)
		if err != nil {
			return err
		}
		if len(ms) == 0 || ms[0].Seq != q.Seq {
			return fmt.Errorf("thread %q has no message %d", q.Thread, q.Seq)
		}
		q.Input = ms[0].Text
		if q.Images == nil {
			q.Images = ms[0].Images
		}
	}
	q.Input = strings.ToValidUTF8(q.Input, "\uFFFD")
	if strings.TrimSpace(q.Input) == "" {
		return transcript.ErrEmpty
	}
	return nil
}

// Warm reads the past of a thread and its summary in the background, so that the next build finds them cached. It
// ignores errors: that build reports them.
func (b *Builder) Warm(q Query) {
	if q.Thread == "" || b.config.Recent == nil {
		return
	}
	b.owner.Start(func() {
		deadline, cancel := context.WithTimeout(b.owner.Context(), b.config.Deadline)
		defer cancel()
		p := &plan{b: b, q: q, stats: new(Stats)}
		b.readSummary(deadline, p)
		_, err := b.pastOf(b.owner.Context(), q, p.head.covered)
		b.config.Log.Debug("context warmed", "thread", q.Thread, "error", err)
	})
}

// Simple builds a context without a thread: a system prompt, an input, and the messages before it.
func (b *Builder) Simple(system, input string, previous ...transcript.Message) (_ Built, err error) {
	defer wrap(&err)
	q, ctx := Query{System: system, Input: input}, context.Background()
	if err := b.complete(ctx, &q); err != nil {
		return Built{}, err
	}
	p, err := b.plan(q)
	if err != nil {
		return Built{}, err
	}
	messages := make([]Message, len(previous))
	for i, m := range previous {
		messages[i] = Message{Seq: int64(i + 1), Message: m}
	}
	p.past = past{turns: split([][]Message{messages}, b.config.Turns), whole: true}
	return b.finish(ctx, p, "")
}

func wrap(err *error) {
	if *err != nil {
		*err = fmt.Errorf("building a context: %w", *err)
	}
}
