package contextwindow

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/internal/shell"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
)

// A limiter limits results on their way in.
type limiter struct{ *state }

// truncations returns the truncations that keep each result of a turn within its quota, and all together within half of
// the free room. Under a profile without quotas it truncates nothing.
func (s limiter) truncations(u *Unit, sizes []int) []Truncation {
	var quotas []toollimit.Quota
	full := false
	switch {
	case len(u.Messages) == 1 || u.Messages[0].Origin == transcript.History: // the caller chose its size
	case s.policy.inflow != nil:
		quotas, full = s.roomQuotas(u, sizes)
	case len(s.policy.quotas) > 0:
		quotas = s.plainQuotas(u, sizes)
	}
	var cuts []Truncation
	d := dropper{state: s.state}
	if s.policy.inflow != nil && !full && len(quotas) > 0 {
		d = newDropper(s.state, u)
	}
	for i, q := range quotas {
		call, m := u.Messages[0].Calls[i], u.Messages[i+1]
		q.Tool = readTool(s.state)
		q.Pointer, q.TextTokens = u.pointer(partID{step: u.Step, part: i + 1}), sizes[i+1]-m.Framing()-m.ImageTokens()
		q.Query = string(call.Args)
		cut := Truncation{Step: u.Step, Part: i + 1, Text: m.Text}
		q.Numbers = d.drop(&cut, call, m)
		if s.shorten(&cut, m, sizes[i+1], q) {
			cuts = append(cuts, cut)
		}
	}
	return cuts
}

// plainQuotas returns the quotas of a turn's results by the share of the budget that was taken before it.
func (s limiter) plainQuotas(u *Unit, sizes []int) []toollimit.Quota {
	usage := float64(s.meter.tokens()) / float64(s.limit)
	wants := make([]int, len(u.Messages)-1)
	quotas := make([]toollimit.Quota, len(wants))
	for i, m := range u.Messages[1:] {
		if m.Kind != toollimit.Excerpt {
			quotas[i] = s.policy.quota(m.Kind, usage)
		}
		wants[i] = sizes[i+1]
		if chars := quotas[i].MaxChars; chars > 0 && len(m.Text) > chars {
			wants[i] = min(wants[i], 1+sizes[i+1]*chars/len(m.Text)*2)
		}
	}
	level := max(waterLevel(wants, roomOf(s.roomBelow(1)-sizes[0], turnShare)), minResult)
	for i := range quotas {
		quotas[i].MaxTokens = level
	}
	return quotas
}

// roomQuotas returns the quotas of a turn's results by the room that is left below the high mark, and whether the turn
// crosses the mark.
func (s limiter) roomQuotas(u *Unit, sizes []int) (quotas []toollimit.Quota, crosses bool) {
	shown, shares := make([]int, len(u.Messages)-1), make([]float64, len(u.Messages)-1)
	for i := range shares {
		shares[i] = s.inflowShare(u.Messages[0].Calls[i], &u.Messages[i+1])
	}
	show := func(room int) {
		for i := range shown {
			shown[i] = s.shownOf(sizes[i+1], s.quotaOf(shares[i], room))
		}
	}
	room := s.roomBelow(s.policy.marks.high) - sizes[0]
	show(room)
	if crosses = sum(shown) >= room; crosses {
		room = max(room, s.shareOf(turnShare))
		show(room)
	}
	level := max(waterLevel(shown, max(roomOf(room, turnShare), s.leastResult())), minResult)
	quotas = make([]toollimit.Quota, len(shown))
	for i := range quotas {
		quotas[i].MaxTokens = min(level, shown[i])
	}
	return quotas, crosses
}

// roomBelow returns how many raw tokens may come in before the request takes a share of the budget.
func (s limiter) roomBelow(share float64) int {
	return s.meter.rawFor(int(share*float64(s.limit))) - s.meter.used
}

// shownOf returns how many of a result's tokens are shown under a quota: all of them if it is only a little larger.
func (s limiter) shownOf(size, quota int) int {
	if float64(size) <= wholeUpTo*float64(quota) {
		return size
	}
	return quota
}

// ofExcerpt is the share of an excerpt, which has a quota of its own.
const ofExcerpt = -1

// inflowShare returns the share of the room that a result may take, by what its call does.
func (s limiter) inflowShare(call transcript.ToolCall, m *transcript.Message) float64 {
	if m.Kind == toollimit.Excerpt {
		return ofExcerpt
	}
	switch s.actionOf(call, m) {
	case shell.Read:
		return s.policy.inflow.read
	case shell.Search:
		return s.policy.inflow.search
	case shell.Other:
	}
	return s.policy.inflow.other
}

// quotaOf returns the quota of a result in tokens, given its share and the room of its turn.
func (s limiter) quotaOf(share float64, room int) int {
	if share == ofExcerpt {
		return readRoom(room)
	}
	if s.pace.halved {
		share /= 2
	}
	return min(max(roomOf(room, share), s.leastResult()), mostInflow)
}

// An excerpt may take half of the room below readMark of the budget, but at least leastRead and at most mostRead
// tokens. It fills what is left without causing a compaction, and leaves room to read on.
const (
	readMark  = .90
	leastRead = 256
	mostRead  = 10_000
)

func readRoom(free int) int { return min(max(free/2, leastRead), mostRead) }

// leastResult returns how many tokens any result may have, however little room is left.
func (s limiter) leastResult() int {
	least := max(leastInflow, min(leastOfLarge, roomOf(s.meter.rawFor(s.limit), leastShare)))
	if s.pace.halved {
		least /= 2
	}
	return min(least, s.shareOf(mostOfLeast))
}

// recutRoom returns how many tokens a result may take once a compaction evicts what it repeated: as many as any result
// in a turn that a compaction makes room for.
func (s limiter) recutRoom() int {
	if s.policy.inflow == nil {
		return 0
	}
	return roomOf(s.shareOf(turnShare), s.policy.inflow.other)
}

// actionOf returns what a call did: by the kind of its result, the command that it ran, or its facts.
func (s limiter) actionOf(call transcript.ToolCall, m *transcript.Message) shell.Action {
	runs := false
	switch m.Kind {
	case toollimit.Search, toollimit.Listing:
		return shell.Search
	case toollimit.File:
		return shell.Read
	case toollimit.Text, toollimit.Output:
		runs = true
	case toollimit.JSON, toollimit.Diff, toollimit.Receipt, toollimit.Batch, toollimit.Error, toollimit.Binary,
		toollimit.Excerpt:
	}
	args := fieldsOf(call.Args)
	if command := argument(args, commandArguments); runs && command != "" {
		return shell.ActionOf(commandLine(command))
	}
	if s.units.reads(call, m, args) {
		return shell.Read
	}
	return shell.Other
}

// commandArguments are the argument names of a shell command: a line, or a JSON list of words.
var commandArguments = []string{"command", "cmd", "script"}

// commandLine returns a command as one line. The last word of a list that calls a shell is the line.
func commandLine(command string) string {
	var words []string
	if json.Unmarshal([]byte(command), &words) != nil || len(words) == 0 {
		return command
	}
	if last := words[len(words)-1]; strings.ContainsRune(last, ' ') {
		return last
	}
	return strings.Join(words, " ")
}

// Quota returns the quota that the result of a call would have if it came in next, alone. A zero quota has no bound.
func (w *Window) Quota(call transcript.ToolCall, k toollimit.Kind) toollimit.Quota {
	s := limiter{w.state}
	q := w.policy.quota(k, w.Usage().Share())
	if w.policy.inflow != nil {
		share := s.inflowShare(call, &transcript.Message{Role: transcript.Tool, Kind: k})
		q.MaxTokens = s.quotaOf(share, s.roomBelow(w.policy.marks.high)-call.Tokens())
	}
	return q
}

// shorten shortens a result to its quota, after repeats were taken out of it, and reports whether its text changed.
// Under quotas by room, key lines are chosen by what is already visible.
func (s limiter) shorten(cut *Truncation, m transcript.Message, size int, q toollimit.Quota) bool {
	switch {
	case cut.Text != m.Text:
		q.TextTokens = 0
	case fits(m, size, q):
		return false
	}
	if s.policy.inflow != nil {
		s.indexNames()
		q.Seen = s.units.names.Visible
	}
	cut.Text, _ = toollimit.Truncate(m.Kind, cut.Text, q)
	return cut.Text != m.Text
}

// fits reports whether a result obviously keeps its quota.
func fits(m transcript.Message, size int, q toollimit.Quota) bool {
	if q.MaxMatches > 0 {
		return false // Truncate counts them
	}
	return size <= q.MaxTokens && (q.MaxChars == 0 || len(m.Text) <= q.MaxChars || line.Runes(m.Text) <= q.MaxChars)
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

// recut adds to an edit the results whose marks name lines that the edit removes from the view. They are shown without
// marks, in at most so many tokens each, or in as many as they take now if that is more.
func (s limiter) recut(e *Edit, most int) *Edit {
	changed := make(map[int]bool, len(e.Steps)+len(e.Truncations))
	for _, step := range e.Steps {
		changed[step] = true
	}
	for _, c := range e.Truncations {
		changed[c.Step] = true
	}
	evicted := func(step int) bool { return e.Op == opEvict && slices.Contains(e.Steps, step) }
	names := func(steps []int) bool {
		return slices.ContainsFunc(steps, func(step int) bool { return changed[step] })
	}
	cut := len(e.Truncations)
	for _, sl := range s.view.slots {
		for n, steps := range sl.repeats {
			id := partID{step: sl.step, part: n}
			isCut := func(c Truncation) bool { return c.id() == id }
			if !names(steps) || evicted(sl.step) || slices.ContainsFunc(e.Truncations[:cut], isCut) {
				continue
			}
			changed[sl.step] = true
			e.Truncations = append(e.Truncations, s.withoutMarks(id, max(most, sl.textTokens(n))))
		}
	}
	slices.SortStableFunc(e.Truncations, func(a, b Truncation) int { return a.Step - b.Step })
	return e
}

// withoutMarks is a result shown without marks in at most so many tokens.
func (s limiter) withoutMarks(id partID, most int) Truncation {
	m, size := s.units.at(id.step).Messages[id.part], s.units.sizesAt(id.step)[id.part]
	cut := Truncation{Step: id.step, Part: id.part, Text: toValid(m.Text)} // an edit is saved as JSON
	q := toollimit.Quota{MaxTokens: most, Pointer: id.String(), TextTokens: size - m.Framing() - m.ImageTokens()}
	q.Tool = readTool(s.state)
	s.shorten(&cut, m, size, q)
	return cut
}
