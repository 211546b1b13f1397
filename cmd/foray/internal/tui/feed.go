package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
)

// A feed is what was said and done, as the events of a run bring it: of a turn of a chat, or of a run that is watched.
type feed struct {
	main   string // name of the agent that answers; "" before the first run
	awaits string // what is done between a request and what comes of it
	style  *style
	log    *history
	status status
	turn   *turn            // nil: nothing is answered
	now    func() time.Time // the clock
}

// A turn is an answer in progress.
type turn struct {
	cancel   context.CancelFunc
	began    time.Time
	since    time.Time         // when it began what it is doing
	inbox    *agent.Inbox      // nil: the run has not begun
	calls    map[string]*block // in progress, by agent and id
	ended    []*block          // calls of the step in progress that have ended
	text     *block            // that grows; nil: the next text starts one
	pieces   line.Pieces       // of text
	doing    string
	canceled bool
	from     int  // of the history's blocks, its first
	rewrites bool // it is a command that removes messages
	answers  bool // it is a message, which an agent answers
}

// begin starts an answer.
func (f *feed) begin(cancel context.CancelFunc, began time.Time, doing string) {
	f.turn = &turn{cancel: cancel, began: began, since: began, calls: make(map[string]*block), doing: doing}
	f.status.began = began
}

// does says what the answer in progress does from now on.
func (f *feed) does(what string) {
	if f.turn.doing != what {
		f.turn.doing, f.turn.since = what, f.now()
	}
}

// fail shows an error.
func (f *feed) fail(err error) { f.log.add(&block{kind: fault, text: clean(err.Error())}) }

// grow adds to the last block of a kind, or adds one.
func (f *feed) grow(k kind, text string) {
	if b := f.log.last(k); b != nil {
		b.text += text
		b.changed()
		return
	}
	f.log.add(&block{kind: k, text: text})
}

func (f *feed) warn(text string) { f.log.add(&block{kind: note, text: clean("warning: " + text)}) }

// ran shows an event of the run.
func (f *feed) ran(e agent.Event) {
	switch e := e.(type) {
	case agent.Text:
		f.write(answer, e.Text, "answering")
	case agent.Reasoning:
		f.write(thought, e.Text, "thinking")
	case agent.RequestRetried:
		f.retried(e)
	case agent.ToolStarted:
		f.called(e.Agent, e.Call.ID, newCall(f.other(e.Agent), e.Call))
		f.does("calling " + clean(e.Call.Name))
	case agent.ToolProgressed:
		f.progressed(e)
	case agent.ToolFinished:
		f.returned(e)
	case agent.ReadingProgressed: // without restarting the clock
		if f.turn.doing = ui.Reading(e.Reading); e.Reading.Done > 0 && e.Reading.Done >= e.Reading.Tokens {
			f.turn.doing = f.awaits
		}
	case agent.MessageInjected:
		f.injected(e.Text)
	case agent.WarningRaised:
		f.warn(e.Warning)
	default:
		f.measured(e)
	}
}

// measured takes the events that are about the window.
func (f *feed) measured(e agent.Event) {
	switch e := e.(type) {
	case agent.RunStarted:
		if e.Call == "" {
			f.main, f.status.window = e.Agent, contextwindow.Usage{Limit: e.Budget.Limit}
		}
	case agent.RequestSent:
		f.turn.text = nil
		f.does(f.awaits)
		if e.Agent == f.main {
			f.status.request(e)
		}
	case agent.WindowCompacted:
		c := e.Compaction
		by := fmt.Sprintf("the window was compacted (L%d)", c.Level)
		if c.ByServer() {
			by = "the server compacted the conversation"
		}
		sizes := fmt.Sprintf("%s → %s tokens", line.Number(c.Before), line.Number(c.After))
		f.log.add(&block{kind: note, text: by + ": " + sizes})
	case agent.StepFinished:
		if f.sized(e); e.Agent == f.main {
			f.status.window, f.status.step = e.Usage, e.Step.Number
		}
	}
}

// progressed says how far a call is; one that the run has not begun with prepares it.
func (f *feed) progressed(e agent.ToolProgressed) {
	far := clean(ui.ProgressOf(e.Progress))
	if b := f.turn.calls[e.Agent+"\x00"+e.Call.ID]; b != nil {
		b.call.progress = far
		b.changed()
		return
	}
	f.turn.doing = "gathering evidence: " + far
}

// sized says of the calls of a step how much of their results the model was shown.
func (f *feed) sized(e agent.StepFinished) {
	for _, c := range e.Step.Calls {
		title := newCall(f.other(e.Agent), transcript.ToolCall{Name: c.Name, Args: c.Args}).title
		i := slices.IndexFunc(f.turn.ended, func(b *block) bool { return b.call.title == title })
		if i < 0 {
			continue
		}
		b := f.turn.ended[i]
		b.call.record.TokensIn, b.call.record.TokensOut, b.call.record.Cut = c.Received, c.Shown, c.Shown < c.Received
		b.changed()
		f.turn.ended = slices.Delete(f.turn.ended, i, i+1)
	}
}

// other returns the name of an agent that is not the one who answers. Before the first run, no other is at work.
func (f *feed) other(name string) string {
	if f.main == "" || name == f.main {
		return ""
	}
	return name
}

// write adds to the text or the reasoning that is arriving.
func (f *feed) write(k kind, text, doing string) {
	f.does(doing)
	if f.turn.text == nil || f.turn.text.kind != k {
		if strings.TrimSpace(text) == "" {
			return
		}
		f.turn.text, f.turn.pieces = f.log.add(&block{kind: k}), line.Pieces{}
	}
	f.turn.text.text += spaced(f.turn.pieces.Add(strings.ReplaceAll(text, "\r\n", "\n")))
	f.turn.text.changed()
}

// retried takes back what came of an answer that starts over.
func (f *feed) retried(e agent.RequestRetried) {
	if b := f.turn.text; b != nil {
		b.text, b.growing = "", stream{}
		b.changed()
	}
	f.does("asking again")
	f.log.add(&block{kind: note, text: clean("the answer starts over: " + e.Reason)})
}

// called returns the block of a call, which is new unless it has one.
func (f *feed) called(by, id string, c *callState) *block {
	key := by + "\x00" + id
	if f.turn.calls[key] == nil {
		f.turn.text = nil
		f.turn.calls[key] = f.log.add(&block{kind: call, call: c})
	}
	return f.turn.calls[key]
}

// returned shows how a call ended.
func (f *feed) returned(e agent.ToolFinished) {
	b := f.called(e.Agent, e.Record.Call.ID, newCall(f.other(e.Agent), e.Record.Made))
	b.call.ended, b.call.record = true, e.Record
	b.changed()
	f.turn.ended = append(f.turn.ended, b)
	delete(f.turn.calls, e.Agent+"\x00"+e.Record.Call.ID)
	f.does("working")
}

// injected marks a message as read by the model.
func (f *feed) injected(text string) {
	text = clean(text)
	for _, b := range f.log.blocks {
		if b.kind == waiting && b.text == text {
			b.kind = said
			b.changed()
			f.turn.text = nil
			return
		}
	}
}
