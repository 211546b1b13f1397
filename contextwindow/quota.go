package contextwindow

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// limitResults shares the quota of a round among its results, all of whose sizes it sees, and returns the cuts that
// keep each within its part. A profile without quotas cuts nothing here.
func (w *Window) limitResults(u *Unit, sizes []int) []Cut {
	results := u.Messages[1:]
	if len(results) == 0 || len(w.policy.quotas) == 0 && len(w.policy.inflow) == 0 {
		return nil
	}
	usage := w.Usage().Share()
	free := w.raw(w.limit) - w.used - sizes[0]
	wants := make([]int, len(results))
	quotas := make([]toollimit.Quota, len(results))
	for i, m := range results {
		quotas[i] = w.quota(u.Messages[0].Calls[i], m, usage)
		wants[i] = sizes[i+1]
		if most := quotas[i].MaxTokens; most > 0 {
			wants[i] = min(wants[i], most)
		}
		if chars := quotas[i].MaxChars; chars > 0 && len(m.Text) > chars {
			wants[i] = min(wants[i], 1+sizes[i+1]*chars/len(m.Text)*2)
		}
	}
	level := max(waterLevel(wants, int(freeShare*float64(free))), minResult)
	var cuts []Cut
	for i, m := range results {
		q := quotas[i]
		q.MaxTokens = min(level, cmp.Or(q.MaxTokens, level))
		q.Pointer, q.TextTokens = pointer(u.Step, i+1, false), sizes[i+1]-m.Framing()
		text, cut := m.Text, false
		if len(w.policy.inflow) > 0 {
			if text, cut = w.withoutRepeats(u.Messages[0].Calls[i], m, q.Pointer); cut {
				q.TextTokens = 0
			}
		}
		if cut || !fits(m, sizes[i+1], q) {
			if short, again := w.cutTo(m.Kind, text, q); again {
				text, cut = short, true
			}
		}
		if cut {
			cuts = append(cuts, Cut{Step: u.Step, Part: i + 1, Text: text})
		}
	}
	return cuts
}

// cutTo cuts a text to a quota; in profiles that keep key lines, by what is visible already.
func (w *Window) cutTo(k toollimit.Kind, text string, q toollimit.Quota) (string, bool) {
	if len(w.policy.inflow) > 0 {
		w.indexNames()
		q.Seen = w.visible
	}
	return toollimit.Truncate(k, text, q)
}

// fits reports whether a result needs no cutter to see that it keeps its quota.
func fits(m transcript.Message, size int, q toollimit.Quota) bool {
	countable := m.Kind == toollimit.Search || m.Kind == toollimit.Listing || m.Kind == toollimit.Batch
	if countable && q.MaxMatches > 0 {
		return false
	}
	return size <= q.MaxTokens && (q.MaxChars == 0 || len(m.Text) <= q.MaxChars || toollimit.Runes(m.Text) <= q.MaxChars)
}

// quota is what a result may take, at a usage of the budget before its round.
func (w *Window) quota(call transcript.ToolCall, m transcript.Message, usage float64) toollimit.Quota {
	for _, band := range w.policy.inflow {
		if usage >= band.below {
			continue
		}
		share := band.other
		if m.Kind == toollimit.File || slices.ContainsFunc(w.facts(call, m), func(f Fact) bool { return f.Kind == FactRead }) {
			share = band.read
		}
		if w.halved {
			share /= 2
		}
		return toollimit.Quota{MaxTokens: min(max(w.share(share), leastInflow), mostInflow)}
	}
	return w.policy.quota(m.Kind, usage)
}

// waterLevel returns the highest level to which sizes may rise so that together they take at most room: small ones
// keep what they need, and the large ones share the rest evenly. It is the largest size where all fit.
func waterLevel(sizes []int, room int) int {
	sorted := slices.Sorted(slices.Values(sizes))
	for i, size := range sorted {
		rest := len(sorted) - i
		if size*rest > room {
			return max(room/rest, 0)
		}
		room -= size
	}
	if len(sorted) == 0 {
		return max(room, 0)
	}
	return sorted[len(sorted)-1]
}

// keep stores whole what cuts shorten, before they are applied. The unit of a cut may be one that is being appended.
func (w *Window) keep(cuts []Cut, appended *Unit) error {
	for _, c := range cuts {
		u := appended
		if c.Step <= len(w.units) {
			u = w.units[c.Step-1]
		}
		body := u.Messages[partIndex(c)].Text
		if c.Args {
			body = string(u.Messages[0].Calls[c.Part-1].Args)
		}
		if err := w.put(pointer(c.Step, c.Part, c.Args), body); err != nil {
			return err
		}
	}
	return nil
}

func (w *Window) put(id, body string) error {
	if err := w.options.Store.Put(id, body); err != nil {
		return fmt.Errorf("storing %s: %w", id, err)
	}
	return nil
}

// partIndex is the index of the message that a cut is of.
func partIndex(c Cut) int {
	if c.Args {
		return 0
	}
	return c.Part
}
