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
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow/transcript"
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
	if strings.TrimSpace(text) == "" {
		return nil
	}
	a.log.follow()
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
	d.log.add(&block{kind: said, text: clean(text)})
	ctx, cancel := context.WithCancel(d.ctx)
	d.turn = &turn{cancel: cancel, began: time.Now(), calls: make(map[string]*block), doing: "working"}
	done := make(chan tea.Msg, 1)
	d.running.Go(func() {
		defer cancel()
		done <- handledMsg{d.host.Handle(ctx, d.withFiles(ctx, text))}
	})
	return tea.Batch(func() tea.Msg { return <-done }, nextFrame())
}

// withFiles adds the files that a message names with @.
func (d *dialogue) withFiles(ctx context.Context, text string) string {
	if d.host.Files == nil || d.host.Read == nil || !strings.Contains(text, "@") || strings.HasPrefix(text, "/") {
		return text
	}
	var b strings.Builder
	b.WriteString(text)
	for _, name := range mentioned(text, d.host.Files(ctx)) {
		content, err := d.host.Read(ctx, name)
		if err != nil {
			content = "(not readable: " + err.Error() + ")"
		}
		fmt.Fprintf(&b, "\n\n%s:\n%s", name, content)
	}
	return b.String()
}

// handled ends a turn, and starts what was typed meanwhile.
func (a *app) handled(end bool) tea.Cmd {
	a.turn, a.asks = nil, nil
	a.renew()
	if end || a.closed {
		return tea.Quit
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

// event shows an event of a turn.
func (d *dialogue) event(e chat.Event) {
	if d.turn == nil {
		return
	}
	switch e := e.(type) {
	case chat.TurnQueued:
		d.turn.doing = "waiting for " + line.Count(e.Ahead, "turn") + " ahead in this thread"
	case chat.WarningRaised:
		d.warn(e.Warning)
	case chat.ContextBuilt:
		d.turn.inbox = e.Inbox
		for _, w := range e.Stats.Warnings {
			d.warn(w)
		}
	case chat.AgentEvent:
		d.ran(e.Event)
	case chat.MessageStored, chat.TurnFinished:
	}
}

func (d *dialogue) warn(text string) { d.log.add(&block{kind: note, text: clean("warning: " + text)}) }

// ran shows an event of the run.
func (d *dialogue) ran(e agent.Event) {
	switch e := e.(type) {
	case agent.Text:
		d.write(answer, e.Text, "answering")
	case agent.Reasoning:
		d.write(thought, e.Text, "thinking")
	case agent.RequestRetried:
		d.retried(e)
	case agent.ToolStarted:
		d.called(e.Agent, e.Call.ID, newCall(d.other(e.Agent), e.Call)).call.started = time.Now()
		d.turn.doing = "calling " + clean(e.Call.Name)
	case agent.ToolProgressed:
		if b := d.turn.calls[e.Agent+"\x00"+e.Call.ID]; b != nil {
			b.call.progress = clean(ui.ProgressOf(e.Progress))
			b.changed()
		}
	case agent.ToolFinished:
		d.returned(e)
	case agent.ReadingProgressed:
		d.turn.doing = ui.Reading(e.Reading)
	case agent.MessageInjected:
		d.injected(e.Text)
	case agent.WarningRaised:
		d.warn(e.Warning)
	default:
		d.measured(e)
	}
}

// measured takes the events that are about the window.
func (d *dialogue) measured(e agent.Event) {
	switch e := e.(type) {
	case agent.RunStarted:
		d.status.window.Limit = e.Budget.Limit
	case agent.RequestSent:
		d.turn.text = nil
		d.turn.doing = "waiting for the model"
	case agent.WindowCompacted:
		c := e.Compaction
		by := fmt.Sprintf("the window was compacted (L%d)", c.Level)
		if c.ByServer() {
			by = "the server compacted the conversation"
		}
		sizes := fmt.Sprintf("%s → %s tokens", line.Number(c.Before), line.Number(c.After))
		d.log.add(&block{kind: note, text: by + ": " + sizes})
	case agent.StepFinished:
		d.status.window, d.status.sections, d.status.step = e.Usage, nil, d.status.step+1
		d.sized(e)
	}
}

// sized says of the calls of a step how much of their results the model was shown.
func (d *dialogue) sized(e agent.StepFinished) {
	for _, c := range e.Step.Calls {
		title := newCall(d.other(e.Agent), transcript.ToolCall{Name: c.Name, Args: c.Args}).title
		i := slices.IndexFunc(d.turn.ended, func(b *block) bool { return b.call.title == title })
		if i < 0 {
			continue
		}
		b := d.turn.ended[i]
		b.call.record.TokensIn, b.call.record.TokensOut, b.call.record.Cut = c.Received, c.Shown, c.Shown < c.Received
		b.changed()
		d.turn.ended = slices.Delete(d.turn.ended, i, i+1)
	}
}

// other returns the name of an agent that is not the one who answers.
func (d *dialogue) other(name string) string {
	if name == mainAgent {
		return ""
	}
	return name
}

// mainAgent is the name of a chat's own agent.
const mainAgent = "chat"

// write adds to the text or the reasoning that is arriving.
func (d *dialogue) write(k kind, text, doing string) {
	d.turn.doing = doing
	if d.turn.text == nil || d.turn.text.kind != k {
		if strings.TrimSpace(text) == "" {
			return
		}
		d.turn.text = d.log.add(&block{kind: k})
	}
	d.turn.text.text += clean(text)
	d.turn.text.changed()
}

// retried takes back what came of an answer that starts over.
func (d *dialogue) retried(e agent.RequestRetried) {
	if b := d.turn.text; b != nil {
		b.text, b.growing = "", stream{}
		b.changed()
	}
	d.turn.doing = "asking again"
	d.log.add(&block{kind: note, text: clean("the answer starts over: " + e.Reason)})
}

// called returns the block of a call, which is new unless it has one.
func (d *dialogue) called(by, id string, c *callState) *block {
	key := by + "\x00" + id
	if d.turn.calls[key] == nil {
		d.turn.text = nil
		d.turn.calls[key] = d.log.add(&block{kind: call, call: c})
	}
	return d.turn.calls[key]
}

// returned shows how a call ended.
func (d *dialogue) returned(e agent.ToolFinished) {
	b := d.called(e.Agent, e.Record.Call.ID, newCall(d.other(e.Agent), e.Record.Made))
	b.call.ended, b.call.record = true, e.Record
	b.changed()
	d.turn.ended = append(d.turn.ended, b)
	delete(d.turn.calls, e.Agent+"\x00"+e.Record.Call.ID)
	d.turn.doing = "working"
}

// injected marks a message as read by the model.
func (d *dialogue) injected(text string) {
	text = clean(text)
	for _, b := range d.log.blocks {
		if b.kind == waiting && b.text == text {
			b.kind = said
			b.changed()
			d.turn.text = nil
			return
		}
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
