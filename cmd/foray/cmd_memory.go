package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/internal/line"
)

// minSimilarity is the similarity that conversations use ([longterm.Query]).
const minSimilarity = .6

// defaultImportance is the importance of a memory added by hand: the lowest that conversations keep by themselves.
const defaultImportance = 5

func newMemory() *cobra.Command {
	return family("memory", "List, search, edit, remove, export and import memories",
		`  foray memory add "deploys go out on Tuesdays" --category project_context
  foray memory search "when do we deploy?"
  foray memory export -o memories.jsonl`, append(readingMemories(), writingMemories()...))
}

// readingMemories are the commands that change nothing.
func readingMemories() []verb {
	return []verb{
		{
			use: "ls", short: "List memories, the oldest first",
			example: `  foray memory ls
  foray memory ls --category user_preference --format json`,
			args: cli.NoArgs, flags: memoryListFlags(maxListedMemories), run: listMemories,
		}, {
			use: "search QUESTION...", short: "Find memories about a question, the most similar first",
			long: `Find the memories that a conversation would use for a question. By words,
similarity grows with the share of the question's words that a memory contains;
rare words count more. 0.6 is on the same subject, 0.85 says the same.
Conversations use memories of at least 0.6. --embed also finds memories in other
words, and keeps their vectors in the database.

Exit codes: 0 found, 1 found nothing, 2 bad usage, 3 an error.`,
			example: `  foray memory search "when do we deploy?"
  foray memory search tests --category user_preference --limit 3
  foray memory search "when do we ship?" --embed ollama/nomic-embed-text`,
			args: cobra.ArbitraryArgs, run: searchMemories,
			flags: func(cmd *cobra.Command, f *recordFlags) {
				memoryListFlags(maxFoundMemories)(cmd, f)
				embedFlag(cmd, &f.embed, comparesMemories)
				cli.DecimalFlag(cmd, &f.similarity, "similarity", minSimilarity, func(n float64) bool { return n >= 0 && n <= 1 },
					cli.BadValue{Takes: "a number from 0 to 1", Try: "0.6"}, "find memories of at least similarity `N`, from 0 to 1")
			},
		}, {
			use: "export", short: "Write memories as JSON lines",
			example: `  foray memory export -o memories.jsonl
  foray memory export --user ada | wc -l`,
			args: cli.NoArgs,
			flags: func(cmd *cobra.Command, f *recordFlags) {
				cmd.Flags().StringVar(&f.user, "user", "", "write those of `NAME` only (default: all users)")
				cli.OutputFlag(cmd, &f.out)
			},
			run: func(cmd *cobra.Command, f *recordFlags, _ []string) error {
				return f.export(cmd, f.out, func(s *store.Store, w io.Writer) error {
					_, err := s.Memories().Export(cmd.Context(), w, f.user)
					return err
				})
			},
		},
	}
}

// writingMemories are the commands that change memories.
func writingMemories() []verb {
	return []verb{
		{
			use: "add TEXT...", short: "Add a memory, and print its id",
			example: `  foray memory add "deploys go out on Tuesdays" --category project_context
  echo "answers should be short" | foray memory add - --importance 8`,
			args: cobra.ArbitraryArgs, run: addMemory,
			flags: func(cmd *cobra.Command, f *recordFlags) {
				memoryFlags(string(longterm.Fact), defaultImportance)(cmd, f)
				cmd.Flags().StringVar(&f.user, "user", localUser, "add a memory of `NAME`")
			},
		}, {
			use: "edit ID [TEXT...]", short: "Change the text, category or importance of a memory",
			example: `  foray memory edit 4x7k "deploys go out on Wednesdays"
  foray memory edit 4x7k --importance 9`,
			args: cli.Named("memory"), flags: memoryFlags("", 0), run: editMemory,
		}, {
			use: "rm ID...", short: "Remove memories for good",
			long: "Remove memories for good. Without --yes, only list what would be removed.",
			example: `  foray memory rm 4x7k
  foray memory rm 4x7k 9q2m --yes`,
			args: cli.Named("memory"), flags: removeFlags, run: removeMemories,
		}, {
			use: "import [FILE]", short: "Import memories from JSON lines",
			long: `Import exported memories from FILE or standard input. A memory replaces the one
with the same id. If a line is damaged, import nothing.`,
			example: `  foray memory import memories.jsonl
  zcat memories.jsonl.gz | foray memory import`,
			args: cobra.ArbitraryArgs,
			run: func(cmd *cobra.Command, f *recordFlags, args []string) error {
				return f.importFrom(cmd, args, func(s *store.Store, r io.Reader) error {
					n, err := s.Memories().Import(cmd.Context(), r)
					if err == nil {
						cli.Notice(cmd, "imported %s", memories(n))
					}
					return err
				})
			},
		},
	}
}

// memoryFlags defines the flags that describe one memory.
func memoryFlags(category string, importance int) func(*cobra.Command, *recordFlags) {
	return func(cmd *cobra.Command, f *recordFlags) {
		cli.ChoiceFlag(cmd, &f.category, "category", category, categories(), "set the `CATEGORY`: "+cli.Either(categories()))
		cli.RangeFlag(cmd, &f.importance, "importance", importance, 1, 10, "set the importance to `N`, from 1 to 10")
	}
}

func listMemories(cmd *cobra.Command, f *recordFlags, _ []string) error {
	return f.within(cmd, func(s *store.Store) error {
		var shown []memoryHit
		left := 0
		for m, err := range f.filter(s.Memories().All(cmd.Context())) {
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
			cli.Notice(cmd, "%s more; --limit %d lists all", memories(left), f.limit+left)
		}
		return f.print(cmd, shown, false)
	})
}

func searchMemories(cmd *cobra.Command, f *recordFlags, args []string) error {
	if f.limit > maxFoundMemories {
		return cli.Usage(fmt.Sprintf("--limit %d; foray memory ls lists all", maxFoundMemories),
			"a search finds at most %d memories, not %d", maxFoundMemories, f.limit)
	}
	question, err := readText(cmd, args, "a question")
	if err != nil {
		return err
	}
	embedder, err := openEmbedder(f.embed)
	if err != nil {
		return err
	}
	return f.within(cmd, func(s *store.Store) error {
		l, err := openMemories(cmd.Context(), s, embedder)
		if err != nil {
			return err
		}
		n, err := l.Reembed(cmd.Context())
		if n > 0 {
			cli.Notice(cmd, "%s embedded %s", embedder.Name, memories(n))
		}
		if err != nil && cmd.Context().Err() == nil {
			cli.Notice(cmd, "warning: the embedding model failed, so words alone compare memories: %v", err)
		}
		q := longterm.Query{User: f.user, Everybody: f.user == "", Category: longterm.Category(f.category), Text: question,
			Limit: f.limit, MinSimilarity: f.similarity, Superseded: f.superseded}
		if q.MinSimilarity == 0 {
			q.MinSimilarity = -1 // because 0 means the default
		}
		shown, err := searchRounded(cmd.Context(), l, q)
		if err != nil {
			return err
		}
		if f.format == "json" || len(shown) > 0 {
			err = f.print(cmd, shown, true)
		} else {
			cli.Notice(cmd, "no memories about that; --similarity 0 lists the nearest")
		}
		if err != nil || len(shown) > 0 {
			return err
		}
		return &cli.Exit{Code: cli.ExitNothing}
	})
}

// searchRounded finds memories, and rounds their similarity.
func searchRounded(ctx context.Context, l *longterm.Memories, q longterm.Query) ([]memoryHit, error) {
	found, err := l.Search(ctx, q)
	var shown []memoryHit
	for _, m := range found {
		shown = append(shown, memoryHit{m.Memory, math.Round(m.Similarity*1000) / 1000})
	}
	return shown, err
}

// print prints memories without their embeddings.
func (f *recordFlags) print(cmd *cobra.Command, shown []memoryHit, searched bool) error {
	for i := range shown {
		shown[i].Embedding = nil
	}
	return cli.PrintAs(cmd, f.format, map[string][]memoryHit{"memories": append([]memoryHit{}, shown...)},
		func(w io.Writer) error {
			if len(shown) == 0 {
				cli.Notice(cmd, "no memories")
				return nil
			}
			return writeMemories(w, shown, searched)
		})
}

func addMemory(cmd *cobra.Command, f *recordFlags, args []string) error {
	text, err := readText(cmd, args, "a text")
	if err != nil {
		return err
	}
	s, err := f.open(cmd)
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	m := longterm.Memory{
		ID: strings.ToLower(rand.Text()), User: f.user, Category: longterm.Category(f.category), Content: text,
		Importance: f.importance, Created: now, Updated: now,
	}
	err = storeError(errors.Join(s.Memories().Put(cmd.Context(), m), s.Close()))
	if err == nil {
		fmt.Fprintln(cmd.OutOrStdout(), m.ID)
	}
	return err
}

func editMemory(cmd *cobra.Command, f *recordFlags, args []string) error {
	id, text := args[0], ""
	if len(args) > 1 {
		var err error
		if text, err = readText(cmd, args[1:], "a text"); err != nil {
			return err
		}
	}
	if text == "" && f.category == "" && f.importance == 0 {
		return cli.Usage(cmd.CommandPath()+" "+cli.Quote(id)+" 'another text'",
			"%s needs a text or a flag", cmd.CommandPath())
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
		cli.Notice(cmd, "changed memory %s", m.ID)
		return nil
	})
}

// changed returns m with the changes. A new text drops the embedding of the old one.
func (f *recordFlags) changed(m longterm.Memory, text string) longterm.Memory {
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

// memoriesOf returns the memories with these ids, or beginnings of ids, in their order, and completes the ids in place.
// The error may be [longterm.ErrNotFound].
func memoriesOf(ctx context.Context, s *store.Store, ids ...string) ([]longterm.Memory, error) {
	byID := make(map[string]longterm.Memory)
	for m, err := range s.Memories().All(ctx) {
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(ids, func(start string) bool { return strings.HasPrefix(m.ID, start) }) {
			byID[m.ID] = m
		}
	}
	all := slices.Sorted(maps.Keys(byID))
	found := make([]longterm.Memory, len(ids))
	for i, id := range ids {
		full, err := idOf(id, all, longterm.ErrNotFound)
		if err != nil {
			return nil, err
		}
		found[i], ids[i] = byID[full], full
	}
	return found, nil
}

func removeMemories(cmd *cobra.Command, f *recordFlags, ids []string) error {
	describe := func(s *store.Store) (lines []string, err error) {
		typed := slices.Clone(ids)
		found, err := memoriesOf(cmd.Context(), s, ids...)
		if f.yes && err == nil {
			err = wholeIDs(typed, ids)
		}
		for _, m := range found {
			lines = append(lines, ui.Line(m.ID)+"  "+ui.Line(m.Content))
		}
		return lines, err
	}
	return f.remove(cmd, ids, memories(len(ids)), describe, func(s *store.Store) error {
		if err := s.Memories().Delete(cmd.Context(), ids...); err != nil {
			return err
		}
		cli.Notice(cmd, "removed %s", memories(len(ids)))
		return nil
	})
}

// readText returns the text in the arguments, or on standard input if the only argument is -.
func readText(cmd *cobra.Command, args []string, what string) (string, error) {
	text := strings.Join(args, " ")
	if text == "-" {
		raw, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), store.MaxMemory+1))
		if err != nil {
			return "", cli.Usage(cmd.CommandPath()+" TEXT", "standard input is not readable")
		}
		text = string(raw)
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "", cli.Usage(cmd.CommandPath()+" --help", "%s needs %s", cmd.CommandPath(), what)
	case len(text) > store.MaxMemory:
		return "", cli.Usage("shorten it to a few sentences", "the text is longer than %s", line.Bytes(store.MaxMemory))
	case strings.ToValidUTF8(text, "") != text || strings.ContainsRune(text, 0):
		return "", cli.Usage("encode it in UTF-8", "the text is not valid UTF-8")
	}
	return text, nil
}

// localUser is the default of --user.
const localUser = "local"
