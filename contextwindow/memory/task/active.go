package task

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/memory/internal/speech"
)

// A Status is the state of a task or of one of its steps.
type Status string

// The statuses. A task is in progress, waiting, done or dropped; a step is open, done or failed.
const (
	InProgress Status = "active"
	Waiting    Status = "waiting" // for the user
	Dropped    Status = "dropped"
	Open       Status = "open"
	Failed     Status = "failed"
	Done       Status = "done"
)

// A Step is one step of a task.
type Step struct {
	Text   string   `json:"text"`
	Status Status   `json:"status"`
	Calls  []string `json:"calls,omitempty"` // ids of the calls that it took
}

// A Finding is something found out for a task.
type Finding struct {
	Text       string `json:"text"`
	Evidence   string `json:"evidence,omitempty"` // where it was seen, such as a path and a line
	Importance int    `json:"importance"`         // from 1 to 10
}

// The limits of a task's lists. Above them, done, old or unimportant items are dropped first.
const (
	maxFollowUps   = 20
	maxSubGoals    = 20
	maxSteps       = 100
	maxFindings    = 50
	maxQuestions   = 20
	maxConstraints = 20
	maxStepCalls   = 50
)

// itemRunes is how much of one item of a task is kept.
const itemRunes = 500

// An Active is the task of a conversation. It is a value that JSON holds whole. Its methods change it in place; one
// goroutine owns it. They keep up to 100 steps, 50 findings and 20 items of any other list, with up to 500 characters
// each. Beyond that, steps that are not open, the least important finding or else the oldest item are dropped first.
type Active struct {
	ID          string    `json:"id"`
	Goal        string    `json:"goal"` // never changed
	FollowUps   []string  `json:"follow_ups,omitempty"`
	SubGoals    []string  `json:"sub_goals,omitempty"`
	Steps       []Step    `json:"steps,omitempty"`
	Findings    []Finding `json:"findings,omitempty"`
	Questions   []string  `json:"questions,omitempty"` // open ones
	Constraints []string  `json:"constraints,omitempty"`
	Status      Status    `json:"status"` // empty without a task
}

// begin returns the task that a message of the user starts. Numbered and dashed lines of the message are sub-goals;
// sentences that demand or forbid something are constraints.
func begin(id, message string) Active {
	t := Active{ID: id, Goal: strings.ToValidUTF8(message, "\uFFFD"), Status: InProgress}
	for line := range strings.Lines(t.Goal[:min(len(t.Goal), speech.MaxBytes)]) {
		if item, ok := listItem(line); ok && len(t.SubGoals) < maxSubGoals {
			t.SubGoals = append(t.SubGoals, speech.Clip(item, itemRunes))
		}
	}
	t.constrain(message)
	return t
}

// Clone returns a deep copy of the task.
func (t *Active) Clone() Active {
	c := *t
	c.FollowUps, c.SubGoals = slices.Clone(t.FollowUps), slices.Clone(t.SubGoals)
	c.Questions, c.Constraints = slices.Clone(t.Questions), slices.Clone(t.Constraints)
	c.Steps, c.Findings = slices.Clone(t.Steps), slices.Clone(t.Findings)
	for i := range c.Steps {
		c.Steps[i].Calls = slices.Clone(c.Steps[i].Calls)
	}
	return c
}

// Hear takes a message of the user and reports whether it started a new task in t, with the id. A message that
// acknowledges or continues is a follow-up, and so is a short answer to a waiting task. Without a task an
// acknowledgement is ignored.
func (t *Active) Hear(id, message string) (started bool) {
	none := t.Status == ""
	if speech.IsAcknowledgement(message) || !none && (isContinuation(message) || t.Status == Waiting && isShort(message)) {
		if none {
			return false
		}
		if t.Status == Waiting {
			t.Status = InProgress
		}
		t.FollowUps = bounded(t.FollowUps, speech.Clip(message, itemRunes), maxFollowUps)
		t.constrain(message)
		return false
	}
	*t = begin(id, message)
	return true
}

// constrain keeps the sentences of a message that demand or forbid something.
func (t *Active) constrain(message string) {
	for _, s := range speech.Sentences(message) {
		if speech.HasAny(s, constraintWords) && !speech.IsQuestion(s) {
			t.Constrain(s)
		}
	}
}

// Step adds a step, or updates the step with the same text. An empty status means [Open].
func (t *Active) Step(s Step) {
	s.Text = speech.Clip(s.Text, itemRunes)
	if s.Text == "" {
		return
	}
	if s.Status == "" {
		s.Status = Open
	}
	if i := slices.IndexFunc(t.Steps, func(have Step) bool { return have.Text == s.Text }); i >= 0 {
		have := &t.Steps[i]
		have.Status = s.Status
		for _, id := range s.Calls {
			if !slices.Contains(have.Calls, id) {
				have.Calls = bounded(have.Calls, id, maxStepCalls)
			}
		}
		return
	}
	s.Calls = slices.Clone(s.Calls[:min(len(s.Calls), maxStepCalls)])
	t.Steps = append(t.Steps, s)
	if len(t.Steps) > maxSteps {
		i := max(slices.IndexFunc(t.Steps, func(s Step) bool { return s.Status != Open }), 0)
		t.Steps = slices.Delete(t.Steps, i, i+1)
	}
}

// Find adds a finding. It replaces one with the same text.
func (t *Active) Find(f Finding) {
	f.Text, f.Evidence = speech.Clip(f.Text, itemRunes), speech.Clip(f.Evidence, itemRunes)
	f.Importance = min(max(f.Importance, 1), 10)
	if f.Text == "" {
		return
	}
	t.Findings = slices.DeleteFunc(t.Findings, func(have Finding) bool { return have.Text == f.Text })
	t.Findings = append(t.Findings, f)
	if len(t.Findings) > maxFindings {
		least := 0
		for i, have := range t.Findings {
			if have.Importance < t.Findings[least].Importance {
				least = i
			}
		}
		t.Findings = slices.Delete(t.Findings, least, least+1)
	}
}

// Question adds an open question.
func (t *Active) Question(text string) {
	t.Questions = addItem(t.Questions, text, maxQuestions)
}

// Answered removes an open question.
func (t *Active) Answered(text string) {
	text = speech.Clip(text, itemRunes)
	t.Questions = slices.DeleteFunc(t.Questions, func(have string) bool { return have == text })
}

// Constrain adds a constraint.
func (t *Active) Constrain(text string) {
	t.Constraints = addItem(t.Constraints, text, maxConstraints)
}

// addItem adds an item unless the list has it.
func addItem(list []string, text string, most int) []string {
	text = speech.Clip(text, itemRunes)
	if text == "" || slices.Contains(list, text) {
		return list
	}
	return bounded(list, text, most)
}

// bounded appends to a list and drops its oldest items above a limit.
func bounded(list []string, item string, most int) []string {
	list = append(list, item)
	return list[max(0, len(list)-most):]
}
