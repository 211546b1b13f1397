package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent/store"
)

func newMemoryRm() *cobra.Command {
	f, yes := &databaseFlag{}, false
	cmd := &cobra.Command{
		Use:   "rm ID...",
		Short: "Remove memories for good",
		Long:  `rm removes memories for good. Without --yes it says what would go and removes nothing.`,
		Example: `  foray memory rm 4x7k
  foray memory rm 4x7k 9q2m --yes`,
		Args: named("memory"),
		RunE: func(cmd *cobra.Command, args []string) error { return removeMemories(cmd, f, args, yes) },
	}
	f.define(cmd)
	cmd.Flags().BoolVar(&yes, "yes", false, "remove them, and do not ask")
	return cmd
}

func removeMemories(cmd *cobra.Command, f *databaseFlag, ids []string, yes bool) error {
	return f.within(cmd, func(s *store.Store) error {
		found, err := memoriesOf(cmd.Context(), s, ids...)
		if err != nil {
			return err
		}
		if !yes {
			for _, m := range found {
				fmt.Fprintf(cmd.OutOrStdout(), "%s  %s\n", line(m.ID), line(m.Content))
			}
			return unsure(cmd, ids, memories(len(ids)))
		}
		if err := s.Memories().Delete(cmd.Context(), ids...); err != nil {
			return err
		}
		wrote(cmd, "removed %s", memories(len(ids)))
		return nil
	})
}

func newMemoryExport() *cobra.Command {
	f, out, user := &databaseFlag{}, "", ""
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write memories as JSON lines",
		Example: `  foray memory export -o memories.jsonl
  foray memory export --user ada | wc -l`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.export(cmd, out, func(s *store.Store, w io.Writer) error {
				_, err := s.Memories().Export(cmd.Context(), w, user)
				return err
			})
		},
	}
	f.define(cmd)
	cmd.Flags().StringVar(&user, "user", "", "write those of `NAME`; default: of everybody")
	cmd.Flags().StringVarP(&out, "output", "o", "", "write to `FILE`, whole or not at all")
	return cmd
}

func newMemoryImport() *cobra.Command {
	f := &databaseFlag{}
	cmd := &cobra.Command{
		Use:   "import [FILE]",
		Short: "Add memories that were exported",
		Long: `import adds memories that were exported, from FILE or standard input, each in place of the one that has its id: all of
them or, if a line is damaged, none.`,
		Example: `  foray memory import memories.jsonl
  zcat memories.jsonl.gz | foray memory import`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.importFrom(cmd, args, func(s *store.Store, r io.Reader) error {
				n, err := s.Memories().Import(cmd.Context(), r)
				if err == nil {
					wrote(cmd, "imported %s", memories(n))
				}
				return err
			})
		},
	}
	f.define(cmd)
	return cmd
}
