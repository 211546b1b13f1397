package contextbuilder

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The numbers of the blocks of memories (requirements).
const (
	memoriesShown    = 3
	topMemories      = 5
	relevantMemories = 3
	memoryTime       = 60 * time.Second
	searchTime       = 30 * time.Second
)

// memorySource looks up memories for the message: the retrieved section's own.
type memorySource struct{ config Config }

func (s memorySource) Describe(q Query) (Block, bool) {
	return Block{Type: TypeMemories, Priority: P1, TTL: searchTime, Key: q.User + "\x00" + q.Input}, true
}

func (s memorySource) Fill(ctx context.Context, q Query, b Block) (Block, error) {
	category := s.config.Category
	if category == "*" {
		category = ""
	}
	found, err := s.config.Memories.Search(ctx, MemoryQuery{
		User: q.User, Text: q.Input, Category: category, Limit: memoriesShown, MinSimilarity: s.config.Similarity,
	})
	if err != nil {
		return b, fmt.Errorf("searching memories: %w", err)
	}
	var lines []string
	for _, m := range found[:min(len(found), memoriesShown)] {
		lines = append(lines, fmt.Sprintf("- %s (similarity %.2f%s)", oneLine(m.Text), m.Similarity, from(m.Source)))
	}
	b.Text = strings.Join(lines, "\n")
	return b, nil
}

// An ofConfig is a source that a builder has of its config, which gives way to another one of its type.
type ofConfig struct{ Source }

// UserMemory returns the source of what is known of the user: the 5 most important memories and the 3 nearest to the
// message, each once. It is asked for again every minute, and after Invalidate. A builder with Memories has one by itself.
func UserMemory(m Memories) Source { return userMemory{m} }

type userMemory struct{ memories Memories }

func (s userMemory) Describe(q Query) (Block, bool) {
	return Block{Type: TypeUserMemory, Priority: P0, TTL: memoryTime, Key: q.User}, q.User != ""
}

func (s userMemory) Fill(ctx context.Context, q Query, b Block) (Block, error) {
	top, err := s.memories.Top(ctx, q.User, topMemories)
	if err != nil {
		return b, fmt.Errorf("reading memories: %w", err)
	}
	near, err := s.memories.Search(ctx, MemoryQuery{User: q.User, Text: q.Input, Limit: relevantMemories, MinSimilarity: defaultSimilarity})
	if err != nil && len(top) == 0 {
		return b, fmt.Errorf("searching memories: %w", err)
	}
	lines := []string{"Known of the user from before:"}
	seen := make(map[string]bool)
	for _, m := range slices.Concat(top[:min(len(top), topMemories)], near[:min(len(near), relevantMemories)]) {
		key := strings.ToLower(oneLine(m.Text))
		if key == "" || seen[key] {
			continue
		}
		seen[key] = true
		lines = append(lines, fmt.Sprintf("- [%s] %s (importance %d%s)", label(m.Category), oneLine(m.Text), importance(m.Importance), from(m.Source)))
	}
	if len(lines) > 1 {
		b.Text = strings.Join(lines, "\n")
		b.Short = strings.Join(lines[:min(len(lines), 3)], "\n")
	}
	return b, nil
}

// importance counts from 1 to 10, also what was counted to 100.
func importance(n int) int {
	if n > 10 {
		n /= 10
	}
	return min(max(n, 1), 10)
}

// label is the name of a category; an intent of the user's is a preference.
func label(category string) string {
	switch c := strings.ToLower(oneLine(category)); c {
	case "intent", "preference":
		return "user_preference"
	case "":
		return "fact"
	default:
		return c
	}
}

func from(source string) string {
	if source == "" {
		return ""
	}
	return ", from " + oneLine(source)
}

// memoryRunes is how much of one memory or field is shown.
const memoryRunes = 500

// oneLine returns a text on one line, and not too much of it.
func oneLine(text string) string { return clip(text, memoryRunes) }
