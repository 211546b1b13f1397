package contextwindow

import (
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// A planner looks at a window and returns the edit that brings it towards a target in raw tokens, or nil if it would
// free nothing. It changes nothing.
type planner func(w *Window, target int) *Edit

// A rung is a step of the overflow ladder.
type rung struct {
	name string
	plan planner
}

const (
	stubTokens = 120 // of a result of an earlier round, before the newest round is touched
	clipTokens = 400 // of an assistant's text or a call's arguments
	shortWords = 128 // a message of the user up to this stays whole until the last resort
)

// overflowRung begins the name of each rung.
const overflowRung = "overflow "

// overflowLadder is walked, whatever the profile, while a request would not fit, from what costs the least to the last
// resort, after which only the fixed parts are left.
var overflowLadder = []rung{
	{overflowRung + "1", shorten(2_000, 500)},
	{overflowRung + "2", foldHistory},
	{overflowRung + "2", foldRounds(2, recordShare, false)},
	{overflowRung + "3", squeeze(unpinned(earlierResults), stubTokens)},
	{overflowRung + "4", squeeze(unpinned(newestResults), 0)},
	{overflowRung + "5", squeeze(unpinned(textsAndArguments), clipTokens)},
	{overflowRung + "6", foldRounds(1, recordShare/2, false)},
	{overflowRung + "6", squeeze(everything, 0)},
	{overflowRung + "7", foldRounds(0, recordShare/2, true)},
	{overflowRung + "7", dropRecord},
}

// plan returns the edit that a level asks for.
func (l Level) plan(w *Window, target int) *Edit {
	switch {
	case l.Over > 0:
		return shorten(l.Over, l.To)(w, target)
	case l.History:
		return foldHistory(w, target)
	case l.Keep > 0:
		return foldRounds(l.Keep, recordShare, false)(w, target)
	}
	return nil
}

// A part is a text in the view that an edit may shorten: of a message, or the arguments of a call.
type part struct {
	cut    Cut // without its Text
	kind   toollimit.Kind
	whole  string // as it was received
	tokens int    // as it is shown
	size   int    // as it was received, in tokens; 0: not known
}

// shorten cuts the results of all rounds but the newest that are longer than over characters to so many.
func shorten(over, to int) planner {
	return func(w *Window, _ int) *Edit {
		var cuts []Cut
		freed := 0
		long := func(w *Window, i int, c Cut) bool {
			return unpinned(earlierResults)(w, i, c) && w.longResult(i, c.Part, over)
		}
		for _, p := range w.parts(long) {
			freed += w.cutPart(&cuts, p, toollimit.Quota{MaxChars: to})
		}
		return cutEdit(cuts, freed)
	}
}

// longResult reports whether a result is shown with more than so many characters.
func (w *Window) longResult(slot, part, over int) bool {
	text := w.slots[slot].messages[part].Text
	return len(text) > over && toollimit.Runes(text) > over
}

// squeeze cuts the picked parts that are larger than floor tokens to that size; with a floor of 0, evenly to what is
// left of the target.
func squeeze(pick func(w *Window, i int, c Cut) bool, floor int) planner {
	return func(w *Window, target int) *Edit {
		parts := w.parts(pick)
		level := floor
		if floor == 0 {
			sizes := make([]int, len(parts))
			for i, p := range parts {
				sizes[i] = p.tokens
			}
			level = waterLevel(sizes, target-(w.used-sum(sizes)))
		}
		var cuts []Cut
		freed := 0
		for _, p := range parts {
			if p.tokens > level {
				freed += w.cutPart(&cuts, p, toollimit.Quota{MaxTokens: max(level, 1)})
			}
		}
		return cutEdit(cuts, freed)
	}
}

// nothingLeft is shown of a text that had no room at all: a message without a text is refused by providers.
const nothingLeft = "…"

// cutPart adds the cut of a part to a quota, if it makes the part smaller, and returns how many tokens it frees.
func (w *Window) cutPart(cuts *[]Cut, p part, q toollimit.Quota) int {
	if p.cut.Args {
		p.cut.Text = shortenArguments(p.whole, q.MaxTokens, pointer(p.cut.Step, p.cut.Part, true))
	} else {
		q.Pointer, q.TextTokens = pointer(p.cut.Step, p.cut.Part, false), p.size
		p.cut.Text, _ = toollimit.Truncate(p.kind, p.whole, q)
		if strings.TrimSpace(p.cut.Text) == "" {
			p.cut.Text = nothingLeft
		}
	}
	freed := p.tokens - toollimit.Tokens(p.cut.Text)
	if freed <= 0 {
		return 0
	}
	*cuts = append(*cuts, p.cut)
	return freed
}

func cutEdit(cuts []Cut, freed int) *Edit {
	if freed <= 0 {
		return nil
	}
	return &Edit{Op: OpCut, Cuts: cuts}
}

// parts returns the texts and arguments in the view that pick chooses by the index of their slot, in the view's order.
func (w *Window) parts(pick func(w *Window, i int, c Cut) bool) []part {
	var parts []part
	for i := range w.slots {
		sl := &w.slots[i]
		if sl.step == 0 {
			continue
		}
		whole := w.units[sl.step-1].Messages
		for n := range sl.messages {
			m := &sl.messages[n]
			if c := (Cut{Step: sl.step, Part: n}); m.Text != "" && pick(w, i, c) {
				p := part{cut: c, kind: m.Kind, whole: whole[n].Text, tokens: sl.textTokens(n)}
				if m.Role == transcript.Tool {
					p.size = w.sizes[sl.step-1][n] - m.Framing()
				}
				parts = append(parts, p)
			}
			for k, call := range m.Calls {
				if c := (Cut{Step: sl.step, Part: k + 1, Args: true}); len(call.Args) > 0 && pick(w, i, c) {
					parts = append(parts, part{cut: c, kind: toollimit.JSON, whole: string(whole[n].Calls[k].Args), tokens: toollimit.Tokens(string(call.Args))})
				}
			}
		}
	}
	return parts
}

// textTokens is the size of the text of a message of a slot, in tokens.
func (sl *slot) textTokens(n int) int {
	m := &sl.messages[n]
	switch {
	case m.Role == transcript.Tool:
		return sl.sizes[n] - m.Framing()
	case len(m.Calls) == 0 && m.ProviderData == nil:
		return sl.sizes[n] - m.Framing()
	}
	return toollimit.Tokens(m.Text)
}

func isResult(c Cut) bool { return c.Part > 0 && !c.Args }

// earlierResults picks the results of all rounds but the newest.
func earlierResults(w *Window, i int, c Cut) bool { return isResult(c) && i < w.roundStart(1) }

// newestResults picks the results of the newest round, and long messages of the user that did not open the run.
func newestResults(w *Window, i int, c Cut) bool {
	if c.Part == 0 && !c.Args {
		return w.slots[i].messages[0].Role == transcript.User && w.slots[i].step != w.prompt && w.slots[i].textTokens(0) > shortWords
	}
	return isResult(c) && i >= w.roundStart(1)
}

// textsAndArguments picks what the assistant wrote.
func textsAndArguments(w *Window, i int, c Cut) bool {
	return c.Args || c.Part == 0 && w.slots[i].messages[0].Role == transcript.Assistant
}

// everything picks all but the prompt.
func everything(w *Window, i int, _ Cut) bool { return w.slots[i].step != w.prompt }

// unpinned picks what another picks, without what is pinned.
func unpinned(pick func(*Window, int, Cut) bool) func(*Window, int, Cut) bool {
	return func(w *Window, i int, c Cut) bool { return !w.pin[w.slots[i].step] && pick(w, i, c) }
}

// roundStart returns the index of the slot at which the last n rounds begin: a round is a message of the assistant
// with what follows it. With fewer rounds it is 0, with n = 0 the end.
func (w *Window) roundStart(n int) int {
	for i := len(w.slots) - 1; i >= 0; i-- {
		if n == 0 {
			return i + 1
		}
		if w.slots[i].step > 0 && w.slots[i].messages[0].Role == transcript.Assistant {
			n--
		}
		if n == 0 {
			return i
		}
	}
	return 0
}
