package memory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/toollimit"
)

// A TaskStatus says how a task stands.
type TaskStatus string

// The statuses of a task.
const (
	TaskActive  TaskStatus = "active"
	TaskWaiting TaskStatus = "waiting" // for the user
	TaskDone    TaskStatus = "done"
	TaskDropped TaskStatus = "dropped"
)

// A StepStatus says how a step of a task stands.
type StepStatus string

// The statuses of a step.
const (
	StepOpen   StepStatus = "open"
	StepDone   StepStatus = "done"
	StepFailed StepStatus = "failed"
)

// A TaskStep is one step of a task.
type TaskStep struct {
	Text   string     `json:"text"`
	Status StepStatus `json:"status"`
	Calls  []string   `json:"calls,omitempty"` // ids of the calls that it took
}

// A TaskFinding is something found out for a task.
type TaskFinding struct {
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

// An ActiveTask is what a conversation is at: the user's goal, in the user's words, and how far it has come. It is a value:
// methods change it in place, one goroutine owns it, and JSON holds all of it.
type ActiveTask struct {
	ID          string        `json:"id"`
	Goal        string        `json:"goal"` // never changed
	FollowUps   []string      `json:"follow_ups,omitempty"`
	SubGoals    []string      `json:"sub_goals,omitempty"`
	Steps       []TaskStep    `json:"steps,omitempty"`
	Findings    []TaskFinding `json:"findings,omitempty"`
	Questions   []string      `json:"questions,omitempty"` // open ones
	Constraints []string      `json:"constraints,omitempty"`
	Status      TaskStatus    `json:"status"` // "": there is no task
}

// NewTask returns the task that a message of the user starts. Numbered or dashed lines of it are sub-goals, and sentences
// that demand or forbid something are constraints.
func NewTask(id, message string) ActiveTask {
	t := ActiveTask{ID: id, Goal: strings.ToValidUTF8(message, "\uFFFD"), Status: TaskActive}
	for line := range strings.Lines(t.Goal[:min(len(t.Goal), mostLooked)]) {
		if item, ok := listItem(line); ok && len(t.SubGoals) < mostSubGoals {
			t.SubGoals = append(t.SubGoals, clipRunes(item, itemRunes))
		}
	}
	t.constrain(message)
	return t
}

// Clone returns a copy that shares nothing with the task.
func (t *ActiveTask) Clone() ActiveTask {
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
func (t *ActiveTask) Hear(id, message string) (started bool) {
	none := t.Status == ""
	if isAcknowledgement(message) || !none && (isContinuation(message) || t.Status == TaskWaiting && fewWords(message)) {
		if none {
			return false
		}
		if t.Status == TaskWaiting {
			t.Status = TaskActive
		}
		t.FollowUps = bounded(t.FollowUps, clipRunes(message, itemRunes), mostFollowUps)
		t.constrain(message)
		return false
	}
	*t = NewTask(id, message)
	return true
}

// constrain keeps the sentences of a message that demand or forbid something.
func (t *ActiveTask) constrain(message string) {
	for _, s := range sentences(message) {
		if hasAny(s, constraintWords) && !isQuestion(s) {
			t.Constrain(s)
		}
	}
}

// Step writes down a step, or changes the one with the same text. A status of "" is open.
func (t *ActiveTask) Step(s TaskStep) {
	s.Text = clipRunes(s.Text, itemRunes)
	if s.Text == "" {
		return
	}
	if s.Status == "" {
		s.Status = StepOpen
	}
	if i := slices.IndexFunc(t.Steps, func(have TaskStep) bool { return have.Text == s.Text }); i >= 0 {
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
		i := max(slices.IndexFunc(t.Steps, func(s TaskStep) bool { return s.Status != StepOpen }), 0)
		t.Steps = slices.Delete(t.Steps, i, i+1)
	}
}

// Find writes down a finding; one with the same text takes the place of the older.
func (t *ActiveTask) Find(f TaskFinding) {
	f.Text, f.Evidence = clipRunes(f.Text, itemRunes), clipRunes(f.Evidence, itemRunes)
	f.Importance = min(max(f.Importance, 1), 10)
	if f.Text == "" {
		return
	}
	t.Findings = slices.DeleteFunc(t.Findings, func(have TaskFinding) bool { return have.Text == f.Text })
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
func (t *ActiveTask) Question(text string) {
	t.Questions = addItem(t.Questions, text, mostQuestions)
}

// Answered takes a question off the open ones.
func (t *ActiveTask) Answered(text string) {
	text = clipRunes(text, itemRunes)
	t.Questions = slices.DeleteFunc(t.Questions, func(have string) bool { return have == text })
}

// Constrain writes down a constraint.
func (t *ActiveTask) Constrain(text string) {
	t.Constraints = addItem(t.Constraints, text, mostConstraints)
}

// addItem adds an item that is not there yet.
func addItem(list []string, text string, most int) []string {
	text = clipRunes(text, itemRunes)
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
	list func(t *ActiveTask) []string
}{
	{"Constraints", 6, func(t *ActiveTask) []string { return t.Constraints }},
	{"Open steps", 5, openSteps},
	{"Findings", 5, topFindings},
	{"Last done", 1, lastDone},
	{"Said since", 2, func(t *ActiveTask) []string { return t.FollowUps[max(0, len(t.FollowUps)-2):] }},
	{"Open questions", 3, func(t *ActiveTask) []string { return t.Questions }},
	{"Parts", 6, func(t *ActiveTask) []string { return t.SubGoals }},
}

// Summary tells how a task stands, in at most 400 tokens: goal, constraints, open steps, top findings, the last done step,
// and what else has room. It is "" without a task. The user's words in it are as they were: it goes into a fence.
func (t *ActiveTask) Summary() string {
	if t.Status == "" {
		return ""
	}
	goal, _ := toollimit.Truncate(toollimit.Text, endsOf(t.Goal), toollimit.Quota{MaxTokens: taskGoalTokens})
	text := fmt.Sprintf("Task (%s): %s", t.Status, strings.Join(strings.Fields(goal), " "))
	for _, l := range taskLists {
		items := l.list(t)
		added := "\n" + l.head + ":"
		shown := 0
		for _, item := range items[:min(len(items), l.most)] {
			line := "\n- " + clipRunes(item, taskItemRunes)
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

func openSteps(t *ActiveTask) (steps []string) {
	for _, s := range t.Steps {
		switch s.Status {
		case StepOpen:
			steps = append(steps, s.Text)
		case StepFailed:
			steps = append(steps, s.Text+" (failed)")
		case StepDone:
		}
	}
	return steps
}

func topFindings(t *ActiveTask) (findings []string) {
	top := slices.Clone(t.Findings)
	slices.SortStableFunc(top, func(a, b TaskFinding) int { return b.Importance - a.Importance })
	for _, f := range top {
		if f.Evidence != "" {
			f.Text = clipRunes(f.Text, taskItemRunes*2/3) + " (" + clipRunes(f.Evidence, taskItemRunes/4) + ")"
		}
		findings = append(findings, f.Text)
	}
	return findings
}

func lastDone(t *ActiveTask) []string {
	for _, s := range slices.Backward(t.Steps) {
		if s.Status == StepDone {
			return []string{s.Text}
		}
	}
	return nil
}
