package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/internal/line"
)

// submit takes a message or a command from the editor.
func (a *app) submit() tea.Cmd {
	before, after := a.edit.around()
	if head, more := strings.CutSuffix(before, `\`); more && after == "" {
		a.edit.set(head+"\n", "")
		return nil
	}
	text := a.edit.take()
	a.typed = time.Time{}
	if strings.TrimSpace(text) == "" {
		return nil
	}
	a.log.follow()
	if a.watched != nil {
		return a.steer(strings.TrimSpace(text))
	}
	if a.turn != nil || a.loading {
		return a.during(text)
	}
	if cmd, ok := a.own(strings.TrimSpace(text)); ok {
		return cmd
	}
	return a.start(text)
}

// during sends a message to the run in progress, or keeps it for afterwards.
func (d *dialogue) during(text string) tea.Cmd {
	if d.turn != nil && d.turn.inbox != nil && !strings.HasPrefix(text, "/") && d.turn.inbox.Send(text) {
		d.log.add(&block{kind: waiting, text: clean(text)})
		return nil
	}
	d.queue = append(d.queue, text)
	d.log.add(&block{kind: note, text: "after this answer: " + line.Truncate(line.Flat(clean(text)), 60)})
	return nil
}

// start gives a message to the host.
func (d *dialogue) start(text string) tea.Cmd {
	from := len(d.log.blocks)
	d.log.add(&block{kind: said, text: clean(text)})
	ctx, cancel := context.WithCancel(d.ctx)
	d.begin(cancel, d.now(), "working")
	d.turn.from, d.turn.rewrites = from, d.rewrites(text)
	done, left := make(chan tea.Msg, 1), make(chan tea.Msg, 1)
	d.running.Go(func() {
		defer cancel()
		whole, notice := d.withFiles(ctx, text)
		if notice != "" {
			left <- noticeMsg(notice)
		}
		close(left)
		done <- handledMsg{d.host.Handle(ctx, whole)}
	})
	return tea.Batch(func() tea.Msg { return <-left }, func() tea.Msg { return <-done }, nextFrame())
}

// rewrites reports whether a text is a command that removes messages of the thread.
func (d *dialogue) rewrites(text string) bool {
	name, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return slices.ContainsFunc(d.host.Commands, func(c Command) bool { return c.Rewrites && name == "/"+c.Name })
}

// withFiles adds the files that a message names with @. The notice says which of them do not join it, and why.
func (d *dialogue) withFiles(ctx context.Context, text string) (whole, notice string) {
	if d.host.Files == nil || d.host.Read == nil || !strings.Contains(text, "@") || strings.HasPrefix(text, "/") {
		return text, ""
	}
	var b strings.Builder
	b.WriteString(text)
	var left []string
	files, others := mentioned(text, d.host.Files(ctx))
	for _, name := range files {
		content, err := d.host.Read(ctx, name)
		if err != nil {
			content = "(not readable: " + err.Error() + ")"
			left = append(left, "@"+name+" does not join the message: "+err.Error())
		}
		fmt.Fprintf(&b, "\n\n%s:\n%s", name, content)
	}
	for _, name := range others {
		if d.host.Unlisted == nil {
			break
		}
		if why := d.host.Unlisted(ctx, name); why != "" {
			left = append(left, "@"+name+" does not join the message: "+why)
		}
	}
	return b.String(), strings.Join(left, "\n")
}

// handled ends a turn, and starts what was typed meanwhile. After a command that has removed messages or changed to
// another thread, it first shows what the thread holds now.
func (a *app) handled(end bool) tea.Cmd {
	over, thread := a.turn, a.status.thread
	a.turn, a.asks = nil, nil
	a.status.limit, a.status.began = 0, time.Time{}
	a.renew()
	if end || a.closed {
		return tea.Quit
	}
	if over.rewrites || !over.answers && a.status.thread != thread {
		return a.reload(over.from)
	}
	return a.following()
}

// following starts the next message that was typed meanwhile.
func (a *app) following() tea.Cmd {
	if len(a.queue) == 0 || a.turn != nil {
		return nil
	}
	text := a.queue[0]
	a.queue = a.queue[1:]
	if cmd, ok := a.own(strings.TrimSpace(text)); ok {
		return cmd
	}
	return a.start(text)
}

// saw shows an event of the run in progress.
func (d *dialogue) saw(e agent.Event) {
	if d.turn == nil {
		return
	}
	d.ran(e)
	if _, over := e.(agent.StepFinished); over {
		d.count()
	}
}

// event shows an event of a turn.
func (d *dialogue) event(e chat.Event) {
	if d.turn == nil {
		return
	}
	switch e := e.(type) {
	case chat.TurnQueued:
		d.does("waiting for " + line.Count(e.Ahead, "turn") + " ahead in this thread")
	case chat.WarningRaised:
		d.warn(e.Warning)
	case chat.ContextBuilt:
		d.turn.inbox = e.Inbox
		for _, w := range e.Stats.Warnings {
			d.warn(w)
		}
	case chat.AgentEvent:
		d.saw(e.Event)
	case chat.MessageStored, chat.TurnFinished:
	}
}

// ended shows what of the answer was not shown yet, and takes back the messages that came too late.
func (d *dialogue) ended(t *chat.Turn) {
	if t == nil || d.turn == nil {
		return
	}
	shown := false
	for i := len(d.log.blocks) - 1; i >= 0 && d.log.blocks[i].kind != said; i-- {
		shown = shown || d.log.blocks[i].kind == answer && strings.TrimSpace(d.log.blocks[i].text) != ""
	}
	if text := strings.TrimSpace(t.Text); !shown && text != "" {
		d.log.add(&block{kind: answer, text: clean(text)})
	}
	if b := d.log.last(answer); b != nil {
		b.growing = stream{} // whole, so that lists and tables are what they are
		b.changed()
	}
	if t.Result == nil {
		return
	}
	d.status.sections = t.Result.Context.Sections
	for _, text := range t.Result.Unread {
		d.queue = append(d.queue, text)
		d.drop(text)
	}
}

// drop removes the block of a message that is sent again.
func (d *dialogue) drop(text string) {
	for i, b := range d.log.blocks {
		if b.kind == waiting && b.text == clean(text) {
			d.log.blocks = append(d.log.blocks[:i:i], d.log.blocks[i+1:]...)
			return
		}
	}
}
