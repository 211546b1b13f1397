package task

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/memory/internal/speech"
	"github.com/forayhq/foray/toollimit"
)

// A Status says how far a task or one of its steps has come.
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
	Evidence   string `json:"evidence,omitempty"` // where it was seen, as in a path and a line
	Importance int    `json:"importance"`         // from 1 to 10
}

// The bounds of a task's lists: beyond them what is done, old or unimportant goes first.
const (
	mostFollowUps   = 20
	mostSubGoals    = 20
	mostSteps       = 100
	mostFindings    = 50
	mostQuestions   = 20
	mostConstraints = 20
	mostStepCalls   = 50
)

// itemRunes is how much of one item of a task is kept.
const itemRunes = 500

// An Active is what a conversation is at: the user's goal, in the user's words, and how far it has come. It is a value:
// methods change it in place, one goroutine owns it, and JSON holds all of it.
type Active struct {
	ID          string    `json:"id"`
	Goal        string    `json:"goal"` // never changed
	FollowUps   []string  `json:"follow_ups,omitempty"`
	SubGoals    []string  `json:"sub_goals,omitempty"`
	Steps       []Step    `json:"steps,omitempty"`
	Findings    []Finding `json:"findings,omitempty"`
	Questions   []string  `json:"questions,omitempty"` // open ones
	Constraints []string  `json:"constraints,omitempty"`
	Status      Status    `json:"status"` // "": there is no task
}

// begin returns the task that a message of the user starts. Numbered or dashed lines of it are sub-goals, and sentences
// that demand or forbid something are constraints.
func begin(id, message string) Active {
	t := Active{ID: id, Goal: strings.ToValidUTF8(message, "\uFFFD"), Status: InProgress}
	for line := range strings.Lines(t.Goal[:min(len(t.Goal), speech.MaxBytes)]) {
		if item, ok := listItem(line); ok && len(t.SubGoals) < mostSubGoals {
			t.SubGoals = append(t.SubGoals, speech.Clip(item, itemRunes))
		}
	}
	t.constrain(message)
	return t
}

// Clone returns a copy that shares nothing with the task.
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

// Hear takes a message of the user and reports whether it started a task: t is then another one, with the id. A message
// that acknowledges or continues, or answers in few words what a waiting task asks, is a follow-up. Without a task an
// acknowledgement starts none.
func (t *Active) Hear(id, message string) (started bool) {
	none := t.Status == ""
	if speech.IsAcknowledgement(message) || !none && (isContinuation(message) || t.Status == Waiting && fewWords(message)) {
		if none {
			return false
		}
		if t.Status == Waiting {
			t.Status = InProgress
		}
		t.FollowUps = bounded(t.FollowUps, speech.Clip(message, itemRunes), mostFollowUps)
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

// Step writes down a step, or changes the one with the same text. A status of "" is open.
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
				have.Calls = bounded(have.Calls, id, mostStepCalls)
			}
		}
		return
	}
	s.Calls = slices.Clone(s.Calls[:min(len(s.Calls), mostStepCalls)])
	t.Steps = append(t.Steps, s)
	if len(t.Steps) > mostSteps {
		i := max(slices.IndexFunc(t.Steps, func(s Step) bool { return s.Status != Open }), 0)
		t.Steps = slices.Delete(t.Steps, i, i+1)
	}
}

// Find writes down a finding; one with the same text takes the place of the older.
func (t *Active) Find(f Finding) {
	f.Text, f.Evidence = speech.Clip(f.Text, itemRunes), speech.Clip(f.Evidence, itemRunes)
	f.Importance = min(max(f.Importance, 1), 10)
	if f.Text == "" {
		return
	}
	t.Findings = slices.DeleteFunc(t.Findings, func(have Finding) bool { return have.Text == f.Text })
	t.Findings = append(t.Findings, f)
	if len(t.Findings) > mostFindings {
		least := 0
		for i, have := range t.Findings {
			if have.Importance < t.Findings[least].Importance {
				least = i
			}
		}
		t.Findings = slices.Delete(t.Findings, least, least+1)
	}
}

// Question writes down an open question.
func (t *Active) Question(text string) {
	t.Questions = addItem(t.Questions, text, mostQuestions)
}

// Answered takes a question off the open ones.
func (t *Active) Answered(text string) {
	text = speech.Clip(text, itemRunes)
	t.Questions = slices.DeleteFunc(t.Questions, func(have string) bool { return have == text })
}

// Constrain writes down a constraint.
func (t *Active) Constrain(text string) {
	t.Constraints = addItem(t.Constraints, text, mostConstraints)
}

// addItem adds an item that is not there yet.
func addItem(list []string, text string, most int) []string {
	text = speech.Clip(text, itemRunes)
	if text == "" || slices.Contains(list, text) {
		return list
	}
	return bounded(list, text, most)
}

// bounded appends to a list, whose oldest items go when it is full.
func bounded(list []string, item string, most int) []string {
	list = append(list, item)
	return list[max(0, len(list)-most):]
}

// The bounds of a status summary.
const (
	taskSummaryTokens = 400 // requirements
	taskGoalTokens    = 120
	taskItemRunes     = 120
)

// taskLists are the lists of a status summary, the one that matters most first, and how many items each shows at most.
var taskLists = []struct {
	head string
	most int
	list func(t *Active) []string
}{
	{"Constraints", 6, func(t *Active) []string { return t.Constraints }},
	{"Open steps", 5, openSteps},
	{"Findings", 5, topFindings},
	{"Last done", 1, lastDone},
	{"Said since", 2, func(t *Active) []string { return t.FollowUps[max(0, len(t.FollowUps)-2):] }},
	{"Open questions", 3, func(t *Active) []string { return t.Questions }},
	{"Parts", 6, func(t *Active) []string { return t.SubGoals }},
}

// Summary tells how a task stands, in at most 400 tokens: goal, constraints, open steps, top findings, the last done step,
// and what else has room. It is "" without a task. The user's words in it are as they were: it goes into a fence.
func (t *Active) Summary() string {
	if t.Status == "" {
		return ""
	}
	goal, _ := toollimit.Truncate(toollimit.Text, speech.Ends(t.Goal), toollimit.Quota{MaxTokens: taskGoalTokens})
	text := fmt.Sprintf("Task (%s): %s", t.Status, strings.Join(strings.Fields(goal), " "))
	for _, l := range taskLists {
		items := l.list(t)
		added := "\n" + l.head + ":"
		shown := 0
		for _, item := range items[:min(len(items), l.most)] {
			line := "\n- " + speech.Clip(item, taskItemRunes)
			if toollimit.Tokens(text+added+line) > taskSummaryTokens {
				break
			}
			added += line
			shown++
		}
		if shown > 0 {
			text += added
		}
	}
	return text
}

func openSteps(t *Active) (steps []string) {
	for _, s := range t.Steps {
		switch s.Status {
		case Open:
			steps = append(steps, s.Text)
		case Failed:
			steps = append(steps, s.Text+" (failed)")
		case Done:
		}
	}
	return steps
}

func topFindings(t *Active) (findings []string) {
	top := slices.Clone(t.Findings)
	slices.SortStableFunc(top, func(a, b Finding) int { return b.Importance - a.Importance })
	for _, f := range top {
		if f.Evidence != "" {
			f.Text = speech.Clip(f.Text, taskItemRunes*2/3) + " (" + speech.Clip(f.Evidence, taskItemRunes/4) + ")"
		}
		findings = append(findings, f.Text)
	}
	return findings
}

func lastDone(t *Active) []string {
	for _, s := range slices.Backward(t.Steps) {
		if s.Status == Done {
			return []string{s.Text}
		}
	}
	return nil
}
