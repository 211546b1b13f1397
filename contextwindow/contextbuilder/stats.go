package contextbuilder

import (
	"context"
	"log/slog"
	"slices"
)

// A Verdict says what became of a part.
type Verdict string

// The verdicts.
const (
	Included Verdict = "included"
	Cut      Verdict = "cut"     // shown shortened
	Dropped  Verdict = "dropped" // for want of room
	Stale    Verdict = "stale"   // an older text is shown, since the new one is late or failed
	Missing  Verdict = "missing" // it failed or was late, and nothing is shown
)

// A Decision tells what became of one part of the context, and why.
type Decision struct {
	Section Section
	What    string // as in a block's type
	Verdict Verdict
	Why     string // "": there was room
	Tokens  int    // that it takes; of what was dropped: that it would have taken
}

// A SectionStats is what one section takes.
type SectionStats struct {
	Section                Section
	Share                  int // of the room, in tokens
	Tokens                 int
	Included, Cut, Dropped int // parts
}

// A WindowStats tells which messages of the thread are shown.
type WindowStats struct {
	Turns, Messages, Tokens int
	From                    int64 // number of the first message that is shown; 0: none is
	Excluded                int64 // messages before it, by their numbers: at most so many
	Covered                 int64 // the summary covers messages up to this number
	Gap                     int64 // messages that neither shows, by their numbers; a digest stands for them, and an update was asked for
}

// An Injection tells what became of the blocks.
type Injection struct {
	Injected, Shortened, Dropped []string // types; shortened ones are injected too
	Tokens                       int
	Calls, Hits                  int  // sources that were called, and those that the cache spared
	Compacted                    bool // compaction was triggered
}

// A Compaction is one step that was taken since the request was above a mark.
type Compaction struct {
	Step          string
	Forced        bool // above 95 %
	Items         int  // that were shortened or dropped
	Before, After int  // tokens of all
}

// Stats tell what a context is made of, in estimated tokens, and why.
type Stats struct {
	Room        int // for everything
	Tokens      int // of everything, what the request carries besides not included
	Sections    []SectionStats
	Decisions   []Decision
	Compactions []Compaction
	Window      WindowStats
	Injection   Injection
	Warnings    []string
}

// Section returns the stats of a section.
func (s *Stats) Section(name Section) SectionStats {
	i := slices.IndexFunc(s.Sections, func(x SectionStats) bool { return x.Section == name })
	if i < 0 {
		return SectionStats{Section: name}
	}
	return s.Sections[i]
}

func (s *Stats) decide(section Section, what string, v Verdict, why string, tokens int) {
	s.Decisions = append(s.Decisions, Decision{section, what, v, why, tokens})
}

func (s *Stats) warn(text string) { s.Warnings = append(s.Warnings, text) }

// log writes a line for each section and warning.
func (s *Stats) log(log *slog.Logger, q Query) {
	ctx := context.Background()
	if !log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	log = log.With("thread", q.Thread)
	for _, x := range s.Sections {
		log.Debug("context section", "section", x.Section, "tokens", x.Tokens, "share", x.Share, "included", x.Included,
			"cut", x.Cut, "dropped", x.Dropped)
	}
	for _, d := range s.Decisions {
		log.Debug("context part", "section", d.Section, "what", d.What, "verdict", d.Verdict, "why", d.Why, "tokens", d.Tokens)
	}
	for _, c := range s.Compactions {
		log.Debug("context compacted", "step", c.Step, "forced", c.Forced, "items", c.Items, "before", c.Before, "after", c.After)
	}
	for _, w := range s.Warnings {
		log.Warn("context", "warning", w)
	}
	log.Debug("context built", "tokens", s.Tokens, "room", s.Room)
}
