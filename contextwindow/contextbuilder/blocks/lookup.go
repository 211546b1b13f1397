package blocks

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/contextwindow/contextbuilder"
)

const (
	knowledgeTime   = 30 * time.Second
	experienceTime  = 120 * time.Second
	experienceShown = 3
	deviceEvery     = 5
	agentRunsShown  = 5
	agentRunRunes   = 200
)

// A Passage is a part of a document.
type Passage struct {
	Source     string
	Text       string
	Similarity float64
}

// RelevantKnowledge is the source of passages from documents for messages that need them.
type RelevantKnowledge struct {
	// Retrieve returns the passages nearest to the input of a query and right for its user, nearest first. A category of
	// "" is any.
	Retrieve func(ctx context.Context, q contextbuilder.Query, category string) ([]Passage, error)
	// Need reports whether a message needs knowledge, and its category; nil: every message, any category. [Triggers] makes
	// one from words.
	Need func(message string) (category string, need bool)
}

// Triggers returns a function for [RelevantKnowledge.Need]: a message needs a category if it contains one of its
// words, in any case.
func Triggers(words map[string][]string) func(string) (string, bool) {
	type trigger struct{ word, category string }
	var all []trigger
	for category, list := range words {
		for _, w := range list {
			all = append(all, trigger{strings.ToLower(w), category})
		}
	}
	slices.SortFunc(all, func(a, b trigger) int {
		return cmp.Or(strings.Compare(a.category, b.category), strings.Compare(a.word, b.word))
	})
	return func(message string) (string, bool) {
		message = strings.ToLower(message)
		for _, t := range all {
			if t.word != "" && strings.Contains(message, t.word) {
				return t.category, true
			}
		}
		return "", false
	}
}

// Describe returns a P1 block that depends on the user and the message.
func (s RelevantKnowledge) Describe(q query) (block, bool) {
	need := s.Retrieve != nil
	if need && s.Need != nil {
		_, need = s.Need(q.Input)
	}
	key := q.User + "\x00" + q.Input
	return block{Type: "relevant_knowledge", Priority: contextbuilder.P1, TTL: knowledgeTime, Key: key}, need
}

// Fill quotes the passages.
func (s RelevantKnowledge) Fill(ctx context.Context, q query, b block) (block, error) {
	category := ""
	if s.Need != nil {
		category, _ = s.Need(q.Input)
	}
	passages, err := s.Retrieve(ctx, q, category)
	if err != nil {
		return b, fmt.Errorf("retrieving knowledge: %w", err)
	}
	var lines []string
	for _, p := range passages {
		lines = append(lines, fmt.Sprintf("From %s (similarity %.2f):\n> %s", oneLine(p.Source), p.Similarity,
			strings.ReplaceAll(strings.TrimSpace(p.Text), "\n", "\n> ")))
	}
	b.Text = strings.Join(lines, "\n")
	return b, nil
}

// An Experience is something that went well or badly before.
type Experience struct {
	Kind   string // as shown
	Text   string
	Active bool // others are not shown
}

// SimilarExperiences is the source of experiences with similar cases.
type SimilarExperiences struct {
	Stages []string // of the conversation in which they are shown; nil: all
	Search func(ctx context.Context, q contextbuilder.Query, limit int) ([]Experience, error)
}

// Describe returns a P2 block that depends on the stage and the message.
func (s SimilarExperiences) Describe(q query) (block, bool) {
	key := q.Stage + "\x00" + q.Input
	return block{Type: "similar_experiences", Priority: contextbuilder.P2, TTL: experienceTime, Key: key},
		s.Search != nil && (s.Stages == nil || slices.Contains(s.Stages, q.Stage))
}

// Fill lists at most three active experiences.
func (s SimilarExperiences) Fill(ctx context.Context, q query, b block) (block, error) {
	found, err := s.Search(ctx, q, experienceShown)
	if err != nil {
		return b, fmt.Errorf("searching experiences: %w", err)
	}
	var lines []string
	for _, e := range found {
		if e.Active && len(lines) < experienceShown {
			lines = append(lines, fmt.Sprintf("%d. [%s] %s", len(lines)+1, oneLine(e.Kind), oneLine(e.Text)))
		}
	}
	b.Text = strings.Join(lines, "\n")
	return b, nil
}

// DeviceContext is the source of what is known about the user's surroundings, shown with the first message of a
// conversation and every fifth turn.
type DeviceContext struct {
	Lines func(ctx context.Context, q contextbuilder.Query) ([]string, error)
}

// Describe returns a P2 block that is cached for the conversation.
func (s DeviceContext) Describe(q query) (block, bool) {
	return block{Type: "device_context", Priority: contextbuilder.P2, TTL: contextbuilder.WholeConversation},
		s.Lines != nil && q.Turn > 0 && (q.Turn == 1 || q.Turn%deviceEvery == 0)
}

// Fill lists the lines.
func (s DeviceContext) Fill(ctx context.Context, q query, b block) (block, error) {
	lines, err := s.Lines(ctx, q)
	if err != nil {
		return b, fmt.Errorf("reading the device: %w", err)
	}
	var text strings.Builder
	for _, l := range lines {
		text.WriteString("- " + oneLine(l) + "\n")
	}
	b.Text = strings.TrimSuffix(text.String(), "\n")
	return b, nil
}

// ActiveAgentsHistory is the source of what ran recently in a conversation, so that it is not run again: the runs of
// the query, which a Chat keeps, and those of the program.
type ActiveAgentsHistory struct {
	Runs func(ctx context.Context, q contextbuilder.Query) ([]contextbuilder.AgentRun, error) // nil: those of the query
}

// Describe returns a live P1 block.
func (s ActiveAgentsHistory) Describe(q query) (block, bool) {
	b := block{Type: contextbuilder.TypeAgentRuns, Priority: contextbuilder.P1}
	return b, s.Runs != nil || len(q.Runs) > 0
}

// Fill lists the last five runs.
func (s ActiveAgentsHistory) Fill(ctx context.Context, q query, b block) (block, error) {
	runs := slices.Clone(q.Runs)
	if s.Runs != nil {
		own, err := s.Runs(ctx, q)
		if err != nil {
			return b, fmt.Errorf("reading recent runs: %w", err)
		}
		runs = append(runs, own...)
	}
	slices.SortStableFunc(runs, func(x, y contextbuilder.AgentRun) int { return x.Started.Compare(y.Started) })
	var lines []string
	now := time.Now()
	for i, r := range runs[max(0, len(runs)-agentRunsShown):] {
		lines = append(lines, fmt.Sprintf("%d. [%s] %s: %s → %s", i+1, facts(r, now), oneLine(r.Name),
			clip(r.Input, agentRunRunes), clip(r.Output, agentRunRunes)))
	}
	if len(lines) > 0 {
		b.Text = "Recent runs. Do not repeat them; use their results:\n" + strings.Join(lines, "\n")
	}
	return b, nil
}

// facts says when a run started, and what it took.
func facts(r contextbuilder.AgentRun, now time.Time) string {
	text := age(now.Sub(r.Started))
	if r.Duration > 0 {
		text += fmt.Sprintf(", %d ms", max(r.Duration.Milliseconds(), 1))
	}
	if r.Tokens > 0 {
		text += fmt.Sprintf(", %d tokens", r.Tokens)
	}
	return text
}

// age rounds a duration to minutes, so that a block stays the same for that long.
func age(d time.Duration) string {
	switch m := int(d.Minutes()); {
	case m < 1:
		return "just now"
	case m < 60:
		return fmt.Sprintf("%d min ago", m)
	default:
		return fmt.Sprintf("%d h ago", m/60)
	}
}
