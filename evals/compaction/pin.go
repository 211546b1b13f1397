package compaction

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/words"
	"github.com/forayhq/foray/toollimit"
)

// How many runes of a text must be visible word for word.
const (
	headRunes = 16 // of a truncated user message, with a pointer to it
	planRunes = 60 // of each part of a plan
)

// Names of arguments that hold a plan, its parts, and the title of a submission.
var (
	planNames  = []string{"plan", "todos", "steps"}
	planParts  = []string{"plan", "content", "step", "text", "title", "task", "description"}
	titleNames = []string{"title", "name", "id", "category"}
)

// pin collects what later views must show: user messages, the latest plan, and submissions.
func (s *script) pin() {
	for k, u := range s.Units {
		if m := u[0]; m.Role == transcript.User {
			head, _, _ := strings.Cut(strings.TrimSpace(m.Text), "\n")
			s.users = append(s.users, pin{
				k, s.pins.number(flat(m.Text)), s.counter.Unit(u), words.FirstRunes(head, headRunes), flat(m.Text)})
		}
		for i, call := range u[0].Calls {
			texts, names := words.Leaves(call.Args)
			if parts := s.planPins(texts, names); len(parts) > 0 {
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

// flat returns the lines of a text that are not blank, with single blanks between their words: a digest that quotes a
// whole message may indent its lines.
func flat(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 0 {
			b.WriteString(strings.Join(words, " ") + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// planPins numbers the parts of the plan that a call sets, if it sets one.
func (s *script) planPins(texts []words.Leaf, names []string) []int {
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

// Bounds above which a window may drop a user message and cover it by the pointer that it shares with other turns.
const (
	sharedBeyond = .03   // of the budget, for this user message and all newer ones
	sharedTokens = 2_000 // for this user message alone
)

// keepsPins reports whether a view shows all that it must show of the units before a unit.
func (s *script) keepsPins(v *seen, unit, budget int) bool {
	return s.keepsUsers(v, unit, budget) && keepsLatest(v, s.plans, unit) && keepsAll(v, s.submits, unit)
}

// keepsUsers reports whether a view shows each user message before a unit well enough. The first one must be whole.
// Any other may be truncated, or quoted in part, with a pointer. If it is too large or too old for that, a pointer that
// it shares with other turns is enough.
func (s *script) keepsUsers(v *seen, unit, budget int) bool {
	tokens := 0 // of this user message and the newer ones
	for i := len(s.users) - 1; i >= 0; i-- {
		p := s.users[i]
		if p.unit >= unit {
			continue
		}
		tokens += p.tokens
		if v.pins.has(p.number) {
			continue
		}
		if i == 0 {
			return false
		}
		fits := p.tokens <= sharedTokens && tokens <= int(sharedBeyond*float64(budget))
		shared := !fits && v.upTo > p.unit
		if !v.truncates(p) && !shared {
			return false
		}
	}
	return true
}

// keepsLatest reports whether a view shows the latest claim before a unit.
func keepsLatest(v *seen, claims []claim, unit int) bool {
	for i := len(claims) - 1; i >= 0; i-- {
		if claims[i].unit < unit {
			return v.pins.count(claims[i].numbers) == len(claims[i].numbers)
		}
	}
	return true
}

// keepsAll reports whether a view shows all claims before a unit.
func keepsAll(v *seen, claims []claim, unit int) bool {
	for _, c := range claims {
		if c.unit < unit && v.pins.count(c.numbers) < len(c.numbers) {
			return false
		}
	}
	return true
}
