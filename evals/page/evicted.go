package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/traceline"
	"github.com/forayhq/foray/toollimit"
)

// A compaction says what one compaction did and why.
type compaction struct {
	traceline.Compaction
	Step  int       `json:"step"`
	Agent int       `json:"agent,omitempty"`
	Point int       `json:"point,omitempty"` // the request after it, from 1
	Why   []string  `json:"why"`             // a sentence a rung
	Units []touched `json:"units,omitempty"`
}

// A touched is a unit that a compaction evicted or shortened.
type touched struct {
	Step   int    `json:"step,omitempty"`
	Head   string `json:"head"`
	How    string `json:"how"`   // "evicted", "shortened"
	Cause  string `json:"cause"` // level or rung
	Before int    `json:"before"`
	After  int    `json:"after"`
	Text   int    `json:"text,omitempty"` // as it was received
}

// rungs say in words what a level or rung does; see package contextwindow.
var rungs = map[string]string{
	"L1":         "shortens results that are shown twice or are long and old",
	"L2":         "evicts the oldest turns into the digest",
	"L3":         "keeps only the newest turn, for the levels before were not enough",
	"overflow 1": "the request would still not fit: shortens long results of earlier turns",
	"overflow 2": "the request would still not fit: evicts history, then all but two turns",
	"overflow 3": "the request would still not fit: shortens every result of earlier turns",
	"overflow 4": "the request would still not fit: shortens the assistant's texts and arguments",
	"overflow 5": "the request would still not fit: shortens the newest results and user messages",
	"overflow 6": "the request would still not fit: evicts all but the newest turn, then shortens everything evenly",
	"overflow 7": "the request would still not fit: evicts the newest turn and the notes, then the digest",
}

// compacted adds a compaction and returns its index, from 1.
func (s *sessionReader) compacted(l *traceline.Line, log *seatLog) int {
	c := compaction{Step: l.Step, Agent: log.index}
	if l.Compaction != nil {
		c.Compaction = *l.Compaction
		c.Pointers = nil // the units say which
		log.tokens = c.After
	}
	for i, rung := range c.Steps {
		c.Steps[i] = visible(rung)
		c.Why = append(c.Why, cmp.Or(rungs[rung], visible(rung)))
	}
	s.session.Compactions = append(s.session.Compactions, c)
	log.open = len(s.session.Compactions)
	return log.open
}

func (c *compaction) head() string {
	return headline(fmt.Sprintf("%s: %s → %s tokens, %s evicted", cmp.Or(strings.Join(c.Steps, ", "), "compacted"),
		line.Number(c.Before), line.Number(c.After), line.Count(c.Evicted, "unit")))
}

// edit adds what an edit did to the compaction that it belongs to, or to the timeline.
func (s *sessionReader) edit(at *event, e *contextwindow.Edit, log *seatLog) {
	if log.open == 0 || !slices.Contains([]string{"fold", "cut", "stage"}, e.Op) {
		s.add(&event{MS: at.MS, Step: at.Step, Agent: at.Agent, Kind: "edited", Text: s.pool.add(e.Text),
			Head: headline(fmt.Sprintf("window: %s %s", e.Op, joined(e.Steps)))})
		return
	}
	c, cause := &s.session.Compactions[log.open-1], visible(e.Cause)
	evicted := func(step int, u unit) {
		c.Units = append(c.Units,
			touched{Step: step, Head: u.head, How: "evicted", Cause: cause, Before: u.tokens, Text: u.text})
	}
	if e.Op == "stage" {
		evicted(0, unit{head: "everything, the prompt included: a new stage begins", tokens: e.Before})
	}
	for _, step := range e.Steps {
		evicted(step, log.units[step])
	}
	for _, t := range e.Truncations {
		c.Units = append(c.Units, log.units[t.Step].shortened(t, cause))
	}
}

// shortened says what a truncation did to a part of a unit.
func (u unit) shortened(t contextwindow.Truncation, cause string) touched {
	before := u.tokens
	if t.Part >= 0 && t.Part < len(u.sizes) && !t.Args {
		before = u.sizes[t.Part]
	}
	what := "text"
	switch {
	case t.Args:
		what = fmt.Sprintf("arguments of call %d", t.Part)
	case t.Part > 0:
		what = fmt.Sprintf("result %d", t.Part)
	}
	return touched{Step: t.Step, Head: what + " of " + u.head, How: "shortened", Cause: cause, Before: before,
		After: toollimit.Tokens(t.Text), Text: u.text}
}

// joined is "3, 4, 5".
func joined(steps []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(steps), " ", ", "), "[]")
}
