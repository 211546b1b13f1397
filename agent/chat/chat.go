package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/contextwindow/memory/summary"
	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/internal/queue"
	"github.com/forayhq/foray/toollimit"
)

// A Config describes a [Chat]. Only Agent.Model is required.
type Config struct {
	// Agent answers. Each turn is a run with its own window on a scope of Agent.Memory; nil: an in-memory one. The default
	// Profile is [contextwindow.Wide].
	Agent agent.Config
	// Store keeps threads, messages and summaries; nil: [InMemory]. Its owner closes it, after the Chat.
	Store Store
	// Builder decides what a run sees. The Chat sets Recent and Summary. Its Category is "*" by default: memories of any
	// category that are near to the message are shown.
	Builder contextbuilder.Config
	// ContextShare is the largest part of the window's budget, less the schemas of the tools, that a run's view of its
	// thread takes, from .05 to .95; 0: .6.
	ContextShare float64
	// Summary summarises threads. The Chat sets Log and Store. Without an Ask, summaries are extractive. If the server of
	// Agent.Model has one slot ([providers.Info]), requests of Summary and Extraction wait until no turn is running, and
	// turns wait for each other: each change of conversation makes such a server read everything again.
	Summary summary.Config
	// Memory holds what is remembered of users; nil: nothing is. A turn sees what is relevant to its message.
	Memory *longterm.Memories
	// Extraction makes memories of each question and answer, if Memory is set. Without an Ask it uses rules. Off is the
	// initial setting, which [Chat.Configure] changes.
	Extraction longterm.ExtractorConfig
	// Stage names the stage of a conversation for sources of blocks; nil: no stages. It must be fast.
	Stage func(Thread) string
	// Evidence returns what a message is answered from, such as the code that the user asks about, in at most the given
	// number of tokens; "" for a message that needs none. It precedes the message in the turn's requests and is not
	// stored. Nil: no message gets any. An error becomes a warning.
	Evidence func(ctx context.Context, text string, tokens int) (string, error)

	// Observe wraps the run of each turn, as [github.com/forayhq/foray/agent/otel.Observer] does. It passes the events on
	// as they come. Nil: nothing does.
	Observe func(
		ctx context.Context, thread string, run func(context.Context) iter.Seq2[agent.Event, error],
	) iter.Seq2[agent.Event, error]

	Repository string // the source tree that the conversations are about, for tools ([tools.Run]); "": none

	// Wait is how long a turn or a change waits for another process that writes to its thread (5 s; negative: not at all).
	// After that the error is an [*InUseError].
	Wait time.Duration

	Log *slog.Logger     // nil: none
	Now func() time.Time // nil: time.Now
}

// A Chat is any number of conversations with one agent, or with several in turn ([Chat.As]). It is safe for concurrent
// use. Turns of one thread are answered one at a time, in order of arrival; different threads run side by side.
type Chat struct {
	config     Config
	as         string // the agent that answers; "": that of the thread
	images     []toollimit.Image
	base       *speaker // of Config.Agent
	budget     float64  // of a run's window, in estimated tokens
	life       *lifetime
	slot       *slot // of the model's server
	threads    threads
	working    *working.Memory
	summaries  *summary.Updater
	memories   memories
	settings   *settings
	pins       *pinSource
	compacting *sync.Map // threads whose summary the user asks for
}

// New checks a [Config] and returns its Chat.
func New(c Config) (*Chat, error) {
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Store == nil {
		c.Store = InMemory()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Builder.Log = cmp.Or(c.Builder.Log, c.Log)
	c.Agent.Name = cmp.Or(c.Agent.Name, "chat")
	h := &Chat{config: c, working: c.Agent.Memory, life: newLifetime(), pins: &pinSource{}, compacting: &sync.Map{}}
	if h.working == nil {
		h.working = working.New(nil)
	}
	h.threads = threads{store: c.Store, wait: cmp.Or(c.Wait, defaultWait), seen: &seen{}, now: c.Now, life: h.life,
		queue: queue.New(maxWaiting, ErrBusy)}
	if err := h.assemble(); err != nil {
		return nil, fmt.Errorf("chat: %w", err)
	}
	return h, nil
}

// defaultWait is longer than a change, and short enough for a person to wait. A turn may take longer.
const defaultWait = 5 * time.Second

// maxSummaryPrompt bounds the messages in one request for a summary, in tokens, however large the window is.
const maxSummaryPrompt = 12_000

// assemble makes the parts that can fail. None of them has started a goroutine yet, so an error leaks nothing.
func (c *Chat) assemble() error {
	a := &c.config.Agent
	if a.Model == nil {
		return errors.New("no model")
	}
	a.Budget.Profile = cmp.Or(a.Budget.Profile, a.Profile, contextwindow.Wide)
	var err error
	if c.base, err = newSpeaker(*a); err != nil {
		return err
	}
	c.slot = newSlot(a.Model.Info().Slots)
	budget := c.base.Budget()
	c.budget = float64(budget.Limit) / cmp.Or(budget.Ratio, 1)
	s := c.config.Summary
	s.Prompt = cmp.Or(s.Prompt, min(a.Model.Info().Window/3, maxSummaryPrompt)) // the old and the new summary fit too
	s.Log, s.Store, s.Logger = c.unseen, c.config.Store, cmp.Or(s.Logger, c.config.Log)
	s.Ask, s.Timeout = c.slot.background(s.Ask, s.Timeout)
	if c.summaries, err = summary.New(s); err != nil {
		return err
	}
	var extraction longterm.ExtractorConfig
	if c.config.Memory != nil {
		x := c.config.Extraction
		x.Memories, x.Off, x.Logger = c.config.Memory, false, cmp.Or(x.Logger, c.config.Log)
		x.Ask, x.Timeout = c.slot.background(x.Ask, x.Timeout)
		extraction = x
	}
	b := c.config.Builder
	b.Category = cmp.Or(b.Category, "*")
	b.Recent, b.Summary = named{c.config.Store, a.Name}.Recent, c.summaries
	c.settings = &settings{builder: b, memory: c.config.Memory, pins: c.pins, agent: *a, base: c.base,
		extraction: extraction, extractors: make(map[[2]float64]*longterm.Extractor)}
	c.memories = memories{Memories: c.config.Memory, store: c.config.Store, settings: c.settings, log: c.config.Log}
	return c.settings.install(initialSettings(c.config))
}

// Close refuses new turns, and waits for running ones and for background work. If ctx ends first, it cancels what is
// left, has rules make the memories that a model had no time for, waits for that, and returns the error of ctx. Closing
// twice is not an error.
func (c *Chat) Close(ctx context.Context) error {
	err := c.life.close(ctx)
	err = cmp.Or(err, c.settings.closeExtractors(ctx))
	err = cmp.Or(err, c.summaries.Wait(ctx))
	c.summaries.Close()
	c.settings.close()
	return err
}

// queryOf is what a request of an agent in a thread asks of the context builder.
func queryOf(c *Chat, t Thread, s *setup, a *speaker) contextbuilder.Query {
	q := contextbuilder.Query{System: a.system, Thread: t.ID, User: t.User, Agent: a.name, Fixed: a.fixed}
	left := max(c.budget-float64(a.fixed), 0) // by the schemas of the tools
	q.Room = a.fixed + max(int(s.ContextShare*left), 1)
	if c.config.Stage != nil {
		q.Stage = c.config.Stage(t)
	}
	return q
}

// Settings returns the current settings.
func (c *Chat) Settings() Settings {
	c.settings.mu.Lock()
	defer c.settings.mu.Unlock()
	s := c.settings.current.Settings
	s.Shares, s.Agents = maps.Clone(s.Shares), slices.Clone(s.Agents)
	return s
}

// Configure changes the settings for turns that start later. On an error, [ErrInvalid] or [ErrDisabled] for extraction
// without a long-term memory, nothing changes.
func (c *Chat) Configure(s Settings) error {
	_, end, err := c.life.begin(context.Background())
	if err != nil {
		return err
	}
	defer end()
	return c.settings.install(s)
}

// initialSettings fills fields that are zero with the defaults of a [contextbuilder.Config].
func initialSettings(c Config) Settings {
	b := c.Builder
	shares := make(map[contextbuilder.Section]float64)
	for _, row := range (Settings{}).sections(b.Shares) {
		shares[row.Section] = row.Share
	}
	return Settings{
		Total: cmp.Or(b.Total, 48_000), ContextShare: cmp.Or(c.ContextShare, .6), Turns: cmp.Or(b.Turns, 20),
		MessageShare: cmp.Or(b.MessageShare, .45), MaxMessageTokens: b.MaxMessageTokens, Shares: shares,
		Summary: !b.NoSummary, Memories: !b.NoMemories, Compression: !b.NoCompression, Pinning: !b.NoPin,
		Extraction:           c.Memory != nil && !c.Extraction.Off,
		ExtractionImportance: cmp.Or(c.Extraction.MinImportance, 5),
		ExtractionSimilarity: cmp.Or(c.Extraction.UpdateSimilarity, .85),
	}
}
