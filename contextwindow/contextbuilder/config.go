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

const defaultSimilarity = .6 // lower bound for memories

// Lower bounds of a [Config], in tokens. Below them the pinned instruction has no room.
const (
	minTotal      = 500
	minPerMessage = 50
)

// A Config configures a [Builder]. Nil and zero values mean the defaults.
type Config struct {
	Total            int           // upper bound of what is built, in tokens, at least 500; 0: 48,000
	Turns            int           // of the thread that are shown at most; 0: 20
	MessageShare     float64       // of the room for one message of the thread, from .01 to 1; 0: .45
	MaxMessageTokens int           // a further upper bound of one message, at least 50; 0: none
	Deadline         time.Duration // for all sources together; 0: 500 ms
	Shares           []Share       // nil: DefaultShares

	// Recent returns the newest messages of a thread with numbers below before, at most limit, in ascending order. A
	// before of 0 means no bound. A thread that does not exist has no messages. It is safe for concurrent use. Nil: no
	// history.
	Recent func(ctx context.Context, thread string, before int64, limit int) ([]Message, error)

	Summary    Summary  // nil: a digest represents what is older than the window
	Memories   Memories // nil: none are searched
	Sources    []Source // of blocks
	Category   string   // of the memories searched; "": user_preference; "*": any
	Similarity float64  // lower bound for memories, from 0 to 1; 0: .6

	// Summarise writes a text of at most maxTokens for turns that had no room and that no summary covers; nil, or after 2
	// seconds: a digest represents them.
	Summarise func(ctx context.Context, turns string, maxTokens int) (string, error)

	NoSummary     bool // leave out the thread's summary
	NoMemories    bool // search no memories
	NoCompression bool // do not shorten tool results to make room
	NoPin         bool // pin no instruction

	Log *slog.Logger // nil: none
}

// A Share is the part of the total that a section gets. Floor is its own whatever others need; Ceiling bounds what it
// takes when others leave room.
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

// DefaultShares returns the default shares of the sections.
func DefaultShares() []Share {
	return []Share{
		{Section: SectionSystem, Share: .20, Floor: 0, Ceiling: .80}, // never truncated: over its share is a warning
		{Section: SectionSummary, Share: .10, Floor: .03, Ceiling: .20},
		{Section: SectionRetrieved, Share: .10, Floor: .03, Ceiling: .25},
		{Section: SectionRecent, Share: .55, Floor: .10, Ceiling: .90},
		{Section: SectionInput, Share: .05, Floor: .02, Ceiling: .45}, // over its ceiling keeps head and tail
	}
}

const (
	defaultMessageShare = .45 // as the ceiling of the input: what was whole when it was said stays whole
	olderShare          = .05 // of the room for a message of an older turn, when not all turns fit
	minOlder            = 250 // tokens of such a message: more than the stub of a result takes
)

// messageLimit returns the most tokens of one message of the thread, in an older turn or not.
func (c *Config) messageLimit(r room, older bool) int {
	most := r.part(c.MessageShare)
	if c.MaxMessageTokens > 0 {
		most = min(most, c.MaxMessageTokens)
	}
	if older {
		most = min(most, max(r.part(olderShare), minOlder))
	}
	return max(most, minPerMessage)
}

// Shares of the room from which on compaction begins, and is forced.
const (
	compactMark = .80
	forceMark   = .95
)

// withDefaults returns the config with its defaults, or what is wrong with it.
func (c Config) withDefaults() (Config, error) {
	c.Total = cmp.Or(c.Total, 48_000)
	c.Turns = cmp.Or(c.Turns, 20)
	c.MessageShare = cmp.Or(c.MessageShare, defaultMessageShare)
	c.Deadline = cmp.Or(c.Deadline, 500*time.Millisecond)
	c.Category = cmp.Or(c.Category, "user_preference")
	c.Similarity = cmp.Or(c.Similarity, defaultSimilarity)
	if c.Shares == nil {
		c.Shares = DefaultShares()
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c, errors.Join(c.check(), checkShares(c.Shares))
}

func (c Config) check() error {
	var errs []error
	atLeast := func(name string, wrong bool, got, least any) {
		if wrong {
			errs = append(errs, fmt.Errorf("%s is %v, must be at least %v", name, got, least))
		}
	}
	atLeast("Total", c.Total < minTotal, c.Total, minTotal)
	atLeast("Turns", c.Turns < 1, c.Turns, 1)
	atLeast("MaxMessageTokens", c.MaxMessageTokens != 0 && c.MaxMessageTokens < minPerMessage, c.MaxMessageTokens,
		minPerMessage)
	atLeast("Deadline", c.Deadline < time.Millisecond, c.Deadline, time.Millisecond)
	if !(c.MessageShare >= .01 && c.MessageShare <= 1) {
		errs = append(errs, fmt.Errorf("MessageShare is %v, must be from 0.01 to 1", c.MessageShare))
	}
	if !(c.Similarity >= 0 && c.Similarity <= 1) {
		errs = append(errs, fmt.Errorf("similarity is %v, must be from 0 to 1", c.Similarity))
	}
	if i := slices.Index(c.Sources, nil); i >= 0 {
		errs = append(errs, fmt.Errorf("source %d is nil", i))
	}
	return errors.Join(errs...)
}

// checkShares returns what is wrong with a table of shares: each section once, floor ≤ share ≤ ceiling, a sum of 1.
func checkShares(shares []Share) error {
	sum := 0.
	seen := make(map[Section]bool)
	for _, s := range shares {
		known := slices.ContainsFunc(DefaultShares(), func(d Share) bool { return d.Section == s.Section })
		if !known || seen[s.Section] {
			return fmt.Errorf("shares: section %q is unknown or listed twice", s.Section)
		}
		if !(0 <= s.Floor && s.Floor <= s.Share && s.Share <= s.Ceiling && s.Ceiling <= 1) {
			return fmt.Errorf("shares: %s needs 0 ≤ floor %v ≤ share %v ≤ ceiling %v ≤ 1",
				s.Section, s.Floor, s.Share, s.Ceiling)
		}
		seen[s.Section] = true
		sum += s.Share
	}
	if len(seen) != len(DefaultShares()) || math.Abs(sum-1) > .001 {
		return fmt.Errorf("shares: got %d sections with a sum of %.3f, want %d and 1", len(seen), sum, len(DefaultShares()))
	}
	return nil
}

// A room is what a context may take, with the shares of its sections.
type room struct {
	total  int // tokens
	shares []Share
}

// part returns a part of the room, in tokens.
func (r room) part(share float64) int { return int(share * float64(r.total)) }

func (r room) row(s Section) Share {
	for _, row := range r.shares {
		if row.Section == s {
			return row
		}
	}
	return Share{}
}

func (r room) share(s Section) int   { return r.part(r.row(s).Share) }
func (r room) floor(s Section) int   { return r.part(r.row(s).Floor) }
func (r room) ceiling(s Section) int { return r.part(r.row(s).Ceiling) }
