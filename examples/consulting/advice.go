package main

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/contextbuilder/blocks"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
)

// An advice is what the program knows of one case. It is safe for concurrent use, because sources run side by side.
type advice struct {
	memories *longterm.Memories

	mu        sync.Mutex
	turns     int
	collected map[string]string
	runs      []contextbuilder.AgentRun
}

// hear extracts facts from a message, as a program with forms or its own extraction would.
func (a *advice) hear(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.turns++
	facts := map[string][2]string{
		"Two rooms": {"rooms", "2"}, "900": {"rent", "at most 900"}, "train": {"commute", "by train"},
	}
	for word, fact := range facts {
		if strings.Contains(text, word) {
			a.collected[fact[0]] = fact[1]
		}
	}
	if len(a.collected) == len(fields) && len(a.runs) == 0 {
		a.runs = append(a.runs, contextbuilder.AgentRun{
			Name: "market search", Started: time.Now(), Duration: 340 * time.Millisecond,
			Input: "2 rooms, 900, train", Output: "Aarhus: 41 flats, Esbjerg: 12",
		})
	}
}

// fields are the facts that the advice needs.
var fields = []blocks.Field{
	{Key: "rooms", Label: "rooms", Required: true},
	{Key: "rent", Label: "rent a month", Required: true},
	{Key: "commute", Label: "way to work", Required: true},
}

// stage returns the stage of the conversation.
func (a *advice) stage() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.collected) < len(fields) {
		return "discovery"
	}
	return "recommendation"
}

// sources returns all eight kinds of blocks.
func (a *advice) sources() []contextbuilder.Source {
	law := blocks.Triggers(map[string][]string{"law": {"contract", "deposit"}})
	return []contextbuilder.Source{
		contextbuilder.UserMemory(remembered{a.memories}),
		blocks.CollectedInfo{Fields: fields, Values: a.values},
		blocks.ConversationStats{Labels: map[string]string{"discovery": "finding out what is needed"}, State: a.state},
		blocks.AssessmentResult{Result: a.assess},
		blocks.RelevantKnowledge{Retrieve: handbook{}.Retrieve, Need: law},
		blocks.SimilarExperiences{Stages: []string{"recommendation"}, Search: similar},
		blocks.DeviceContext{Lines: device},
		blocks.ActiveAgentsHistory{Runs: a.history},
	}
}

func (a *advice) values(context.Context, contextbuilder.Query) (map[string]string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.collected), nil
}

func (a *advice) state(context.Context, contextbuilder.Query) (blocks.Conversation, error) {
	stage := a.stage()
	a.mu.Lock()
	defer a.mu.Unlock()
	return blocks.Conversation{UserTurns: a.turns, Stage: stage, StageTurns: 1, ReplyRunes: 40}, nil
}

// assess has a result only when all facts are known.
func (a *advice) assess(context.Context, contextbuilder.Query) (*blocks.Assessment, error) {
	if a.stage() == "discovery" {
		return nil, nil
	}
	return &blocks.Assessment{
		Recommended: []string{"Aarhus"}, Score: 8, Of: 10, Hint: "name the train first",
		Strengths: []string{"41 flats within the budget", "train every 10 minutes"},
	}, nil
}

func (a *advice) history(context.Context, contextbuilder.Query) ([]contextbuilder.AgentRun, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.runs), nil
}

func similar(_ context.Context, _ contextbuilder.Query, limit int) ([]blocks.Experience, error) {
	text := "A family with the same budget was glad of the train."
	return []blocks.Experience{{Kind: "went well", Text: text, Active: true}}[:min(limit, 1)], nil
}

func device(context.Context, contextbuilder.Query) ([]string, error) {
	return []string{"telephone, portrait", "local time: evening"}, nil
}

// A handbook is the knowledge of the house.
type handbook struct{}

// Retrieve returns what the handbook says about a category.
func (handbook) Retrieve(_ context.Context, _ contextbuilder.Query, category string) ([]blocks.Passage, error) {
	if category != "law" {
		return nil, nil
	}
	text := "A deposit is at most three months' rent."
	return []blocks.Passage{{Source: "handbook, 4.2", Text: text, Similarity: .8}}, nil
}

// remembered adapts long-term memories to a block.
type remembered struct{ *longterm.Memories }

// Search returns the memories nearest to a question.
func (r remembered) Search(ctx context.Context, q contextbuilder.MemoryQuery) ([]contextbuilder.Memory, error) {
	found, err := r.Memories.Search(ctx, longterm.Query{
		User: q.User, Text: q.Text, Category: longterm.Category(q.Category), Limit: q.Limit, MinSimilarity: q.MinSimilarity,
	})
	var all []contextbuilder.Memory
	for _, m := range found {
		all = append(all, blockMemory(m.Memory))
	}
	return all, err
}

// Top returns the most important memories.
func (r remembered) Top(_ context.Context, user string, limit int) ([]contextbuilder.Memory, error) {
	var all []contextbuilder.Memory
	for _, m := range r.Memories.Top(user, limit) {
		all = append(all, blockMemory(m))
	}
	return all, nil
}

func blockMemory(m longterm.Memory) contextbuilder.Memory {
	return contextbuilder.Memory{
		ID: m.ID, Text: m.Content, Category: string(m.Category), Thread: m.Provenance.Thread,
	}
}
