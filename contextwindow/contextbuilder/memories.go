package contextbuilder

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/contextwindow/contextbuilder/internal/cache"
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
		lines = append(lines, lineOf(m, q.Thread))
	}
	b.Text = strings.Join(lines, "\n")
	return b, nil
}

// What a line says of a memory's thread.
const (
	ownThread   = " (from this conversation)"
	otherThread = " (from another conversation)"
)

// lineOf writes a memory for a thread. Importance and similarity only choose it: the model can do nothing with them.
func lineOf(m Memory, thread string) string {
	line := fmt.Sprintf("- [%s] %s", label(m.Category), oneLine(m.Text, memoryRunes))
	switch m.Thread {
	case "":
		return line
	case thread:
		return line + ownThread
	}
	return line + otherThread
}

// textOf returns what a line of lineOf remembers, to find a memory that is given twice.
func textOf(line string) string {
	_, text, found := strings.Cut(line, "] ")
	if !found { // a source of the program wrote it in a form of its own
		text = line
	}
	text = strings.TrimSuffix(strings.TrimSuffix(text, ownThread), otherThread)
	return strings.ToLower(text)
}

// joinMemories puts the memories near to the message into the block of what is known of the user, if both are there:
// one block, in which no memory is given twice.
func joinMemories(all []*placement) []*placement {
	index := func(name string) int {
		return slices.IndexFunc(all, func(p *placement) bool { return p.Type == name && p.content.text != "" })
	}
	known, near := index(TypeUserMemory), index(TypeMemories)
	if known < 0 || near < 0 {
		return all
	}
	lines := strings.Split(all[known].content.text, "\n")
	for line := range strings.SplitSeq(all[near].content.text, "\n") {
		same := func(l string) bool { return strings.HasPrefix(l, "- ") && textOf(l) == textOf(line) }
		if !slices.ContainsFunc(lines, same) {
			lines = append(lines, line)
		}
	}
	joined := *all[known]
	joined.content.resize(strings.Join(lines, "\n"))
	joined.show()
	all[known] = &joined
	return slices.Delete(all, near, near+1)
}

// memoriesIn returns how many memories a block shows.
func memoriesIn(p *placement) int {
	if p.Type != TypeUserMemory && p.Type != TypeMemories {
		return 0
	}
	return strings.Count("\n"+p.text, "\n- ")
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
	var near []Memory
	var err error
	searched := make(chan struct{})
	go func() {
		defer close(searched)
		nearest := MemoryQuery{User: q.User, Text: q.Input, Limit: relevantMemories, MinSimilarity: defaultSimilarity}
		near, err = cache.Recover(func() ([]Memory, error) { return s.memories.Search(ctx, nearest) })
	}()
	top, failed := cache.Recover(func() ([]Memory, error) { return s.memories.Top(ctx, q.User, topMemories) })
	<-searched
	if failed != nil {
		return b, fmt.Errorf("reading memories: %w", failed)
	}
	if err != nil && len(top) == 0 {
		return b, fmt.Errorf("searching memories: %w", err)
	}
	var lines []string
	seen := make(map[string]bool)
	for _, m := range slices.Concat(top[:min(len(top), topMemories)], near[:min(len(near), relevantMemories)]) {
		key := strings.ToLower(oneLine(m.Text, memoryRunes))
		if key == "" || seen[key] {
			continue
		}
		seen[key] = true
		lines = append(lines, lineOf(m, q.Thread))
	}
	b.Text = strings.Join(lines, "\n")
	b.Short = strings.Join(lines[:min(len(lines), 2)], "\n")
	return b, nil
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
