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
	"github.com/forayhq/foray/toollimit/line"
)

func newThreads() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "threads",
		Short: "List, show, remove, export and import conversations",
		Example: `  foray threads ls
  foray threads show k3v9 --last 10
  foray threads export k3v9 -o k3v9.jsonl`,
		Args: cobra.ArbitraryArgs,
		RunE: group,
	}
	cmd.AddCommand(newThreadsLs(), newThreadsShow(), newThreadsRm(), newThreadsExport(), newThreadsImport())
	return cmd
}

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
	f.define(cmd, maxListed)
	return cmd
}

func listThreads(cmd *cobra.Command, f *listFlags) error {
	return f.within(cmd, func(s *store.Store) error {
		threads, err := s.Threads(cmd.Context(), f.user, 0, f.limit)
		if err != nil {
			return err
		}
		for i := range threads {
			threads[i].State = nil
		}
		return printAs(cmd, f.format, map[string][]chat.Thread{"threads": append([]chat.Thread{}, threads...)},
			func(w io.Writer) error {
				if len(threads) == 0 {
					notice(cmd, "no threads; start one with foray chat")
					return nil
				}
				return writeThreads(w, threads)
			})
	})
}

// showFlags are the flags of threads show.
type showFlags struct {
	databaseFlag
	format string
	last   int
}

func newThreadsShow() *cobra.Command {
	f := &showFlags{}
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Print the summary and the messages of a thread",
		Example: `  foray threads show k3v9
  foray threads show k3v9 --last 10 --format json`,
		Args: oneNamed("threads"),
		RunE: func(cmd *cobra.Command, args []string) error { return showThread(cmd, f, args[0]) },
	}
	f.define(cmd)
	numberFlag(cmd, &f.last, "last", 0, 0, "print the last `N` messages (default: all)")
	formatFlag(cmd, &f.format, markdownOrJSON)
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
	return f.within(cmd, func(s *store.Store) error {
		shown, err := threadOf(cmd.Context(), s, id, f.last)
		if err != nil {
			return err
		}
		return printAs(cmd, f.format, shown, func(w io.Writer) error {
			_, err := io.WriteString(w, ui.Printable(shown.markdown()))
			return err
		})
	})
}

// pageSize is how many messages are read at a time.
const pageSize = 500

// threadOf reads a thread with its last messages, or all of them if last is 0.
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
		page, err := s.Messages(ctx, id, after, pageSize)
		if err != nil {
			return shown, err
		}
		for _, m := range page {
			shown.Messages = append(shown.Messages, shownMessage{m.Seq, m.Time, m.Partial, m.Message})
			after = m.Seq
		}
		if len(page) < pageSize {
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
	fmt.Fprintf(&b, "# %s\n\nthread %s, %s, last used %s\n", ui.Line(title), s.Thread.ID,
		line.Count(s.Thread.Messages, "message"), ui.Time(s.Thread.Updated))
	if s.Summary != nil {
		fmt.Fprintf(&b, "\n## Summary of messages up to %d\n\n%s\n", s.Summary.Last, strings.TrimSpace(s.Summary.Text))
	}
	for _, m := range s.Messages {
		who := string(m.Message.Role)
		if m.Message.Role == transcript.Tool {
			who += " " + ui.Line(m.Message.Name)
		}
		if m.Partial {
			who += ", incomplete"
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
		Short: "Remove threads for good",
		Long: `Remove threads with their messages and summaries for good. Without --yes, only
list what would be removed. Memories from a thread stay; foray memory rm
removes them.`,
		Example: `  foray threads rm k3v9
  foray threads rm k3v9 p0x2 --yes`,
		Args: named("threads"),
		RunE: func(cmd *cobra.Command, args []string) error { return removeThreads(cmd, f, args, yes) },
	}
	f.define(cmd)
	cmd.Flags().BoolVar(&yes, "yes", false, "remove them")
	return cmd
}

// removeThreads reads all threads before it removes the first, so that a wrong id removes nothing.
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
			return needsYes(cmd, ids, line.Count(len(ids), "thread"))
		}
		for _, id := range ids {
			if err := s.DeleteThread(cmd.Context(), id); err != nil {
				return err
			}
			notice(cmd, "removed thread %s", id)
		}
		return nil
	})
}

func newThreadsExport() *cobra.Command {
	f, out := &databaseFlag{}, ""
	cmd := &cobra.Command{
		Use:   "export ID",
		Short: "Write a thread as JSON lines",
		Long: `Write a thread as JSON lines: the thread, its messages, its summary, and a last
line with the number of messages. foray threads import reads them.`,
		Example: `  foray threads export k3v9 -o k3v9.jsonl
  foray threads export k3v9 | gzip > k3v9.jsonl.gz`,
		Args: oneNamed("threads"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.export(cmd, out,
				func(s *store.Store, w io.Writer) error { return s.ExportThread(cmd.Context(), args[0], w) })
		},
	}
	f.define(cmd)
	outputFlag(cmd, &out)
	return cmd
}

func newThreadsImport() *cobra.Command {
	f, id := &databaseFlag{}, ""
	cmd := &cobra.Command{
		Use:   "import [FILE]",
		Short: "Import a thread from JSON lines",
		Long: `Import an exported thread from FILE or standard input. If a line is damaged or
the end is missing, import nothing. An existing thread is never replaced: give
the imported one another name with --id.`,
		Example: `  foray threads import k3v9.jsonl
  foray threads import --id copy < k3v9.jsonl`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.importFrom(cmd, args, func(s *store.Store, r io.Reader) error {
				t, err := s.ImportThread(cmd.Context(), r, id)
				if err == nil {
					notice(cmd, "imported thread %s with %s", t.ID, line.Count(t.Messages, "message"))
				}
				return err
			})
		},
	}
	f.define(cmd)
	cmd.Flags().StringVar(&id, "id", "", "import it as `ID` (default: its own)")
	return cmd
}
