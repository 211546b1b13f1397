package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	durable "github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/sessions"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/internal/line"
)

// sessionsFlags are the flags of the commands that work on sessions.
type sessionsFlags struct {
	step, keep       int
	sent, repeat     bool
	as, refuse, done string
	older            time.Duration
}

func newSessions() *cobra.Command {
	cmd := family("sessions", "List, show, resume, fork, export and import durable runs", `  foray sessions ls
  foray sessions show 1123-bokalu
  foray sessions resume 1123-bokalu
  foray sessions fork 1123-bokalu --step 4 --as other`, slices.Concat(readingSessions(), branchingSessions(),
		movingSessions()))
	cmd.Long = `Every run of foray explore with a language model is a session: it is saved after
each step, and an interrupted one continues where it was, with the same bytes in
its window. ID may be the beginning of an id.`
	cmd.AddCommand(newResume())
	return cmd
}

// newResume makes the command that resumes an exploration.
func newResume() *cobra.Command {
	f := &exploreFlags{}
	cmd := &cobra.Command{
		Use: "resume ID", Short: "Continue an interrupted run, and print its report",
		Long: `Continue the last run of a session after its last whole step, with the flags
that it began with, and print the report that the undisturbed run would have
printed. Flags given here replace them: another --model continues with a
warning. A run that is over prints its report again.

The exit codes are those of foray explore.`,
		Example: `  foray sessions resume 1123-bokalu
  foray sessions resume 1123-bokalu --model openai/gpt-4.1 --max-steps 40`,
		Args: cli.OneNamed("sessions"), ValidArgsFunction: completeSessions,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := f.databaseFlag.openExisting(cmd)
			if err != nil {
				return err
			}
			k := &keptRun{store: s, db: f.databaseFlag, resume: true}
			if k.id, err = sessionByID(cmd.Context(), s, args[0]); err == nil {
				err = k.load(cmd, true)
			}
			if err == nil {
				err = f.check(cmd)
			}
			if err == nil {
				err = f.explore(cmd, "", k)
			}
			return storeError(errors.Join(err, s.Close()))
		},
	}
	f.define(cmd)
	f.databaseFlag.define(cmd)
	return cmd
}

// completeSessions offers the ids of the sessions in the default database.
func completeSessions(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var ids []string
	if path, err := store.Path(); err == nil && len(args) == 0 {
		if s, err := store.Open(cmd.Context(), path, nil); err == nil {
			ids, _ = sessionIDs(cmd.Context(), s)
			_ = s.Close() // it only read
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// maxSessions is how many sessions, the last used first, are known by the beginning of their id.
const maxSessions = 10_000

func sessionIDs(ctx context.Context, s *store.Store) ([]string, error) {
	all, err := s.Sessions().List(ctx, 0, maxSessions)
	return cli.NamesBy(all, func(i store.SessionInfo) string { return i.ID }), err
}

// sessionByID returns the id that is meant by it or by its beginning.
func sessionByID(ctx context.Context, s *store.Store, start string) (string, error) {
	ids, err := sessionIDs(ctx, s)
	if err != nil {
		return "", err
	}
	return idOf(start, ids, durable.ErrUnknown)
}

// session reads the session of the first argument, and calls fn with it.
func (f *recordFlags) session(cmd *cobra.Command, id string, fn func(*store.Store, *sessions.Session) error) error {
	return f.within(cmd, func(s *store.Store) error {
		id, err := sessionByID(cmd.Context(), s, id)
		if err != nil {
			return err
		}
		read := &sessions.Session{ID: id}
		for r, err := range s.Sessions().Records(cmd.Context(), id) {
			if err != nil {
				return err
			}
			read.Records = append(read.Records, r)
		}
		if read.State, err = durable.Fold(read.Records); err != nil {
			return err
		}
		return fn(s, read)
	})
}

// stepFlag defines --step.
func stepFlag(usage string) func(*cobra.Command, *recordFlags) {
	return func(cmd *cobra.Command, f *recordFlags) { cli.NumberFlag(cmd, &f.step, "step", 0, 0, usage) }
}

// readingSessions are the commands that change nothing.
func readingSessions() []verb {
	return []verb{{
		use: "ls", short: "List sessions, the last used first",
		example: "  foray sessions ls\n  foray sessions ls --format json --limit 10",
		args:    cli.NoArgs, run: listSessions,
		flags: func(cmd *cobra.Command, f *recordFlags) {
			cli.NumberFlag(cmd, &f.limit, "limit", maxListed, 1, "list at most `N`")
			cli.FormatFlag(cmd, &f.format, cli.MarkdownOrJSON)
		},
	}, {
		use: "show ID", short: "Print the transcript of a session, and what its window holds",
		long: `Print the transcript of a session: prompt, steps, results shortened to a few
lines, what was shortened or evicted and why, tokens by section and cost. With
--step, print one step of its newest run, whole. With --as-sent too, print the
window of that step's request exactly as it was sent: system prompt, tools and
messages as JSON, rebuilt from the first "entries" of the log.`,
		example: `  foray sessions show 1123-bokalu
  foray sessions show 1123-bokalu --step 3 --as-sent`,
		args: cli.OneNamed("sessions"), run: showSession,
		flags: func(cmd *cobra.Command, f *recordFlags) {
			stepFlag("print step `N` only (default: all)")(cmd, f)
			cmd.Flags().BoolVar(&f.sent, "as-sent", false, "print the window of the request of --step as it was sent")
		},
	}}
}

func listSessions(cmd *cobra.Command, f *recordFlags, _ []string) error {
	return f.within(cmd, func(s *store.Store) error {
		all, err := s.Sessions().List(cmd.Context(), 0, f.limit)
		if err != nil {
			return err
		}
		shown := map[string][]store.SessionInfo{"sessions": append([]store.SessionInfo{}, all...)}
		return cli.PrintAs(cmd, f.format, shown, func(w io.Writer) error {
			if len(all) == 0 {
				cli.Notice(cmd, "no sessions; foray explore --model begins one")
				return nil
			}
			rows := [][]string{{"id", "last used", "state", "steps", "model", "question"}}
			for _, i := range all {
				rows = append(rows, []string{i.ID, ui.Time(i.Updated), stateOf(i), strconv.Itoa(i.Steps), i.Model,
					ui.Fit(ui.Line(i.Title), titleColumns)})
			}
			return ui.Table(w, "", rows)
		})
	})
}

const titleColumns = 60

// stateOf says where a session is: its state, or why it ended.
func stateOf(i store.SessionInfo) string {
	if i.State == store.Ended && i.Stop != "" {
		return i.Stop
	}
	return i.State
}

func showSession(cmd *cobra.Command, f *recordFlags, args []string) error {
	given := cmd.Flags().Changed("step")
	if f.sent && !given {
		return cli.Usage("--step 1 --as-sent", "--as-sent needs --step")
	}
	return f.session(cmd, args[0], func(_ *store.Store, s *sessions.Session) error {
		var text string
		var err error
		switch {
		case f.sent:
			var sent *sessions.Sent
			if sent, err = s.AsSent(f.step); err == nil {
				return line.WriteJSON(cmd.OutOrStdout(), sent, "  ")
			}
		case given:
			text, err = s.Step(f.step)
		default:
			text, err = s.Show()
		}
		if err != nil {
			return cli.Usage(f.command("foray sessions show "+cli.Quote(s.ID)), "%w", err)
		}
		_, err = io.WriteString(cmd.OutOrStdout(), line.Printable(text))
		return err
	})
}

// branchingSessions are the commands after which a session continues from elsewhere.
func branchingSessions() []verb {
	return []verb{{
		use: "fork ID", short: "Copy a session up to a step",
		long: `Copy a session up to a step of its newest run, under another id. Step 0 is the
prompt. The copy continues with foray sessions resume.`,
		example: "  foray sessions fork 1123-bokalu --step 4 --as other",
		args:    cli.OneNamed("sessions"), run: forkSession,
		flags: func(cmd *cobra.Command, f *recordFlags) {
			stepFlag("copy up to step `N` (default: the last whole one)")(cmd, f)
			cmd.Flags().StringVar(&f.as, "as", "", "name the copy `ID` (default: a new one)")
		},
	}, {
		use: "rewind ID", short: "Take a session back to a step",
		long: `Take a session back to a step of its newest run; step 0 is the prompt. What
followed is kept: foray sessions undo returns to it.`,
		example: "  foray sessions rewind 1123-bokalu --step 4",
		args:    cli.OneNamed("sessions"), flags: stepFlag("take it back to step `N`"),
		run: func(cmd *cobra.Command, f *recordFlags, args []string) error {
			if !cmd.Flags().Changed("step") {
				return cli.Usage("--step 1", "foray sessions rewind needs --step")
			}
			return f.change(cmd, args[0], "rewound to step "+strconv.Itoa(f.step),
				func(s *store.Sessions, id string) error { return durable.RewindTo(cmd.Context(), s, id, f.step) })
		},
	}, {
		use: "undo ID", short: "Take back the newest rewind",
		example: "  foray sessions undo 1123-bokalu",
		args:    cli.OneNamed("sessions"),
		run: func(cmd *cobra.Command, f *recordFlags, args []string) error {
			return f.change(cmd, args[0], "as it was before the rewind",
				func(s *store.Sessions, id string) error { return durable.Undo(cmd.Context(), s, id) })
		},
	}, {
		use: "approve ID CALL", short: "Decide about a call that waits for you",
		long: `Decide about a call for which a session waits. CALL is its number in foray
sessions show. Without a flag, approve a call that wants your approval. For a
call that may have been made before its process died, say --done or --repeat.`,
		example: `  foray sessions approve 1123-bokalu 1
  foray sessions approve 1123-bokalu 1 --refuse "not on Fridays"
  foray sessions approve 1123-bokalu 2 --done "it is in the table"`,
		args: cli.Arguments(2, 2), run: decide,
		flags: func(cmd *cobra.Command, f *recordFlags) {
			cmd.Flags().StringVar(&f.refuse, "refuse", "", "do not make the call, and give the model the `REASON`")
			cmd.Flags().StringVar(&f.done, "done", "", "it was done, with the result `TEXT`")
			cmd.Flags().BoolVar(&f.repeat, "repeat", false, "it was not done: make it")
		},
	}}
}

// change changes a session, and says what it is now.
func (f *recordFlags) change(cmd *cobra.Command, id, now string, fn func(*store.Sessions, string) error) error {
	return f.within(cmd, func(s *store.Store) error {
		id, err := sessionByID(cmd.Context(), s, id)
		if err != nil {
			return err
		}
		if err := fn(s.Sessions(), id); err != nil {
			return f.refused(err, id)
		}
		cli.Notice(cmd, "session %s: %s; continue it: %s", id, now, f.command("foray sessions resume "+cli.Quote(id)))
		return nil
	})
}

// refused words an error of a change that the session does not allow.
func (f *recordFlags) refused(err error, id string) error {
	for _, h := range storeHints {
		if errors.Is(err, h.err) {
			return err
		}
	}
	return cli.Usage(f.command("foray sessions show "+cli.Quote(id)), "%w", err)
}

func forkSession(cmd *cobra.Command, f *recordFlags, args []string) error {
	step, as := -1, f.as
	if cmd.Flags().Changed("step") {
		step = f.step
	}
	return f.within(cmd, func(s *store.Store) error {
		id, err := sessionByID(cmd.Context(), s, args[0])
		if err == nil && as == "" {
			as, err = newSessionID(cmd.Context(), time.Now(), s.Sessions().Info)
		}
		if err != nil {
			return err
		}
		err = durable.Fork(cmd.Context(), s.Sessions(), id, as, step)
		if errors.Is(err, durable.ErrConflict) {
			return cli.Usage("--as with another name", "session %q already exists", as)
		}
		if err != nil {
			return f.refused(err, id)
		}
		cli.Notice(cmd, "session %s: a copy of %s; continue it: %s", as, id,
			f.command("foray sessions resume "+cli.Quote(as)))
		return nil
	})
}

func decide(cmd *cobra.Command, f *recordFlags, args []string) error {
	n, err := strconv.Atoi(args[1])
	if err != nil || n < 1 {
		return cli.Usage("foray sessions show "+cli.Quote(args[0]), "CALL is the number of a call, not %q", args[1])
	}
	v := durable.Verdict{Index: n - 1, Decision: durable.Approve}
	given := 0
	for flag, decision := range map[string]durable.Verdict{
		"refuse": {Decision: durable.Refuse, Text: f.refuse}, "done": {Decision: durable.Done, Text: f.done},
		"repeat": {Decision: durable.Repeat},
	} {
		if cmd.Flags().Changed(flag) {
			v.Decision, v.Text = decision.Decision, decision.Text
			given++
		}
	}
	if given > 1 {
		return cli.Usage("--repeat", "--refuse, --done and --repeat exclude each other")
	}
	return f.change(cmd, args[0], "decided: "+v.Decision,
		func(s *store.Sessions, id string) error { return durable.Decide(cmd.Context(), s, id, v) })
}

// movingSessions are the commands that remove sessions, or move them to and from files.
func movingSessions() []verb {
	return []verb{{
		use: "rm [ID...]", short: "Remove sessions for good",
		long: `Remove sessions for good: those with an ID, those not used for --older-than, and
all but the --keep used last. Without --yes, only list what would be removed. A
session that is running stays.`,
		example: "  foray sessions rm 1123-bokalu --yes\n  foray sessions rm --older-than 720h --keep 100 --yes",
		args:    cobra.ArbitraryArgs, run: removeSessions,
		flags: func(cmd *cobra.Command, f *recordFlags) {
			cli.DurationFlag(cmd, &f.older, "older-than", 0, "remove those not used for `DURATION`, such as 720h")
			cli.NumberFlag(cmd, &f.keep, "keep", 0, 1, "keep the `N` used last, and remove the others")
			removeFlags(cmd, f)
		},
	}, {
		use: "export ID", short: "Write a session as JSON lines",
		long: `Write a session as JSON lines: a header with the version, then its records with
all texts. foray sessions import reads them.`,
		example: "  foray sessions export 1123-bokalu -o run.jsonl",
		args:    cli.OneNamed("sessions"),
		flags:   func(cmd *cobra.Command, f *recordFlags) { cli.OutputFlag(cmd, &f.out) },
		run: func(cmd *cobra.Command, f *recordFlags, args []string) error {
			out := cli.Output{Path: f.out, Std: cmd.OutOrStdout()}
			if err := out.Check(); err != nil {
				return err
			}
			return f.session(cmd, args[0], func(_ *store.Store, s *sessions.Session) error {
				var b bytes.Buffer
				if err := s.Export(&b); err != nil {
					return err
				}
				return out.Write(b.String())
			})
		},
	}, {
		use: "import FILE", short: "Import a session, also of another agent",
		long: `Import an exported session, or the sessions of another agent: OpenAI chat
messages, Claude Code, Codex, pi, opencode, ATIF, traces of foray. Damaged parts
are repaired or left out, and reported. Ask further questions in an imported
session with foray explore --session ID.`,
		example: `  foray sessions import run.jsonl --id copy
  foray sessions import ~/.codex/sessions/2026/11/23/rollout-1.jsonl`,
		args: cli.Arguments(1, 1), run: importSession,
		flags: func(cmd *cobra.Command, f *recordFlags) {
			cmd.Flags().StringVar(&f.id, "id", "", "import it as `ID` (default: its own, or a new one)")
		},
	}}
}

func removeSessions(cmd *cobra.Command, f *recordFlags, ids []string) error {
	if len(ids) == 0 && f.older == 0 && f.keep == 0 {
		return cli.Usage("foray sessions ls", "foray sessions rm needs an id, --older-than or --keep")
	}
	var chosen []string
	describe := func(s *store.Store) (lines []string, err error) {
		all, err := s.Sessions().List(cmd.Context(), 0, math.MaxInt32)
		if err != nil {
			return nil, err
		}
		whole := slices.Clone(ids)
		for i, id := range ids {
			known := cli.NamesBy(all, func(i store.SessionInfo) string { return i.ID })
			if whole[i], err = idOf(id, known, durable.ErrUnknown); err != nil {
				return nil, err
			}
		}
		if err := wholeIDs(ids, whole); f.yes && err != nil {
			return nil, err
		}
		for n, i := range all {
			old := f.older > 0 && time.Since(i.Updated) > f.older
			if i.State != store.Running && (old || f.keep > 0 && n >= f.keep) || slices.Contains(whole, i.ID) {
				chosen = append(chosen, i.ID)
				lines = append(lines, fmt.Sprintf("%s  %s  %s", i.ID, line.Count(i.Steps, "step"), ui.Line(i.Title)))
			}
		}
		return lines, nil
	}
	return f.remove(cmd, ids, "these sessions", describe, func(s *store.Store) error {
		for _, id := range chosen {
			if err := s.Sessions().Remove(cmd.Context(), id); err != nil {
				return err
			}
			cli.Notice(cmd, "removed session %s", id)
		}
		return nil
	})
}

func importSession(cmd *cobra.Command, f *recordFlags, args []string) error {
	all, report, err := sessions.Import(cmd.Context(), args[0])
	switch {
	case errors.Is(err, os.ErrNotExist):
		return cli.Usage(cmd.CommandPath()+" FILE", "no file %q", args[0])
	case errors.Is(err, sessions.ErrInvalid):
		return cli.Usage("nothing was imported: repair the file, or use another export", "%w", err)
	case err != nil:
		return cli.Usage(cmd.CommandPath()+" FILE", "reading the file: %v", err)
	}
	s, err := f.open(cmd)
	if err != nil {
		return err
	}
	for _, text := range report {
		cli.Notice(cmd, "%s", text)
	}
	for i, one := range all {
		id := one.ID
		if f.id != "" && len(all) > 1 {
			id = fmt.Sprintf("%s-%d", f.id, i+1)
		} else if f.id != "" {
			id = f.id
		}
		if id == "" || strings.ContainsAny(id, "/\\ \t\n") {
			id, err = newSessionID(cmd.Context(), time.Now(), s.Sessions().Info)
		}
		if err == nil {
			err = s.Sessions().AppendRecords(cmd.Context(), id, 0, one.Records...)
		}
		if errors.Is(err, durable.ErrConflict) {
			err = cli.Usage("--id with another name", "session %q already exists", id)
		}
		if err != nil {
			break
		}
		cli.Notice(cmd, "imported session %s with %s", id, line.Count(len(one.Records), "record"))
	}
	return storeError(errors.Join(err, s.Close()))
}
