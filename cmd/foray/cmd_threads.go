package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/said"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow/memory/summary"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
)

func newThreads() *cobra.Command {
	return family("threads", "List, show, search, remove, export and import conversations", `  foray threads ls
  foray threads show k3v9 --last 10
  foray threads search "which port did we choose?"
  foray threads export k3v9 -o k3v9.jsonl`, append([]verb{
		{
			use: "ls", short: "List threads, the last used first",
			example: `  foray threads ls
  foray threads ls --user ada --format json`,
			args: cli.NoArgs, flags: listFlags(maxListed), run: listThreads,
		}, {
			use: "show ID", short: "Print the summary and the messages of a thread",
			example: `  foray threads show k3v9
  foray threads show k3v9 --last 10 --format json`,
			args: threadIDs(cli.OneNamed("threads")), run: showThread,
			flags: func(cmd *cobra.Command, f *recordFlags) {
				cli.NumberFlag(cmd, &f.last, "last", 0, 0, "print the last `N` messages (default: all)")
				cli.FormatFlag(cmd, &f.format, cli.MarkdownOrJSON)
			},
		}, {
			use: "search QUESTION...", short: "Search all threads for what was said, the best match first",
			long: `Find the exchanges of all threads that answer a question, by words: a message
and its reply. Of a long message, print the passage that answers.

Exit codes: 0 found, 1 found nothing, 2 bad usage, 3 an error.`,
			example: `  foray threads search "which port did we choose?"
  foray threads search deploys on Tuesdays --user ada --limit 3`,
			args: cobra.ArbitraryArgs, flags: listFlags(defaultFound), run: searchThreads,
		},
	}, changingThreads()...))
}

// changingThreads are the commands that remove threads, or write them elsewhere.
func changingThreads() []verb {
	return []verb{
		{
			use: "rm ID...", short: "Remove threads for good",
			long: `Remove threads with their messages and summaries for good. Without --yes, only
list what would be removed. Memories from a thread stay; foray memory rm
removes them.`,
			example: `  foray threads rm k3v9
  foray threads rm k3v9 p0x2 --yes`,
			args: threadIDs(cli.Named("threads")), flags: removeFlags, run: removeThreads,
		}, {
			use: "export ID", short: "Write a thread as JSON lines",
			long: `Write a thread as JSON lines: the thread, its messages, its summary, and a last
line with the number of messages. foray threads import reads them.`,
			example: `  foray threads export k3v9 -o k3v9.jsonl
  foray threads export k3v9 | gzip > k3v9.jsonl.gz`,
			args:  threadIDs(cli.OneNamed("threads")),
			flags: func(cmd *cobra.Command, f *recordFlags) { cli.OutputFlag(cmd, &f.out) },
			run: func(cmd *cobra.Command, f *recordFlags, args []string) error {
				return f.export(cmd, f.out, func(s *store.Store, w io.Writer) error {
					if err := threadsByID(cmd.Context(), s, args...); err != nil {
						return err
					}
					return s.ExportThread(cmd.Context(), args[0], w)
				})
			},
		}, {
			use: "import [FILE]", short: "Import a thread from JSON lines",
			long: `Import an exported thread from FILE or standard input. If a line is damaged or
the end is missing, import nothing. An existing thread is never replaced: give
the imported one another name with --id.`,
			example: `  foray threads import k3v9.jsonl
  foray threads import --id copy < k3v9.jsonl`,
			args: cobra.ArbitraryArgs, run: importThread,
			flags: func(cmd *cobra.Command, f *recordFlags) {
				cmd.Flags().StringVar(&f.id, "id", "", "import it as `ID` (default: its own)")
			},
		},
	}
}

// threadIDs refuses what check refuses, and ids that no thread can have.
func threadIDs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return err
		}
		for _, id := range args {
			if err := chat.CheckThreadID(id); err != nil {
				return cli.Usage("foray threads ls", "%q: %v", id, err)
			}
		}
		return nil
	}
}

func importThread(cmd *cobra.Command, f *recordFlags, args []string) error {
	if cmd.Flags().Changed("id") {
		if err := chat.CheckThreadID(f.id); err != nil {
			return cli.Usage("--id plans", "--id %q: %v", f.id, err)
		}
	}
	return f.importFrom(cmd, args, func(s *store.Store, r io.Reader) error {
		t, err := s.ImportThread(cmd.Context(), r, f.id)
		if err == nil {
			cli.Notice(cmd, "imported thread %s with %s", t.ID, line.Count(t.Messages, "message"))
		}
		return err
	})
}

func removeThreads(cmd *cobra.Command, f *recordFlags, ids []string) error {
	describe := func(s *store.Store) (lines []string, err error) {
		typed := slices.Clone(ids)
		if err := threadsByID(cmd.Context(), s, ids...); err != nil {
			return nil, err
		}
		if err := wholeIDs(typed, ids); f.yes && err != nil {
			return nil, err
		}
		for _, id := range ids {
			t, err := s.Thread(cmd.Context(), id)
			if err != nil {
				return nil, err
			}
			lines = append(lines,
				fmt.Sprintf("%s  %s  %s", ui.Line(t.ID), line.Count(t.Messages, "message"), ui.Line(t.Title)))
		}
		return lines, nil
	}
	return f.remove(cmd, ids, line.Count(len(ids), "thread"), describe, func(s *store.Store) error {
		for _, id := range ids {
			if err := removeThread(cmd.Context(), s, id); err != nil {
				return err
			}
			cli.Notice(cmd, "removed thread %s", id)
		}
		return nil
	})
}

// removeThread removes a thread when no other process writes to it.
func removeThread(ctx context.Context, s *store.Store, id string) error {
	unlock, err := s.LockThread(ctx, id, threadWait)
	if err != nil {
		return err
	}
	defer unlock()
	return s.DeleteThread(ctx, id)
}

func listThreads(cmd *cobra.Command, f *recordFlags, _ []string) error {
	return f.within(cmd, func(s *store.Store) error {
		threads, err := s.Threads(cmd.Context(), f.user, 0, f.limit)
		if err != nil {
			return err
		}
		for i := range threads {
			threads[i].State = nil
		}
		return cli.PrintAs(cmd, f.format, map[string][]chat.Thread{"threads": append([]chat.Thread{}, threads...)},
			func(w io.Writer) error {
				if len(threads) == 0 {
					cli.Notice(cmd, "no threads; start one with foray chat")
					return nil
				}
				return writeThreads(w, threads)
			})
	})
}

// The limits of a search of threads.
const (
	defaultFound = 5
	maxFound     = 50
)

func searchThreads(cmd *cobra.Command, f *recordFlags, args []string) error {
	if f.limit > maxFound {
		return cli.Usage(fmt.Sprintf("--limit %d", maxFound),
			"a search finds at most %d exchanges, not %d", maxFound, f.limit)
	}
	question, err := readText(cmd, args, "a question")
	if err != nil {
		return err
	}
	return f.within(cmd, func(s *store.Store) error {
		found, searched, err := said.Find(cmd.Context(), s, f.user, question, f.limit)
		if err != nil {
			return err
		}
		if searched == said.MaxSearched {
			cli.Notice(cmd, "searched only the first %s, beginning with the thread used last", line.Count(searched, "message"))
		}
		if f.format == "json" || len(found) > 0 {
			err = cli.PrintAs(cmd, f.format, map[string][]said.Exchange{"exchanges": append([]said.Exchange{}, found...)},
				func(w io.Writer) error { return writeFound(w, found) })
		}
		if err != nil || len(found) > 0 {
			return err
		}
		return &cli.Exit{Code: cli.ExitNothing, Err: fmt.Errorf("nothing about that in %s", line.Count(searched, "message")),
			Hint: "foray threads ls"}
	})
}

// foundColumns is how much of a message a search prints.
const foundColumns = 300

func writeFound(w io.Writer, found []said.Exchange) error {
	var b strings.Builder
	for _, e := range found {
		fmt.Fprintf(&b, "## %s · %s\n\n", ui.Line(e.Thread), ui.Line(e.Title))
		for _, m := range e.Messages {
			fmt.Fprintf(&b, "- %d %s, %s: %s\n", m.Seq, m.Role, ui.Time(m.Time), ui.Fit(ui.Line(m.Text), foundColumns))
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, line.Printable(strings.TrimSuffix(b.String(), "\n")))
	return err
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

func showThread(cmd *cobra.Command, f *recordFlags, args []string) error {
	return f.within(cmd, func(s *store.Store) error {
		if err := threadsByID(cmd.Context(), s, args...); err != nil {
			return err
		}
		shown, err := threadOf(cmd.Context(), s, args[0], f.last)
		if err != nil {
			return err
		}
		return cli.PrintAs(cmd, f.format, shown, func(w io.Writer) error {
			_, err := io.WriteString(w, line.Printable(shown.markdown()))
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
		if m.Message.Name != "" { // of a tool, or of the agent that answered
			who += " " + ui.Line(m.Message.Name)
		}
		if m.Partial {
			who += ", incomplete"
		}
		fmt.Fprintf(&b, "\n## %d · %s · %s\n\n", m.Seq, who, ui.Time(m.Time))
		if text := strings.TrimSpace(m.Message.Described()); text != "" {
			b.WriteString(text + "\n")
		}
		for _, c := range m.Message.Calls {
			fmt.Fprintf(&b, "- calls %s\n", ui.Line(ui.Call(c)))
		}
	}
	return b.String()
}
