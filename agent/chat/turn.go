package chat

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// maxText is how long a message of the user may be, in bytes.
const maxText = 16 << 20

// storeTime is how long it may take to keep an answer whose caller has gone.
const storeTime = 10 * time.Second

// Do answers a message of the user in a thread. The turn is there also when the error is.
func (c *Chat) Do(ctx context.Context, thread, text string) (*Turn, error) {
	var turn *Turn
	for e, err := range c.Send(ctx, thread, text) {
		if done, ok := e.(TurnFinished); ok {
			turn = done.Turn
			if err != nil {
				return turn, err
			}
		}
	}
	return turn, nil
}

// Send answers a message of the user in a thread, and yields what happens. The last pair is Done with the turn, and the
// error if there is one: ErrBad for what cannot be sent, ErrNoThread, ErrClosed, that of the context, or of the run.
//
// The message is in the thread before the run begins. Whatever becomes of the run, the thread stays one that can be gone
// on with: it gets the rounds of tools that were completed, and of an answer that broke off what there is, as Partial.
// Breaking off cancels the run and waits for it.
func (c *Chat) Send(ctx context.Context, thread, text string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		t := &turn{Chat: c, out: Turn{Thread: thread}, text: text, yield: yield}
		err := t.run(ctx)
		if err != nil {
			err = fmt.Errorf("thread %s: %w", label(thread), err)
		}
		if !t.broken {
			yield(TurnFinished{Turn: &t.out}, err)
		}
	}
}

// label is an id as an error may hold it.
func label(id string) string {
	if CheckThreadID(id) != nil {
		return fmt.Sprintf("%.70q", id)
	}
	return id
}

// A turn is a Turn on its way. One goroutine owns it: that of the caller who takes its events.
type turn struct {
	*Chat
	out    Turn
	text   string
	yield  func(Event, error) bool
	broken bool // the caller takes no more events
	cancel context.CancelFunc

	setup    *setup
	thread   Thread
	state    state
	scope    *working.Scope
	last     int64 // number of the last message of the thread
	question int64 // number of the user's
}

// emit yields an event. When the caller breaks off, what is under way is cancelled.
func (t *turn) emit(e Event) {
	if !t.broken && !t.yield(e, nil) {
		t.broken = true
		t.cancel()
	}
}

func (t *turn) warn(text string) {
	t.out.Warnings = append(t.out.Warnings, text)
	t.emit(WarningRaised{text})
}

// run waits for its place and answers.
func (t *turn) run(ctx context.Context) error {
	if err := errors.Join(CheckThreadID(t.out.Thread), checkText("the message", t.text, maxText)); err != nil {
		return err
	}
	if strings.TrimSpace(t.text) == "" {
		return fmt.Errorf("%w: the message is empty", ErrInvalid)
	}
	ctx, end, err := t.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	ctx, t.cancel = context.WithCancel(ctx)
	defer t.cancel()
	p, err := t.queue.enter(t.out.Thread)
	if err != nil {
		return err
	}
	if p.ahead > 0 {
		t.emit(TurnQueued{p.ahead})
	}
	if err := p.wait(ctx); err != nil {
		return fmt.Errorf("waiting for the turns before: %w", err)
	}
	defer p.leave()
	err = t.answer(ctx)
	if err != nil && errors.Is(context.Cause(ctx), ErrClosed) {
		return fmt.Errorf("%w: %w", ErrClosed, err)
	}
	return err
}

// answer is what is done while no other turn of the thread is.
func (t *turn) answer(ctx context.Context) error {
	if err := t.open(ctx); err != nil {
		return err
	}
	t.scope = t.working.OpenIn(t.out.Thread)
	defer t.scope.Close()
	setup, end := t.use()
	defer end()
	t.setup = setup
	err := t.respond(ctx)
	if kept := t.keep(ctx); kept != nil {
		return errors.Join(err, fmt.Errorf("keeping the answer: %w", kept))
	}
	return err
}

// respond builds the context and runs the agent.
func (t *turn) respond(ctx context.Context) error {
	t.freshen(ctx)
	pinned, err := t.pinned(ctx, t.out.Thread, t.state)
	if err != nil {
		return err
	}
	defer t.pins.show(t.out.Thread, pinned)()
	task, err := t.tell(ctx)
	if err != nil {
		return err
	}
	return t.ask(ctx, task)
}

// open reads the thread and adds the user's message to it.
func (t *turn) open(ctx context.Context) error {
	err := ctx.Err()
	if err != nil {
		return err // nobody waits for an answer any more: the message is not stored
	}
	if t.thread, err = t.config.Store.Thread(ctx, t.out.Thread); err != nil {
		return err
	}
	if t.state, err = t.thread.state(); err != nil {
		return err
	}
	t.last = t.thread.Last
	t.state.Turns++
	if t.thread.Title == "" {
		t.thread.Title = titleOf(t.text)
	}
	if err := t.add(ctx, Message{Message: transcript.Message{Role: transcript.User, Text: t.text}}); err != nil {
		return err
	}
	t.question = t.last
	t.state.hear(t.question, t.text)
	return nil
}

// add adds messages to the thread. If somebody else has written to it meanwhile, they come behind that.
func (t *turn) add(ctx context.Context, ms ...Message) error {
	now := t.config.Now()
	for i := range ms {
		ms[i].Time = now
	}
	for {
		added, err := t.config.Store.AppendMessages(ctx, t.out.Thread, t.last, ms...)
		if err == nil {
			t.last = added[len(added)-1].Seq
			t.out.Messages = append(t.out.Messages, added...)
			for _, m := range added {
				t.emit(MessageStored{m})
			}
			return nil
		}
		if !errors.Is(err, ErrConflict) || ctx.Err() != nil {
			return err
		}
		t.warn("somebody else writes to this thread: its messages stand in the order in which they came")
		thread, err := t.config.Store.Thread(ctx, t.out.Thread)
		if err != nil {
			return err
		}
		t.last = thread.Last
	}
}

// ask runs the agent.
func (t *turn) ask(ctx context.Context, task agent.Task) error {
	var failed error
	for e, err := range t.agent.Stream(ctx, task) {
		if done, ok := e.(agent.RunFinished); ok {
			t.out.Result, failed = done.Result, err
		}
		t.learn(e)
		t.emit(AgentEvent{e}) // where the caller breaks off, the run ends, and its result still comes
	}
	if t.out.Result != nil {
		t.out.Text = t.out.Result.Text
	}
	return failed
}

// partial are the stops behind which a text is no whole answer.
var partial = map[agent.Stop]bool{agent.Cancelled: true, agent.Failed: true, agent.CutOff: true, agent.CostLimit: true}

// keep adds what came of the run to the thread, also when its caller has gone.
func (t *turn) keep(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	if r := t.out.Result; r != nil {
		t.out.Partial = partial[r.Stop]
		t.state.Window = &r.Context
		t.conclude()
		if ms := outcome(r, t.out.Partial); len(ms) > 0 {
			if err := t.add(ctx, ms...); err != nil {
				return err
			}
		}
	}
	if err := t.save(ctx, &t.thread, t.state); err != nil {
		return err
	}
	if err := t.leave(ctx); err != nil {
		t.warn(err.Error())
	}
	t.remember()
	return nil
}

// leave leaves what the turn's working memory holds to the turns after it.
func (t *turn) leave(ctx context.Context) error {
	calls := make(map[string]transcript.ToolCall)
	for _, m := range t.out.Messages {
		for _, c := range m.Calls {
			calls[c.ID] = c
		}
		if c, ok := calls[m.CallID]; ok && m.Role == transcript.Tool {
			t.scope.Label(m.Text, c)
		}
	}
	return t.scope.Keep(ctx)
}

// remember starts what is done behind an answer.
func (t *turn) remember() {
	if t.setup.settings.Summary {
		t.summaries.Update(t.out.Thread)
	}
	if t.setup.settings.Extraction && t.extraction != nil && t.out.Text != "" && !t.out.Partial {
		t.extraction.Add(longterm.Exchange{User: t.thread.User, Thread: t.out.Thread, Message: messageID(t.question),
			Question: t.text, Answer: t.out.Text, At: t.config.Now()})
	}
}
