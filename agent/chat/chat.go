package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/contextwindow/memory/summary"
	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/tools"
)

// ErrClosed says that a Chat was asked after Close.
var ErrClosed = errors.New("the chat is closed")

// A Config says what a Chat is made of. Only Agent.Model is needed; nil and zero mean the defaults.
type Config struct {
	// Agent answers. Each turn is a run with a window of its own, whose store is a scope of Memory, or of a working memory
	// that New makes. Profile "" is contextwindow.Wide.
	Agent agent.Config
	// Store keeps threads, messages and summaries; nil: InMemory. Whoever made it closes it, after the Chat.
	Store Store
	// Builder decides what a run is told. Its Threads and Summary are the Chat's.
	Builder contextbuilder.Config
	// Summary keeps the summaries of threads. Its Log and Store are the Chat's Store; without an Ask they are extractive.
	Summary summary.Config
	// Memory is what is remembered of users; nil: nothing is. A turn is told what of it concerns its message.
	Memory *longterm.Memories
	// Extraction makes memories of exchanges, behind the answers, if there is a Memory. Its LongTerm is that; without an Ask it
	// goes by rules. Off is the setting that it begins with.
	Extraction longterm.ExtractorConfig
	// Stage names the stage of a conversation for sources of blocks; nil: none has a stage. It must be quick.
	Stage func(Thread) string

	Log *slog.Logger     // nil: none
	Now func() time.Time // nil: time.Now
}

// A Chat is any number of conversations with one agent. It is safe for concurrent use. Turns of one thread are answered
// one at a time, in the order in which they came; those of different threads side by side. What can be done behind an
// answer is, and Close waits for it.
type Chat struct {
	config     Config
	agent      *agent.Agent
	working    *working.Memory
	queue      *queue
	summaries  *summary.Updater
	extraction *longterm.Extractor // nil: there is no long-term memory
	room       int                 // for what a run is told, in tokens
	fixed      int                 // of these, what the schemas of its tools take
	pins       pinSource

	ctx    context.Context // ends when Close has no more patience
	cancel context.CancelFunc
	mu     sync.Mutex // guards what follows
	setup  *setup
	closed bool
	turns  sync.WaitGroup // and what else is under way
}

// New checks a configuration and returns its Chat. It returns an error for what agent.New and contextbuilder.New refuse.
func New(c Config) (*Chat, error) {
	if c.Store == nil {
		c.Store = InMemory()
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Builder.Log = cmp.Or(c.Builder.Log, c.Log)
	c.Agent.Name = cmp.Or(c.Agent.Name, "chat")
	h := &Chat{config: c, working: c.Agent.Memory, queue: newQueue()}
	if h.working == nil {
		h.working = working.New(nil)
	}
	if err := h.make(); err != nil {
		return nil, fmt.Errorf("chat: %w", err)
	}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h, nil
}

// make makes the parts of a Chat. They have no goroutines yet.
func (c *Chat) make() error {
	if err := c.measure(); err != nil {
		return err
	}
	s := c.config.Summary
	s.Log, s.Store, s.Logger = c.config.Store.After, c.config.Store, cmp.Or(s.Logger, c.config.Log)
	var err error
	if c.summaries, err = summary.New(s); err != nil {
		return err
	}
	if c.config.Memory != nil {
		x := c.config.Extraction
		x.Memories, x.Off, x.Logger = c.config.Memory, false, cmp.Or(x.Logger, c.config.Log)
		if c.extraction, err = longterm.NewExtractor(x); err != nil {
			return err
		}
	}
	return c.install(settingsOf(c.config))
}

// roomShare is the part of a window's budget that may be told (context-system).
const roomShare = .6

// measure finds the budget of a run, and how much of it may be told.
func (c *Chat) measure() error {
	a := &c.config.Agent
	if a.Model == nil {
		return errors.New("no model")
	}
	a.Budget.Profile = cmp.Or(a.Budget.Profile, a.Profile, contextwindow.Wide)
	var err error
	if c.agent, err = agent.New(*a); err != nil {
		return err
	}
	a.Budget = c.agent.Budget()
	set, err := tools.NewSet(a.Tools...)
	if err != nil {
		return err
	}
	var frame contextwindow.Prefix
	for _, t := range set.All() {
		frame.Tools = append(frame.Tools, transcript.ToolSchema{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	w := contextwindow.New(contextwindow.Budget{}, nil)
	w.Open(frame)
	c.fixed = w.Usage().Prefix
	c.room = int(roomShare * float64(a.Budget.Limit) / cmp.Or(a.Budget.Ratio, 1))
	return nil
}

// Close lets no more turns begin, and waits for those under way and for what is done behind answers. When ctx ends first,
// what is left is cancelled and waited for, and the error is that of ctx. It is not an error to close twice.
func (c *Chat) Close(ctx context.Context) error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.turns.Wait()
	}()
	var err error
	select {
	case <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	c.cancel()
	<-done
	if c.extraction != nil {
		err = cmp.Or(err, c.extraction.Close(ctx))
	}
	err = cmp.Or(err, c.summaries.Wait(ctx))
	c.summaries.Close()
	c.setup.builder.Close()
	return err
}

// clear drops what is cached of a thread whose messages were changed.
func (c *Chat) clear(thread string) {
	setup, end := c.use()
	defer end()
	setup.builder.Clear(thread)
}

// begin notes that something is under way, which Close waits for, and returns a context that ends with both.
func (c *Chat) begin(ctx context.Context) (context.Context, func(), error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, nil, ErrClosed
	}
	c.turns.Add(1)
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.ctx, func() { cancel(ErrClosed) })
	return ctx, func() {
		stop()
		cancel(nil)
		c.turns.Done()
	}, nil
}

// alone runs fn when nothing else is done with a thread.
func (c *Chat) alone(ctx context.Context, thread string, fn func(context.Context) error) error {
	ctx, end, err := c.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	p, err := c.queue.enter(thread)
	if err != nil {
		return err
	}
	if err := p.wait(ctx); err != nil {
		return fmt.Errorf("waiting for thread %s: %w", thread, err)
	}
	defer p.leave()
	return fn(ctx)
}
