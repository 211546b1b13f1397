package tui

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// An app is all that is on the screen. One goroutine owns it.
type app struct {
	*prompt
	width, height int
	asks          []ask     // the first is on the screen
	leave         time.Time // until when a second Ctrl-C ends
	typed         time.Time // when the editor got its last key
	watched       *Watched  // nil: this is a conversation
	left          bool      // the person did not wait for the end of the run
}

// A prompt is what the person types and chooses.
type prompt struct {
	*dialogue
	edit  *editor
	offer *completion // nil: nothing to complete
	files []string    // that @ completes; nil: not asked for yet
	pick  *picker     // nil: no list is open
	next  string      // the model to continue with
}

// A dialogue is what was said, and what is being answered.
type dialogue struct {
	*feed
	host    *Host
	ctx     context.Context
	loading bool           // the conversation is being read
	running sync.WaitGroup // calls of the host's Handle
	queue   []string       // messages for after the turn
	closed  bool           // the program ends
}

// Messages of commands to the app.
type (
	tickMsg    time.Time
	handledMsg struct{ end bool }
	loadedMsg  struct {
		messages []chat.Message
		said     []string
		err      error
	}
	pickMsg struct {
		title  string
		rows   []Choice
		err    error
		chosen func(Choice) tea.Cmd
	}
	editedMsg struct {
		text string
		err  error
	}
	enteredMsg struct {
		text string // for the editor
		from int    // of the history's blocks, the first that belongs to the new thread
		err  error
	}
)

func newApp(ctx context.Context, host *Host) *app {
	st := &style{theme: newTheme(true), locate: host.Locate}
	f := &feed{style: st, log: newHistory(st), now: time.Now, awaits: "waiting for the model"}
	if host.Rules {
		f.awaits = "searching"
	}
	d := &dialogue{feed: f, host: host, ctx: ctx}
	a := &app{prompt: &prompt{dialogue: d, edit: newEditor()}}
	a.edit.look(st.theme)
	a.resize(defaultWidth, defaultHeight)
	return a
}

// What a terminal has that has not said its size yet.
const (
	defaultWidth  = 80
	defaultHeight = 24
)

// Init loads the conversation, or waits for the run, and asks for the terminal's background.
func (a *app) Init() tea.Cmd {
	if a.watched != nil {
		return a.watch()
	}
	return tea.Batch(tea.RequestBackgroundColor, a.load())
}

// Update takes what happened.
func (a *app) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.resize(msg.Width, msg.Height)
	case tea.BackgroundColorMsg:
		a.restyle(msg.IsDark())
	case tea.KeyPressMsg:
		return a, a.key(msg)
	case tea.PasteMsg:
		a.paste(msg.Content)
	case tea.MouseWheelMsg:
		a.wheel(msg)
	case tea.MouseClickMsg:
		a.click(msg)
	case tickMsg:
		return a, a.tick()
	case noticeMsg:
		a.log.add(&block{kind: note, text: clean(string(msg))})
	case outputMsg:
		a.grow(output, clean(string(msg)))
	case faultMsg:
		a.grow(fault, clean(string(msg)))
	case askMsg:
		a.asks = append(a.asks, msg.ask)
	default:
		return a, a.happened(msg)
	}
	return a, nil
}

// happened takes the messages that belong to turns and threads.
func (a *app) happened(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case beginMsg:
		a.status.limit, a.status.step = msg.limit, 0
		if a.turn != nil {
			a.turn.answers = true
		}
	case eventMsg:
		a.event(msg.event)
	case ranMsg:
		a.saw(msg.event)
	case endMsg:
		a.ended(msg.turn)
	case handledMsg:
		return a.handled(msg.end)
	case loadedMsg:
		a.loaded(msg)
		a.edit.said, a.edit.at = msg.said, len(msg.said)
		return a.following()
	case pickMsg:
		a.picking(msg)
	case editedMsg:
		a.edited(msg)
	case enteredMsg:
		return a.entered(msg)
	}
	return nil
}

const (
	leastWidth, leastHeight = 20, 6 // what is drawn on a terminal that says it is smaller
	mostWidth, mostHeight   = 1000, 500
)

func (a *app) resize(width, height int) {
	a.width, a.height = min(max(width, leastWidth), mostWidth), min(max(height, leastHeight), mostHeight)
	a.edit.area.SetWidth(a.width)
	a.edit.area.MaxHeight = min(maxRows, max(a.height/3, 1))
	a.log.width = a.width
	a.style.markdown = newMarkdown(a.width, a.style.dark)
	a.log.restyle(a.style)
}

func (a *app) restyle(dark bool) {
	a.style.theme = newTheme(dark)
	a.edit.look(a.style.theme)
	a.resize(a.width, a.height)
}

// entering opens another thread, and puts a text into the editor there. What is typed meanwhile waits.
func (d *dialogue) entering(text string, open func() error) tea.Cmd {
	d.loading = true
	from := len(d.log.blocks)
	return func() tea.Msg { return enteredMsg{text, from, open()} }
}

// entered shows the thread that was opened.
func (a *app) entered(m enteredMsg) tea.Cmd {
	if m.err != nil {
		a.loading = false
		a.fail(m.err)
		return a.following()
	}
	a.edit.show(m.text)
	return a.reload(m.from)
}

// reload shows the thread as it is now. The blocks from a number on stay: they say how it came to that.
func (d *dialogue) reload(from int) tea.Cmd {
	kept := d.log.blocks[min(from, len(d.log.blocks)):]
	d.log.clear()
	d.log.blocks = slices.Clone(kept)
	d.status.window, d.status.sections, d.status.step = contextwindow.Usage{}, nil, 0
	return d.load()
}

// load reads the messages of the thread and what the person wrote earlier.
func (d *dialogue) load() tea.Cmd {
	d.loading = true
	return func() tea.Msg {
		var m loadedMsg
		if d.host.Messages != nil {
			m.messages, m.err = d.host.Messages(d.ctx)
		}
		if d.host.Said != nil {
			m.said = d.host.Said(d.ctx)
		}
		return m
	}
}

// loaded shows a conversation.
func (d *dialogue) loaded(m loadedMsg) {
	d.loading = false
	if m.err != nil {
		d.fail(m.err)
	}
	notes := d.log.blocks
	d.log.blocks = blocksOf(m.messages)
	d.log.blocks = append(d.log.blocks, notes...)
	d.log.follow()
	d.renew()
}

// blocksOf makes blocks of stored messages.
func blocksOf(ms []chat.Message) []*block {
	var all []*block
	calls := make(map[string]*block)
	for _, m := range ms {
		text := clean(m.Described())
		switch {
		case m.Role == transcript.User:
			all = append(all, &block{kind: said, text: text})
		case m.Role == transcript.Tool:
			if b := calls[m.CallID]; b != nil {
				b.call.ended = true
				b.call.record = agent.ToolRecord{Value: m.Text, TokensIn: toollimit.Tokens(m.Text)}
			}
		case strings.TrimSpace(text) != "":
			all = append(all, &block{kind: answer, text: text})
		}
		for _, c := range m.Calls {
			b := &block{kind: call, call: newCall("", c)}
			calls[c.ID] = b
			all = append(all, b)
		}
	}
	return all
}

// renew asks the host for what the status line shows.
func (d *dialogue) renew() {
	d.count()
	if d.host.Thread != nil {
		d.status.thread = d.host.Thread()
	}
}

// count asks who answers, and what that has cost.
func (d *dialogue) count() {
	if d.host.Status != nil {
		d.status.name, d.status.cost = d.host.Status()
	}
}

// frames is how often the time of an answer in progress is drawn.
const frames = 150 * time.Millisecond

// tick draws the next frame of a turn in progress, and drops questions that nobody waits for.
func (a *app) tick() tea.Cmd {
	a.asks = slices.DeleteFunc(a.asks, func(q ask) bool {
		select {
		case <-q.over:
			return true
		default:
			return false
		}
	})
	if a.turn == nil {
		return nil
	}
	return nextFrame()
}

func nextFrame() tea.Cmd { return tea.Tick(frames, func(t time.Time) tea.Msg { return tickMsg(t) }) }
