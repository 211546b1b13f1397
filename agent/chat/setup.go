package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/contextbuilder/blocks"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
)

// Settings can be changed while a [Chat] is in use.
type Settings struct {
	Total        int     `json:"total_tokens"`  // tokens of its thread that a run sees at most, from 500
	ContextShare float64 `json:"context_share"` // of what the tools leave of the budget, at most; from .05 to .95
	Turns        int     `json:"window_turns"`  // recent turns that a run sees

	// MessageShare is the part of the context that one message of the thread takes at most, from .01 to 1.
	// MaxMessageTokens is a further bound, in tokens from 50; 0: none.
	MessageShare     float64 `json:"message_share"`
	MaxMessageTokens int     `json:"max_message_tokens"`

	// Shares are the parts of the context that its sections get ([contextbuilder.DefaultShares]), with a sum of 1. A
	// floor above the share of its section, or a ceiling below it, moves to the share. Nil: those of the config.
	Shares map[contextbuilder.Section]float64 `json:"section_shares"`

	Summary     bool `json:"summary"`                 // make and show summaries
	Memories    bool `json:"memories"`                // look up memories
	Compression bool `json:"tool_result_compression"` // shorten tool results to make room
	Pinning     bool `json:"instruction_pinning"`     // pin the instruction
	Extraction  bool `json:"memory_extraction"`       // make memories of exchanges

	// What extraction keeps: statements of at least this importance, from 1 to 10; one that is at least this similar to a
	// memory, from .6 to 1 in steps of .01, replaces it. They have no effect without a long-term memory.
	ExtractionImportance int     `json:"extraction_importance"`
	ExtractionSimilarity float64 `json:"extraction_similarity"`

	Agents []Persona `json:"agents"` // that threads can use beside the agent of the config
	Agent  string    `json:"agent"`  // that answers in threads that have chosen none; "": the agent of the config
}

// Limits of the settings. The upper ones keep requests short enough for some service.
const (
	minTotal        = 500
	maxTokens       = 10_000_000
	maxTurns        = 10_000
	minMessage      = 50
	minContextShare = .05
	maxContextShare = .95 // the rest is for the tools of the run
	minMessageShare = .01
)

func (s Settings) check() error {
	var errs []error
	inRange := func(name string, value, least, most float64) {
		if !(value >= least && value <= most) {
			errs = append(errs, fmt.Errorf("%s is %s, must be from %s to %s",
				name, decimal(value), decimal(least), decimal(most)))
		}
	}
	inRange("total_tokens", float64(s.Total), minTotal, maxTokens)
	inRange("context_share", s.ContextShare, minContextShare, maxContextShare)
	inRange("window_turns", float64(s.Turns), 1, maxTurns)
	inRange("message_share", s.MessageShare, minMessageShare, 1)
	if s.MaxMessageTokens != 0 {
		inRange("max_message_tokens", float64(s.MaxMessageTokens), minMessage, maxTokens)
	}
	inRange("extraction_importance", float64(s.ExtractionImportance), 1, 10)
	inRange("extraction_similarity", s.ExtractionSimilarity, 0, 1)
	return errors.Join(append(errs, s.checkShares())...)
}

// checkShares returns what is wrong with the shares of sections.
func (s Settings) checkShares() error {
	if s.Shares == nil {
		return nil
	}
	sum := 0.
	var known []string
	for _, row := range contextbuilder.DefaultShares() {
		known = append(known, string(row.Section))
		share, ok := s.Shares[row.Section]
		if !ok || !(share >= 0 && share <= 1) {
			return fmt.Errorf("section_shares: %s is %s, must be from 0 to 1", row.Section, decimal(share))
		}
		sum += share
	}
	for name := range s.Shares {
		if !slices.Contains(known, string(name)) {
			return fmt.Errorf("section_shares: unknown section %.40q; known: %s", name, strings.Join(known, ", "))
		}
	}
	if math.Abs(sum-1) > .001 {
		return fmt.Errorf("section_shares add up to %s, must be 1", decimal(math.Round(sum*1_000)/1_000))
	}
	return nil
}

func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// sections returns a table of shares with those of the settings.
func (s Settings) sections(table []contextbuilder.Share) []contextbuilder.Share {
	if table == nil {
		table = contextbuilder.DefaultShares()
	}
	table = slices.Clone(table)
	for i := range table {
		row := &table[i]
		if share, ok := s.Shares[row.Section]; ok {
			row.Share, row.Floor, row.Ceiling = share, min(row.Floor, share), max(row.Ceiling, share)
		}
	}
	return table
}

// settings holds the current settings with the builder that follows from them.
type settings struct {
	builder contextbuilder.Config // to which the settings are applied
	memory  *longterm.Memories
	pins    *pinSource
	agent   agent.Config
	base    *speaker // of the agent's config

	extraction longterm.ExtractorConfig
	extractors map[[2]float64]*longterm.Extractor // by their thresholds; guarded by mu

	mu      sync.Mutex
	current *setup
}

// A setup is settings with their builder. A turn uses one from beginning to end; a replaced one is closed after the
// last turn that uses it.
type setup struct {
	Settings
	*contextbuilder.Builder
	extractor *longterm.Extractor // nil: no long-term memory
	base      *speaker
	speakers  map[string]*speaker // by id, base among them
	users     int                 // guarded by settings.mu
	retired   bool                // guarded by settings.mu
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
	speakers, err := s.speakers(ss.base, ss.agent)
	if errors.Is(err, ErrInvalid) {
		return err
	} else if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	b := ss.builder
	s.Shares, s.Agents = maps.Clone(s.Shares), slices.Clone(s.Agents)
	b.Total, b.Turns, b.MessageShare, b.MaxMessageTokens = s.Total, s.Turns, s.MessageShare, s.MaxMessageTokens
	b.Shares = s.sections(b.Shares)
	b.NoSummary, b.NoMemories, b.NoCompression, b.NoPin = !s.Summary, !s.Memories, !s.Compression, !s.Pinning
	b.Sources = append(slices.Clone(b.Sources), ss.pins)
	if !slices.ContainsFunc(b.Sources, listsRuns) {
		b.Sources = append(b.Sources, blocks.ActiveAgentsHistory{})
	}
	if ss.memory != nil && s.Memories {
		b.Memories = builderMemories{ss.memory}
	}
	ss.mu.Lock()
	extractor, err := ss.extractorOf(s)
	ss.mu.Unlock()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	builder, err := contextbuilder.New(b)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	ss.mu.Lock()
	old := ss.current
	ss.current = &setup{Settings: s, Builder: builder, extractor: extractor, base: ss.base, speakers: speakers}
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

// extractorOf returns an extractor with the thresholds of the settings: one that has them already, or a new one. Those
// that are replaced finish what they have begun. The caller holds the lock.
func (ss *settings) extractorOf(s Settings) (*longterm.Extractor, error) {
	if ss.memory == nil {
		return nil, nil
	}
	x := ss.extraction
	x.MinImportance, x.UpdateSimilarity = s.ExtractionImportance, math.Round(s.ExtractionSimilarity*100)/100
	key := [2]float64{float64(x.MinImportance), x.UpdateSimilarity}
	if e := ss.extractors[key]; e != nil {
		return e, nil
	}
	e, err := longterm.NewExtractor(x)
	if err == nil {
		ss.extractors[key] = e
	}
	return e, err
}

// closeExtractors waits until all exchanges are read.
func (ss *settings) closeExtractors(ctx context.Context) (err error) {
	for _, e := range ss.extractors {
		err = cmp.Or(err, e.Close(ctx))
	}
	return err
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

// notice drops what is cached of a thread that another process has saved: it may have removed messages, or the whole
// thread, and begun another one under its id.
func (ss *settings) notice(t Thread, known *seen) {
	if known.changed(t) {
		ss.clear(t.ID)
	}
}

func (ss *settings) close() { ss.current.Close() }

// builderMemories adapts long-term memories to a [contextbuilder.Builder].
type builderMemories struct{ *longterm.Memories }

func (b builderMemories) Search(ctx context.Context, q contextbuilder.MemoryQuery) ([]contextbuilder.Memory, error) {
	found, err := b.Memories.Search(ctx, longterm.Query{
		User: q.User, Text: q.Text, Category: longterm.Category(q.Category),
		Limit: q.Limit, MinSimilarity: q.MinSimilarity,
	})
	if err != nil {
		return nil, err
	}
	all := make([]contextbuilder.Memory, len(found))
	for i, m := range found {
		all[i] = builderMemory(m.Memory)
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
	return contextbuilder.Memory{ID: m.ID, Text: m.Content, Category: string(m.Category), Thread: m.Provenance.Thread}
}
