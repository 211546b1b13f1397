package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow/memory/summary"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/toollimit/line"
)

func newThreads() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "threads",
		Short: "List, show, remove and move the conversations of foray chat",
		Example: `  foray threads ls
  foray threads show k3v9 --last 10
  foray threads export k3v9 -o k3v9.jsonl`,
		Args: cobra.ArbitraryArgs,
		RunE: group,
	}
	cmd.AddCommand(newThreadsLs(), newThreadsShow(), newThreadsRm(), newThreadsExport(), newThreadsImport())
	return cmd
}

// listFlags are how a list was typed.
type listFlags struct {
	databaseFlag
	user, format string
	limit        int
}

// shownThreads is how many threads a list has unless it says otherwise.
const shownThreads = 50

func newThreadsLs() *cobra.Command {
	f := &listFlags{}
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List threads, the last used first",
		Example: `  foray threads ls
  foray threads ls --user ada --format json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return listThreads(cmd, f) },
	}
	f.define(cmd)
	cmd.Flags().StringVar(&f.user, "user", "", "list those of `NAME`; default: of everybody")
	cmd.Flags().IntVar(&f.limit, "limit", shownThreads, "list at most `N`")
	cmd.Flags().StringVar(&f.format, "format", "md", "print as `FORM`: md or json")
	complete(cmd, "format", words(markdownOrJSON))
	return cmd
}

func (f *listFlags) check() error {
	if f.limit < 1 {
		return usage(fmt.Sprintf("--limit %d", shownThreads), "--limit %d is below 1", f.limit)
	}
	return oneOf("format", f.format, markdownOrJSON)
}

func listThreads(cmd *cobra.Command, f *listFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	return f.within(cmd, func(s *store.Store) error {
		threads, err := s.Threads(cmd.Context(), f.user, 0, f.limit)
		if err != nil {
			return err
		}
		if f.format == "json" {
			for i := range threads {
				threads[i].State = nil
			}
			return ui.JSON(cmd.OutOrStdout(), map[string][]chat.Thread{"threads": append([]chat.Thread{}, threads...)})
		}
		if len(threads) == 0 {
			wrote(cmd, "no threads yet; foray chat begins one")
			return nil
		}
		return writeThreads(cmd.OutOrStdout(), threads)
	})
}

func writeThreads(w io.Writer, threads []chat.Thread) error {
	t := evals.Table{Columns: []string{"id", "messages", "last used", "user", "title"}}
	for _, th := range threads {
		t.Rows = append(t.Rows, []string{ui.Printable(th.ID), line.Number(th.Messages), ui.Time(th.Updated), ui.Printable(th.User), ui.Printable(th.Title)})
	}
	return evals.WriteMarkdown(w, t)
}

// showFlags are how threads show was typed.
type showFlags struct {
	databaseFlag
	format string
	last   int
}

func newThreadsShow() *cobra.Command {
	f := &showFlags{}
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Print a thread: its summary and its messages",
		Example: `  foray threads show k3v9
  foray threads show k3v9 --last 10 --format json`,
		Args: oneNamed("threads"),
		RunE: func(cmd *cobra.Command, args []string) error { return showThread(cmd, f, args[0]) },
	}
	f.define(cmd)
	cmd.Flags().IntVar(&f.last, "last", 0, "print the last `N` messages; default: all")
	cmd.Flags().StringVar(&f.format, "format", "md", "print as `FORM`: md or json")
	complete(cmd, "format", words(markdownOrJSON))
	return cmd
}

// A shownThread is what threads show prints.
type shownThread struct {
	Thread   chat.Thread     `json:"thread"`
	Summary  *summary.Thread `json:"summary"`
	Messages []shownMessage  `json:"messages"`
}

type shownMessage struct {
	Seq     int64              `json:"seq"`
	Time    time.Time          `json:"time,omitzero"`
	Partial bool               `json:"partial,omitempty"`
	Message transcript.Message `json:"message"`
}

func showThread(cmd *cobra.Command, f *showFlags, id string) error {
	if err := oneOf("format", f.format, markdownOrJSON); err != nil {
		return err
	}
	if f.last < 0 {
		return usage("--last 10", "--last %d is below 0", f.last)
	}
	return f.within(cmd, func(s *store.Store) error {
		shown, err := threadOf(cmd.Context(), s, id, f.last)
		if err != nil {
			return err
		}
		if f.format == "json" {
			return ui.JSON(cmd.OutOrStdout(), shown)
		}
		_, err = io.WriteString(cmd.OutOrStdout(), ui.Printable(shown.markdown()))
		return err
	})
}

// messagesAtOnce is how many messages are read at once.
const messagesAtOnce = 500

// threadOf reads a thread with its last messages, all of them if last is 0.
func threadOf(ctx context.Context, s *store.Store, id string, last int) (shownThread, error) {
	var shown shownThread
	t, err := s.Thread(ctx, id)
	if err != nil {
		return shown, err
	}
	sum, err := s.LoadSummary(ctx, id)
	if err != nil {
		return shown, err
	}
	t.State = nil
	shown.Thread, shown.Messages = t, []shownMessage{}
	if sum.Text != "" {
		shown.Summary = &sum
	}
	after := int64(0)
	if recent, err := s.Recent(ctx, id, 0, last); err != nil {
		return shown, err
	} else if len(recent) > 0 {
		after = recent[0].Seq - 1
	}
	for {
		page, err := s.Messages(ctx, id, after, messagesAtOnce)
		if err != nil {
			return shown, err
		}
		for _, m := range page {
			shown.Messages = append(shown.Messages, shownMessage{m.Seq, m.Time, m.Partial, m.Message})
			after = m.Seq
		}
		if len(page) < messagesAtOnce {
			return shown, nil
		}
	}
}

func (s shownThread) markdown() string {
	var b strings.Builder
	title := s.Thread.Title
	if title == "" {
		title = s.Thread.ID
	}
	fmt.Fprintf(&b, "# %s\n\nthread %s, %s, last used %s\n", ui.Line(title), s.Thread.ID, line.Count(s.Thread.Messages, "message"), ui.Time(s.Thread.Updated))
	if s.Summary != nil {
		fmt.Fprintf(&b, "\n## Summary of messages up to %d\n\n%s\n", s.Summary.Last, strings.TrimSpace(s.Summary.Text))
	}
	for _, m := range s.Messages {
		who := string(m.Message.Role)
		if m.Message.Role == transcript.Tool {
			who += " " + ui.Line(m.Message.Name)
		}
		if m.Partial {
			who += ", broke off"
		}
		fmt.Fprintf(&b, "\n## %d · %s · %s\n\n", m.Seq, who, ui.Time(m.Time))
		if text := strings.TrimSpace(m.Message.Text); text != "" {
			b.WriteString(text + "\n")
		}
		for _, c := range m.Message.Calls {
			fmt.Fprintf(&b, "- calls %s\n", ui.Line(ui.Call(c)))
		}
	}
	return b.String()
}

func newThreadsRm() *cobra.Command {
	f, yes := &databaseFlag{}, false
	cmd := &cobra.Command{
		Use:   "rm ID...",
		Short: "Remove threads with their messages and summaries, for good",
		Long: `rm removes threads with their messages and summaries, for good. Without --yes it says what would go and removes
nothing. Memories that came of a thread stay; foray memory rm removes those.`,
		Example: `  foray threads rm k3v9
  foray threads rm k3v9 p0x2 --yes`,
		Args: named("threads"),
		RunE: func(cmd *cobra.Command, args []string) error { return removeThreads(cmd, f, args, yes) },
	}
	f.define(cmd)
	cmd.Flags().BoolVar(&yes, "yes", false, "remove them, and do not ask")
	return cmd
}

// removeThreads looks at all threads before it removes the first, so that a wrong id removes nothing.
func removeThreads(cmd *cobra.Command, f *databaseFlag, ids []string, yes bool) error {
	return f.within(cmd, func(s *store.Store) error {
		for _, id := range ids {
			t, err := s.Thread(cmd.Context(), id)
			if err != nil {
				return err
			}
			if !yes {
				fmt.Fprintf(cmd.OutOrStdout(), "%s  %s  %s\n", ui.Line(t.ID), line.Count(t.Messages, "message"), ui.Line(t.Title))
			}
		}
		if !yes {
			return unsure(cmd, ids, line.Count(len(ids), "thread"))
		}
		for _, id := range ids {
			if err := s.DeleteThread(cmd.Context(), id); err != nil {
				return err
			}
			wrote(cmd, "removed thread %s", id)
		}
		return nil
	})
}

func newThreadsExport() *cobra.Command {
	f, out := &databaseFlag{}, ""
	cmd := &cobra.Command{
		Use:   "export ID",
		Short: "Write a thread as JSON lines",
		Long: `export writes a thread as JSON lines: itself, its messages, its summary, and an end that says how many messages there
are. foray threads import reads it again.`,
		Example: `  foray threads export k3v9 -o k3v9.jsonl
  foray threads export k3v9 | gzip > k3v9.jsonl.gz`,
		Args: oneNamed("threads"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.export(cmd, out, func(s *store.Store, w io.Writer) error { return s.ExportThread(cmd.Context(), args[0], w) })
		},
	}
	f.define(cmd)
	cmd.Flags().StringVarP(&out, "output", "o", "", "write to `FILE`, whole or not at all")
	return cmd
}

func newThreadsImport() *cobra.Command {
	f, id := &databaseFlag{}, ""
	cmd := &cobra.Command{
		Use:   "import [FILE]",
		Short: "Add a thread that was exported",
		Long: `import adds a thread that was exported, from FILE or standard input: all of it or, if a line is damaged or the end is
missing, nothing. It never replaces a thread; --id gives it another name.`,
		Example: `  foray threads import k3v9.jsonl
  foray threads import --id copy < k3v9.jsonl`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.importFrom(cmd, args, func(s *store.Store, r io.Reader) error {
				t, err := s.ImportThread(cmd.Context(), r, id)
				if err == nil {
					wrote(cmd, "imported thread %s with %s", t.ID, line.Count(t.Messages, "message"))
				}
				return err
			})
		},
	}
	f.define(cmd)
	cmd.Flags().StringVar(&id, "id", "", "import it as `ID`; default: its own")
	return cmd
}
