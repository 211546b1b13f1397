package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/toollimit/line"
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

// leastSimilarity is what a conversation asks of the memories that it is told (longterm.Query).
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
	for _, c := range longterm.Categories() {
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
func (f *memoryListFlags) wanted(all iter.Seq2[longterm.Memory, error]) iter.Seq2[longterm.Memory, error] {
	return func(yield func(longterm.Memory, error) bool) {
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
	longterm.Memory
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
		l, err := longterm.Open(cmd.Context(), &longterm.Options{Store: s.Memories()})
		if err != nil {
			return err
		}
		q := longterm.Query{User: f.user, Everybody: f.user == "", Category: longterm.Category(f.category), Text: question, Limit: f.limit,
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
func search(ctx context.Context, l *longterm.Memories, q longterm.Query) ([]memoryHit, error) {
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
		return ui.JSON(cmd.OutOrStdout(), map[string][]memoryHit{"memories": append([]memoryHit{}, shown...)})
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
		content := ui.Printable(m.Content)
		if m.SupersededBy != "" {
			content += " (superseded by " + ui.Printable(m.SupersededBy) + ")"
		}
		row := []string{ui.Printable(m.ID), string(m.Category), fmt.Sprint(m.Importance), ui.Printable(m.User), ui.Time(m.Updated), content}
		if searched {
			row = slices.Insert(row, 1, fmt.Sprintf("%.2f", m.Similarity))
		}
		t.Rows = append(t.Rows, row)
	}
	return evals.WriteMarkdown(w, t)
}

// memoryFlags are what is said of one memory.
type memoryFlags struct {
	databaseFlag
	user, category string
	importance     int
}

// defaultImportance is what a memory weighs that somebody writes down: the least that would be remembered by itself.
const defaultImportance = 5

func (f *memoryFlags) define(cmd *cobra.Command, category string, importance int) {
	f.databaseFlag.define(cmd)
	cmd.Flags().StringVar(&f.category, "category", category, "its `CATEGORY`: "+wrapped(categories(), 120))
	cmd.Flags().IntVar(&f.importance, "importance", importance, "its weight, from 1 to 10")
	complete(cmd, "category", words(categories()))
}

func (f *memoryFlags) check(cmd *cobra.Command) error {
	if f.category != "" || cmd.Flags().Changed("category") {
		if err := oneOf("category", f.category, categories()); err != nil {
			return err
		}
	}
	if (f.importance != 0 || cmd.Flags().Changed("importance")) && (f.importance < 1 || f.importance > 10) {
		return usage("--importance 5", "--importance %d is not from 1 to 10", f.importance)
	}
	return nil
}

// readText is the text that the arguments are, or standard input is when the only argument is -.
func readText(cmd *cobra.Command, args []string, what string) (string, error) {
	text := strings.Join(args, " ")
	if text == "-" {
		raw, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), store.MaxMemory+1))
		if err != nil {
			return "", usage(cmd.CommandPath()+" TEXT", "standard input cannot be read")
		}
		text = string(raw)
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "", usage(cmd.CommandPath()+" --help", "%s needs %s", cmd.CommandPath(), what)
	case len(text) > store.MaxMemory:
		return "", usage("say it in a few sentences", "the text is longer than %s", line.Bytes(store.MaxMemory))
	case strings.ToValidUTF8(text, "") != text || strings.ContainsRune(text, 0):
		return "", usage("write it in UTF-8", "the text is not text in UTF-8")
	}
	return text, nil
}

func newMemoryAdd() *cobra.Command {
	f := &memoryFlags{}
	cmd := &cobra.Command{
		Use:   "add TEXT...",
		Short: "Write down a memory, and print its id",
		Example: `  foray memory add "deploys go out on Tuesdays" --category project_context
  echo "answers should be short" | foray memory add - --category user_preference --importance 8`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return addMemory(cmd, f, args) },
	}
	f.define(cmd, string(longterm.Fact), defaultImportance)
	cmd.Flags().StringVar(&f.user, "user", localUser, "whose memory it is: `NAME`")
	return cmd
}

func addMemory(cmd *cobra.Command, f *memoryFlags, args []string) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	text, err := readText(cmd, args, "what to remember")
	if err != nil {
		return err
	}
	s, err := f.open(cmd)
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	m := longterm.Memory{
		ID: strings.ToLower(rand.Text()), User: f.user, Category: longterm.Category(f.category), Content: text, Importance: f.importance,
		Created: now, Updated: now,
	}
	err = storeError(errors.Join(s.Memories().Put(cmd.Context(), m), s.Close()))
	if err == nil {
		fmt.Fprintln(cmd.OutOrStdout(), m.ID)
	}
	return err
}

func newMemoryEdit() *cobra.Command {
	f := &memoryFlags{}
	cmd := &cobra.Command{
		Use:   "edit ID [TEXT...]",
		Short: "Change what a memory says, its category or its weight",
		Example: `  foray memory edit 4x7k "deploys go out on Wednesdays"
  foray memory edit 4x7k --importance 9`,
		Args: named("memory"),
		RunE: func(cmd *cobra.Command, args []string) error { return editMemory(cmd, f, args[0], args[1:]) },
	}
	f.define(cmd, "", 0)
	return cmd
}

func editMemory(cmd *cobra.Command, f *memoryFlags, id string, args []string) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	text := ""
	if len(args) > 0 {
		var err error
		if text, err = readText(cmd, args, "another text"); err != nil {
			return err
		}
	}
	if text == "" && f.category == "" && f.importance == 0 {
		return usage(cmd.CommandPath()+" "+quote(id)+" 'another text'", "nothing is said of what to change")
	}
	return f.within(cmd, func(s *store.Store) error {
		found, err := memoriesOf(cmd.Context(), s, id)
		if err != nil {
			return err
		}
		m := f.changed(found[0], text)
		if err := s.Memories().Put(cmd.Context(), m); err != nil {
			return err
		}
		wrote(cmd, "changed memory %s", m.ID)
		return nil
	})
}

// changed is a memory with what is said. An embedding is of the old text: whoever embeds makes another.
func (f *memoryFlags) changed(m longterm.Memory, text string) longterm.Memory {
	if text != "" {
		m.Content, m.Embedding, m.Embedder = text, nil, ""
	}
	if f.category != "" {
		m.Category = longterm.Category(f.category)
	}
	if f.importance != 0 {
		m.Importance = f.importance
	}
	m.Updated = time.Now().UTC()
	return m
}

// memoriesOf returns the memories with these ids, in their order: longterm.ErrNotFound if one is not there.
func memoriesOf(ctx context.Context, s *store.Store, ids ...string) ([]longterm.Memory, error) {
	byID := make(map[string]longterm.Memory)
	for _, id := range ids {
		byID[id] = longterm.Memory{}
	}
	for m, err := range s.Memories().All(ctx) {
		if err != nil {
			return nil, err
		}
		if _, ok := byID[m.ID]; ok {
			byID[m.ID] = m
		}
	}
	found := make([]longterm.Memory, len(ids))
	for i, id := range ids {
		if found[i] = byID[id]; found[i].ID == "" {
			return nil, fmt.Errorf("%w: %q", longterm.ErrNotFound, id)
		}
	}
	return found, nil
}

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
				fmt.Fprintf(cmd.OutOrStdout(), "%s  %s\n", ui.Line(m.ID), ui.Line(m.Content))
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

// memories writes a number of memories.
func memories(n int) string { return ui.Entries(n, "memory", "memories") }
