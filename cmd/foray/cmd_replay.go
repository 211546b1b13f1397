package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	durable "github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/compaction"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/sessionfile"
)

// replayFlags are the flags of replay.
type replayFlags struct {
	databaseFlag
	budgets             []int
	policy, format, out string
	run                 int
}

// replayed are the policies that replay compares by default.
var replayed = []string{string(contextwindow.Lean), string(contextwindow.Ladder), "none"}

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
` + cli.Indent(cli.Wrap(compaction.Policies(), 78)) + `.

The session was made with one window. Under another policy its model might have
done something else, so this compares policies and predicts no answer.`,
		Example: `  foray replay 1123-bokalu
  foray replay 1123-bokalu --policy lean,codex --budget 8000,16000
  foray replay ~/.claude/projects/app/session.jsonl --budget 24000 --run 2`,
		Args: cli.OneNamed("sessions"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.replay(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.policy, "policy", strings.Join(replayed, ","), "compare the policies `NAMES`")
	cli.NumbersFlag(cmd, &f.budgets, "budget", nil, 500,
		"limit a request to these `NUMBERS` of tokens (default: of the session, or 16000)")
	cli.NumberFlag(cmd, &f.run, "run", 0, 0, "play run `N` of a file (default: the longest)")
	cli.FormatFlag(cmd, &f.format, cli.MarkdownOrJSON)
	cli.OutputFlag(cmd, &f.out)
	f.define(cmd)
	cli.Complete(cmd, "policy", compaction.Policies())
	return cmd
}

// sessionFormats are the names of the formats that replay reads.
func sessionFormats() (names []string) {
	for _, f := range sessionfile.Formats() {
		names = append(names, f.Name)
	}
	return names
}

// unsaidBudget is the budget for a session that says none, in tokens.
const unsaidBudget = 16_000

func (f *replayFlags) replay(cmd *cobra.Command, name string) error {
	policies, err := choosePolicies(f.policy, compaction.Policies())
	if err != nil {
		return err
	}
	out := cli.Output{Path: f.out, Std: cmd.OutOrStdout()}
	if err := out.Check(); err != nil {
		return err
	}
	system, messages, budget, err := f.conversation(cmd, name)
	if err != nil {
		return err
	}
	if len(f.budgets) == 0 {
		f.budgets = []int{budget}
	}
	side, err := compaction.SideBySide(cmd.Context(), name, system, messages,
		compaction.Config{Budgets: f.budgets, Policies: policies, Counter: "foray"})
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

// conversation returns the messages of a session or a file, and the budget of its requests in tokens.
func (f *replayFlags) conversation(cmd *cobra.Command, name string) (
	system string, messages []transcript.Message, budget int, err error,
) {
	if _, err := os.Stat(name); err == nil {
		return f.fromFile(cmd, name)
	}
	err = f.within(cmd, func(s *store.Store) error {
		state, err := durable.Load(cmd.Context(), s.Sessions(), name)
		if errors.Is(err, durable.ErrUnknown) {
			return cli.Usage("foray sessions ls lists them; a file needs its path", "no session and no file %q", name)
		}
		if err != nil {
			return err
		}
		budget = state.Last().Limit
		system, messages = state.Conversation()
		return nil
	})
	return system, messages, budget, err
}

// fromFile returns the chosen run of another agent's file.
func (f *replayFlags) fromFile(cmd *cobra.Command, path string) (string, []transcript.Message, int, error) {
	runs, report, err := sessionfile.Read(cmd.Context(), path, nil)
	if err != nil {
		return "", nil, 0, cli.Usage("foray replay --help names the formats", "%w", err)
	}
	if text := report.String(); text != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), line.Printable(text))
	}
	if f.run > len(runs) || len(runs) == 0 {
		return "", nil, 0, cli.Usage("--run 1", "the file has %s, not %d", line.Count(len(runs), "run"), f.run)
	}
	run := slices.MaxFunc(runs, func(a, b *sessionfile.Run) int { return len(a.Messages) - len(b.Messages) })
	if f.run > 0 {
		run = runs[f.run-1]
	}
	return run.System, run.Messages, unsaidBudget, nil
}
