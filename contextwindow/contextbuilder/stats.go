package contextbuilder

import (
	"context"
	"log/slog"
	"slices"
)

// A Verdict says what happened to a part.
type Verdict string

const (
	Included  Verdict = "included"
	Truncated Verdict = "cut"     // shown shortened
	Dropped   Verdict = "dropped" // for lack of room
	Stale     Verdict = "stale"   // an older text is shown, because the new one is late or failed
	Missing   Verdict = "missing" // it failed or was late, and nothing is shown
)

// A Decision records what happened to one part of the context, and why.
type Decision struct {
	Section Section `json:"section"`
	What    string  `json:"what"` // the part, such as a block's type
	Verdict Verdict `json:"verdict"`
	Why     string  `json:"why,omitempty"` // "": it fitted
	Tokens  int     `json:"tokens"`        // that it takes, or would have taken if dropped
}

// A SectionStats records what one section takes.
type SectionStats struct {
	Section  Section `json:"section"`
	Share    int     `json:"share"` // of the room, in tokens
	Tokens   int     `json:"tokens"`
	Included int     `json:"included"` // parts
	Cut      int     `json:"cut"`      // parts
	Dropped  int     `json:"dropped"`  // parts
}

// A WindowStats records which messages of the thread are shown.
type WindowStats struct {
	Turns    int   `json:"turns"`
	Messages int   `json:"messages"`
	Tokens   int   `json:"tokens"`
	From     int64 `json:"from"`     // number of the first message shown; 0: none is shown
	Whole    int64 `json:"whole"`    // long messages before this number are shortened; 0: all
	Excluded int64 `json:"excluded"` // upper bound of the number of messages before From
	Covered  int64 `json:"covered"`  // the summary covers messages up to this number
	Gap      int64 `json:"gap"`      // upper bound of the messages that neither shows; a digest represents them
}

// An Injection records what happened to the blocks.
type Injection struct {
	Injected  []string `json:"injected"`  // types
	Shortened []string `json:"shortened"` // types; they are injected too
	Dropped   []string `json:"dropped"`   // types
	Memories  int      `json:"memories"`  // of the user that are shown
	Tokens    int      `json:"tokens"`
	Calls     int      `json:"calls"`     // sources that were called to fill the cache
	Live      int      `json:"live"`      // sources of live blocks, which are called each time
	Hits      int      `json:"hits"`      // calls that the cache saved
	Compacted bool     `json:"compacted"` // compaction was triggered
}

// A Compaction is one step of compaction that changed something.
type Compaction struct {
	Step   string `json:"step"`
	Forced bool   `json:"forced"` // above 95 % of the room
	Items  int    `json:"items"`  // shortened or dropped
	Before int    `json:"before"` // tokens of everything
	After  int    `json:"after"`
}

// Stats record what a context is made of, in estimated tokens, and why.
type Stats struct {
	Room        int            `json:"room"`   // for everything
	Tokens      int            `json:"tokens"` // of everything built
	Sections    []SectionStats `json:"sections"`
	Decisions   []Decision     `json:"decisions"`
	Compactions []Compaction   `json:"compactions"`
	Window      WindowStats    `json:"window"`
	Injection   Injection      `json:"blocks"`
	Warnings    []string       `json:"warnings"`
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

// log writes a line for each section, decision, compaction and warning.
func (s *Stats) log(log *slog.Logger, q Query) {
	if !log.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	log = log.With("thread", q.Thread)
	for _, x := range s.Sections {
		log.Debug("context section", "section", x.Section, "tokens", x.Tokens, "share", x.Share, "included", x.Included,
			"cut", x.Cut, "dropped", x.Dropped)
	}
	for _, d := range s.Decisions {
		log.Debug("context part", "section", d.Section, "what", d.What, "verdict", d.Verdict, "why", d.Why,
			"tokens", d.Tokens)
	}
	for _, c := range s.Compactions {
		log.Debug("context compacted", "step", c.Step, "forced", c.Forced, "items", c.Items,
			"before", c.Before, "after", c.After)
	}
	for _, w := range s.Warnings {
		log.Warn("context", "warning", w)
	}
	log.Debug("context built", "tokens", s.Tokens, "room", s.Room)
}
