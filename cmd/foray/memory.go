package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

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
	similarity float64 // of a search
}

// The most memories that a list and a search show unless they say otherwise.
const (
	shownMemories = 100
	foundMemories = 10
)

// leastSimilarity is what a conversation asks of the memories that it is told (memory.Query).
const leastSimilarity = .6

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
		return f.print(cmd, shown, false)
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
		Short: "Find the memories that a question is about, the best first",
		Long: `search finds what a conversation is told of a question: memories by the share of its words that they say, rare ones first,
with how similar they are. 0.6 is about the same thing, 0.85 says the same; below 0.6 nothing is told.

Exit codes: 0 found, 1 found nothing, 2 bad usage, 3 an error.`,
		Example: `  foray memory search "when do we deploy?"
  foray memory search tests --category user_preference --limit 3`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return searchMemories(cmd, f, args) },
	}
	f.define(cmd, foundMemories)
	cmd.Flags().Float64Var(&f.similarity, "similarity", leastSimilarity, "find those that are at least so `SIMILAR`, from 0 to 1")
	return cmd
}

// A memoryHit is a memory that was listed, or found.
type memoryHit struct {
	memory.Memory
	Similarity float64 `json:"similarity,omitempty"` // to what was searched for
}

// checkSearch checks the flags that only a search has.
func (f *memoryListFlags) checkSearch() error {
	if err := f.check(); err != nil {
		return err
	}
	if f.limit > foundMemories {
		return usage(fmt.Sprintf("--limit %d; foray memory ls lists all", foundMemories), "a search finds at most %d memories, not %d", foundMemories, f.limit)
	}
	if !(f.similarity >= 0 && f.similarity <= 1) {
		return usage(fmt.Sprintf("--similarity %v", leastSimilarity), "--similarity %v is not from 0 to 1", f.similarity)
	}
	return nil
}

func searchMemories(cmd *cobra.Command, f *memoryListFlags, args []string) error {
	if err := f.checkSearch(); err != nil {
		return err
	}
	question, err := readText(cmd, args, "what to search for")
	if err != nil {
		return err
	}
	return f.within(cmd, func(s *store.Store) error {
		l, err := memory.NewLongTerm(cmd.Context(), &memory.LongTermOptions{Store: s.Memories()})
		if err != nil {
			return err
		}
		q := memory.Query{User: f.user, Everybody: f.user == "", Category: memory.Category(f.category), Text: question, Limit: f.limit,
			MinSimilarity: f.similarity, Superseded: f.superseded}
		if q.MinSimilarity == 0 {
			q.MinSimilarity = -1 // 0 is the default of a Query
		}
		shown, err := search(cmd.Context(), l, q)
		if err != nil {
			return err
		}
		if f.format == "json" || len(shown) > 0 {
			err = f.print(cmd, shown, true)
		} else {
			wrote(cmd, "no memory is about that; --similarity 0 shows what is nearest")
		}
		if err != nil || len(shown) > 0 {
			return err
		}
		return &exit{code: exitNothing}
	})
}

// search finds memories as a conversation does.
func search(ctx context.Context, l *memory.LongTerm, q memory.Query) ([]memoryHit, error) {
	found, err := l.Search(ctx, q)
	var shown []memoryHit
	for _, m := range found {
		shown = append(shown, memoryHit{m.Memory, math.Round(m.Similarity*1000) / 1000})
	}
	return shown, err
}

// print prints memories. Embeddings are for programs, and for exports.
func (f *memoryListFlags) print(cmd *cobra.Command, shown []memoryHit, searched bool) error {
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
	return writeMemories(cmd.OutOrStdout(), shown, searched)
}

// writeMemories writes a table, with similarities if they were searched for.
func writeMemories(w io.Writer, shown []memoryHit, searched bool) error {
	t := evals.Table{Columns: []string{"id", "category", "importance", "user", "changed", "content"}}
	if searched {
		t.Columns = slices.Insert(t.Columns, 1, "similarity")
	}
	for _, m := range shown {
		content := printable(m.Content)
		if m.SupersededBy != "" {
			content += " (superseded by " + printable(m.SupersededBy) + ")"
		}
		row := []string{printable(m.ID), string(m.Category), fmt.Sprint(m.Importance), printable(m.User), day(m.Updated), content}
		if searched {
			row = slices.Insert(row, 1, fmt.Sprintf("%.2f", m.Similarity))
		}
		t.Rows = append(t.Rows, row)
	}
	return evals.WriteMarkdown(w, t)
}
