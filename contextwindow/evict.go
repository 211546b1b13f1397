package contextwindow

import (
	"maps"
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// A planner returns the edit that brings a window towards a target in raw tokens, or nil if it would free nothing. It
// changes nothing itself.
type planner func(s *state, target int) *Edit

// evictTurns evicts everything but the prompt and the last turns after it; the digest may take a share of the budget.
func evictTurns(keep int, share float64) planner {
	return func(s *state, _ int) *Edit {
		kept := s.keptByPins()
		steps := s.stepsBefore(s.view.turnStart(keep), func(step int) bool { return kept[step] })
		if len(steps) == 0 {
			return nil
		}
		return s.ifItFrees(s.evictEdit(steps, s.shareOf(share), false))
	}
}

// evictAll evicts everything but the prompt, with notes and pinned units.
func evictAll(s *state, target int) *Edit {
	room := min(s.shareOf(digestShare/2), target-s.meter.fixed)
	steps := s.stepsBefore(len(s.view.slots), func(int) bool { return false })
	return s.ifItFrees(s.evictEdit(steps, room, true))
}

// dropDigest removes the digest if even that does not fit beside the fixed parts.
func dropDigest(s *state, _ int) *Edit { return s.ifItFrees(&Edit{Op: opEvict, Quiet: true}) }

// stepsBefore returns the steps before a slot, and all of the history, without the prompt and what is kept.
func (s *state) stepsBefore(end int, kept func(step int) bool) []int {
	var steps []int
	for i, sl := range s.view.slots {
		if sl.step > 0 && sl.step != s.prompt && (i < end || sl.step < s.prompt) && !kept(sl.step) {
			steps = append(steps, sl.step)
		}
	}
	return steps
}

// evictHistory evicts exchanges from before the prompt, the oldest first, until the target is reached.
func evictHistory(s *state, target int) *Edit {
	kept := s.keptByPins()
	exchanges := slices.DeleteFunc(exchangesOf(&s.view, s.prompt), func(x exchange) bool { return kept[x.steps[0]] })
	if len(exchanges) == 0 {
		return nil
	}
	missing := s.meter.used - target
	var steps []int
	for {
		for len(exchanges) > 0 && missing > 0 {
			steps = append(steps, exchanges[0].steps...)
			missing -= exchanges[0].tokens
			exchanges = exchanges[1:]
		}
		e := s.evictEdit(steps, s.shareOf(digestShare), false)
		if missing = s.meter.used - s.freedBy(e) - target; missing <= 0 || len(exchanges) == 0 {
			return s.ifItFrees(e)
		}
	}
}

// An exchange is a user message from before the prompt with the answers to it.
type exchange struct {
	steps  []int
	tokens int
}

func exchangesOf(v *view, prompt int) []exchange {
	var all []exchange
	for _, sl := range v.slots {
		if sl.step == 0 {
			continue
		}
		if sl.step >= prompt {
			break
		}
		if len(all) == 0 || sl.messages[0].Role == transcript.User {
			all = append(all, exchange{})
		}
		last := &all[len(all)-1]
		last.steps = append(last.steps, sl.step)
		last.tokens += sum(sl.sizes)
	}
	return all
}

// keptByPins returns the steps of pinned units, and of the other units of their exchanges: these are evicted whole or
// not at all.
func (s *state) keptByPins() map[int]bool {
	kept := maps.Clone(s.pinned)
	for _, x := range exchangesOf(&s.view, s.prompt) {
		if slices.ContainsFunc(x.steps, func(step int) bool { return s.pinned[step] }) {
			for _, step := range x.steps {
				kept[step] = true
			}
		}
	}
	return kept
}

// rereadShare is how much of what the fixed parts leave of the budget may go to units kept because they were requested
// again.
const rereadShare = .20

// keptByUse returns the steps of units that a compaction leaves alone while it can evict others: pinned ones, and
// those of the last turns that requested an evicted result again.
func (s *state) keptByUse() map[int]bool {
	kept := s.keptByPins()
	room := s.shareOf(rereadShare)
	from := s.units.stepOfTurn(rereadHold)
	for _, sl := range slices.Backward(s.view.slots) {
		if sl.step < from || len(sl.messages) < 2 || sl.tokens > room {
			continue
		}
		again := func(c transcript.ToolCall) bool { return s.evicted.made[callHash(c)] == 1 }
		if slices.ContainsFunc(s.units.calls(sl.step), again) {
			room -= sl.tokens
			kept[sl.step] = true
		}
	}
	return kept
}

// evictEdit returns the edit that evicts units, with the new digest in at most room tokens. Results whose marks name
// the units are shown without marks. If the edit then frees nothing, the digest shrinks by what they grow, or they do
// not grow.
func (s *state) evictEdit(steps []int, room int, quiet bool) *Edit {
	l := s.ledgerWith(steps)
	plan := func(most, room int) *Edit {
		e := limiter{s}.recut(&Edit{Op: opEvict, Steps: steps, Quiet: quiet}, most)
		if l.last > 0 {
			e.Digest, e.Lines = s.digestOf(l, steps, room)
		}
		return e
	}
	e := plan(limiter{s}.recutRoom(), room)
	growth := -freedByCuts(&s.view, e.Truncations)
	if growth > 0 && s.freedBy(e) <= 0 {
		e = plan(limiter{s}.recutRoom(), room-growth)
	}
	if growth > 0 && s.freedBy(e) <= 0 {
		e = plan(0, room)
	}
	return e
}

// ifItFrees returns the edit, or nil if it frees nothing.
func (s *state) ifItFrees(e *Edit) *Edit {
	if s.freedBy(e) <= 0 {
		return nil
	}
	return e
}

// freedBy returns how many tokens an edit frees at least. An eviction also removes superseded notes; all others move
// to a message that stays.
func (s *state) freedBy(e *Edit) int {
	if e.Op == opTruncate {
		return freedByCuts(&s.view, e.Truncations)
	}
	freed, steps := 0, e.Steps
	for _, sl := range s.view.slots {
		leaves := sl.step == 0
		if !leaves && len(steps) > 0 && sl.step == steps[0] {
			leaves, steps = true, steps[1:]
		}
		if leaves {
			freed += sum(sl.sizes)
		}
		for _, n := range sl.notes {
			if e.Quiet || s.notes.superseded(n) {
				freed += toollimit.Tokens(s.view.note(n.Note))
			}
		}
	}
	freed += freedByCuts(&s.view, e.Truncations)
	if e.Digest != "" {
		freed -= transcript.Message{}.Framing() + toollimit.Tokens(e.Digest)
	}
	return freed
}

func freedByCuts(v *view, cuts []Truncation) int {
	freed, at := 0, 0
	for _, c := range cuts {
		at = v.seek(at, c.Step)
		sl := v.slots[at]
		freed += sl.textTokens(c.Part) - toollimit.Tokens(c.Text)
		if c.NoImages {
			freed += sl.messages[c.Part].ImageTokens()
		}
	}
	return freed
}
