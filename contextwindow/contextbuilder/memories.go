package contextbuilder

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	memoriesShown    = 3
	topMemories      = 5
	relevantMemories = 3
	memoryTime       = 60 * time.Second
	searchTime       = 30 * time.Second
	memoryRunes      = 500 // of one memory
)

// The types of the blocks of memories.
const (
	TypeUserMemory = "user_memory"       // of UserMemory
	TypeMemories   = "relevant_memories" // of Config.Memories
)

// memorySource searches memories for the message.
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
		text := oneLine(m.Text, memoryRunes)
		lines = append(lines, fmt.Sprintf("- %s (similarity %.2f%s)", text, m.Similarity, from(m.Source)))
	}
	b.Text = strings.Join(lines, "\n")
	return b, nil
}

// An automatic source is one that the builder adds by itself. A configured source of the same type replaces it.
type automatic struct{ Source }

// UserMemory returns a source of what is known about the user: the 5 most important memories and the 3 nearest to the
// message. It is fetched again every minute and after [Builder.Invalidate]. A builder with Memories adds one by itself.
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
	nearest := MemoryQuery{User: q.User, Text: q.Input, Limit: relevantMemories, MinSimilarity: defaultSimilarity}
	near, err := s.memories.Search(ctx, nearest)
	if err != nil && len(top) == 0 {
		return b, fmt.Errorf("searching memories: %w", err)
	}
	lines := []string{"Known of the user from before:"}
	seen := make(map[string]bool)
	for _, m := range slices.Concat(top[:min(len(top), topMemories)], near[:min(len(near), relevantMemories)]) {
		text := oneLine(m.Text, memoryRunes)
		key := strings.ToLower(text)
		if key == "" || seen[key] {
			continue
		}
		seen[key] = true
		lines = append(lines, fmt.Sprintf("- [%s] %s (importance %d%s)",
			label(m.Category), text, importance(m.Importance), from(m.Source)))
	}
	if len(lines) > 1 {
		b.Text = strings.Join(lines, "\n")
		b.Short = strings.Join(lines[:min(len(lines), 3)], "\n")
	}
	return b, nil
}

// importance maps values out of 100 to 1 to 10.
func importance(n int) int {
	if n > 10 {
		n /= 10
	}
	return min(max(n, 1), 10)
}

// label returns the name of a category for the model.
func label(category string) string {
	switch c := strings.ToLower(oneLine(category, memoryRunes)); c {
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
	return ", from " + oneLine(source, memoryRunes)
}
