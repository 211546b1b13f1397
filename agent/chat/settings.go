package chat

import (
	"errors"
	"fmt"
	"slices"

	"github.com/forayhq/foray/contextwindow/contextbuilder"
)

// Settings are what can be changed of a Chat while it goes on.
type Settings struct {
	Total            int  `json:"total_tokens"`            // the most that a run is told, in tokens; also at most .6 of the window's budget
	Turns            int  `json:"window_turns"`            // the most turns of a thread that are shown
	MaxMessageTokens int  `json:"max_message_tokens"`      // of one message of a thread
	Summary          bool `json:"summary"`                 // summaries are made and shown
	Memories         bool `json:"memories"`                // memories are looked up
	Compression      bool `json:"tool_result_compression"` // results of tools are shortened to make room
	Pinning          bool `json:"instruction_pinning"`     // the instruction is pinned
	Extraction       bool `json:"memory_extraction"`       // memories are made of exchanges
}

// The defaults of a contextbuilder.Config, for those that a Config leaves to it.
const (
	defaultTotal   = 48_000
	defaultTurns   = 20
	defaultMessage = 2_000
)

func settingsOf(c Config) Settings {
	b := c.Builder
	s := Settings{
		Total: b.Total, Turns: b.Turns, MaxMessageTokens: b.MaxMessageTokens,
		Summary: !b.NoSummary, Memories: !b.NoMemories, Compression: !b.NoCompression, Pinning: !b.NoPin,
		Extraction: c.Memory != nil && !c.Extraction.Off,
	}
	for _, d := range []struct {
		value   *int
		instead int
	}{{&s.Total, defaultTotal}, {&s.Turns, defaultTurns}, {&s.MaxMessageTokens, defaultMessage}} {
		if *d.value == 0 {
			*d.value = d.instead
		}
	}
	return s
}

// most bounds each number of the settings, so that none of them makes a request that no service takes.
const (
	mostTokens = 10_000_000
	mostTurns  = 10_000
)

func (s Settings) check() error {
	var errs []error
	for _, n := range []struct {
		name  string
		value int
		most  int
	}{{"total_tokens", s.Total, mostTokens}, {"window_turns", s.Turns, mostTurns}, {"max_message_tokens", s.MaxMessageTokens, mostTokens}} {
		if n.value < 1 || n.value > n.most {
			errs = append(errs, fmt.Errorf("%s is %d, not from 1 to %d", n.name, n.value, n.most))
		}
	}
	return errors.Join(errs...)
}

// A setup is what a change of the settings replaces. A turn uses one from its beginning to its end; one that was replaced is
// closed when the last turn that uses it has ended.
type setup struct {
	settings Settings
	builder  *contextbuilder.Builder
	users    int  // under Chat.mu
	retired  bool // the same
}

// Settings returns what can be changed while the Chat goes on, as it is now.
func (c *Chat) Settings() Settings {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.setup.settings
}

// Configure changes the settings, for turns that begin from now on. An error is ErrBad, or ErrOff for extraction without a
// long-term memory, and nothing is changed then.
func (c *Chat) Configure(s Settings) error {
	_, end, err := c.begin(c.ctx)
	if err != nil {
		return err
	}
	defer end()
	return c.install(s)
}

func (c *Chat) install(s Settings) error {
	if err := s.check(); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if s.Extraction && c.config.Memory == nil {
		return ErrDisabled
	}
	b := c.config.Builder
	b.Threads, b.Summary = c.config.Store, c.summaries
	b.Total, b.Turns, b.MaxMessageTokens = s.Total, s.Turns, s.MaxMessageTokens
	b.NoSummary, b.NoMemories, b.NoCompression, b.NoPin = !s.Summary, !s.Memories, !s.Compression, !s.Pinning
	b.Sources = append(slices.Clone(b.Sources), &c.pins)
	if c.config.Memory != nil && s.Memories {
		b.Memories = BuilderMemories(c.config.Memory)
	}
	builder, err := contextbuilder.New(b)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	c.mu.Lock()
	old := c.setup
	c.setup = &setup{settings: s, builder: builder}
	unused := old != nil && old.users == 0
	if old != nil {
		old.retired = true
	}
	c.mu.Unlock()
	if unused {
		old.builder.Close()
	}
	return nil
}

// use returns the setup of now, and what must be called when it is used no more.
func (c *Chat) use() (*setup, func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.setup
	s.users++
	return s, func() {
		c.mu.Lock()
		s.users--
		last := s.retired && s.users == 0
		c.mu.Unlock()
		if last {
			s.builder.Close()
		}
	}
}
