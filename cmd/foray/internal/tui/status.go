package tui

import (
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/internal/line"
)

// A status is what the last line says.
type status struct {
	name, thread, cost string
	window             contextwindow.Usage
	sections           []contextwindow.SectionUsage
	step, limit        int
}

// barWidth is how wide the bar of the window is, in columns.
const barWidth = 16

// view draws the status for a width: what matters most comes first, and the rest is left out.
func (s *status) view(t *theme, width int) string {
	var parts []string
	if s.name != "" {
		parts = append(parts, t.faint.Render(fit(clean(s.name), width)))
	}
	if s.window.Tokens > 0 {
		parts = append(parts, s.used(t))
	}
	if s.cost != "" {
		parts = append(parts, t.faint.Render(s.cost))
	}
	if s.step > 0 {
		parts = append(parts, t.faint.Render(line.Count(s.step, "step")))
	}
	if s.thread != "" {
		parts = append(parts, t.faint.Render("thread "+line.Truncate(clean(s.thread), 12)))
	}
	text := ""
	for _, p := range parts {
		switch {
		case text == "":
			text = p
		case columns(text)+columns(between)+columns(p) <= width:
			text += t.faint.Render(between) + p
		}
	}
	return fit(text, width)
}

// between separates the parts of the status.
const between = " · "

// unlimited is a limit that no model has: a window without one.
const unlimited = 100_000_000

// used says how much of the window is used.
func (s *status) used(t *theme) string {
	if s.window.Limit <= 0 || s.window.Limit >= unlimited {
		return t.faint.Render(compact(s.window.Tokens) + " tokens")
	}
	return s.bar(t) + t.faint.Render(" "+compact(s.window.Tokens)+" of "+compact(s.window.Limit)+" tokens")
}

// compact writes tokens as 950, 12.3k or 1.2M.
func compact(n int) string {
	switch {
	case n >= 1_000_000:
		return line.Decimals(float64(n)/1e6, 1) + "M"
	case n >= 1000:
		return line.Decimals(float64(n)/1e3, 1) + "k"
	}
	return line.Number(n)
}

// barParts are the parts of the bar of the window, and the sections that each of them is. What no other part has
// counts as conversation.
var barParts = [6][]string{
	{"system prompt", "tool schemas"}, {"prompt"}, {"history"}, {"digest"}, {}, {"results"},
}

const conversation = 4 // of barParts

// sizes returns the tokens of each part of the bar. During a run only the prefix and the prompt are known.
func (s *status) sizes() (all [len(barParts)]int) {
	u := s.window
	if s.sections == nil {
		all[0], all[1], all[conversation] = u.Prefix, u.Prompt, max(u.Tokens-u.Prefix-u.Prompt, 0)
		return all
	}
	for _, section := range s.sections {
		part := slices.IndexFunc(barParts[:], func(names []string) bool { return slices.Contains(names, section.Name) })
		if part < 0 {
			part = conversation
		}
		all[part] += section.Tokens
	}
	return all
}

// bar draws how full the window is, by its parts.
func (s *status) bar(t *theme) string {
	u, sizes := s.window, s.sizes()
	var b strings.Builder
	drawn, sum := 0, 0
	for i, size := range sizes {
		sum += size
		to := min((sum*barWidth+u.Limit/2)/u.Limit, barWidth)
		if drawn == 0 && i == len(sizes)-1 {
			to = max(to, 1) // the least that can be seen
		}
		if to > drawn {
			b.WriteString(t.parts[i].Render(strings.Repeat("█", to-drawn)))
			drawn = to
		}
	}
	return b.String() + t.faint.Render(strings.Repeat("░", barWidth-drawn))
}

// spinner are the pictures of a turn in progress.
var spinner = []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")

// activity says what a turn is doing.
func (t *turn) activity(th *theme, width int, now time.Time) string {
	since := now.Sub(t.began)
	mark := string(spinner[int(since/frames)%len(spinner)])
	text := mark + " " + t.doing + ", " + ui.Seconds(since)
	if t.canceled {
		text = mark + " cancelling; Ctrl-C again ends at once"
	} else if hint := " · Ctrl-C cancels"; columns(text)+columns(hint) <= width {
		text += hint
	}
	return th.accent.Render(fit(text, width))
}
