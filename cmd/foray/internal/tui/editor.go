package tui

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"

	"github.com/forayhq/foray/internal/line"
)

// An editor takes a message of several lines. A long paste is shown as a mark, and is whole in the message.
type editor struct {
	area   textarea.Model
	pastes map[string]string // by their marks
	count  int               // of pastes since the last message

	said   []string // earlier messages, oldest first
	at     int      // of said that is shown; len(said): none
	unsent string   // what was there before
}

const (
	maxRows    = 10  // of the editor on the screen
	foldLines  = 5   // a paste of at least so many lines is folded,
	foldBytes  = 800 // and one of at least so many bytes
	maxHistory = 1000
)

func newEditor() *editor {
	a := textarea.New()
	a.ShowLineNumbers, a.CharLimit, a.MaxWidth = false, 0, 0
	a.DynamicHeight, a.MinHeight, a.MaxHeight, a.MaxContentHeight = true, 1, maxRows, 1<<30
	a.EndOfBufferCharacter = ' '
	a.SetPromptFunc(2, func(p textarea.PromptInfo) string {
		if p.LineNumber == 0 {
			return "> "
		}
		return "  "
	})
	a.Placeholder = "ask, or type / for commands and @ for files"
	a.SetVirtualCursor(false)
	a.Focus()
	return &editor{area: a, pastes: make(map[string]string)}
}

// look sets the editor's styles.
func (e *editor) look(t theme) {
	s := textarea.DefaultStyles(t.dark)
	s.Focused.CursorLine = t.plainText
	s.Focused.Text = t.plainText
	s.Focused.Prompt, s.Focused.Placeholder = t.you, t.faint
	e.area.SetStyles(s)
}

// text returns the message with its pastes.
func (e *editor) text() string {
	text := e.area.Value()
	for mark, paste := range e.pastes {
		text = strings.Replace(text, mark, paste, 1)
	}
	return text
}

// paste takes a text from the clipboard. Nothing in it is a key.
func (e *editor) paste(text string) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	n := strings.Count(strings.TrimRight(text, "\n"), "\n") + 1
	if n < foldLines && len(text) < foldBytes {
		e.area.InsertString(clean(text))
		return
	}
	mark := fmt.Sprintf("[%s pasted]", line.Count(n, "line"))
	if n == 1 {
		mark = fmt.Sprintf("[%s pasted]", line.Bytes(int64(len(text))))
	}
	e.count++
	if _, used := e.pastes[mark]; used {
		mark = fmt.Sprintf("%s #%d]", strings.TrimSuffix(mark, "]"), e.count)
	}
	e.pastes[mark] = text
	e.area.InsertString(mark)
}

// unpaste removes the mark of a paste that ends at the cursor, and reports whether there is one.
func (e *editor) unpaste() bool {
	before, after := e.around()
	for mark := range e.pastes {
		if head, ok := strings.CutSuffix(before, mark); ok {
			delete(e.pastes, mark)
			e.set(head, after)
			return true
		}
	}
	return false
}

// around returns the text before the cursor and after it.
func (e *editor) around() (before, after string) {
	lines := strings.Split(e.area.Value(), "\n")
	row := min(e.area.Line(), len(lines)-1)
	r := []rune(lines[row])
	col := min(e.area.Column(), len(r))
	before = strings.Join(append(append([]string{}, lines[:row]...), string(r[:col])), "\n")
	after = strings.Join(append([]string{string(r[col:])}, lines[row+1:]...), "\n")
	return before, after
}

// set replaces the text and puts the cursor between two parts of it.
func (e *editor) set(before, after string) {
	e.area.SetValue(after)
	e.area.MoveToBegin()
	e.area.InsertString(before)
}

// take returns the message and empties the editor.
func (e *editor) take() string {
	text := e.text()
	if shown := strings.TrimSpace(e.area.Value()); shown != "" {
		e.remember(text)
	}
	e.clear()
	return text
}

func (e *editor) clear() {
	e.area.Reset()
	clear(e.pastes)
	e.count, e.unsent, e.at = 0, "", len(e.said)
}

// remember adds a message to the history, unless it is the last one.
func (e *editor) remember(text string) {
	if n := len(e.said); n > 0 && e.said[n-1] == text {
		return
	}
	e.said = append(e.said, text)
	e.said = e.said[max(0, len(e.said)-maxHistory):]
	e.at = len(e.said)
}

// recall shows an earlier message, or a later one, and reports whether there is one.
func (e *editor) recall(n int) bool {
	to := e.at + n
	if to < 0 || to > len(e.said) {
		return false
	}
	if e.at == len(e.said) {
		e.unsent = e.text()
	}
	e.at = to
	text := e.unsent
	if to < len(e.said) {
		text = e.said[to]
	}
	e.show(text)
	return true
}

// show replaces the text. A long one is folded like a paste.
func (e *editor) show(text string) {
	e.area.Reset()
	clear(e.pastes)
	if strings.Count(text, "\n") >= maxRows || len(text) > 4*foldBytes {
		e.paste(text)
		return
	}
	e.area.InsertString(clean(text))
}

// key gives a key to the editor.
func (e *editor) key(msg tea.KeyPressMsg) tea.Cmd {
	if msg.String() == "backspace" && e.unpaste() {
		return nil
	}
	var cmd tea.Cmd
	e.area, cmd = e.area.Update(msg)
	return cmd
}

// first and lastLine report whether the cursor is there, so that an arrow leaves the text.
func (e *editor) first() bool { return e.area.Line() == 0 && e.area.LineInfo().RowOffset == 0 }

func (e *editor) lastLine() bool {
	return e.area.Line() == e.area.LineCount()-1 && e.area.LineInfo().RowOffset >= e.area.LineInfo().Height-1
}
