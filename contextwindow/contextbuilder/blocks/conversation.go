// Package blocks has sources for a contextbuilder.Builder: what a program knows about a conversation and its user, as
// blocks that are injected before the user's message.
//
//	source                  type                    priority  cached
//	[CollectedInfo]         collected_info          P0        no
//	[AssessmentResult]      assessment_result       P0        no
//	[ConversationStats]     conversation_stats      P1        no
//	[ActiveAgentsHistory]   active_agents_history   P1        no
//	[RelevantKnowledge]     relevant_knowledge      P1        30 s, by user and message
//	[SimilarExperiences]    similar_experiences     P2        120 s, by stage and message
//	[DeviceContext]         device_context          P2        for the conversation
//
// Start with [CollectedInfo]: give it a function that returns your program's facts, and list it in
// contextbuilder.Config.Sources.
package blocks

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/internal/line"
)

type (
	query = contextbuilder.Query
	block = contextbuilder.Block
)

// A Field is a fact that a conversation collects.
type Field struct {
	Key      string
	Label    string // as shown; "": the key
	Required bool   // shown as missing until it has a value
}

// CollectedInfo is the source of the facts collected in a conversation, and of those still missing.
type CollectedInfo struct {
	Fields []Field // in the order shown; other keys follow, sorted
	// Values returns what is collected, by key.
	Values func(ctx context.Context, q contextbuilder.Query) (map[string]string, error)
}

// Describe returns a live P0 block.
func (s CollectedInfo) Describe(query) (block, bool) {
	return block{Type: "collected_info", Priority: contextbuilder.P0}, s.Values != nil
}

// Fill lists the facts. Without any, the block is empty.
func (s CollectedInfo) Fill(ctx context.Context, q query, b block) (block, error) {
	values, err := s.Values(ctx, q)
	if err != nil {
		return b, fmt.Errorf("reading collected facts: %w", err)
	}
	var lines, missing []string
	listed := make(map[string]bool, len(s.Fields))
	for _, f := range s.Fields {
		listed[f.Key] = true
		name := cmp.Or(f.Label, f.Key)
		if v := oneLine(values[f.Key]); v != "" {
			lines = append(lines, "- "+oneLine(name)+": "+v)
		} else if f.Required {
			missing = append(missing, oneLine(name))
		}
	}
	var others []string
	for key, v := range values {
		if v = oneLine(v); v != "" && !listed[key] {
			others = append(others, "- "+oneLine(key)+": "+v)
		}
	}
	slices.Sort(others)
	lines = append(lines, others...)
	if len(lines) == 0 {
		return b, nil
	}
	last := "Nothing that is needed is missing."
	if len(missing) > 0 {
		last = "Still missing: " + strings.Join(missing, ", ")
	}
	b.Text = strings.Join(append(lines, last), "\n")
	b.Short = fmt.Sprintf("%d facts collected. %s", len(lines), last)
	return b, nil
}

// A Conversation is the state that [ConversationStats] shows.
type Conversation struct {
	UserTurns  int
	Duration   time.Duration
	Stage      string // "": none
	StageTurns int    // in the stage, the current one included
	Past       []PastStage
	ReplyRunes int // mean length of the user's messages
}

// A PastStage is a stage that a conversation has left.
type PastStage struct {
	Stage string
	Turns int
}

// A ReplyBand describes replies shorter than a number of characters.
type ReplyBand struct {
	Below       int // 0: no bound
	Description string
}

// replyBands are the default bands.
var replyBands = []ReplyBand{
	{20, "very short, perhaps on a phone"},
	{50, "short: a question may bring more"},
	{150, "of medium length"},
	{0, "detailed"},
}

// ConversationStats is the source of turns, duration, stages, and how long the user's replies are.
type ConversationStats struct {
	Labels map[string]string // of stages, by name; a stage without one is shown by its name
	Bands  []ReplyBand       // nil: 20, 50 and 150 characters
	State  func(ctx context.Context, q contextbuilder.Query) (Conversation, error)
}

// Describe returns a live P1 block.
func (s ConversationStats) Describe(query) (block, bool) {
	return block{Type: "conversation_stats", Priority: contextbuilder.P1}, s.State != nil
}

// Fill lists the state.
func (s ConversationStats) Fill(ctx context.Context, q query, b block) (block, error) {
	c, err := s.State(ctx, q)
	if err != nil {
		return b, fmt.Errorf("reading the conversation's state: %w", err)
	}
	lines := []string{
		fmt.Sprintf("- user turns: %d", c.UserTurns),
		fmt.Sprintf("- duration: %d minutes", int(c.Duration.Round(time.Minute).Minutes())),
	}
	if c.Stage != "" {
		lines = append(lines, fmt.Sprintf("- stage: %s (turn %d in it)", s.label(c.Stage), max(c.StageTurns, 1)))
	}
	if len(c.Past) > 0 {
		var past []string
		for _, p := range c.Past {
			past = append(past, fmt.Sprintf("%s (%d turns)", s.label(p.Stage), p.Turns))
		}
		lines = append(lines, "- stages before: "+strings.Join(past, " → "))
	}
	if c.UserTurns > 0 {
		lines = append(lines, fmt.Sprintf("- replies: %d characters on average, %s",
			c.ReplyRunes, s.band(c.ReplyRunes)))
	}
	b.Text = strings.Join(lines, "\n")
	return b, nil
}

func (s ConversationStats) label(stage string) string { return oneLine(cmp.Or(s.Labels[stage], stage)) }

func (s ConversationStats) band(runes int) string {
	bands := s.Bands
	if bands == nil {
		bands = replyBands
	}
	for _, b := range bands {
		if b.Below == 0 || runes < b.Below {
			return b.Description
		}
	}
	return "long"
}

// An Assessment is the result of assessing the user's case.
type Assessment struct {
	Recommended         []string
	Score, Of           int // Of 0: no score
	Strengths, Concerns []string
	Hint                string // what to say about it
}

// AssessmentResult is the source of an assessment, once one exists.
type AssessmentResult struct {
	Result func(ctx context.Context, q contextbuilder.Query) (*Assessment, error) // nil: none yet
}

// Describe returns a live P0 block.
func (s AssessmentResult) Describe(query) (block, bool) {
	return block{Type: "assessment_result", Priority: contextbuilder.P0}, s.Result != nil
}

// Fill lists the assessment.
func (s AssessmentResult) Fill(ctx context.Context, q query, b block) (block, error) {
	a, err := s.Result(ctx, q)
	if err != nil {
		return b, fmt.Errorf("reading the assessment: %w", err)
	}
	if a == nil {
		return b, nil
	}
	lines := []string{"Recommended: " + oneLine(strings.Join(a.Recommended, ", "))}
	if a.Of > 0 {
		lines = append(lines, fmt.Sprintf("Score: %d of %d", a.Score, a.Of))
	}
	b.Short = strings.Join(lines, "\n")
	lines = append(lines, list("Strengths:", a.Strengths)...)
	lines = append(lines, list("Concerns:", a.Concerns)...)
	if a.Hint != "" {
		lines = append(lines, oneLine(a.Hint))
	}
	b.Text = strings.Join(lines, "\n")
	return b, nil
}

// list returns a head and a line for each item, or nothing without items.
func list(head string, items []string) []string {
	if len(items) == 0 {
		return nil
	}
	lines := []string{head}
	for _, item := range items {
		lines = append(lines, "- "+oneLine(item))
	}
	return lines
}

const valueRunes = 500 // of one value

// oneLine returns the beginning of a text on one line.
func oneLine(text string) string { return clip(text, valueRunes) }

func clip(text string, runes int) string {
	text = text[:min(len(text), 4*runes+64)]
	return line.Truncate(line.Flat(strings.ToValidUTF8(text, "")), runes+1)
}
