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
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit/line"
)

// chatFlags are how chat was typed.
type chatFlags struct {
	talkFlags
	thread, user   string
	quiet, verbose bool
}

func newChat() *cobra.Command {
	f := &chatFlags{}
	cmd := &cobra.Command{
		Use:   "chat [flags]",
		Short: "Hold a conversation that is kept and can be gone on with",
		Long: `chat answers one message a line, and keeps the conversation as a thread in a database. A line that ends in \ goes on in
the next one; a line that begins with / is a command: /help lists them. In a pipe it answers each line of standard input
on standard output; everything else goes to standard error.

Without --model and FORAY_MODEL the offline planner answers questions about the code in --repo: rules, no language model,
no network, no key. Ctrl-C cancels an answer, and what came of it is kept; a second one ends.

Exit codes: 0 ended, 2 bad usage, 3 a message was not answered in whole, or a signal came.`,
		Example: `  foray chat
  foray chat --model openai/gpt-4.1 --thread plans
  foray chat --model ollama/qwen3 --window 32768 --repo ../service
  printf '%s\n' "where are requests retried?" "and who tests that?" | foray chat`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return converse(cmd, f) },
	}
	f.define(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.thread, "thread", "", "go on with the thread `ID`, or begin it; default: a new one")
	flags.StringVar(&f.user, "user", localUser, "talk as `NAME`, whose memories are used")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print no progress and no notices")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "print a line for each tool call")
	inGroup(cmd, runGroup, "thread", "user")
	inGroup(cmd, outputGroup, "quiet", "verbose")
	return cmd
}

// converse is the command: open everything, then answer line by line.
func converse(cmd *cobra.Command, f *chatFlags) (err error) {
	switch {
	case f.quiet && f.verbose:
		return usage("--verbose", "--quiet and --verbose exclude each other")
	case f.thread == "" && cmd.Flags().Changed("thread"):
		return usage("--thread plans", "--thread needs an id")
	}
	c := ui.NewConversation(cmd.OutOrStdout(), cmd.ErrOrStderr(), f.quiet, f.verbose)
	t, err := f.open(cmd, nil, c.Notice)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, t.close())
	}()
	s := &session{talk: t, flags: f, screen: c}
	if err := s.begin(cmd.Context()); err != nil {
		return storeError(err)
	}
	return s.serve(cmd.InOrStdin())
}

// A session is a person, or a pipe, that talks in one thread after another.
type session struct {
	*talk
	flags  *chatFlags
	screen *ui.Conversation
	thread string // "": the next message begins one
	failed error  // how a pipe ends of which a message was not answered
}

// begin goes on with the thread that was named, and says who answers.
func (s *session) begin(ctx context.Context) error {
	if s.choice.rules {
		s.screen.Notice("offline planner: rules, no language model; it answers questions about the code in " + s.flags.repo)
	} else {
		s.screen.Notice(s.choice.name() + " answers")
	}
	if s.screen.Person {
		s.screen.Notice("/help lists the commands; Ctrl-C cancels an answer")
	}
	if s.flags.thread == "" {
		return nil
	}
	return s.enter(ctx, s.flags.thread)
}

// enter goes on with a thread, or begins it.
func (s *session) enter(ctx context.Context, id string) error {
	t, err := s.Thread(ctx, id)
	if errors.Is(err, chat.ErrNoThread) {
		t, err = s.Create(ctx, chat.Thread{ID: id, User: s.flags.user})
	}
	if errors.Is(err, chat.ErrThreadExists) { // another process was faster
		t, err = s.Thread(ctx, id)
	}
	if errors.Is(err, chat.ErrInvalid) {
		return usage("--thread plans", "%v", err)
	}
	if err != nil {
		return err
	}
	s.thread = t.ID
	if t.Messages > 0 {
		s.screen.Notice(fmt.Sprintf("thread %s goes on behind %s: %s", t.ID, line.Count(t.Messages, "message"), t.Title))
	}
	return nil
}

// serve takes lines until there are no more, or the user ends.
func (s *session) serve(in io.Reader) error {
	lines := readLines(in)
	signals := listenForSignals()
	defer signals.stop()
	for {
		s.screen.Prompt()
		text, err := s.next(lines, signals)
		switch {
		case errors.Is(err, io.EOF):
			return s.end()
		case err != nil:
			return err
		case strings.TrimSpace(text) == "":
			continue
		}
		signals.count = 0
		ended := signals.during(func(ctx context.Context) bool { return s.hear(ctx, text) })
		if ended {
			return s.end()
		}
		if signals.ended() {
			return interrupted(s.thread)
		}
	}
}

// next waits for a line or a signal.
func (s *session) next(lines <-chan typed, signals *signals) (string, error) {
	for {
		select {
		case l, ok := <-lines:
			if !ok {
				return "", io.EOF
			}
			return l.text, l.err
		case sig := <-signals.came:
			if signals.took(sig); signals.ended() {
				return "", interrupted(s.thread)
			}
			s.screen.Interrupted()
			s.screen.Prompt()
		}
	}
}

// interrupted is the end by a signal.
func interrupted(thread string) error {
	e := &exit{code: exitPartial, err: errors.New("ended by a signal")}
	if thread != "" {
		e.hint = "foray chat --thread " + thread + " goes on"
	}
	return e
}

// end says how to go on, and how a pipe fared.
func (s *session) end() error {
	if s.thread != "" {
		s.screen.Notice("foray chat --thread " + s.thread + " goes on with this conversation")
	}
	return s.failed
}

// hear takes a message or a command, and reports whether the session is over.
func (s *session) hear(ctx context.Context, text string) bool {
	if name, rest, ok := commandOf(text); ok {
		return s.command(ctx, name, rest)
	}
	return s.answer(ctx, strings.TrimPrefix(text, "//"))
}

// answer sends a message and shows what comes of it.
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
	var turn *chat.Turn
	var failed error
	for e, err := range s.Send(ctx, s.thread, text) {
		s.screen.Show(e)
		if done, ok := e.(chat.TurnFinished); ok {
			turn, failed = done.Turn, err
		}
	}
	s.screen.End(turn)
	return s.conclude(ctx, turn, failed)
}

// conclude says what became of a turn, and reports whether a pipe should go on.
func (s *session) conclude(ctx context.Context, turn *chat.Turn, err error) bool {
	switch {
	case ctx.Err() != nil:
		s.screen.Notice("cancelled; what came of the answer is kept, /undo takes the turn back")
		s.failed = &exit{code: exitPartial, err: errors.New("an answer was cancelled")}
		return false
	case err != nil && turn != nil && turn.Result != nil:
		return s.fail(s.choice.explain(ctx, err, turn.Result))
	case errors.Is(err, chat.ErrInvalid):
		return s.fail(usage("say it in other words", "%v", err))
	case err != nil:
		return s.fail(s.choice.explain(ctx, storeError(err), &agent.Result{}))
	}
	if turn.Partial {
		s.failed = &exit{code: exitPartial, err: errors.New("an answer broke off: " + string(turn.Result.Stop))}
		s.screen.Notice("the answer broke off: " + string(turn.Result.Stop))
	}
	s.screen.Notice(s.bill(turn))
	return false
}

// fail tells an error. A person goes on; a pipe ends where no later message can do better.
func (s *session) fail(err error) bool {
	if s.screen.Person {
		tell(s.screen.Err, err)
		return false
	}
	tell(s.screen.Err, err)
	ended := &exit{code: exitPartial}
	if typed := (*exit)(nil); errors.As(err, &typed) {
		ended.code = typed.code
	}
	s.failed = ended
	return ended.code == exitUsage && !errors.Is(err, chat.ErrInvalid) || unusable[providers.ClassOf(err)]
}

// bill says what a turn took.
func (s *session) bill(turn *chat.Turn) string {
	r := turn.Result
	parts := []string{line.Count(r.Steps, "step")}
	if !s.choice.rules {
		parts = append(parts, line.Count(r.Usage.Input, "token")+" in", line.Number(r.Usage.Output)+" out")
	}
	if s.choice.meter != nil {
		parts = append(parts, cost(s.choice.meter.Total())+" so far")
	}
	return strings.Join(append(parts, ui.Seconds(r.Duration)), ", ")
}
