package tui

import (
	"math"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/forayhq/foray/agent"
)

// A binding is what keys do, in the order of the help.
type binding struct {
	keys []string // as Bubble Tea names them
	help string   // "": the same as the one above
	do   func(*app) tea.Cmd
}

// bindings returns the keys of the conversation. What none of them takes goes to the editor.
func bindings() []binding {
	return []binding{
		{[]string{"enter"}, "send", (*app).enter},
		{[]string{"alt+enter", "shift+enter", "ctrl+j"}, "break the line (so does \\ before Enter)", (*app).breakLine},
		{[]string{"tab"}, "complete a command or @path", (*app).take},
		{[]string{"up"}, "earlier messages, from the first line", (*app).up},
		{[]string{"down"}, "later messages, from the last line", (*app).down},
		{[]string{"ctrl+r"}, "search your earlier messages", (*app).searchSaid},
		{[]string{"ctrl+g"}, "write the message in $EDITOR", (*app).editMessage},
		{[]string{"ctrl+o"}, "open a place of the last answer in $EDITOR", (*app).openPlace},
		{[]string{"pgup"}, "scroll back", func(a *app) tea.Cmd { a.log.scroll(-a.page()); return nil }},
		{[]string{"pgdown"}, "scroll on", func(a *app) tea.Cmd { a.log.scroll(a.page()); return nil }},
		{[]string{"ctrl+end"}, "scroll to the end", func(a *app) tea.Cmd { a.log.follow(); return nil }},
		{[]string{"alt+up"}, "choose the call above, Enter folds it", func(a *app) tea.Cmd { a.log.choose(-1); return nil }},
		{[]string{"alt+down"}, "choose the call below", func(a *app) tea.Cmd { a.log.choose(1); return nil }},
		{[]string{"ctrl+t"}, "fold all calls out or in", func(a *app) tea.Cmd { a.log.foldAll(); return nil }},
		{[]string{"esc"}, "go back to an earlier message and branch there", (*app).escape},
		{[]string{"ctrl+c"}, "cancel the answer and keep what came; twice: end", (*app).interrupt},
		{[]string{"ctrl+d"}, "end, if nothing is typed", (*app).endOfInput},
		{[]string{"ctrl+l"}, "draw the screen again", func(*app) tea.Cmd { return tea.ClearScreen }},
	}
}

// explained reports whether the help lists a key: Esc goes back only where the conversation can branch.
func (b *binding) explained(h *Host) bool { return b.keys[0] != "esc" || h.Branch != nil }

// key takes a key.
func (a *app) key(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case a.pick != nil:
		done, cmd := a.pick.key(msg)
		if done {
			a.pick = nil
		}
		return cmd
	case len(a.asks) > 0:
		return a.decide(msg)
	}
	for _, b := range bindings() {
		for _, k := range b.keys {
			if msg.String() == k {
				return b.do(a)
			}
		}
	}
	a.log.chosen = -1
	return a.types(msg)
}

// types gives a key to the editor.
func (a *app) types(msg tea.KeyPressMsg) tea.Cmd {
	a.typed = time.Now()
	cmd := a.edit.key(msg)
	a.completing()
	return cmd
}

// pause is how long nobody must have typed before a key answers a question: one that comes up in the middle of a word
// is not answered by the next letter.
const pause = 700 * time.Millisecond

// decide answers the question on the screen.
func (a *app) decide(msg tea.KeyPressMsg) tea.Cmd {
	if msg.Text != "" && time.Since(a.typed) < pause {
		return a.types(msg)
	}
	d := agent.Decision{}
	switch msg.String() {
	case "up", "down", "pgup", "pgdown", "home", "end":
		a.asks[0].scroll(msg.String())
		return nil
	case "y", "Y":
		d.Approved = true
	case "n", "N", "esc":
		d.Reason = "the user said no"
	case "ctrl+c":
		return a.interrupt()
	default:
		return nil
	}
	q := a.asks[0]
	a.asks = a.asks[1:]
	q.answer(d)
	return nil
}

// scroll moves the arguments of the call; [ask.view] keeps them on the screen.
func (q *ask) scroll(key string) {
	switch key {
	case "up":
		q.top--
	case "down":
		q.top++
	case "pgup":
		q.top -= q.page
	case "pgdown":
		q.top += q.page
	case "home":
		q.top = 0
	case "end":
		q.top = math.MaxInt32
	}
}

// paste takes a text from the clipboard.
func (a *app) paste(text string) {
	switch {
	case a.pick != nil:
		a.pick.input, _ = a.pick.input.Update(tea.PasteMsg{Content: clean(text)})
		a.pick.search()
	case len(a.asks) == 0:
		a.edit.paste(text)
		a.completing()
	}
}

// completing offers completions for what is before the cursor.
func (p *prompt) completing() {
	before, _ := p.edit.around()
	p.offer = p.host.complete(p.ctx, before, &p.files)
}

// enter sends the message, takes a completion of a command, or folds the chosen call.
func (a *app) enter() tea.Cmd {
	if a.log.chosen >= 0 && a.edit.area.Value() == "" {
		a.log.fold(a.log.chosen)
		return nil
	}
	if a.offer != nil && strings.HasPrefix(a.offer.rows[a.offer.at].ID, "@") {
		return a.take()
	}
	a.offer = nil
	return a.submit()
}

func (p *prompt) breakLine() tea.Cmd {
	p.edit.area.InsertString("\n")
	return nil
}

// take puts the chosen completion into the text.
func (p *prompt) take() tea.Cmd {
	if p.offer == nil {
		return nil
	}
	_, after := p.edit.around()
	p.edit.set(p.offer.prefix+p.offer.rows[p.offer.at].ID, after)
	p.offer = nil
	return nil
}

func (p *prompt) up() tea.Cmd {
	if p.offer != nil {
		p.offer.move(-1)
	} else if !p.edit.first() || !p.edit.recall(-1) {
		p.edit.area.CursorUp()
	}
	return nil
}

func (p *prompt) down() tea.Cmd {
	if p.offer != nil {
		p.offer.move(1)
	} else if !p.edit.lastLine() || !p.edit.recall(1) {
		p.edit.area.CursorDown()
	}
	return nil
}

// escape closes what is open, or goes back in the conversation.
func (a *app) escape() tea.Cmd {
	switch {
	case a.offer != nil:
		a.offer = nil
	case a.log.chosen >= 0:
		a.log.chosen = -1
	case a.turn == nil && !a.loading && a.host.Branch != nil:
		return a.goBack()
	}
	return nil
}

// secondChance is how long after the first Ctrl-C the second one ends the conversation.
const secondChance = 2 * time.Second

// interrupt cancels the answer, empties the editor, or ends the conversation at the second time.
func (a *app) interrupt() tea.Cmd {
	switch {
	case a.turn != nil && !a.turn.canceled:
		a.turn.canceled = true
		a.turn.cancel()
		a.asks = nil // what was typed meanwhile follows
	case a.watched != nil:
		a.left = true
		return tea.Quit
	case a.turn != nil:
		a.closed = true
		a.turn.doing = "ending"
	case a.edit.area.Value() != "":
		a.edit.take()
		a.offer = nil
	case time.Now().Before(a.leave):
		return tea.Quit
	default:
		a.leave = time.Now().Add(secondChance)
		a.log.add(&block{kind: note, text: "Ctrl-C again ends the chat"})
	}
	return nil
}

func (a *app) endOfInput() tea.Cmd {
	if a.edit.area.Value() != "" {
		return a.edit.key(tea.KeyPressMsg{Code: tea.KeyDelete})
	}
	if a.turn != nil {
		return a.interrupt()
	}
	return tea.Quit
}

// page is how far Page Up and Page Down scroll.
func (a *app) page() int { return max(a.log.height-2, 1) }

// wheelLines is how far a step of the wheel scrolls.
const wheelLines = 3

func (a *app) wheel(msg tea.MouseWheelMsg) {
	lines := map[tea.MouseButton]int{tea.MouseWheelUp: -wheelLines, tea.MouseWheelDown: wheelLines}[msg.Button]
	switch {
	case a.pick != nil:
	case len(a.asks) > 0:
		a.asks[0].top += lines
	default:
		a.log.scroll(lines)
	}
}

// click folds the call under the mouse.
func (a *app) click(msg tea.MouseClickMsg) {
	if a.pick == nil && msg.Button == tea.MouseLeft && msg.Y >= 0 && msg.Y < len(a.log.rows) {
		a.log.fold(a.log.rows[msg.Y])
	}
}
