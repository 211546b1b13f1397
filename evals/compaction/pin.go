package compaction

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/compaction/internal/words"
	"github.com/forayhq/foray/toollimit"
)

// Runes that must be visible word for word.
const (
	headRunes = 16 // of a user message that is shown with head, tail and pointer
	planRunes = 60 // of each part of a plan
)

// Names of arguments that hold a plan, its parts, and the title of a submission.
var (
	planNames  = []string{"plan", "todos", "steps"}
	planParts  = []string{"plan", "content", "step", "text", "title", "task", "description"}
	titleNames = []string{"title", "name", "id", "category"}
)

// pin collects what every view must hold: user messages, the last plan, and submissions.
func (s *script) pin() {
	for k, u := range s.Units {
		if m := u[0]; m.Role == transcript.User {
			head, _, _ := strings.Cut(strings.TrimSpace(m.Text), "\n")
			s.users = append(s.users, pin{k, s.pins.number(m.Text), s.counter.Unit(u), words.FirstRunes(head, headRunes)})
		}
		for i, call := range u[0].Calls {
			texts, names := words.Leaves(call.Args)
			if parts := s.planned(texts, names); len(parts) > 0 {
				s.plans = append(s.plans, claim{k, parts})
			}
			if r := u[i+1]; r.Kind == toollimit.Receipt && !r.Failed {
				s.submits = append(s.submits, claim{k, []int{s.pins.number(titleOf(call, texts))}})
			}
		}
	}
	s.ofUsers = newSet(len(s.pins))
	for _, p := range s.users {
		s.ofUsers.add(p.number)
	}
}

func (s *script) planned(texts []words.Leaf, names []string) []int {
	if !slices.ContainsFunc(names, func(n string) bool { return slices.Contains(planNames, n) }) {
		return nil
	}
	var parts []int
	for _, l := range texts {
		head, _, _ := strings.Cut(strings.TrimSpace(l.Text), "\n")
		if slices.Contains(planParts, l.Key) && len(head) >= words.MinLine {
			parts = append(parts, s.pins.number(words.FirstRunes(head, planRunes)))
		}
	}
	return distinct(parts)
}

func titleOf(call transcript.ToolCall, texts []words.Leaf) string {
	for _, name := range titleNames {
		for _, l := range texts {
			if l.Key == name && l.Text != "" {
				return words.FirstRunes(l.Text, planRunes)
			}
		}
	}
	return call.Name
}

// A user message may share one pointer with others only if it has no room of its own: if the user messages from it to
// the newest take more than sharedBeyond of the budget, or it alone takes more than sharedTokens.
const (
	sharedBeyond = .10
	sharedTokens = 2_000
)

// pinned reports whether a view holds everything that it must before a unit.
func (s *script) pinned(v *seen, unit, budget int) bool {
	return s.holdsUsers(v, unit, budget) && holdsLast(v, s.plans, unit) && holdsAll(v, s.submits, unit)
}

func (s *script) holdsUsers(v *seen, unit, budget int) bool {
	newer := 0
	for i := len(s.users) - 1; i >= 0; i-- {
		p := s.users[i]
		if p.unit >= unit {
			continue
		}
		newer += p.tokens
		if v.pins.has(p.number) {
			continue
		}
		if i == 0 {
			return false
		}
		fits := p.tokens <= sharedTokens && newer <= int(sharedBeyond*float64(budget))
		if !v.shortened(p) && (fits || v.upTo < p.unit+1) {
			return false
		}
	}
	return true
}

// holdsLast reports whether a view holds the newest claim before a unit.
func holdsLast(v *seen, claims []claim, unit int) bool {
	for i := len(claims) - 1; i >= 0; i-- {
		if claims[i].unit < unit {
			return v.pins.count(claims[i].numbers) == len(claims[i].numbers)
		}
	}
	return true
}

func holdsAll(v *seen, claims []claim, unit int) bool {
	for _, c := range claims {
		if c.unit < unit && v.pins.count(c.numbers) < len(c.numbers) {
			return false
		}
	}
	return true
}
