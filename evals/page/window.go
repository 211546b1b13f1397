package page

import (
	"cmp"
	"slices"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/internal/traceline"
)

// A point is one request in the window over time.
type point struct {
	MS         int64 `json:"ms"`
	Step       int   `json:"step"`
	Agent      int   `json:"agent,omitempty"`
	Limit      int   `json:"limit"`  // tokens
	Tokens     int   `json:"tokens"` // estimated
	Sections   []int `json:"sections"`
	Compaction int   `json:"compaction,omitempty"` // that came before it, from 1
	Request    int   `json:"request,omitempty"`    // from 1; 0 if its messages are not in the page

	line int // of the trace
	prev int // point of the same agent, from 1
}

// sections are the parts of a request, from the bottom of its bar to the top.
var sections = []string{
	"system and tools", "prompt", "history", "digest", "conversation", "results", "notes", "not broken down",
}

// sectionOf is the section of each part of [contextwindow.Report].
var sectionOf = map[string]int{
	"system prompt": 0, "tool schemas": 0, "prompt": 1, "history": 2, "digest": 3, "user messages": 4,
	"assistant texts": 4, "reasoning": 4, "calls": 4, "results": 5, "notes": 6,
}

// notRead is the section of what a request holds besides its fixed parts, if it is not rebuilt.
const notRead = 7

// point adds a request and returns its number, from 1.
func (s *sessionReader) point(l *traceline.Line, log *seatLog) int {
	p := point{MS: l.MS, Step: l.Step, Agent: log.index, Limit: log.limit, Tokens: log.tokens, Compaction: log.open,
		line: s.line, prev: log.pointed}
	p.Sections = make([]int, len(sections))
	p.Sections[0], p.Sections[1] = log.prefix, log.prompt
	p.Sections[notRead] = max(log.tokens-log.prefix-log.prompt, 0)
	s.session.Window = append(s.session.Window, p)
	number := len(s.session.Window)
	if log.open > 0 {
		s.session.Compactions[log.open-1].Point = number
	}
	log.open, log.pointed = 0, number
	return number
}

// explain sets the sections of a request that was rebuilt.
func (p *point) explain(r contextwindow.Report) {
	p.Tokens, p.Limit = r.Tokens, cmp.Or(r.Limit, p.Limit)
	p.Sections = make([]int, len(sections))
	for _, part := range r.Sections {
		i, known := sectionOf[part.Name]
		if !known {
			i = notRead
		}
		p.Sections[i] += part.Tokens
	}
}

// choose picks the requests to rebuild: those before and after compactions, the first and the last ones, at most so
// many. It returns their lines.
func choose(points []point, most int) map[int]bool {
	order := make([]int, 0, 2*len(points))
	for i := range min(len(points), max(most/8, 1)) {
		order = append(order, i)
	}
	for i := len(points) - 1; i >= max(len(points)-most/4, 0); i-- {
		order = append(order, i)
	}
	for i, p := range slices.Backward(points) {
		if p.Compaction > 0 {
			order = append(order, i)
			if p.prev > 0 {
				order = append(order, p.prev-1)
			}
		}
	}
	for i := len(points) - 1; i >= 0; i-- {
		order = append(order, i)
	}
	lines := make(map[int]bool)
	for _, i := range order {
		if len(lines) < most {
			lines[points[i].line] = true
		}
	}
	return lines
}
