package contextbuilder

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The numbers of the blocks that are looked up or told at times (requirements).
const (
	knowledgeTime   = 30 * time.Second
	experienceTime  = 120 * time.Second
	experienceShown = 3
	deviceEvery     = 5
	agentRunsShown  = 5
	agentRunRunes   = 200
)

// A Retriever finds passages for a message. Implementations are safe for concurrent use.
type Retriever interface {
	// Retrieve returns the passages nearest to a text, the nearest first. A category of "" is any.
	Retrieve(ctx context.Context, text, category string) ([]Passage, error)
}

// A Passage is a part of a document.
type Passage struct {
	Source     string
	Text       string
	Similarity float64
}

// RelevantKnowledge is the source of passages for a message that needs them.
type RelevantKnowledge struct {
	Retriever Retriever
	// Need says whether a message needs knowledge, and of which category; nil: every message, any category. Triggers makes
	// one of words.
	Need func(message string) (category string, need bool)
}

// Triggers returns a Need that a message with one of these words has, in whatever case, by category.
func Triggers(words map[string][]string) func(string) (string, bool) {
	type trigger struct{ word, category string }
	var all []trigger
	for category, list := range words {
		for _, w := range list {
			all = append(all, trigger{strings.ToLower(w), category})
		}
	}
	slices.SortFunc(all, func(a, b trigger) int { return strings.Compare(a.category+"\x00"+a.word, b.category+"\x00"+b.word) })
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

// Describe returns a block of P1 that depends on the user and the message.
func (s RelevantKnowledge) Describe(q Query) (Block, bool) {
	need := s.Retriever != nil
	if need && s.Need != nil {
		_, need = s.Need(q.Input)
	}
	return Block{Type: TypeRelevantKnowledge, Priority: P1, TTL: knowledgeTime, Key: q.User + "\x00" + q.Input}, need
}

// Fill quotes the passages.
func (s RelevantKnowledge) Fill(ctx context.Context, q Query, b Block) (Block, error) {
	category := ""
	if s.Need != nil {
		category, _ = s.Need(q.Input)
	}
	passages, err := s.Retriever.Retrieve(ctx, q.Input, category)
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

// An Experience is what went well or badly before.
type Experience struct {
	Kind   string // as it is shown
	Text   string
	Active bool // others are not shown
}

// SimilarExperiences is the source of experiences with cases like this one.
type SimilarExperiences struct {
	Stages []string // of the conversation in which they are shown; nil: all
	Search func(ctx context.Context, q Query, limit int) ([]Experience, error)
}

// Describe returns a block of P2 that depends on the message, in the stages that want it.
func (s SimilarExperiences) Describe(q Query) (Block, bool) {
	return Block{Type: TypeSimilarExperiences, Priority: P2, TTL: experienceTime, Key: q.Stage + "\x00" + q.Input},
		s.Search != nil && (s.Stages == nil || slices.Contains(s.Stages, q.Stage))
}

// Fill lists at most three of the active ones.
func (s SimilarExperiences) Fill(ctx context.Context, q Query, b Block) (Block, error) {
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

// DeviceContext is the source of what is known of the user's surroundings. It is shown with the first message of a
// conversation and every fifth turn after it.
type DeviceContext struct {
	Lines func(ctx context.Context, q Query) ([]string, error)
}

// Describe returns a block of P2 that lasts as long as the conversation.
func (s DeviceContext) Describe(q Query) (Block, bool) {
	return Block{Type: TypeDeviceContext, Priority: P2, TTL: WholeConversation},
		s.Lines != nil && q.Turn > 0 && (q.Turn == 1 || q.Turn%deviceEvery == 0)
}

// Fill lists the lines.
func (s DeviceContext) Fill(ctx context.Context, q Query, b Block) (Block, error) {
	lines, err := s.Lines(ctx, q)
	if err != nil {
		return b, fmt.Errorf("reading the device: %w", err)
	}
	b.Text = strings.Join(listed("The user's surroundings:", lines), "\n")
	return b, nil
}

// An AgentRun is one run of an agent or a tool in a conversation.
type AgentRun struct {
	Name          string
	Started       time.Time
	Input, Output string // 200 characters of each are shown
}

// ActiveAgentsHistory is the source of what ran last in a conversation, so that it is not run again.
type ActiveAgentsHistory struct {
	Runs func(ctx context.Context, q Query) ([]AgentRun, error) // the newest last
}

// Describe returns a live block of P1.
func (s ActiveAgentsHistory) Describe(Query) (Block, bool) {
	return Block{Type: TypeActiveAgentsHistory, Priority: P1}, s.Runs != nil
}

// Fill lists the last five.
func (s ActiveAgentsHistory) Fill(ctx context.Context, q Query, b Block) (Block, error) {
	runs, err := s.Runs(ctx, q)
	if err != nil {
		return b, fmt.Errorf("reading the last runs: %w", err)
	}
	var lines []string
	now := time.Now()
	for i, r := range runs[max(0, len(runs)-agentRunsShown):] {
		lines = append(lines, fmt.Sprintf("%d. [%s] %s: %s → %s", i+1, age(now.Sub(r.Started)), oneLine(r.Name),
			clip(r.Input, agentRunRunes), clip(r.Output, agentRunRunes)))
	}
	if len(lines) > 0 {
		b.Text = "Ran last in this conversation. Do not ask the same again; use what is there:\n" + strings.Join(lines, "\n")
	}
	return b, nil
}

// age tells a duration in minutes, so that a block stays the same for that long.
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
