package contextbuilder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"
)

// The defaults of a Config (requirements).
const (
	defaultTotal      = 48_000
	defaultTurns      = 20
	defaultMessage    = 2_000
	defaultDeadline   = 500 * time.Millisecond
	defaultCategory   = "user_preference"
	defaultSimilarity = .6
)

// The least that a Config may say, in tokens: below it not even the guide of the pinned instruction has room.
const (
	leastTotal   = 500
	leastMessage = 50
)

// A Config is what a builder is made with. Nil and zero mean the defaults.
type Config struct {
	Total            int           // the most that may be built, in tokens; 0: 48,000
	Turns            int           // the most turns of the thread that are shown; 0: 20
	MaxMessageTokens int           // of one message of the thread; 0: 2,000
	Deadline         time.Duration // of all sources together; 0: 500 ms
	Shares           []Share       // nil: DefaultShares

	Threads    Threads  // nil: no history
	Summary    Summary  // nil: none; a digest then stands for what is older than the window
	Memories   Memories // nil: none are looked up
	Sources    []Source // of blocks; those of one priority are shown by value per token
	Category   string   // of the memories that are looked up; "": user_preference; "*": any
	Similarity float64  // that they must have; 0: .6

	// Summarise writes what stands for turns that a compaction takes out, in at most so many tokens; nil: a digest does.
	Summarise func(ctx context.Context, turns string, maxTokens int) (string, error)

	NoSummary     bool // the thread's summary is not shown
	NoMemories    bool // no memories are looked up
	NoCompression bool // results of tools are not shortened to make room
	NoPin         bool // the instruction is not pinned

	Log *slog.Logger // nil: none
}

// A Share is the part of the total that a section of the context has. Floor stays its own whatever others need; Ceiling is
// the most it may take when others leave room.
type Share struct {
	Section               Section
	Share, Floor, Ceiling float64
}

// A Section is a part of what is built.
type Section string

// The sections, in the order of the request.
const (
	SectionSystem    Section = "system"
	SectionSummary   Section = "summary" // with the digest of what no summary covers
	SectionRetrieved Section = "retrieved"
	SectionRecent    Section = "recent"
	SectionInput     Section = "input"
	SectionPinned    Section = "pinned" // reserved first, without a share
)

// DefaultShares returns the shares of the sections (requirements); floors and ceilings are ours.
func DefaultShares() []Share {
	return []Share{
		{Section: SectionSystem, Share: .20, Floor: 0, Ceiling: .80}, // never cut: over the share is a warning
		{Section: SectionSummary, Share: .10, Floor: .03, Ceiling: .20},
		{Section: SectionRetrieved, Share: .10, Floor: .03, Ceiling: .25},
		{Section: SectionRecent, Share: .55, Floor: .10, Ceiling: .90},
		{Section: SectionInput, Share: .05, Floor: .02, Ceiling: .40}, // over the ceiling keeps head and tail
	}
}

// The marks of compaction, in shares of the room (requirements).
const (
	compactMark = .80
	forceMark   = .95
)

// filled returns the config with its defaults, or what is wrong with it.
func (c Config) filled() (Config, error) {
	c.Total = cmp.Or(c.Total, defaultTotal)
	c.Turns = cmp.Or(c.Turns, defaultTurns)
	c.MaxMessageTokens = cmp.Or(c.MaxMessageTokens, defaultMessage)
	c.Deadline = cmp.Or(c.Deadline, defaultDeadline)
	c.Category = cmp.Or(c.Category, defaultCategory)
	c.Similarity = cmp.Or(c.Similarity, defaultSimilarity)
	if c.Shares == nil {
		c.Shares = DefaultShares()
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c, errors.Join(c.checkSizes(), checkShares(c.Shares), checkSources(c.Sources))
}

func (c Config) checkSizes() error {
	var errs []error
	wrong := func(name string, got, least any) {
		errs = append(errs, fmt.Errorf("%s is %v, the least is %v", name, got, least))
	}
	if c.Total < leastTotal {
		wrong("Total", c.Total, leastTotal)
	}
	if c.Turns < 1 {
		wrong("Turns", c.Turns, 1)
	}
	if c.MaxMessageTokens < leastMessage {
		wrong("MaxMessageTokens", c.MaxMessageTokens, leastMessage)
	}
	if c.Deadline < time.Millisecond {
		wrong("Deadline", c.Deadline, time.Millisecond)
	}
	if !(c.Similarity >= 0 && c.Similarity <= 1) {
		errs = append(errs, fmt.Errorf("similarity is %v, not from 0 to 1", c.Similarity))
	}
	return errors.Join(errs...)
}

// checkShares returns what is wrong with a table of shares: each section once, floor ≤ share ≤ ceiling, together 1.
func checkShares(shares []Share) error {
	sum, floors := 0., 0.
	seen := make(map[Section]bool)
	for _, s := range shares {
		known := slices.ContainsFunc(DefaultShares(), func(d Share) bool { return d.Section == s.Section })
		if !known || seen[s.Section] {
			return fmt.Errorf("shares: section %q is unknown or there twice", s.Section)
		}
		if !(0 <= s.Floor && s.Floor <= s.Share && s.Share <= s.Ceiling && s.Ceiling <= 1) {
			return fmt.Errorf("shares: %s has not 0 ≤ floor %v ≤ share %v ≤ ceiling %v ≤ 1", s.Section, s.Floor, s.Share, s.Ceiling)
		}
		seen[s.Section] = true
		sum += s.Share
		floors += s.Floor
	}
	if len(seen) != len(DefaultShares()) || math.Abs(sum-1) > .001 {
		return fmt.Errorf("shares: %d sections that are %.3f together, want %d and 1", len(seen), sum, len(DefaultShares()))
	}
	return nil
}

func checkSources(sources []Source) error {
	for i, s := range sources {
		if s == nil {
			return fmt.Errorf("source %d is nil", i)
		}
	}
	return nil
}
