package tui

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
)

// A picker is a list to choose from, with a search.
type picker struct {
	title  string
	all    []Choice
	rows   []Choice
	at     int
	input  textinput.Model
	chosen func(Choice) tea.Cmd
}

func newPicker(title string, rows []Choice, t *theme, chosen func(Choice) tea.Cmd) *picker {
	in := textinput.New()
	in.Prompt = "search: "
	in.SetVirtualCursor(false)
	in.SetStyles(textinput.DefaultStyles(t.dark))
	in.Focus()
	return &picker{title: title, all: rows, rows: rows, input: in, chosen: chosen}
}

// key takes a key. It reports whether the picker is done, and what follows.
func (p *picker) key(msg tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	switch msg.String() {
	case "esc", "ctrl+c", "ctrl+d":
		return true, nil
	case "enter":
		if len(p.rows) == 0 {
			return false, nil
		}
		return true, p.chosen(p.rows[p.at])
	case "up", "ctrl+p":
		p.at = max(p.at-1, 0)
	case "down", "ctrl+n":
		p.at = min(p.at+1, max(len(p.rows)-1, 0))
	case "pgup":
		p.at = max(p.at-10, 0)
	case "pgdown":
		p.at = min(p.at+10, max(len(p.rows)-1, 0))
	default:
		p.input, cmd = p.input.Update(msg)
		p.search()
		return false, cmd
	}
	return false, nil
}

// search keeps the rows that hold all words of the input.
func (p *picker) search() {
	words := strings.Fields(strings.ToLower(p.input.Value()))
	p.rows, p.at = nil, 0
	for _, r := range p.all {
		text := strings.ToLower(r.ID + " " + r.Title + " " + r.Detail)
		missing := false
		for _, w := range words {
			missing = missing || !strings.Contains(text, w)
		}
		if !missing {
			p.rows = append(p.rows, r)
		}
	}
}

// view draws the list for a screen, and returns where the cursor of its input is.
func (p *picker) view(t *theme, width, height int) (lines []string, x, y int) {
	count := fmt.Sprintf(" (%d of %d)", len(p.rows), len(p.all))
	title := t.bold.Render(fit(p.title, width-columns(count))) + t.faint.Render(count)
	lines = []string{title, fit(p.input.View(), width), ""}
	lines = append(lines, rowsOf(t, p.rows, p.at, max(height-len(lines)-2, 1), width)...)
	if len(p.rows) == 0 {
		lines = append(lines, t.faint.Render("nothing is like that"))
	}
	for len(lines) < height-1 {
		lines = append(lines, "")
	}
	lines = append(lines, t.faint.Render(fit("Enter chooses, Esc goes back", width)))
	x = columns(p.input.Prompt)
	if c := p.input.Cursor(); c != nil {
		x = c.X
	}
	return lines, x, 1
}
