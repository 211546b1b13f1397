package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/contextwindow/memory"
)

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

// memories writes a number of memories.
func memories(n int) string {
	if n == 1 {
		return "1 memory"
	}
	return count(n) + " memories"
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
		return "", usage("say it in a few sentences", "the text is longer than %s", bytesText(store.MaxMemory))
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
	f.define(cmd, string(memory.Fact), defaultImportance)
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
	m := memory.Memory{
		ID: strings.ToLower(rand.Text()), User: f.user, Category: memory.Category(f.category), Content: text, Importance: f.importance,
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
func (f *memoryFlags) changed(m memory.Memory, text string) memory.Memory {
	if text != "" {
		m.Content, m.Embedding, m.Embedder = text, nil, ""
	}
	if f.category != "" {
		m.Category = memory.Category(f.category)
	}
	if f.importance != 0 {
		m.Importance = f.importance
	}
	m.Updated = time.Now().UTC()
	return m
}

// memoriesOf returns the memories with these ids, in their order: memory.ErrNoMemory if one is not there.
func memoriesOf(ctx context.Context, s *store.Store, ids ...string) ([]memory.Memory, error) {
	byID := make(map[string]memory.Memory)
	for _, id := range ids {
		byID[id] = memory.Memory{}
	}
	for m, err := range s.Memories().All(ctx) {
		if err != nil {
			return nil, err
		}
		if _, ok := byID[m.ID]; ok {
			byID[m.ID] = m
		}
	}
	found := make([]memory.Memory, len(ids))
	for i, id := range ids {
		if found[i] = byID[id]; found[i].ID == "" {
			return nil, fmt.Errorf("%w: %q", memory.ErrNoMemory, id)
		}
	}
	return found, nil
}
