package main

import (
	"fmt"
	"io"
	"iter"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/contextwindow/memory"
	"github.com/forayhq/foray/evals"
)

// localUser is who talks and remembers where no --user is named.
const localUser = "local"

func newMemory() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "memory",
		Short: "List, search, write, remove and move what conversations remember",
		Example: `  foray memory add "deploys go out on Tuesdays" --category project_context
  foray memory search "when do we deploy?"
  foray memory export -o memories.jsonl`,
		Args: cobra.ArbitraryArgs,
		RunE: group,
	}
	cmd.AddCommand(newMemoryLs(), newMemorySearch(), newMemoryAdd(), newMemoryEdit(), newMemoryRm(), newMemoryExport(), newMemoryImport())
	return cmd
}

// memoryListFlags are how a list of memories was typed.
type memoryListFlags struct {
	listFlags
	category   string
	superseded bool
}

// The most memories that a list and a search show unless they say otherwise.
const (
	shownMemories = 100
	foundMemories = 10
)

func (f *memoryListFlags) define(cmd *cobra.Command, limit int) {
	f.databaseFlag.define(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.user, "user", "", "show those of `NAME`; default: of everybody")
	flags.StringVar(&f.category, "category", "", "show those of a `CATEGORY`: "+wrapped(categories(), 120))
	flags.BoolVar(&f.superseded, "superseded", false, "show also those that no longer hold")
	flags.IntVar(&f.limit, "limit", limit, "show at most `N`")
	flags.StringVar(&f.format, "format", "md", "print as `FORM`: md or json")
	complete(cmd, "format", words(markdownOrJSON))
	complete(cmd, "category", words(categories()))
}

func (f *memoryListFlags) check() error {
	if f.category != "" {
		if err := oneOf("category", f.category, categories()); err != nil {
			return err
		}
	}
	return f.listFlags.check()
}

func categories() []string {
	var names []string
	for _, c := range memory.Categories() {
		names = append(names, string(c))
	}
	return names
}

func newMemoryLs() *cobra.Command {
	f := &memoryListFlags{}
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List memories, the oldest first",
		Example: `  foray memory ls
  foray memory ls --category user_preference --format json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return listMemories(cmd, f) },
	}
	f.define(cmd, shownMemories)
	return cmd
}

func listMemories(cmd *cobra.Command, f *memoryListFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	return f.within(cmd, func(s *store.Store) error {
		var shown []memoryHit
		left := 0
		for m, err := range f.wanted(s.Memories().All(cmd.Context())) {
			switch {
			case err != nil:
				return err
			case len(shown) == f.limit:
				left++
			default:
				shown = append(shown, memoryHit{Memory: m})
			}
		}
		if left > 0 {
			wrote(cmd, "%s not shown; --limit %d shows all", memories(left), f.limit+left)
		}
		return f.print(cmd, shown)
	})
}

// wanted yields the memories that the flags ask for.
func (f *memoryListFlags) wanted(all iter.Seq2[memory.Memory, error]) iter.Seq2[memory.Memory, error] {
	return func(yield func(memory.Memory, error) bool) {
		for m, err := range all {
			other := f.user != "" && m.User != f.user || f.category != "" && string(m.Category) != f.category
			if err == nil && (other || m.SupersededBy != "" && !f.superseded) {
				continue
			}
			if !yield(m, err) {
				return
			}
		}
	}
}

func newMemorySearch() *cobra.Command {
	f := &memoryListFlags{}
	cmd := &cobra.Command{
		Use:   "search QUESTION...",
		Short: "Find memories by their words, the best first",
		Example: `  foray memory search "when do we deploy?"
  foray memory search tests --category user_preference --limit 3`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return searchMemories(cmd, f, args) },
	}
	f.define(cmd, foundMemories)
	return cmd
}

// A memoryHit is a memory that was listed, or found with a score.
type memoryHit struct {
	memory.Memory
	Score float64 `json:"score,omitempty"`
}

func searchMemories(cmd *cobra.Command, f *memoryListFlags, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	question, err := readText(cmd, args, "what to search for")
	if err != nil {
		return err
	}
	return f.within(cmd, func(s *store.Store) error {
		hits, err := s.Memories().Search(cmd.Context(), store.Query{
			User: f.user, Category: memory.Category(f.category), Text: question, Limit: f.limit, Superseded: f.superseded,
		})
		if err != nil {
			return err
		}
		var shown []memoryHit
		for _, h := range hits {
			shown = append(shown, memoryHit{h.Memory, h.Score})
		}
		if err := f.print(cmd, shown); err != nil || len(shown) > 0 {
			return err
		}
		return &exit{code: exitNothing}
	})
}

// print prints memories. Embeddings are for programs, and for exports.
func (f *memoryListFlags) print(cmd *cobra.Command, shown []memoryHit) error {
	if f.format == "json" {
		for i := range shown {
			shown[i].Embedding = nil
		}
		return writeJSON(cmd.OutOrStdout(), map[string][]memoryHit{"memories": append([]memoryHit{}, shown...)})
	}
	if len(shown) == 0 {
		wrote(cmd, "no memories")
		return nil
	}
	return writeMemories(cmd.OutOrStdout(), shown)
}

func writeMemories(w io.Writer, shown []memoryHit) error {
	t := evals.Table{Columns: []string{"id", "category", "importance", "user", "changed", "content"}}
	for _, m := range shown {
		content := printable(m.Content)
		if m.SupersededBy != "" {
			content += " (superseded by " + printable(m.SupersededBy) + ")"
		}
		t.Rows = append(t.Rows, []string{
			printable(m.ID), string(m.Category), fmt.Sprint(m.Importance), printable(m.User), day(m.Updated), content,
		})
	}
	return evals.WriteMarkdown(w, t)
}
