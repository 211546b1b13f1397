package contextwindow

import (
	"fmt"
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// minGain is the share of the budget that a compaction must free to justify a changed prefix, unless the request would
// not fit. lastGain is that of L3, the last chance to get below the high mark.
const (
	minGain  = .10
	lastGain = minGain / 2
)

// leastDigestMost is the share of the budget that bounds the profile's least size of a digest: in a small window, more
// would soon force the next compaction.
const leastDigestMost = .30

// leastDigest is the share of the budget that the digest may always take, even if the request then stays above the
// high mark.
const leastDigest = .20

// reached reports whether the request is at the high mark, or could exceed the model's window by the usual error of
// estimates.
func (m *twoMarks) reached(s *state) bool {
	high := m.guess
	if s.meter.counted > 0 {
		high = m.high
	}
	if s.meter.tokens() >= int(high*float64(s.limit)) {
		return true
	}
	window := s.budget.Window
	return window > 0 && s.meter.tokens()+s.meter.uncertain() > window-outputRoom(window, s.budget.maxOutput)
}

// tooSoon reports whether too little was added since the last compaction for another one, in a request that fits.
func (s *state) tooSoon() bool {
	added := float64(s.notes.written - s.pace.written)
	return s.pace.written > 0 && s.meter.tokens() <= s.limit && added < paceShare*float64(s.meter.rawFor(s.limit))
}

// lowShare returns the low mark. It is lower once units were evicted: a long run pays for its window in every request.
func (m *twoMarks) lowShare(s *state) float64 {
	if len(s.evicted.steps) > 0 {
		return m.again
	}
	return m.low
}

// evictToLow returns the edit that evicts the history, and then the oldest turns until the request is at the low mark.
// The newest turns stay, and so do units in use.
func (m *twoMarks) evictToLow(s *state, low int) *Edit {
	end := m.keepFrom(s)
	room := m.digestRoom(s, low, end)
	kept := s.keptByUse()
	left := s.meter.used + room
	for _, sl := range s.view.slots {
		if sl.step == 0 {
			left -= sl.tokens
		}
	}
	var steps []int
	for i, sl := range s.view.slots {
		history := sl.step < s.prompt
		if sl.step == 0 || sl.step == s.prompt || i >= end && !history || kept[sl.step] {
			continue
		}
		if left <= low && !history {
			break
		}
		left -= sl.tokens
		steps = append(steps, sl.step)
	}
	if len(steps) == 0 {
		return nil
	}
	return s.ifItFrees(s.evictEdit(steps, room, false))
}

// digestRoom returns what the digest may take if the slots from end on stay. It may fill the request up to the low
// mark, or take the profile's least, up to leastDigestMost, if that is more. It must stay below the high mark and
// within digestShare, but leastDigest is always allowed.
func (m *twoMarks) digestRoom(s *state, low, end int) int {
	staying := s.meter.fixed + s.view.tokensFrom(end)
	wanted := max(low-staying, min(s.meter.rawForFixed(m.least), s.shareOf(leastDigestMost)))
	most := min(s.meter.rawFor(int(m.guess*float64(s.limit)))-staying, s.shareOf(digestShare))
	return max(min(wanted, most), s.shareOf(leastDigest))
}

// keepFrom returns the index of the first slot that stays.
func (m *twoMarks) keepFrom(s *state) int {
	for n := m.keep; n > 1; n-- {
		from, tokens := s.view.turnStart(n), 0
		for _, sl := range s.view.slots[from:] {
			if sl.step != s.prompt {
				tokens += sl.tokens
			}
		}
		if tokens <= s.shareOf(m.keepShare*min(1, float64(s.limit)/keepFull)) {
			return from
		}
	}
	return s.view.turnStart(1)
}

// lossless replaces the older results of calls that were made again with the same arguments. The newer result must be
// shown whole, and be equal or another reading of the same file. The older text can still be read by its id. Pictures
// of earlier turns go with them: their description stays, and each can be seen again by its id.
func lossless(s *state) *Edit {
	newest := make(map[string]*transcript.Message)
	var e cutEdit
	for _, sl := range slices.Backward(s.view.slots) {
		if sl.step == 0 || s.pinned[sl.step] {
			continue
		}
		received := s.units.at(sl.step).Messages
		for n := len(sl.messages) - 1; n > 0; n-- {
			if received[n].Kind == toollimit.Excerpt {
				continue // the same call reads on
			}
			call := received[0].Calls[n-1]
			key := callKey(call)
			newer, again := newest[key]
			if !again || newer.Text != received[n].Text && !s.units.reads(call, newer, fieldsOf(call.Args)) {
				if sl.messages[n].Text == received[n].Text && !received[n].Failed {
					newest[key] = &received[n]
				}
				continue
			}
			id := partID{step: sl.step, part: n}
			text := fmt.Sprintf("[… the same call was made again, further down; %s]", wholeText(s, id.String()))
			e.addBare(id, text, sl.textTokens(n)+sl.messages[n].ImageTokens())
		}
	}
	slices.Reverse(e.cuts)
	e.addImages(s, unpinnedImages)
	return e.edit(s)
}
