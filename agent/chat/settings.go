package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
)

// Settings can be changed while a [Chat] is in use.
type Settings struct {
	Total            int  `json:"total_tokens"`            // size of what a run sees, in tokens; never above .6 of the window's budget
	Turns            int  `json:"window_turns"`            // recent turns that a run sees
	MaxMessageTokens int  `json:"max_message_tokens"`      // of one message of a thread
	Summary          bool `json:"summary"`                 // make and show summaries
	Memories         bool `json:"memories"`                // look up memories
	Compression      bool `json:"tool_result_compression"` // shorten tool results to make room
	Pinning          bool `json:"instruction_pinning"`     // pin the instruction
	Extraction       bool `json:"memory_extraction"`       // make memories of exchanges
}

// Settings returns the current settings.
func (c *Chat) Settings() Settings {
	c.settings.mu.Lock()
	defer c.settings.mu.Unlock()
	return c.settings.current.Settings
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

// Defaults of a [contextbuilder.Config], for fields that it leaves zero.
const (
	defaultTotal   = 48_000
	defaultTurns   = 20
	defaultMessage = 2_000
)

func initialSettings(c Config) Settings {
	b := c.Builder
	return Settings{
		Total: cmp.Or(b.Total, defaultTotal), Turns: cmp.Or(b.Turns, defaultTurns),
		MaxMessageTokens: cmp.Or(b.MaxMessageTokens, defaultMessage),
		Summary:          !b.NoSummary, Memories: !b.NoMemories, Compression: !b.NoCompression, Pinning: !b.NoPin,
		Extraction: c.Memory != nil && !c.Extraction.Off,
	}
}

// Limits of the settings, so that no request becomes too long for every service.
const (
	maxTokens = 10_000_000
	maxTurns  = 10_000
)

func (s Settings) check() error {
	var errs []error
	for _, n := range []struct {
		name         string
		value, limit int
	}{{"total_tokens", s.Total, maxTokens}, {"window_turns", s.Turns, maxTurns}, {"max_message_tokens", s.MaxMessageTokens, maxTokens}} {
		if n.value < 1 || n.value > n.limit {
			errs = append(errs, fmt.Errorf("%s is %d, not from 1 to %d", n.name, n.value, n.limit))
		}
	}
	return errors.Join(errs...)
}

// settings holds the current settings with the builder that follows from them.
type settings struct {
	builder contextbuilder.Config // to which the settings are applied
	memory  *longterm.Memories
	pins    *pinSource

	mu      sync.Mutex
	current *setup
}

// A setup is settings with their builder. A turn uses one from beginning to end; a replaced one is closed after the last
// turn that uses it.
type setup struct {
	Settings
	*contextbuilder.Builder
	users   int  // guarded by settings.mu
	retired bool // guarded by settings.mu
}

// memoryBlocks are the types of blocks that hold memories.
var memoryBlocks = []string{contextbuilder.TypeUserMemory, contextbuilder.TypeMemories}

// dropMemories drops the cached memories of a thread.
func (s *setup) dropMemories(thread string) {
	for _, block := range memoryBlocks {
		s.Invalidate(thread, block)
	}
}

// install replaces the current settings.
func (ss *settings) install(s Settings) error {
	if err := s.check(); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if s.Extraction && ss.memory == nil {
		return ErrDisabled
	}
	b := ss.builder
	b.Total, b.Turns, b.MaxMessageTokens = s.Total, s.Turns, s.MaxMessageTokens
	b.NoSummary, b.NoMemories, b.NoCompression, b.NoPin = !s.Summary, !s.Memories, !s.Compression, !s.Pinning
	b.Sources = append(slices.Clone(b.Sources), ss.pins)
	if ss.memory != nil && s.Memories {
		b.Memories = builderMemories{ss.memory}
	}
	builder, err := contextbuilder.New(b)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	ss.mu.Lock()
	old := ss.current
	ss.current = &setup{Settings: s, Builder: builder}
	unused := old != nil && old.users == 0
	if old != nil {
		old.retired = true
	}
	ss.mu.Unlock()
	if unused {
		old.Close()
	}
	return nil
}

// use returns the current setup, and a function to call when it is no longer used.
func (ss *settings) use() (*setup, func()) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	s := ss.current
	s.users++
	return s, func() {
		ss.mu.Lock()
		s.users--
		last := s.retired && s.users == 0
		ss.mu.Unlock()
		if last {
			s.Close()
		}
	}
}

// clear drops everything cached of a thread.
func (ss *settings) clear(thread string) {
	current, end := ss.use()
	defer end()
	current.Clear(thread)
}

func (ss *settings) close() { ss.current.Close() }
