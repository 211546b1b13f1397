package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// View draws the screen.
func (a *app) View() tea.View {
	var lines []string
	var cursor *tea.Cursor
	if a.pick != nil {
		var x, y int
		lines, x, y = a.pick.view(&a.style.theme, a.width, a.height)
		cursor = tea.NewCursor(x, y)
	} else {
		lines, cursor = a.conversation()
	}
	v := tea.NewView(strings.Join(lines[:min(len(lines), a.height)], "\n"))
	v.AltScreen, v.MouseMode, v.Cursor = true, tea.MouseModeCellMotion, cursor
	if a.watched != nil {
		return v // the terminal keeps its title
	}
	v.WindowTitle = "foray"
	if a.status.thread != "" {
		v.WindowTitle += " " + clean(a.status.thread)
	}
	return v
}

// conversation draws the transcript, what is in progress, the editor and the status.
func (a *app) conversation() ([]string, *tea.Cursor) {
	t := &a.style.theme
	below := []string{""}
	if a.turn != nil {
		below[0] = a.turn.activity(t, a.width, a.now(), len(a.asks) > 0)
	}
	if a.log.away {
		below[0] = fit(below[0]+t.faint.Render("  ↓ more below"), a.width)
	}
	if a.offer != nil {
		below = append(below, a.offer.view(t, a.width)...)
	}
	typed := strings.Split(a.edit.area.View(), "\n")
	if len(a.asks) > 0 {
		typed = a.asks[0].view(t, a.width, max(a.height-4, 1))
	}
	a.log.height = max(a.height-len(below)-len(typed)-1, 1)
	lines := a.log.view()
	for len(lines) < a.log.height {
		lines = append(lines, "")
	}
	for i := range lines {
		lines[i] = fit(lines[i], a.width)
	}
	var cursor *tea.Cursor
	if c := a.edit.area.Cursor(); c != nil && len(a.asks) == 0 {
		c.Position.Y += len(lines) + len(below)
		cursor = c
	}
	lines = append(append(lines, below...), typed...)
	return append(lines, a.status.view(t, a.width, a.now())), cursor
}

// view draws the question whether a call may be made, in at most height lines. Arguments with more lines scroll.
func (q *ask) view(t *theme, width, height int) []string {
	var args []string
	for _, l := range q.args {
		args = append(args, l.draw(t, width)...)
	}
	lines, keys := []string{t.bold.Render(fit("May "+q.name+" be called with", width))}, "y: yes · n: no"
	if most := max(height-2, 1); len(args) > most {
		q.page, q.top = most, max(min(q.top, len(args)-most), 0)
		keys += fmt.Sprintf(" · ↑ ↓: lines %d to %d of %d", q.top+1, q.top+most, len(args))
		args = args[q.top : q.top+most]
	}
	return append(append(lines, args...), t.accent.Render(fit(keys, width)))
}
