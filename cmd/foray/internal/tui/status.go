package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
)

// A status is what the last line says.
type status struct {
	name, thread, cost string
	window             contextwindow.Usage
	sections           []contextwindow.SectionUsage
	step, limit        int       // 0: not known
	began              time.Time // of the answer in progress; zero: none
}

// request takes what a request that is sent holds: its sections, and how large it is until its run has said so.
func (s *status) request(e agent.RequestSent) {
	s.step, s.sections = e.Step, sectionsOf(e.Request)
	if s.window.Tokens == 0 {
		for _, section := range s.sections {
			s.window.Tokens += section.Tokens
		}
	}
}

// sectionsOf estimates the sections of a request.
func sectionsOf(r *providers.Request) []contextwindow.SectionUsage {
	sizes := [len(barParts)]int{toollimit.Tokens(r.System)}
	for _, t := range r.Tools {
		sizes[0] += toollimit.Tokens(t.Name) + toollimit.Tokens(t.Description) + toollimit.Tokens(string(t.Schema))
	}
	for _, m := range r.Messages {
		part := conversation
		switch {
		case m.Origin == transcript.Prompt:
			part = 1
		case m.Origin == transcript.History:
			part = 2
		case m.Origin == transcript.Runtime:
			part = 3
		case m.Role == transcript.Tool:
			part = 5
		}
		sizes[part] += toollimit.Tokens(m.Text)
		for _, c := range m.Calls {
			sizes[part] += c.Tokens()
		}
	}
	all := make([]contextwindow.SectionUsage, 0, len(sizes))
	for part, size := range sizes {
		all = append(all, contextwindow.SectionUsage{Name: append(barParts[part], "conversation")[0], Tokens: size})
	}
	return all
}

// How wide the bar of the window is, in columns, and where little fits.
const barWidth, shortBar = 16, 8

// view draws the status for a width: the window in the longest form with which all fits. Where none does, what matters
// most comes first, and the rest is left out.
func (s *status) view(t *theme, width int, now time.Time) string {
	forms := s.used(t)
	text, whole := "", false
	for i := 0; i == 0 || i < len(forms) && !whole; i++ {
		parts := []string{t.faint.Render(fit(clean(s.name), width))}
		if len(forms) > 0 {
			parts = append(parts, forms[i])
		}
		for _, p := range s.parts(now) {
			if p != "" {
				parts = append(parts, t.faint.Render(p))
			}
		}
		text, whole = joined(parts, t.faint.Render(between), width)
	}
	return text
}

// joined writes the parts that fit into width columns, the first of them in any case, and reports whether all do.
func joined(parts []string, between string, width int) (text string, whole bool) {
	whole = true
	for _, p := range parts {
		switch {
		case p == "":
		case text == "":
			text = p
		case columns(text)+columns(between)+columns(p) <= width:
			text += between + p
		default:
			whole = false
		}
	}
	return fit(text, width), whole
}

// parts returns what follows the window, "" for what is not known.
func (s *status) parts(now time.Time) []string {
	step, thread := "", ""
	switch {
	case s.step > 0 && s.limit > 0:
		step = fmt.Sprintf("step %d of %d", s.step, s.limit)
	case s.step > 0:
		step = line.Count(s.step, "step")
	}
	if s.thread != "" {
		thread = "thread " + line.Truncate(clean(s.thread), 12)
	}
	if s.began.IsZero() {
		return []string{s.cost, step, thread}
	}
	return []string{step, since(now.Sub(s.began)), s.cost, thread}
}

// since writes a duration in whole seconds.
func since(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%ds", int(d.Seconds()))
	}
	return ui.Seconds(d)
}

// between separates the parts of the status.
const between = " · "

// unlimited is a limit that no model has: a window without one.
const unlimited = 100_000_000

// used says how much of the window is used, in forms of three lengths.
func (s *status) used(t *theme) []string {
	switch {
	case s.window.Tokens <= 0:
		return nil
	case s.window.Limit <= 0 || s.window.Limit >= unlimited:
		return []string{t.faint.Render(compact(s.window.Tokens) + " tokens")}
	}
	return []string{
		s.bar(t, barWidth) + t.faint.Render(" "+compact(s.window.Tokens)+" of "+compact(s.window.Limit)+" tokens"),
		s.bar(t, shortBar) + t.faint.Render(" "+compact(s.window.Tokens)+" of "+compact(s.window.Limit)),
		s.bar(t, shortBar) + t.faint.Render(fmt.Sprintf(" %.0f %%", 100*s.window.Share())),
	}
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

// sizes returns the tokens of each part of the bar, which add up to those of the window.
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
	if sum := sumOf(all[:]); sum > 0 {
		for i := range all {
			all[i] = int(float64(all[i]) * float64(u.Tokens) / float64(sum))
		}
	}
	return all
}

func sumOf(sizes []int) (sum int) {
	for _, n := range sizes {
		sum += n
	}
	return sum
}

// bar draws how full the window is, by its parts, in width columns.
func (s *status) bar(t *theme, width int) string {
	u, sizes := s.window, s.sizes()
	var b strings.Builder
	drawn, sum := 0, 0
	for i, size := range sizes {
		sum += size
		to := min((sum*width+u.Limit/2)/u.Limit, width)
		if drawn == 0 && i == len(sizes)-1 {
			to = max(to, 1) // the least that can be seen
		}
		if to > drawn {
			b.WriteString(t.parts[i].Render(strings.Repeat("█", to-drawn)))
			drawn = to
		}
	}
	return b.String() + t.faint.Render(strings.Repeat("░", width-drawn))
}

// spinner are the pictures of a turn in progress.
var spinner = []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")

// activity says what a turn is doing, and for how long; one that has asked the person waits.
func (t *turn) activity(th *theme, width int, now time.Time, asked bool) string {
	mark := string(spinner[int(max(now.Sub(t.began), 0)/frames)%len(spinner)])
	text := mark + " " + t.doing
	if asked {
		text = mark + " waiting for your yes or no"
	} else if d := now.Sub(t.since); d >= time.Second {
		text += " (" + since(d) + ")"
	}
	if t.canceled {
		text = mark + " cancelling; Ctrl-C again ends at once"
	} else if hint := " · Ctrl-C cancels"; columns(text)+columns(hint) <= width {
		text += hint
	}
	return th.accent.Render(fit(text, width))
}
