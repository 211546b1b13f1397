package tui

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
)

// own runs a command of the screen, and reports whether it is one.
func (p *prompt) own(text string) (tea.Cmd, bool) {
	switch {
	case text == "/help":
		p.log.add(&block{kind: output, text: p.help()})
		return nil, true
	case text == "/threads" && p.host.Threads != nil:
		return p.chooseThread(), true
	case text == "/model" && p.host.Models != nil:
		return p.chooseModel(), true
	}
	return nil, false
}

// help lists the commands and the keys.
func (p *prompt) help() string {
	var rows [][2]string
	for _, c := range p.host.Commands {
		rows = append(rows, [2]string{strings.TrimSpace("/" + c.Name + " " + c.Args), c.Help})
	}
	rows = append(rows, [2]string{})
	for _, b := range bindings() {
		if b.explained(p.host) {
			rows = append(rows, [2]string{strings.Join(b.keys, ", "), b.help})
		}
	}
	rows = append(rows, [2]string{"mouse", "the wheel scrolls, a click folds a call, Shift selects text"})
	return strings.Join(helpLines(rows, p.log.width), "\n") + "\n"
}

// leastHelp is how many columns the right side of the help has at least; on a narrower terminal it is below the left.
const leastHelp = 24

// helpLines draws rows of two cells for a width.
func helpLines(rows [][2]string, width int) []string {
	widest := 0
	for _, r := range rows {
		widest = max(widest, columns(r[0]))
	}
	room := width - widest - 2
	below := room < leastHelp
	if below {
		room = width - 4
	}
	var lines []string
	for _, r := range rows {
		left := fmt.Sprintf("%-*s  ", widest, r[0])
		if below && r[0] != "" {
			lines, left = append(lines, Wrap(r[0], width)...), "    "
		}
		for _, l := range indented(Wrap(r[1], room), left) {
			lines = append(lines, strings.TrimRight(l, " "))
		}
	}
	return lines
}

// picking opens a list.
func (p *prompt) picking(m pickMsg) {
	switch {
	case m.err != nil:
		p.fail(m.err)
	case len(m.rows) == 0:
		p.log.add(&block{kind: note, text: m.title + ": there is nothing to choose"})
	default:
		p.pick = newPicker(m.title, m.rows, &p.style.theme, m.chosen)
	}
}

func (p *prompt) chooseThread() tea.Cmd {
	return func() tea.Msg {
		rows, err := p.host.Threads(p.ctx)
		return pickMsg{title: "Threads", rows: rows, err: err, chosen: func(c Choice) tea.Cmd {
			return p.entering("", func() error { return p.host.Enter(p.ctx, c.ID) })
		}}
	}
}

func (p *prompt) chooseModel() tea.Cmd {
	return func() tea.Msg {
		return pickMsg{title: "Models", rows: p.host.Models(), chosen: func(c Choice) tea.Cmd {
			p.next = c.ID
			return tea.Quit
		}}
	}
}

// goBack lists the person's messages of this thread. The chosen one returns to the editor, in a new thread that ends
// before it.
func (p *prompt) goBack() tea.Cmd {
	if p.host.Messages == nil {
		return nil
	}
	return func() tea.Msg {
		ms, err := p.host.Messages(p.ctx)
		var rows []Choice
		texts := make(map[string]chat.Message)
		for _, m := range slices.Backward(ms) {
			if m.Role == transcript.User {
				id := strconv.FormatInt(m.Seq, 10)
				texts[id] = m
				rows = append(rows, Choice{ID: id, Title: line.Truncate(line.Flat(m.Text), 80)})
			}
		}
		return pickMsg{title: "Go back to", rows: rows, err: err, chosen: func(c Choice) tea.Cmd {
			m := texts[c.ID]
			return p.entering(m.Text, func() error { return p.host.Branch(p.ctx, m.Seq) })
		}}
	}
}

func (p *prompt) searchSaid() tea.Cmd {
	var rows []Choice
	listed := make(map[string]bool) // a branch repeats the messages before it
	for i, text := range slices.Backward(p.edit.said) {
		if listed[text] {
			continue
		}
		listed[text] = true
		rows = append(rows, Choice{ID: strconv.Itoa(i), Title: line.Truncate(line.Flat(text), 200)})
	}
	p.picking(pickMsg{title: "Your messages", rows: rows, chosen: func(c Choice) tea.Cmd {
		if i, err := strconv.Atoi(c.ID); err == nil && i < len(p.edit.said) {
			p.edit.show(p.edit.said[i])
		}
		return nil
	}})
	return nil
}

// openPlace opens a place of the last answer in the editor; a list asks which one if there are several.
func (p *prompt) openPlace() tea.Cmd {
	if len(p.host.Editor) == 0 {
		p.fail(errors.New("set EDITOR to open places, as in EDITOR=vi"))
		return nil
	}
	var rows []Choice
	for _, b := range slices.Backward(p.log.blocks) {
		if b.kind != answer {
			continue
		}
		for _, p := range p.style.places(b.text) {
			rows = append(rows, Choice{ID: p, Title: p})
		}
		break
	}
	open := func(c Choice) tea.Cmd {
		path, at, _ := p.host.Locate(c.ID)
		return tea.ExecProcess(editorAt(p.host.Editor, path, at), func(err error) tea.Msg { return editedMsg{err: err} })
	}
	if len(rows) == 1 {
		return open(rows[0])
	}
	p.picking(pickMsg{title: "Places in the last answer", rows: rows, chosen: open})
	return nil
}

// editorAt is the call of an editor for a line of a file.
func editorAt(editor []string, path string, at int) *exec.Cmd {
	args := editor[1:]
	switch strings.TrimSuffix(filepath.Base(editor[0]), ".exe") {
	case "code", "codium", "cursor", "windsurf":
		args = append(args[:len(args):len(args)], "-g", fmt.Sprintf("%s:%d", path, at))
	case "zed", "subl", "hx", "helix":
		args = append(args[:len(args):len(args)], fmt.Sprintf("%s:%d", path, at))
	default:
		args = append(args[:len(args):len(args)], fmt.Sprintf("+%d", at), path)
	}
	return exec.Command(editor[0], args...)
}

// editMessage opens the message in the editor.
func (p *prompt) editMessage() tea.Cmd {
	if len(p.host.Editor) == 0 {
		p.fail(errors.New("set EDITOR to write messages in it, as in EDITOR=vi"))
		return nil
	}
	file, err := os.CreateTemp("", "foray-message-*.md")
	if err == nil {
		_, err = file.WriteString(p.edit.text())
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		p.fail(err)
		return nil
	}
	edit := exec.Command(p.host.Editor[0], append(p.host.Editor[1:len(p.host.Editor):len(p.host.Editor)], file.Name())...)
	return tea.ExecProcess(edit, func(err error) tea.Msg {
		defer os.Remove(file.Name())
		text, readErr := os.ReadFile(file.Name())
		return editedMsg{strings.TrimRight(string(text), "\n"), errors.Join(err, readErr)}
	})
}

// edited takes a message from the editor.
func (p *prompt) edited(m editedMsg) {
	if m.err != nil {
		p.fail(fmt.Errorf("the editor failed: %w", m.err))
		return
	}
	if m.text != "" {
		p.edit.show(m.text)
	}
}
