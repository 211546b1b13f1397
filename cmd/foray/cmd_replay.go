package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	durable "github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/inspect"
	"github.com/forayhq/foray/cmd/foray/internal/suites"
	"github.com/forayhq/foray/evals/compaction"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/sessionfile"
	"github.com/forayhq/foray/providers/catalog"
)

// replayFlags are the flags of replay.
type replayFlags struct {
	databaseFlag
	budgets             []int
	policy, format, out string
	run                 int
}

func newReplay() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay [flags] SESSION|FILE",
		Short: "Play a session through other compaction policies, side by side",
		Long: `Play a session through other compaction policies, without a model: what each
would have sent before each action of the session, how large it would have been,
what it would have cost, and what the action refers to that it would have lost.

SESSION is the id of a session (foray sessions ls). FILE is a session of another
agent: ` + strings.Join(sessionFormats(), ", ") + `.

The policies are:
` + cli.List(compaction.Policies()) + `.

The session was made with one window. Under another policy its model might have
done something else, so this compares policies and predicts no answer.`,
		Example: `  foray replay 1123-bokalu
  foray replay 1123-bokalu --policy lean,codex --budget 8000,16000
  foray replay ~/.claude/projects/app/session.jsonl --budget 24000 --run 2`,
		Args: cli.OneNamed("sessions"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.compare(cmd, args[0]) },
	}
	f.definePlay(cmd)
	cli.NumberFlag(cmd, &f.run, "run", 0, 0, "play run `N` of a file (default: the longest)")
	cli.FormatFlag(cmd, &f.format, cli.MarkdownOrJSON)
	cli.OutputFlag(cmd, &f.out)
	return cmd
}

// definePlay defines what the policies are played with.
func (f *replayFlags) definePlay(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.policy, "policy", strings.Join(inspect.Compared, ","), "compare the policies `NAMES`")
	cli.NumbersFlag(cmd, &f.budgets, "budget", nil, 500,
		"limit a request to these `NUMBERS` of tokens (default: of the session, or 16000)")
	f.databaseFlag.define(cmd)
	cli.Complete(cmd, "policy", compaction.Policies())
}

// sessionFormats are the names of the formats that replay reads.
func sessionFormats() (names []string) {
	for _, f := range sessionfile.Formats() {
		names = append(names, f.Name)
	}
	return names
}

func (f *replayFlags) compare(cmd *cobra.Command, name string) error {
	policies, err := suites.ChoosePolicies(f.policy, compaction.Policies())
	if err != nil {
		return err
	}
	out := cli.Output{Path: f.out, Std: cmd.OutOrStdout()}
	if err := out.Check(); err != nil {
		return err
	}
	c, err := f.conversation(cmd, name)
	if err != nil {
		return err
	}
	side, err := c.Play(cmd.Context(), name, policies, f.budgets)
	if err != nil {
		return &cli.Exit{Code: cli.ExitPartial, Err: err}
	}
	var b strings.Builder
	write := side.WriteMarkdown
	if f.format == "json" {
		write = func(w io.Writer) error { return line.WriteJSON(w, side, "  ") }
	}
	if err := write(&b); err != nil {
		return err
	}
	return out.Write(b.String())
}

// conversation returns the conversation of a session or a file.
func (f *replayFlags) conversation(cmd *cobra.Command, name string) (c *inspect.Conversation, err error) {
	if _, err := os.Stat(name); err == nil {
		return f.fromFile(cmd, name)
	}
	err = f.within(cmd, func(s *store.Store) error {
		state, err := durable.Load(cmd.Context(), s.Sessions(), name)
		if errors.Is(err, durable.ErrUnknown) {
			return cli.Usage("foray sessions ls lists them; a file needs its path", "no session and no file %q", name)
		}
		if err == nil {
			c = conversationOf(state)
		}
		return err
	})
	return c, err
}

func conversationOf(s *durable.State) *inspect.Conversation {
	system, messages := s.Conversation()
	return &inspect.Conversation{System: system, Messages: messages, Budget: s.Last().Limit}
}

// fromFile returns the chosen run of another agent's file.
func (f *replayFlags) fromFile(cmd *cobra.Command, path string) (c *inspect.Conversation, err error) {
	runs, report, err := sessionfile.Read(cmd.Context(), path, nil)
	if err != nil {
		return c, cli.Usage("foray replay --help names the formats", "%w", err)
	}
	if text := report.String(); text != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), line.Printable(text))
	}
	if f.run > len(runs) || len(runs) == 0 {
		return c, cli.Usage("--run 1", "the file has %s, not %d", line.Count(len(runs), "run"), f.run)
	}
	run := slices.MaxFunc(runs, func(a, b *sessionfile.Run) int { return len(a.Messages) - len(b.Messages) })
	if f.run > 0 {
		run = runs[f.run-1]
	}
	return &inspect.Conversation{System: run.System, Messages: run.Messages}, nil
}

// inspectFlags are the flags of inspect.
type inspectFlags struct {
	replayFlags
	addressFlags
}

func newInspect() *cobra.Command {
	var f inspectFlags
	cmd := &cobra.Command{
		Use:   "inspect [flags] SESSION|FILE",
		Short: "Look at the window of a session, request by request, in a browser",
		Long: `Serve a page of a session on this machine, and print its address. It shows the
window before each request: what came in, what was truncated, summarized,
evicted and read again, the request as it was sent, what changed since the one
before, why each decision was taken, tokens and cost by tool and by file, and
what other policies would have sent. It follows a session that still runs.

SESSION is the id of a session (foray sessions ls), or its beginning. FILE is a
trace, which may still be written to (foray explore --trace FILE). Sessions of
other agents are imported first: foray sessions import.

The address has a token, without which the server answers nothing: --token or
` + tokenVariable + ` sets it. A signal ends the server.

Exit codes: 0 ended by a signal, 2 bad usage, 3 an error.`,
		Example: `  foray inspect 1123-bokalu
  foray inspect run.jsonl --policy lean,codex --budget 8000,16000`,
		Args: cli.OneNamed("sessions"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.servePage(cmd, args[0]) },
	}
	f.definePlay(cmd)
	f.addressFlags.define(cmd, "127.0.0.1:0", "listen on `HOST:PORT`; port 0 takes a free one")
	return cmd
}

// servePage serves the page until a signal.
func (f *inspectFlags) servePage(cmd *cobra.Command, name string) error {
	policies, err := suites.ChoosePolicies(f.policy, compaction.Policies())
	if err != nil {
		return err
	}
	token, err := f.secret(cmd)
	if err != nil {
		return err
	}
	token = cmp.Or(token, inspect.NewToken())
	if _, err := os.Stat(name); err == nil {
		from := &inspect.Source{Title: filepath.Base(name), Price: catalog.PriceOf}
		budget, err := from.Trace(name)
		if errors.Is(err, inspect.ErrNoTrace) {
			return cli.Usage("foray sessions import FILE, then foray inspect SESSION", "%v", err)
		}
		if err != nil {
			return cli.Usage("foray inspect FILE", "reading the trace: %v", err)
		}
		from.Play = func(ctx context.Context) (any, error) {
			c, err := f.fromFile(cmd, name)
			if err != nil {
				return nil, err
			}
			c.Budget = budget
			return c.Play(ctx, name, policies, f.budgets)
		}
		return f.listenFor(cmd, token, from)
	}
	return f.within(cmd, func(s *store.Store) error {
		id, err := sessionByID(cmd.Context(), s, name)
		if errors.Is(err, durable.ErrUnknown) {
			return cli.Usage("foray sessions ls lists them; a file needs its path", "no session and no file %q", name)
		}
		if err != nil {
			return err
		}
		from := &inspect.Source{Title: "Session " + id, Price: catalog.PriceOf}
		from.Session(s.Sessions(), id)
		from.Play = func(ctx context.Context) (any, error) {
			state, err := durable.Load(ctx, s.Sessions(), id)
			if err != nil {
				return nil, err
			}
			return conversationOf(state).Play(ctx, id, policies, f.budgets)
		}
		return f.listenFor(cmd, token, from)
	})
}

func (f *inspectFlags) listenFor(cmd *cobra.Command, token string, from *inspect.Source) error {
	l, err := f.listen(cmd, token)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(cmd.OutOrStdout(), inspect.Address(l, token)); err != nil {
		return &cli.Exit{Code: cli.ExitPartial,
			Err: errors.Join(fmt.Errorf("printing the address: %w", err), l.Close())}
	}
	cli.Notice(cmd, "open this address in a browser; Ctrl-C ends the server")
	log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	if err := inspect.Serve(cmd.Context(), l, token, from, log); err != nil {
		return &cli.Exit{Code: cli.ExitPartial, Err: err}
	}
	return nil
}
