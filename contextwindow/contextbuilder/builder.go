package contextbuilder

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// ErrSystemTooLong says that the system prompt takes more than its ceiling, 80 % of the room by default. It is never cut.
var ErrSystemTooLong = errors.New("the system prompt is too long")

// A Builder builds contexts. It is immutable but for its caches and safe for concurrent use. Close it.
type Builder struct {
	config           Config
	sources          []Source
	retrievedCeiling float64
	owner            *owner
	blocks           *cache[filled]
	pasts            *cache[past]
	folds            *cache[string]
	summaries        *cache[threadSummary]
	seed             maphash.Seed
}

// New returns a builder, or all that is wrong with its config.
func New(c Config) (*Builder, error) {
	c, err := c.filled()
	if err != nil {
		return nil, fmt.Errorf("making a context builder: %w", err)
	}
	o := newOwner()
	b := &Builder{
		config: c, sources: c.Sources, owner: o, seed: maphash.MakeSeed(),
		blocks: newCache[filled](o), pasts: newCache[past](o), folds: newCache[string](o),
		summaries: newCache[threadSummary](o),
	}
	if c.Memories != nil && !c.NoMemories {
		b.sources = slices.Concat(c.Sources, []Source{memorySource{c}, ofConfig{UserMemory(c.Memories)}})
	}
	for _, s := range c.Shares {
		if s.Section == SectionRetrieved {
			b.retrievedCeiling = s.Ceiling
		}
	}
	return b, nil
}

// Close ends what is under way and waits for it. A builder that is closed builds nothing any more.
func (b *Builder) Close() { b.owner.close() }

// Invalidate drops the cached blocks of a type in a conversation, as after a memory was saved. A fetch of one that is
// under way is not kept.
func (b *Builder) Invalidate(thread, blockType string) {
	b.blocks.invalidate(thread, blockType+"\x00")
}

// Clear drops all that is cached of a conversation, as at its end, or when its messages were changed.
func (b *Builder) Clear(thread string) {
	b.blocks.invalidate(thread, "")
	b.pasts.invalidate(thread, "")
	b.folds.invalidate(thread, "")
	b.summaries.invalidate(thread, "")
}

// A Built is what a run is told: System, then History, then Prompt, with each of Notes as a note behind it.
type Built struct {
	System  string
	History []transcript.Message // summary and digest in a message of their own, then whole turns; paired, with their origin
	Head    int                  // so many messages of History are summary and digest: 0 or 1
	Prompt  transcript.Message   // blocks, fenced, and the input, once
	Notes   []contextwindow.Note // the pinned instruction
	Blocks  []Block              // that Prompt shows, as it shows them, in order
	Known   []Block              // of all sources, shown or not, whole: what Refresh compares with
	Stats   Stats
	Dropped []Decision // what had no room, failed or was late
}

// Build builds the context of a query. What is optional cannot fail it: sources, summary and memories that fail or are late
// are lines in the stats. The errors are those of ctx, of the thread, ErrSystemTooLong, contextwindow.ErrIrreducible, and
// ErrClosed.
func (b *Builder) Build(ctx context.Context, q Query) (Built, error) {
	if err := b.complete(ctx, &q); err != nil {
		return Built{}, fmt.Errorf("building a context: %w", err)
	}
	p, err := b.plan(q)
	if err != nil {
		return Built{}, fmt.Errorf("building a context: %w", err)
	}
	deadline, cancel := context.WithTimeout(ctx, b.config.Deadline)
	defer cancel()
	asked := b.ask(q)
	summary, err := b.read(ctx, deadline, p)
	if err != nil {
		b.abandon(asked)
		return Built{}, fmt.Errorf("building a context: %w", err)
	}
	if p.blocks, err = b.gather(ctx, deadline, asked, p.stats); err != nil {
		return Built{}, fmt.Errorf("building a context: %w", err)
	}
	return b.finish(ctx, p, summary)
}

// finish chooses, compacts and renders.
func (b *Builder) finish(ctx context.Context, p *plan, summary string) (Built, error) {
	p.choose(summary)
	if err := p.compact(ctx); err != nil {
		return Built{}, fmt.Errorf("building a context: %w", err)
	}
	built := p.built()
	built.Stats.log(b.config.Log, p.q)
	return built, nil
}

// complete checks a query and gets the text of an input that is in the thread already.
func (b *Builder) complete(ctx context.Context, q *Query) error {
	if b.owner.ctx.Err() != nil {
		return ErrClosed
	}
	if q.Room < 0 || q.Fixed < 0 || q.Seq < 0 || q.Images < 0 || q.Turn < 0 {
		return fmt.Errorf("a query has no negative numbers: room %d, fixed %d, seq %d, images %d, turn %d", q.Room, q.Fixed, q.Seq, q.Images, q.Turn)
	}
	if q.Input == "" && q.Seq > 0 && b.config.Threads != nil && q.Thread != "" {
		ms, err := b.recent(ctx, q.Thread, q.Seq+1, 1)
		if err != nil {
			return err
		}
		if len(ms) == 0 || ms[0].Seq != q.Seq {
			return fmt.Errorf("thread %q has no message %d", q.Thread, q.Seq)
		}
		q.Input, q.Images = ms[0].Text, max(q.Images, ms[0].Images)
	}
	q.Input = strings.ToValidUTF8(q.Input, "\uFFFD")
	if strings.TrimSpace(q.Input) == "" {
		return transcript.ErrEmpty
	}
	return nil
}

// plan reserves what is there in any case: the system prompt, the pinned instruction and the input.
func (b *Builder) plan(q Query) (*plan, error) {
	p := &plan{b: b, q: q, stats: new(Stats), room: b.config.Total}
	if q.Room > 0 {
		p.room = min(p.room, q.Room)
	}
	p.room = max(p.room-q.Fixed, 0)
	p.stats.Room = p.room
	p.system = toollimit.Tokens(q.System)
	row := p.shareOf(SectionSystem)
	if most := p.share(row.Ceiling); p.system > most {
		return nil, fmt.Errorf("%w: %d tokens, at most %d of a room of %d", ErrSystemTooLong, p.system, most, p.room)
	}
	why := ""
	if p.system > p.share(row.Share) {
		why = "over its share, which others leave to it"
		p.stats.warn(fmt.Sprintf("the system prompt takes %d tokens, its share is %d", p.system, p.share(row.Share)))
	}
	p.stats.decide(SectionSystem, "system", Included, why, p.system)
	p.placeInput()
	p.pin()
	return p, nil
}

// read reads the thread's summary and its past into the plan and returns the text of the summary, escaped.
func (b *Builder) read(ctx, deadline context.Context, p *plan) (string, error) {
	if p.q.Thread == "" || b.config.Threads == nil {
		p.past.whole = true
		return "", nil
	}
	text := b.readSummary(deadline, p)
	var err error
	p.past, err = b.pastOf(ctx, p.q, text, p.covered)
	return text, err
}

// A threadSummary is the summary of a thread and the number of the last message that it covers.
type threadSummary struct {
	text string
	last int64
}

// readSummary asks for the summary of the thread, under the deadline of sources.
func (b *Builder) readSummary(deadline context.Context, p *plan) string {
	s := b.config.Summary
	if s == nil || b.config.NoSummary {
		return ""
	}
	found := b.summaries.look(want[threadSummary]{
		conversation: p.q.Thread,
		key:          summaryTag,
		limit:        b.config.Deadline,
		fetch: func(ctx context.Context) (got threadSummary, err error) {
			got.text, got.last, err = s.Through(ctx, p.q.Thread)
			return got, err
		},
	})
	got, err := b.summaries.wait(deadline, found.flight, func() bool { return deadline.Err() != context.DeadlineExceeded })
	if err != nil {
		p.stats.decide(SectionSummary, summaryTag, Missing, lateOr(err), 0)
		return ""
	}
	if strings.TrimSpace(got.text) == "" {
		return ""
	}
	p.covered = got.last
	return escape(bounded(strings.TrimSpace(got.text)))
}

// pastTime is how long the past of a thread is cached (requirements).
const pastTime = 5 * time.Minute

// pastOf returns the past of a query's thread. It depends on what its key names and not on the message, so that it is
// read once for a thread that has not gone on.
func (b *Builder) pastOf(ctx context.Context, q Query, summary string, covered int64) (past, error) {
	newest, err := b.recent(ctx, q.Thread, q.Seq, 1)
	if err != nil {
		return past{}, err
	}
	if len(newest) == 0 {
		return past{whole: true}, nil
	}
	last := newest[len(newest)-1].Seq
	found := b.pasts.look(want[past]{
		conversation: q.Thread,
		key: fmt.Sprintf("%s\x00%x\x00%d\x00%d\x00%x", q.Agent, maphash.String(b.seed, q.System), last, covered,
			maphash.String(b.seed, summary)),
		ttl: pastTime,
		fetch: func(ctx context.Context) (past, error) {
			return readPast(ctx, b.config.Threads, q.Thread, last+1, covered, b.config.Turns)
		},
	})
	if found.fresh {
		return found.value, nil
	}
	return b.pasts.wait(ctx, found.flight, func() bool { return true })
}

// recent asks the thread. A panic of its is an error.
func (b *Builder) recent(ctx context.Context, thread string, before int64, limit int) ([]Message, error) {
	ms, err := caught(func() ([]Message, error) { return b.config.Threads.Recent(ctx, thread, before, limit) })
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("reading thread %q: %w", thread, err)
	}
	return ms, nil
}

// Warm reads, in the background, what the next build of a thread will need and what does not depend on its message. It
// starts nothing else, and what goes wrong is left to the build.
func (b *Builder) Warm(q Query) {
	if q.Thread == "" || b.config.Threads == nil {
		return
	}
	b.owner.start(func() {
		deadline, cancel := context.WithTimeout(b.owner.ctx, b.config.Deadline)
		defer cancel()
		p := &plan{b: b, q: q, stats: new(Stats)}
		text := b.readSummary(deadline, p)
		_, err := b.pastOf(b.owner.ctx, q, text, p.covered)
		b.config.Log.Debug("context warmed", "thread", q.Thread, "error", err)
	})
}

// Simple builds a context without a thread: a system prompt, an input, and what was said before.
func (b *Builder) Simple(system, input string, previous ...transcript.Message) (Built, error) {
	q := Query{System: system, Input: input}
	ctx := context.Background()
	if err := b.complete(ctx, &q); err != nil {
		return Built{}, fmt.Errorf("building a context: %w", err)
	}
	p, err := b.plan(q)
	if err != nil {
		return Built{}, fmt.Errorf("building a context: %w", err)
	}
	said := make([]Message, len(previous))
	for i, m := range previous {
		said[i] = Message{Seq: int64(i + 1), Message: m}
	}
	p.past = past{turns: split([][]Message{said}, b.config.Turns), whole: true}
	return b.finish(ctx, p, "")
}
