package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent/store"
)

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
				fmt.Fprintf(cmd.OutOrStdout(), "%s  %s  %s\n", line(t.ID), many(t.Messages, "message"), line(t.Title))
			}
		}
		if !yes {
			return unsure(cmd, ids, many(len(ids), "thread"))
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

// export writes what write gives to a file, whole or not at all, or to standard output.
func (f *databaseFlag) export(cmd *cobra.Command, path string, write func(*store.Store, io.Writer) error) error {
	out := sink{path: path, std: cmd.OutOrStdout()}
	if err := out.check(); err != nil {
		return err
	}
	return f.within(cmd, func(s *store.Store) error {
		var b bytes.Buffer
		if err := write(s, &b); err != nil {
			return err
		}
		return out.write(b.String())
	})
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
					wrote(cmd, "imported thread %s with %s", t.ID, many(t.Messages, "message"))
				}
				return err
			})
		},
	}
	f.define(cmd)
	cmd.Flags().StringVar(&id, "id", "", "import it as `ID`; default: its own")
	return cmd
}

// importFrom lets read take the file that is named, or standard input.
func (f *databaseFlag) importFrom(cmd *cobra.Command, args []string, read func(*store.Store, io.Reader) error) error {
	if len(args) > 1 {
		return usage(cmd.CommandPath()+" "+quote(args[0]), "%s takes one file, not %d", cmd.CommandPath(), len(args))
	}
	in := cmd.InOrStdin()
	if len(args) == 1 && args[0] != "-" {
		file, err := os.Open(args[0])
		if errors.Is(err, fs.ErrNotExist) {
			return usage(cmd.CommandPath()+" FILE", "there is no file %q", args[0])
		}
		if err != nil {
			return usage(cmd.CommandPath()+" FILE", "the file cannot be read: %v", err)
		}
		defer file.Close()
		in = file
	}
	s, err := f.open(cmd)
	if err != nil {
		return err
	}
	return storeError(errors.Join(read(s, in), s.Close()))
}
