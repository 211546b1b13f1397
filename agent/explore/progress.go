package explore

import (
	"encoding/json"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/internal/lazyregexp"
)

// progress tracks which items of the model's plan its calls have touched.
type progress struct {
	items   []string
	touched []bool
	at      int // step in which the plan came
	lag     int // steps in a row with less than half of the expected items touched
}

func (p *progress) done() int {
	n := 0
	for _, t := range p.touched {
		if t {
			n++
		}
	}
	return n
}

// take replaces the plan if the step has a new one, or else marks the items that its calls touch.
func (p *progress) take(step agent.Step, s *state, o *Options) {
	if items := planOf(step, o.PlanTool); items != nil {
		*p = progress{items: items, touched: make([]bool, len(items)), at: s.steps}
		return
	}
	if len(p.items) == 0 {
		return
	}
	for _, c := range step.Calls {
		called := words(string(c.Args))
		for i, item := range p.items {
			p.touched[i] = p.touched[i] || share(words(item), called)
		}
	}
	if 2*p.done() < p.expected(s) {
		p.lag++
	} else {
		p.lag = 0
	}
}

// expected is how many items should be touched by now if they are taken evenly until exploring is over.
func (p *progress) expected(s *state) int {
	until := max(int(exploring*float64(s.limit))-p.at, len(p.items), 1)
	return min(len(p.items), len(p.items)*(s.steps-p.at)/until)
}

const leastItems = 2 // of a list that is a plan

var numbered = lazyregexp.New(`(?m)^[ \t]*(?:\*\*)?(\d{1,2})[.)][ \t]+(\S.*)$`)

// planOf returns the plan of a step, or nil: the arguments of the plan tool, or else a numbered list in the text that
// starts at 1. Questions are not items: a model that asks has no plan.
func planOf(step agent.Step, tool string) []string {
	for _, c := range step.Calls {
		if c.Name == tool && !c.Failed {
			if items := planCall(c.Args); len(items) > 0 {
				return items
			}
		}
	}
	var items []string
	for _, m := range numbered.FindAllStringSubmatch(step.Text, -1) {
		item := strings.TrimSpace(strings.Trim(m[2], "*"))
		if m[1] == "1" {
			items = nil
		}
		if item != "" && !strings.HasSuffix(item, "?") && !strings.HasSuffix(item, "？") {
			items = append(items, item)
		}
	}
	if len(items) < leastItems {
		return nil
	}
	return items
}

// planCall reads the items of a plan from the arguments of a call: the first array of strings, or of objects that hold
// a string under a usual name.
func planCall(raw json.RawMessage) []string {
	var args map[string]json.RawMessage
	if json.Unmarshal(raw, &args) != nil {
		return nil
	}
	for _, name := range []string{"plan", "todos", "steps", "items"} {
		var items []json.RawMessage
		if json.Unmarshal(args[name], &items) != nil {
			continue
		}
		var all []string
		for _, item := range items {
			if text := itemText(item); text != "" {
				all = append(all, text)
			}
		}
		return all
	}
	return nil
}

func itemText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return strings.TrimSpace(text)
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return ""
	}
	for _, name := range []string{"step", "content", "text", "title", "task", "description"} {
		if json.Unmarshal(fields[name], &text) == nil && text != "" {
			return strings.TrimSpace(text)
		}
	}
	return ""
}

var word = lazyregexp.New(`[\p{L}\p{N}_]{4,}`)

// words returns the words by which an item and a call are compared: those of four letters or more, in lower case.
func words(text string) map[string]bool {
	all := make(map[string]bool)
	for _, w := range word.FindAllString(text, -1) {
		all[strings.ToLower(w)] = true
	}
	for _, name := range []string{"path", "pattern", "patterns", "read", "find", "search", "look", "file", "files", "with",
		"that", "what", "where", "which", "list", "check"} {
		delete(all, name)
	}
	return all
}

func share(a, b map[string]bool) bool {
	for w := range a {
		if b[w] {
			return true
		}
	}
	return false
}
