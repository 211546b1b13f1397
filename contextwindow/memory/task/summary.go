package task

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/memory/internal/speech"
	"github.com/forayhq/foray/toollimit"
)

// The limits of a summary.
const (
	summaryTokens = 400
	goalTokens    = 120
	shownRunes    = 120 // of an item
)

// lists are the lists of a summary, the most important first, with the most items that each shows.
var lists = []struct {
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

// Summary returns the state of the task in at most 400 tokens: goal, constraints, open steps, top findings, the last
// done step, and what else fits. It is empty without a task. It quotes the user literally, so put it into a fence.
func (t *Active) Summary() string {
	if t.Status == "" {
		return ""
	}
	goal, _ := toollimit.Truncate(toollimit.Text, speech.Ends(t.Goal), toollimit.Quota{MaxTokens: goalTokens})
	text := fmt.Sprintf("Task (%s): %s", t.Status, strings.Join(strings.Fields(goal), " "))
	for _, l := range lists {
		items := l.list(t)
		added := "\n" + l.head + ":"
		shown := 0
		for _, item := range items[:min(len(items), l.most)] {
			line := "\n- " + speech.Clip(item, shownRunes)
			if toollimit.Tokens(text+added+line) > summaryTokens {
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
			f.Text = speech.Clip(f.Text, shownRunes*2/3) + " (" + speech.Clip(f.Evidence, shownRunes/4) + ")"
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
