package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// maxText is the size of a user's message, in bytes.
const maxText = 16 << 20

// maxImages is how many pictures a message may have.
const maxImages = 8

// storeTime limits how long storing an answer may take, whatever the deadline of its caller. Fifty writers that wait
// for a busy disk take ten seconds; an answer took longer to come.
const storeTime = 30 * time.Second

// Do answers a message of the user in a thread. It returns a turn even with an error; [Turn.Messages] says what the
// thread has of it. A complete answer that is stored is never an error.
func (c *Chat) Do(ctx context.Context, thread, text string) (*Turn, error) {
	for e, err := range c.Send(ctx, thread, text) {
		if done, ok := e.(TurnFinished); ok {
			return done.Turn, err
		}
	}
	return nil, errors.New("chat: the turn did not finish") // Send always yields TurnFinished
}

// Send answers a message of the user in a thread and yields what happens. The last pair is [TurnFinished] and the
// error, if any: [ErrInvalid], [ErrNoThread], [ErrBusy], an [*InUseError], [ErrConflict], [ErrClosed], or that of the
// context, the run or the store.
//
// The message is stored before the run starts. Whatever happens to the run, the thread stays consistent: it gets the
// completed tool rounds, and a partial answer marked as Partial. Breaking out of the loop cancels the run and waits for
// it.
func (c *Chat) Send(ctx context.Context, thread, text string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		t := &turn{Chat: c, out: Turn{Thread: thread}, text: text, yield: yield, cancel: cancel}
		err := errors.Join(CheckThreadID(thread), checkText("the message", text, maxText))
		if err == nil && strings.TrimSpace(text) == "" {
			err = fmt.Errorf("%w: the message is empty", ErrInvalid)
		}
		if err == nil && len(c.images) > maxImages {
			err = fmt.Errorf("%w: %d pictures beside a message; the most is %d", ErrInvalid, len(c.images), maxImages)
		}
		if err == nil {
			err = c.threads.alone(ctx, thread, func(ahead int) { t.emit(TurnQueued{ahead}) }, t.answer)
		}
		if err != nil {
			err = ofThread(label(thread), err)
		}
		if !t.broken {
			yield(TurnFinished{Turn: &t.out}, err)
		}
	}
}

// A turn is a [Turn] in progress. One goroutine owns it: the caller's, which takes the events.
type turn struct {
	*Chat
	out    Turn
	text   string
	yield  func(Event, error) bool
	broken bool // the caller takes no more events
	cancel context.CancelFunc

	setup       *setup
	speaker     *speaker
	thread      Thread
	state       state
	scope       *working.Scope
	question    int64                     // number of the user's message
	interrupted bool                      // the message before it has no answer
	runs        []contextbuilder.AgentRun // of sub-agents in this turn
	window      *contextwindow.Window     // nil before the run
	inbox       agent.Inbox
	gathered    *agent.ToolFinished // the evidence, until the run has started
}

// answer stores the user's message, runs the agent and stores its answer. Nothing else happens in the thread meanwhile.
func (t *turn) answer(ctx context.Context) error {
	err := ctx.Err()
	if err != nil {
		return err // the caller has given up, so the message is not stored
	}
	if t.thread, err = t.config.Store.Thread(ctx, t.out.Thread); err != nil {
		return err
	}
	if t.state, err = t.thread.state(); err != nil {
		return err
	}
	setup, release := t.settings.use()
	defer release()
	t.setup = setup
	if t.speaker, err = setup.speaker(t.as, t.state.Agent); err != nil {
		return err
	}
	t.out.Agent, t.state.Agent = t.speaker.name, cmp.Or(t.as, t.state.Agent)
	t.settings.notice(t.thread, t.threads.seen)
	t.state.Turns++
	t.interrupted, t.state.Open = t.state.Open, true // also if the process is killed
	if t.thread.Title == "" {
		t.thread.Title = titleOf(t.text)
	}
	said := transcript.Message{Role: transcript.User, Text: t.text, Images: t.counted()}
	if err := t.save(ctx, Message{Message: said}); err != nil {
		return err
	}
	t.question = t.thread.Last
	t.state.addMessage(t.question, said.Described())
	t.scope = t.working.OpenIn(t.out.Thread)
	defer t.scope.Close()
	err = t.respond(ctx)
	if storing := t.keep(ctx); storing != nil {
		return errors.Join(err, fmt.Errorf("store the answer: %w", storing))
	}
	return err
}

// respond waits for the slot of the model's server, builds the context and runs the agent. It first loads memories that
// other processes wrote. If any changed since the thread's last turn, it drops the cached ones.
func (t *turn) respond(ctx context.Context) error {
	leave, err := t.slot.take(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if t.memories.Memories != nil {
		t.remembered(ctx)
		if err := t.memories.Refresh(ctx); err != nil && ctx.Err() == nil {
			t.warn("cannot load the memories of other processes yet: " + err.Error())
		}
		if version := t.memories.Version(); version != t.state.Known {
			t.state.Known = version
			t.setup.dropMemories(t.out.Thread)
		}
	}
	pinned, err := t.threads.pinned(ctx, t.out.Thread, t.state)
	if err != nil {
		return err
	}
	t.pins.Store(t.out.Thread, pinned)
	defer t.pins.Delete(t.out.Thread)
	task, err := t.task(ctx)
	if err != nil {
		return err
	}
	task.Inbox = &t.inbox
	var failed error
	for e, err := range t.run(ctx, task) {
		if done, ok := e.(agent.RunFinished); ok {
			t.out.Result, t.out.Text, failed = done.Result, done.Result.Text, err
		}
		t.state.record(e)
		if call, ok := e.(agent.ToolFinished); ok && call.Agent == t.speaker.name && call.Record.Tokens > 0 {
			t.runs = append(t.runs, runOf(t.question, &call.Record).AgentRun)
		}
		t.emit(AgentEvent{e}) // if the caller breaks off, the run ends, and its result still comes
		if _, ok := e.(agent.RunStarted); ok && t.gathered != nil {
			t.emit(AgentEvent{*t.gathered})
			t.gathered = nil
		}
	}
	return failed
}

// rulesWait is how long a turn waits for rules to read the user's last messages, which takes them a millisecond or two.
const rulesWait = 100 * time.Millisecond

// remembered waits until rules have read what the user said before, so that a message that follows at once sees what
// holds now. Nothing waits for a model.
func (t *turn) remembered(ctx context.Context) {
	if t.setup.extractor == nil || t.config.Extraction.Ask != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, rulesWait)
	defer cancel()
	_ = t.setup.extractor.WaitFor(ctx, t.thread.User) // else the next turn sees it
}

// run runs the agent, observed if the config says so.
func (t *turn) run(ctx context.Context, task agent.Task) iter.Seq2[agent.Event, error] {
	if t.config.Observe == nil {
		return t.speaker.Stream(ctx, task)
	}
	return t.config.Observe(ctx, t.out.Thread, func(ctx context.Context) iter.Seq2[agent.Event, error] {
		return t.speaker.Stream(ctx, task)
	})
}

// task builds the context of the turn and returns it as a task for the agent.
func (t *turn) task(ctx context.Context) (agent.Task, error) {
	evidence := t.evidence(ctx)
	past := pastRuns(t.Chat, &t.state)
	query := func() contextbuilder.Query {
		q := queryOf(t.Chat, t.thread, t.setup, t.speaker)
		q.Fixed += toollimit.Tokens(evidence)
		q.Images = t.counted()
		q.Input, q.Seq, q.Turn = t.text, t.question, t.state.Turns
		q.Task, q.Goal = t.state.taskStatus(t.question), t.state.goal()
		q.Runs = slices.Concat(past, t.runs)
		if t.speaker.Offers(toollimit.ReadTool) {
			q.Store = t.scope
		}
		q.From, q.Whole = t.state.From, t.state.Whole
		return q
	}
	built, err := t.setup.Build(ctx, query())
	t.out.Stats = built.Stats
	if err != nil {
		return agent.Task{}, err
	}
	t.emit(ContextBuilt{built.Stats, &t.inbox})
	t.state.From, t.state.Whole = built.Stats.Window.From, built.Stats.Window.Whole
	options := t.config.Agent.Window
	options.After = t.state.Steps
	if options.ImageTokens == nil {
		options.ImageTokens = t.speaker.vision.Tokens
	}
	if options.Owns == nil {
		options.Owns = t.speaker.owns
	}
	if options.Store == nil {
		options.Store = t.scope
	}
	t.window = contextwindow.New(t.speaker.Budget(), &options)
	g := &blockGuide{
		ctx: ctx, query: query, builder: t.setup.Builder, known: built.Known, notes: slices.Clone(built.Notes),
	}
	if t.interrupted {
		g.notes = append(g.notes, unanswered)
	}
	if t.config.Agent.Guide != nil {
		g.inner = t.config.Agent.Guide()
	}
	return agent.Task{
		Prompt: evidence + built.Prompt.Text, Images: built.Prompt.Images, Input: t.text,
		History: built.History, Pinned: built.Head, System: built.System, Guide: g.next,
		Window: t.window, Scope: t.scope.ID(), Thread: t.out.Thread, User: t.thread.User,
		Repository: t.config.Repository,
	}, nil
}

// unanswered says why the history has two messages of the user in a row: the turn failed, or its process was killed.
var unanswered = contextwindow.Note{Kind: "previous message", Text: "its answer was interrupted"}

// counted returns the pictures of the message with their sizes for the model that answers.
func (t *turn) counted() []toollimit.Image {
	images, vision := slices.Clone(t.images), t.speaker.vision
	for i := range images {
		images[i].Tokens = vision.Tokens(images[i])
	}
	return images
}

// evidenceShare is the share of a turn's context that evidence may take.
const evidenceShare = .5

// evidence returns what the message is answered from, with a blank line after it. Once the run has started, it is
// reported as a call of step 0: no event of an agent precedes [agent.RunStarted].
func (t *turn) evidence(ctx context.Context) string {
	if t.config.Evidence == nil {
		return ""
	}
	room := queryOf(t.Chat, t.thread, t.setup, t.speaker)
	started := time.Now()
	text, err := t.config.Evidence(ctx, t.text, int(evidenceShare*float64(room.Room-room.Fixed)))
	if err != nil && ctx.Err() == nil {
		t.warn("the message is answered without evidence: " + err.Error())
	}
	if err != nil || text == "" {
		return ""
	}
	call := transcript.ToolCall{Name: "evidence"}
	rec := agent.ToolRecord{Call: call, Made: call, Value: text, Duration: time.Since(started)}
	rec.TokensIn = toollimit.Tokens(text)
	rec.TokensOut = rec.TokensIn
	t.gathered = &agent.ToolFinished{Agent: t.speaker.name, Record: rec}
	return text + "\n\n"
}

// keep stores the messages of the run, all or none, and starts the background work. It has its own time: neither the
// caller's deadline nor its end can take back an answer that has come.
func (t *turn) keep(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	var ms []Message
	if r := t.out.Result; r != nil {
		t.out.Partial = partialStops[r.Stop] || r.Stop != agent.Answered && r.Text == ""
		t.state.Window = &r.Context
		if !t.out.Partial {
			t.state.conclude(t.out.Text)
		}
		ms = newMessages(r, t.out.Partial, t.speaker.as)
		t.state.addRuns(t.question, r.Tools)
	}
	t.state.Open = len(ms) == 0
	if t.window != nil {
		t.state.useSteps(t.window.Entries(0))
	}
	if err := t.save(ctx, ms...); err != nil {
		return err
	}
	if err := t.keepWorking(ctx); err != nil {
		t.warn(err.Error())
	}
	if t.setup.Summary {
		t.summaries.Update(t.out.Thread)
	}
	if t.setup.Extraction && t.setup.extractor != nil {
		x := longterm.Exchange{
			User: t.thread.User, Thread: t.out.Thread, Message: strconv.FormatInt(t.question, 10),
			Question: t.text, At: t.config.Now(),
		}
		if !t.out.Partial { // what the user said counts, whatever became of the answer
			x.Answer = t.out.Text
		}
		t.setup.extractor.Add(x)
	}
	return nil
}

// keepWorking keeps the turn's working memory for later turns.
func (t *turn) keepWorking(ctx context.Context) error {
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

// save saves the thread with its state and adds messages, all at once.
func (t *turn) save(ctx context.Context, ms ...Message) error {
	added, err := t.threads.save(ctx, &t.thread, t.state, ms...)
	t.out.Messages = append(t.out.Messages, added...)
	for _, m := range added {
		t.emit(MessageStored{m})
	}
	return err
}

// emit yields an event. If the caller breaks off, everything in progress is cancelled.
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
