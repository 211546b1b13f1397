package policy

import (
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/recording"
)

// A history holds the units as received, with their sizes. Every baseline builds on it.
type history struct {
	Setting
	system int // tokens of the system prompt
	units  []recording.Unit
	sizes  []int // of units, in tokens
	total  int   // of system and units
	prompt int   // index of the first message of the user; -1: none yet
}

func newHistory(s Setting) history {
	system := recording.Tokens(s.Counter.Quarters(s.System))
	return history{Setting: s, system: system, total: system, prompt: -1}
}

// Feed appends a unit.
func (h *history) Feed(u recording.Unit) error {
	if h.prompt < 0 && u[0].Role == transcript.User {
		h.prompt = len(h.units)
	}
	h.units = append(h.units, u)
	h.sizes = append(h.sizes, h.Counter.Unit(u))
	h.total += h.sizes[len(h.sizes)-1]
	return nil
}

// newest returns the index of the first of the newest units that fit a room, at least the newest one. If whole is
// set, it returns the start of a turn.
func (h *history) newest(room int, whole bool) int {
	from := max(len(h.units)-1, 0)
	used := 0
	for i := len(h.units) - 1; i >= 0; i-- {
		if used += h.sizes[i]; used > room && i < len(h.units)-1 {
			break
		}
		if !whole || h.units[i][0].Role == transcript.Assistant || i == len(h.units)-1 {
			from = i
		}
	}
	return from
}

func flatten(units ...recording.Unit) []transcript.Message { return slices.Concat(units...) }

// none sends everything: the recall without a budget.
type none struct{ history }

func newNone(s Setting) Policy { return &none{newHistory(s)} }

func (p *none) View() ([]transcript.Message, error) { return flatten(p.units...), nil }

// dropOldest keeps the prompt and the newest units that fit.
type dropOldest struct{ history }

func newDropOldest(s Setting) Policy { return &dropOldest{newHistory(s)} }

func (p *dropOldest) View() ([]transcript.Message, error) {
	if p.total <= p.Budget {
		return flatten(p.units...), nil
	}
	room := p.Budget - p.system
	if p.prompt >= 0 {
		room -= p.sizes[p.prompt]
	}
	from := p.newest(room, false)
	if p.prompt >= 0 && p.prompt < from {
		return flatten(append([]recording.Unit{p.units[p.prompt]}, p.units[from:]...)...), nil
	}
	return flatten(p.units[from:]...), nil
}

// trim keeps the newest messages that fit, from a message of the user or the assistant on.
type trim struct{ history }

func newTrim(s Setting) Policy { return &trim{newHistory(s)} }

func (p *trim) View() ([]transcript.Message, error) {
	if p.total <= p.Budget {
		return flatten(p.units...), nil
	}
	return flatten(p.units[p.newest(p.Budget-p.system, false):]...), nil
}

// The replacements of a cleared result.
const (
	clearedText = "[Old tool result content cleared]"
	maskedText  = "[An earlier result was left out to save room]"
)

// clearing replaces old results by a line.
type clearing struct {
	history
	above float64 // share of the budget from which it begins
	keep  int     // newest results that remain
	text  string
}

func newClear(s Setting) Policy { return &clearing{newHistory(s), .5, 3, clearedText} }
func newMask(s Setting) Policy  { return &clearing{newHistory(s), 0, 10, maskedText} }

func (p *clearing) View() ([]transcript.Message, error) {
	view := flatten(p.units...)
	if p.total <= int(p.above*float64(p.Budget)) {
		return view, nil
	}
	kept := 0
	for i := len(view) - 1; i >= 0; i-- {
		if view[i].Role != transcript.Tool {
			continue
		}
		if kept++; kept > p.keep {
			view[i].Text = p.text
		}
	}
	return view, nil
}
