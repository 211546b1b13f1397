package contextwindow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// A limiter limits results on their way in.
type limiter struct{ *state }

// results divides the free room among the results of a turn and returns the truncations that keep each within its part
// and its own quota. Under a profile without quotas it truncates nothing.
func (s limiter) results(u *Unit, sizes []int) []Truncation {
	calls, results := u.Messages[0].Calls, u.Messages[1:]
	if len(results) == 0 || len(s.policy.quotas) == 0 && len(s.policy.inflow) == 0 {
		return nil
	}
	usage := float64(s.meter.tokens()) / float64(s.limit)
	free := s.meter.raw(s.limit) - s.meter.used - sizes[0]
	wants := make([]int, len(results))
	quotas := make([]toollimit.Quota, len(results))
	for i, m := range results {
		quotas[i] = s.quota(calls[i], m, usage)
		wants[i] = sizes[i+1]
		if most := quotas[i].MaxTokens; most > 0 {
			wants[i] = min(wants[i], most)
		}
		if chars := quotas[i].MaxChars; chars > 0 && len(m.Text) > chars {
			wants[i] = min(wants[i], 1+sizes[i+1]*chars/len(m.Text)*2)
		}
	}
	level := max(waterLevel(wants, int(freeShare*float64(free))), minResult)
	var cuts []Truncation
	for i, m := range results {
		q := quotas[i]
		q.MaxTokens = min(level, cmp.Or(q.MaxTokens, level))
		q.Pointer, q.TextTokens = partID{step: u.Step, part: i + 1}.String(), sizes[i+1]-m.Framing()
		if text, changed := s.result(calls[i], m, sizes[i+1], q); changed {
			cuts = append(cuts, Truncation{Step: u.Step, Part: i + 1, Text: text})
		}
	}
	return cuts
}

// result shortens a result to its quota: profiles with inflow bands first drop repeated lines, and keep key lines by
// what is already visible.
func (s limiter) result(call transcript.ToolCall, m transcript.Message, size int, q toollimit.Quota) (string, bool) {
	text, changed := m.Text, false
	if len(s.policy.inflow) > 0 {
		if text, changed = s.dropRepeats(call, m, q.Pointer); changed {
			q.TextTokens = 0
		}
	}
	if !changed && fits(m, size, q) {
		return text, false
	}
	if len(s.policy.inflow) > 0 {
		s.view.indexNames()
		q.Seen = s.view.visible
	}
	if short, truncated := toollimit.Truncate(m.Kind, text, q); truncated {
		return short, true
	}
	return text, changed
}

// fits reports whether a result obviously keeps its quota.
func fits(m transcript.Message, size int, q toollimit.Quota) bool {
	countable := m.Kind == toollimit.Search || m.Kind == toollimit.Listing || m.Kind == toollimit.Batch
	if countable && q.MaxMatches > 0 {
		return false
	}
	return size <= q.MaxTokens && (q.MaxChars == 0 || len(m.Text) <= q.MaxChars || toollimit.Runes(m.Text) <= q.MaxChars)
}

// quota returns the quota of a result. Usage is the share of the budget that was taken before its turn.
func (s limiter) quota(call transcript.ToolCall, m transcript.Message, usage float64) toollimit.Quota {
	for _, band := range s.policy.inflow {
		if usage >= band.below {
			continue
		}
		share := band.other
		if m.Kind == toollimit.File || s.units.reads(call, m) {
			share = band.read
		}
		if s.pace.halved {
			share /= 2
		}
		return toollimit.Quota{MaxTokens: min(max(s.shareOf(share), leastInflow), mostInflow)}
	}
	return s.policy.quota(m.Kind, usage)
}

// waterLevel returns the highest level to which sizes may rise so that they take at most room together: small ones
// keep what they need, and large ones divide the rest evenly. If all fit, it is the largest size.
func waterLevel(sizes []int, room int) int {
	sorted := slices.Sorted(slices.Values(sizes))
	for i, size := range sorted {
		rest := len(sorted) - i
		if size*rest > room {
			return max(room/rest, 0)
		}
		room -= size
	}
	return slices.Max(append(sorted, 0))
}

// dropRepeats replaces the runs of lines of a result that the view already shows by one line each. Without such a
// run, or if the same call was made a short while ago, it returns the text and false.
func (s limiter) dropRepeats(call transcript.ToolCall, m transcript.Message, id string) (string, bool) {
	if len(m.Text) < repeatRunes || !hasLines(m) || s.calledLately(call) {
		return m.Text, false
	}
	s.view.indexLines()
	lines := splitLines(toValid(m.Text))
	hashes := hashRuns(lines)
	var kept []string
	for at := 0; at < len(lines); {
		n := s.view.lines.longest(lines, hashes, at)
		if mark := repeatMark(lines[at:at+n], id); mark != "" {
			kept = append(kept, mark)
			at += n
			continue
		}
		kept = append(kept, lines[at])
		at++
	}
	if len(kept) == len(lines) { // each mark replaces several lines
		return m.Text, false
	}
	return strings.Join(kept, "\n"), true
}

// hasLines reports whether a result is a text of lines. In JSON, one line could not replace others.
func hasLines(m transcript.Message) bool {
	switch m.Kind {
	case toollimit.Text, toollimit.File, toollimit.Output:
		return !strings.HasPrefix(m.Text, "{") && !strings.HasPrefix(m.Text, "[")
	}
	return false
}

// repeatMark replaces a run of lines by its first and last line and the id of the whole text. It returns "" for a run
// that is too short, or not larger than its mark.
func repeatMark(run []string, id string) string {
	const longest = 60
	text := strings.Join(run, "\n")
	if len(run) < repeatLines || toollimit.Runes(text) < repeatRunes {
		return ""
	}
	first, last := strings.TrimSpace(run[0]), strings.TrimSpace(run[len(run)-1])
	mark := fmt.Sprintf("[… %d lines stand further up, from %q to %q; whole text: %s id=%s]",
		len(run), firstRunes(first, longest), firstRunes(last, longest), toollimit.ReadTool, id)
	if toollimit.Tokens(mark) >= toollimit.Tokens(text) {
		return ""
	}
	return mark
}

// calledLately reports whether the same call was made within the last few messages of the view.
func (s limiter) calledLately(call transcript.ToolCall) bool {
	key, messages := callKey(call), 0
	same := func(c transcript.ToolCall) bool { return callKey(c) == key }
	for _, sl := range slices.Backward(s.view.slots) {
		if sl.step > 0 && slices.ContainsFunc(s.units.calls(sl.step), same) {
			return true
		}
		if messages += len(sl.messages); messages >= repeatMessages {
			break
		}
	}
	return false
}

// toValid replaces what is not UTF-8.
func toValid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
