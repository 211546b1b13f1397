package chat

import (
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
	Total            int  `json:"total_tokens"`            // tokens that a run sees; never above .6 of its window's budget
	Turns            int  `json:"window_turns"`            // recent turns that a run sees
	MaxMessageTokens int  `json:"max_message_tokens"`      // of one message of a thread
	Summary          bool `json:"summary"`                 // make and show summaries
	Memories         bool `json:"memories"`                // look up memories
	Compression      bool `json:"tool_result_compression"` // shorten tool results to make room
	Pinning          bool `json:"instruction_pinning"`     // pin the instruction
	Extraction       bool `json:"memory_extraction"`       // make memories of exchanges
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
	}{
		{"total_tokens", s.Total, maxTokens},
		{"window_turns", s.Turns, maxTurns},
		{"max_message_tokens", s.MaxMessageTokens, maxTokens},
	} {
		if n.value < 1 || n.value > n.limit {
			errs = append(errs, fmt.Errorf("%s is %d, must be from 1 to %d", n.name, n.value, n.limit))
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

// A setup is settings with their builder. A turn uses one from beginning to end; a replaced one is closed after the
// last turn that uses it.
type setup struct {
	Settings
	*contextbuilder.Builder
	users   int  // guarded by settings.mu
	retired bool // guarded by settings.mu
}

// dropMemories drops the cached memories of a thread.
func (s *setup) dropMemories(thread string) {
	s.Invalidate(thread, contextbuilder.TypeUserMemory)
	s.Invalidate(thread, contextbuilder.TypeMemories)
}

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

func (ss *settings) clear(thread string) {
	current, end := ss.use()
	defer end()
	current.Clear(thread)
}

func (ss *settings) close() { ss.current.Close() }

// builderMemories adapts long-term memories to a [contextbuilder.Builder].
type builderMemories struct{ *longterm.Memories }

func (b builderMemories) Search(ctx context.Context, q contextbuilder.MemoryQuery) ([]contextbuilder.Memory, error) {
	found, err := b.Memories.Search(ctx, longterm.Query{
		User: q.User, Text: q.Text, Category: longterm.Category(q.Category), Limit: q.Limit, MinSimilarity: q.MinSimilarity,
	})
	if err != nil {
		return nil, err
	}
	all := make([]contextbuilder.Memory, len(found))
	for i, m := range found {
		all[i] = builderMemory(m.Memory)
		all[i].Similarity = m.Similarity
	}
	return all, nil
}

func (b builderMemories) Top(_ context.Context, user string, limit int) ([]contextbuilder.Memory, error) {
	found := b.Memories.Top(user, limit)
	all := make([]contextbuilder.Memory, len(found))
	for i, m := range found {
		all[i] = builderMemory(m)
	}
	return all, nil
}

func builderMemory(m longterm.Memory) contextbuilder.Memory {
	b := contextbuilder.Memory{ID: m.ID, Text: m.Content, Category: string(m.Category), Importance: m.Importance}
	if m.Provenance.Thread != "" {
		b.Source = "thread " + m.Provenance.Thread
	}
	return b
}
