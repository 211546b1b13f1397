package contextbuilder

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Field is a fact that a conversation collects.
type Field struct {
	Key      string
	Label    string // as it is shown; "": the key
	Required bool   // told as missing until it is there
}

// CollectedInfo is the source of the facts that a conversation has collected so far, and of those that are still missing.
type CollectedInfo struct {
	Fields []Field // in the order in which they are shown; other keys follow, sorted
	// Values returns what is collected, by key.
	Values func(ctx context.Context, q Query) (map[string]string, error)
}

// Describe returns a live block of P0.
func (s CollectedInfo) Describe(Query) (Block, bool) {
	return Block{Type: TypeCollectedInfo, Priority: P0}, s.Values != nil
}

// Fill lists the facts; without any there is no block.
func (s CollectedInfo) Fill(ctx context.Context, q Query, b Block) (Block, error) {
	values, err := s.Values(ctx, q)
	if err != nil {
		return b, fmt.Errorf("reading collected facts: %w", err)
	}
	lines := []string{"Collected in this conversation:"}
	var missing []string
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
	if len(lines) == 1 {
		return b, nil
	}
	last := "Nothing that is needed is missing."
	if len(missing) > 0 {
		last = "Still missing: " + strings.Join(missing, ", ")
	}
	b.Text = strings.Join(append(lines, last), "\n")
	b.Short = fmt.Sprintf("%d facts collected. %s", len(lines)-1, last)
	return b, nil
}

// A Conversation is what ConversationStats tells of one.
type Conversation struct {
	UserTurns  int
	Duration   time.Duration
	Stage      string // "": none
	StageTurns int    // in the stage, this one included
	Past       []PastStage
	ReplyRunes int // mean length of what the user says
}

// A PastStage is a stage that a conversation has left.
type PastStage struct {
	Stage string
	Turns int
}

// ConversationStats is the source of how a conversation goes: turns, duration, stages, and how long the user's replies are.
type ConversationStats struct {
	Labels map[string]string // of stages, by name; a stage without one is shown by its name
	Bands  []ReplyBand       // nil: DefaultReplyBands
	State  func(ctx context.Context, q Query) (Conversation, error)
}

// A ReplyBand says what replies of less than so many characters tell.
type ReplyBand struct {
	Below int // 0: no bound
	Tells string
}

// DefaultReplyBands returns the bands at 20, 50 and 150 characters (requirements).
func DefaultReplyBands() []ReplyBand {
	return []ReplyBand{
		{20, "very short, perhaps on a phone"},
		{50, "short, may need a question to say more"},
		{150, "of medium length"},
		{0, "detailed"},
	}
}

// Describe returns a live block of P1.
func (s ConversationStats) Describe(Query) (Block, bool) {
	return Block{Type: TypeConversationStats, Priority: P1}, s.State != nil
}

// Fill tells the state.
func (s ConversationStats) Fill(ctx context.Context, q Query, b Block) (Block, error) {
	c, err := s.State(ctx, q)
	if err != nil {
		return b, fmt.Errorf("reading the conversation's state: %w", err)
	}
	lines := []string{
		fmt.Sprintf("- turns of the user: %d", c.UserTurns),
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
		lines = append(lines, fmt.Sprintf("- the user's replies: %d characters on average, %s", c.ReplyRunes, s.band(c.ReplyRunes)))
	}
	b.Text = strings.Join(lines, "\n")
	return b, nil
}

func (s ConversationStats) label(stage string) string {
	return oneLine(cmp.Or(s.Labels[stage], stage))
}

func (s ConversationStats) band(runes int) string {
	bands := s.Bands
	if bands == nil {
		bands = DefaultReplyBands()
	}
	for _, b := range bands {
		if b.Below == 0 || runes < b.Below {
			return b.Tells
		}
	}
	return "long"
}

// An Assessment is the result of an assessment of the user's case.
type Assessment struct {
	Recommended         []string
	Score, Of           int // Of 0: no score
	Strengths, Concerns []string
	Hint                string // what to say about it
}

// AssessmentResult is the source of an assessment, once there is one.
type AssessmentResult struct {
	Result func(ctx context.Context, q Query) (*Assessment, error) // nil: there is none yet
}

// Describe returns a live block of P0.
func (s AssessmentResult) Describe(Query) (Block, bool) {
	return Block{Type: TypeAssessmentResult, Priority: P0}, s.Result != nil
}

// Fill tells the assessment.
func (s AssessmentResult) Fill(ctx context.Context, q Query, b Block) (Block, error) {
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
	lines = append(lines, listed("Strengths:", a.Strengths)...)
	lines = append(lines, listed("Concerns:", a.Concerns)...)
	if a.Hint != "" {
		lines = append(lines, oneLine(a.Hint))
	}
	b.Text = strings.Join(lines, "\n")
	return b, nil
}

// listed returns a head and a line for each item; nothing if there are none.
func listed(head string, items []string) []string {
	if len(items) == 0 {
		return nil
	}
	lines := []string{head}
	for _, item := range items {
		lines = append(lines, "- "+oneLine(item))
	}
	return lines
}
