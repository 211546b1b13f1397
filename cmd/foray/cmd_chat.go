package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/agent/trace"
	"github.com/forayhq/foray/cmd/foray/internal/attach"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/inspect"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/catalog"
)

// chatFlags are the flags of chat.
type chatFlags struct {
	talkFlags
	progressFlags
	thread, user string
	resume       bool
	plain        bool
}

func newChat() *cobra.Command {
	f := &chatFlags{}
	cmd := &cobra.Command{
		Use:   "chat [flags]",
		Short: "Start or resume a saved conversation",
		Long: `Start or resume a conversation, which is saved as a thread in a database. On a
terminal, type a message of any number of lines, and / for commands, @ for files
and /help for the keys. What is typed while an answer is in progress joins it.

With --plain and in a pipe, chat answers each line of standard input on standard
output; all else goes to standard error. A line that ends with \ continues on
the next line, and one that starts with / is a command. A paste at a terminal is
part of one message, until Enter sends it.

Without --model and FORAY_MODEL, the heuristic explorer answers questions about
the code in --repo: rules, no language model, no network, no key. Ctrl-C cancels
an answer and keeps what was received; a second Ctrl-C ends the chat.

Exit codes: 0 ended, 2 bad usage, 3 an answer is incomplete, or a signal ended
the chat.`,
		Example: `  foray chat
  foray chat --model openai/gpt-4.1 --thread plans
  foray chat --continue
  foray chat --model ollama/qwen3 --window 32768 --repo ../service
  printf '%s\n' "where are requests retried?" "who tests that?" | foray chat`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return converse(cmd, f) },
	}
	f.define(cmd)
	return cmd
}

func (f *chatFlags) define(cmd *cobra.Command) {
	f.talkFlags.define(cmd)
	cmd.Flags().StringVar(&f.thread, "thread", "", "resume the thread `ID`, or start it (default: a new thread)")
	cmd.Flags().BoolVar(&f.resume, "continue", false, "resume the thread that was used last")
	cmd.Flags().StringVar(&f.user, "user", localUser, "talk as `NAME` and use the memories of NAME")
	cmd.Flags().BoolVar(&f.plain, "plain", false,
		"print line by line, as for a screen reader (default on a terminal: draw the screen)")
	cli.InGroup(cmd, cli.RunGroup, "thread", "continue", "user", "plain")
	f.progressFlags.define(cmd)
}

// converse runs the command: open everything, then answer line by line.
func converse(cmd *cobra.Command, f *chatFlags) (err error) {
	if f.thread == "" && cmd.Flags().Changed("thread") {
		return cli.Usage("--thread plans", "--thread needs an id")
	}
	if f.thread != "" && f.resume {
		return cli.Usage("--thread "+f.thread, "use --continue or --thread, not both")
	}
	if err := f.progressFlags.check(); err != nil {
		return err
	}
	if f.drawn(cmd) {
		return f.onScreen(cmd)
	}
	return f.byLines(cmd)
}

// byLines answers line by line.
func (f *chatFlags) byLines(cmd *cobra.Command) (err error) {
	c := ui.NewConversation(cmd.OutOrStdout(), cmd.ErrOrStderr(), f.quiet, f.verbose)
	t, err := f.open(cmd, nil, c.Notice)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	s := &session{talk: t, flags: f, screen: c, out: c.Out, err: c.Err, person: c.Person, by: f.agents.agent}
	s.recordTurns()
	defer s.page.Close()
	if err := s.begin(cmd.Context()); err != nil {
		return storeError(err)
	}
	if s.person {
		c.Notice("type /help for the commands; Ctrl-C cancels an answer")
	}
	return s.answerLines(cmd.InOrStdin(), c)
}

// A screen shows the turns of a session.
type screen interface {
	Notice(text string)
	Say(text string)
	Begin(steps int, model string)
	Show(chat.Event)
	End(*chat.Turn)
}

// A session is a person or a pipe that talks in one thread after another.
type session struct {
	estimated bool // the user has read that tokens are estimated

	*talk
	flags  *chatFlags
	screen screen
	out    io.Writer // of commands
	err    io.Writer // of errors
	person bool      // a person types and reads
	thread string    // empty until a message starts one
	by     string    // the agent that was chosen; "": none
	last   int64     // number of the last message that this session stored in it; 0: none
	failed error     // how a pipe ends after an incomplete answer
	page   inspect.Page
	tray   attach.Tray // pictures for the next message
}

// generated is the length of an id that [chat.Chat.Create] makes. The beginning of such an id is enough to resume its
// thread. A name that a person chose must be whole, so that plan starts a new thread even if plans exists.
const generated = 26

// enter resumes a thread, or starts it.
func (s *session) enter(ctx context.Context, id string) error {
	t, err := s.Thread(ctx, id)
	if errors.Is(err, chat.ErrNoThread) {
		ids := []string{id}
		switch begun := threadsByID(ctx, s.store, ids...); {
		case begun == nil && len(ids[0]) == generated:
			t, err = s.Thread(ctx, ids[0])
		case begun != nil && !errors.Is(begun, chat.ErrNoThread) && !errors.Is(begun, errAmbiguous):
			return begun
		}
	}
	if errors.Is(err, chat.ErrNoThread) {
		t, err = s.Create(ctx, chat.Thread{ID: id, User: s.flags.user})
	}
	if errors.Is(err, chat.ErrThreadExists) { // another process created it first
		t, err = s.Thread(ctx, id)
	}
	if errors.Is(err, chat.ErrInvalid) {
		return cli.Usage("--thread plans", "%v", err)
	}
	if err != nil {
		return err
	}
	s.thread, s.last = t.ID, 0
	if t.Messages > 0 {
		s.screen.Notice(fmt.Sprintf("resuming thread %s with %s: %s", t.ID, line.Count(t.Messages, "message"), t.Title))
	}
	return nil
}

// begin says who answers and enters the thread of --thread.
func (s *session) begin(ctx context.Context) error {
	if s.choice.rules {
		s.screen.Notice(rulesNotice + "; it answers questions about the code in " + s.flags.repo)
	} else {
		s.screen.Notice(s.answerer())
	}
	if others := s.background(); others != "" {
		s.screen.Notice(others)
	}
	id := s.flags.thread
	if s.flags.resume {
		last, err := s.Threads(ctx, s.flags.user, 0, 1)
		if err != nil {
			return err
		}
		if len(last) == 0 {
			return cli.Usage("foray chat", "%s has no thread to continue", s.flags.user)
		}
		id = last[0].ID
	}
	if id == "" {
		return nil
	}
	return s.enter(ctx, id)
}

// answerLines answers lines until the input or the user ends.
func (s *session) answerLines(in io.Reader, c *ui.Conversation) error {
	signals := ui.ListenForInterrupts()
	defer signals.Stop()
	keys, lines := (*ui.Keyboard)(nil), (<-chan ui.Input)(nil)
	if s.person {
		keys, lines = ui.NewKeyboard(in, c.Err)
		signals.Ending = keys.Close // another signal kills the process
		defer keys.Close()
	}
	if keys == nil {
		lines = ui.ReadLines(in)
	}
	for {
		c.Prompt()
		text, err := s.next(lines, keys, signals, c)
		switch {
		case errors.Is(err, io.EOF):
			return s.end()
		case err != nil:
			return err
		case strings.TrimSpace(text) == "":
			continue
		case s.person && keys == nil && len(text) >= terminalLine:
			s.screen.Say("the terminal cut this line, so it is not sent; end lines with \\ to send several as one message")
			continue
		}
		signals.Reset()
		ended := signals.During(func(ctx context.Context) bool { return s.handle(ctx, text) })
		switch {
		case c.Failed != nil:
			return &cli.Exit{Code: cli.ExitPartial, Err: fmt.Errorf("writing the answer: %w", c.Failed),
				Hint: "the thread has it: " + s.flags.command("foray threads show "+s.thread)}
		case ended:
			return s.end()
		}
		if signals.Ended() {
			return s.flags.interrupted(s.thread)
		}
	}
}

// terminalLine is how many bytes of a line the line discipline of a terminal without keys keeps, N_TTY_BUF_SIZE of
// Linux less the line break; it drops the rest without a word. BSDs keep fewer (MAX_CANON).
const terminalLine = 4095

// next waits for a message or a signal. Without keys, each line is a message.
func (s *session) next(
	lines <-chan ui.Input, keys *ui.Keyboard, signals *ui.Interrupts, c *ui.Conversation,
) (string, error) {
	for {
		if text, complete, err := keys.Next(); complete || err != nil {
			return text, unread(err)
		}
		select {
		case l, ok := <-lines:
			switch {
			case !ok:
				return "", io.EOF
			case l.Err != nil || keys == nil:
				return l.Text, unread(l.Err)
			}
			keys.Press(l.Text)
		case sig := <-signals.C:
			if signals.Add(sig); signals.Ended() {
				return "", s.flags.interrupted(s.thread)
			}
			keys.Discard()
			c.Interrupted()
			c.Prompt()
		}
	}
}

// unread says what to do about an error that ends the input.
func unread(err error) error {
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return err
	case errors.Is(err, ui.ErrLineTooLong):
		return cli.Usage("put it into a file in --repo", "a line is longer than %s", line.Bytes(ui.MaxLine))
	}
	return cli.Usage("foray chat < FILE", "standard input is not readable")
}

// interrupted returns how a signal ends the chat.
func (f *chatFlags) interrupted(thread string) error {
	e := &cli.Exit{Code: cli.ExitPartial, Err: errors.New("a signal ended the chat")}
	if thread != "" {
		e.Hint = f.command("foray chat --thread " + thread)
	}
	return e
}

// end says how to resume, and returns how a pipe ends.
func (s *session) end() error {
	if s.thread != "" {
		s.screen.Notice("to resume: " + s.flags.command("foray chat --thread "+s.thread))
	}
	return s.failed
}

// handle takes a message or a command, and reports whether the session ends.
func (s *session) handle(ctx context.Context, text string) bool {
	if name, rest, ok := commandOf(text); ok {
		return s.command(ctx, name, rest)
	}
	return s.answer(ctx, strings.TrimPrefix(text, "//"))
}

// answer sends a message and shows the answer.
func (s *session) answer(ctx context.Context, text string) bool {
	if s.thread == "" {
		t, err := s.Create(ctx, chat.Thread{User: s.flags.user})
		if err != nil {
			return s.fail(storeError(err))
		}
		s.thread = t.ID
		s.screen.Notice("thread " + t.ID)
	}
	s.screen.Begin(s.flags.maxSteps, s.choice.name())
	turn, err := s.sendRecorded(ctx, text)
	s.screen.End(turn)
	return s.conclude(ctx, turn, err)
}

// recordTurns records the turns for /inspect.
func (s *session) recordTurns() {
	s.page.Most, s.page.Ongoing, s.page.Title, s.page.Price = maxTurn, true, "The last answer", catalog.PriceOf
}

// maxTurn is how much of the trace of a turn /inspect shows, in bytes.
const maxTurn = 32 << 20

// sendRecorded sends a message, and shows and records what happens.
func (s *session) sendRecorded(ctx context.Context, text string) (turn *chat.Turn, failed error) {
	s.page.Restart()
	images := s.tray.Take()
	run := func(yield func(agent.Event, error) bool) {
		for e, err := range chat.WithImages(s.As(s.by), images...).Send(ctx, s.thread, text) {
			if stored, ok := e.(chat.MessageStored); ok {
				s.notice(stored.Message.Seq)
				images = nil
			}
			s.screen.Show(e)
			if done, ok := e.(chat.TurnFinished); ok {
				turn, failed = done.Turn, err
			}
			if of, ok := e.(chat.AgentEvent); ok {
				yield(of.Event, nil)
			}
		}
	}
	for range trace.Write(run, &s.page) {
		continue // it is shown already
	}
	s.tray.Put(images) // unless the message is stored
	return turn, failed
}

// notice says that another process has used the thread since the session's last message. Numbers of messages are not
// used twice, so nothing else leaves a gap.
func (s *session) notice(seq int64) {
	if s.last > 0 && seq > s.last+1 {
		s.screen.Notice("another process has used this thread in the meantime; /history shows it")
	}
	s.last = seq
}

// conclude says how a turn ended, and reports whether the session ends.
func (s *session) conclude(ctx context.Context, turn *chat.Turn, err error) bool {
	stored := (*cli.Exit)(nil)
	switch {
	case err != nil && ctx.Err() != nil:
		s.screen.Notice("cancelled; " + keptOf(turn))
		s.failed = &cli.Exit{Code: cli.ExitPartial, Err: errors.New("an answer was cancelled")}
		return false
	case errors.As(storeError(err), &stored) && stored.Hint != "": // the database's, and not the model's
		return s.fail(stored)
	case err != nil && turn != nil && turn.Result != nil:
		return s.fail(s.choice.explain(ctx, err, turn.Result))
	case errors.Is(err, chat.ErrInvalid):
		return s.fail(cli.Usage("change the message", "%v", err))
	case err != nil:
		return s.fail(s.choice.explain(ctx, err, &agent.Result{}))
	}
	if turn.Partial {
		s.failed = &cli.Exit{Code: cli.ExitPartial, Err: errors.New("an answer is incomplete: " + string(turn.Result.Stop))}
		s.screen.Notice("the answer is incomplete: " + string(turn.Result.Stop))
	}
	s.screen.Notice(s.bill(turn))
	return false
}

// keptOf says what a cancelled turn has stored.
func keptOf(t *chat.Turn) string {
	switch n := len(t.Messages); {
	case n == 0:
		return "nothing was stored"
	case n == 1:
		return "the message is kept without an answer, /undo removes it"
	case t.Messages[n-1].Partial:
		return "the partial answer is kept, /undo removes the turn"
	}
	return "what the turn looked up is kept without an answer, /undo removes it"
}

// fail prints an error. A person continues; a pipe ends if no later message can succeed.
func (s *session) fail(err error) bool {
	cli.PrintError(s.err, err)
	if s.person {
		return false
	}
	ended := &cli.Exit{Code: cli.ExitPartial}
	if e := (*cli.Exit)(nil); errors.As(err, &e) {
		ended.Code = e.Code
	}
	s.failed = ended
	return ended.Code == cli.ExitUsage && !errors.Is(err, chat.ErrInvalid) || unusable[providers.ClassOf(err)]
}

// bill writes what a turn took.
func (s *session) bill(turn *chat.Turn) string {
	r := turn.Result
	parts := []string{line.Count(r.Steps, "step")}
	if !s.choice.rules {
		parts = append(parts, line.Count(r.Usage.Input, "token")+" in", line.Number(r.Usage.Output)+" out")
		if speed := speedText(r.Usage); speed != "" {
			parts = append(parts, speed)
		}
	}
	if s.choice.meter != nil {
		total := s.choice.meter.Total()
		if total.Estimated > 0 && !s.estimated {
			s.estimated = true
			parts = append(parts, estimatedNote)
		}
		parts = append(parts, costText(total)+" so far")
	}
	return strings.Join(append(parts, ui.Seconds(r.Duration)), ", ")
}
