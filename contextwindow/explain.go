package contextwindow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/toollimit/line"
)

// A Report says what the next request of a window consists of. All sizes are calibrated estimates in tokens.
type Report struct {
	Model       string         `json:"model,omitempty"`
	Profile     Profile        `json:"profile"`
	Limit       int            `json:"limit"`    // of the budget, or less if the provider said so
	Tokens      int            `json:"tokens"`   // of the whole request
	Ratio       float64        `json:"ratio"`    // calibrated tokens per raw token
	Margin      float64        `json:"margin"`   // relative error of estimates lately, at least .05
	Observed    int            `json:"observed"` // counted requests that were large enough to calibrate
	Steps       int            `json:"steps"`    // units in the log
	Folded      int            `json:"folded"`   // evicted units
	Pinned      []int          `json:"pinned,omitempty"`
	Compactions int            `json:"compactions"`
	Sections    []SectionUsage `json:"sections"` // they add up to Tokens; empty ones are omitted
	Tools       []ToolUsage    `json:"tools"`    // by name
}

// A SectionUsage is what one kind of content takes of a request.
type SectionUsage struct {
	Name   string `json:"name"`   // "system prompt", "tool schemas", "history", "prompt", "digest", …
	Parts  int    `json:"parts"`  // messages, calls, notes or schemas
	Tokens int    `json:"tokens"` // framing included
}

// A ToolUsage is what the results of one tool took and still take.
type ToolUsage struct {
	Name     string `json:"name"`
	Calls    int    `json:"calls"`
	Failed   int    `json:"failed"`
	Cut      int    `json:"cut"`      // results shown truncated
	Folded   int    `json:"folded"`   // evicted results
	Received int    `json:"received"` // tokens of all results as they were received
	Shown    int    `json:"shown"`    // tokens of the results that the request shows
}

// The sections of a request, in the order of a Report.
const (
	sectionSystem = iota
	sectionTools
	sectionHistory
	sectionPrompt
	sectionDigest
	sectionUser
	sectionAssistant
	sectionReasoning
	sectionCalls
	sectionResults
	sectionNotes
)

var sections = [...]string{
	"system prompt", "tool schemas", "history", "prompt", "digest", "user messages",
	"assistant texts", "reasoning", "calls", "results", "notes",
}

// Explain reports what the next request consists of: tokens by section and by tool.
func (w *Window) Explain() Report {
	tokens := w.meter.tokens()
	r := Report{
		Model: w.budget.Model, Profile: w.policy.name, Limit: w.limit, Tokens: tokens, Ratio: w.meter.rate(),
		Margin: w.meter.margin(), Observed: w.meter.counted, Steps: len(w.units.list), Folded: len(w.gone.steps),
		Pinned: w.pins(), Compactions: w.gone.ledger.compactions, Tools: toolUsage(w.state),
	}
	parts, raw := sectionSizes(w.state)
	before, sum := 0, 0
	for i, name := range sections {
		if parts[i] == 0 {
			continue
		}
		sum += raw[i]
		upTo := scale(tokens, sum, w.meter.used) // of running sums, so that the sections add up
		r.Sections = append(r.Sections, SectionUsage{name, parts[i], upTo - before})
		before = upTo
	}
	return r
}

// sectionSizes counts the parts of each section and their raw tokens.
func sectionSizes(s *state) (parts, raw [len(sections)]int) {
	add := func(section, n, tokens int) {
		parts[section] += n
		raw[section] += tokens
	}
	system := toollimit.Tokens(s.prefix.System)
	add(sectionSystem, min(len(s.prefix.System), 1), system)
	add(sectionTools, len(s.prefix.Tools), s.prefixTokens-system)
	for i := range s.view.slots {
		sl := &s.view.slots[i]
		add(sectionNotes, len(sl.notes), sl.tokens-sum(sl.sizes))
		for n := range sl.messages {
			m, size := &sl.messages[n], sl.sizes[n]
			switch {
			case sl.step == 0:
				add(sectionDigest, 1, size)
			case sl.step < s.prompt:
				add(sectionHistory, 1, size)
			case sl.step == s.prompt:
				add(sectionPrompt, 1, size)
			case m.Role == transcript.User:
				add(sectionUser, 1, size)
			case m.Role == transcript.Tool:
				add(sectionResults, 1, size)
			default:
				if m.ProviderData != nil {
					add(sectionReasoning, 1, m.ProviderData.Tokens)
					size -= m.ProviderData.Tokens
				}
				for i := range m.Calls {
					add(sectionCalls, 1, m.Calls[i].Tokens())
					size -= m.Calls[i].Tokens()
				}
				add(sectionAssistant, 1, size)
			}
		}
	}
	return parts, raw
}

// toolUsage sums the results of each tool over the whole log.
func toolUsage(s *state) []ToolUsage {
	byName := make(map[string]*ToolUsage)
	shown := make(map[int]*slot, len(s.view.slots))
	for i := range s.view.slots {
		shown[s.view.slots[i].step] = &s.view.slots[i]
	}
	rate := s.meter.rate()
	for _, u := range s.units.list {
		sl, sizes := shown[u.Step], s.units.sizes[u.Step-1]
		for i, call := range u.Messages[0].Calls {
			t := byName[call.Name]
			if t == nil {
				t = &ToolUsage{Name: call.Name}
				byName[call.Name] = t
			}
			result := &u.Messages[i+1]
			t.Calls++
			t.Received += int(rate * float64(sizes[i+1]))
			if result.Failed {
				t.Failed++
			}
			if sl == nil {
				t.Folded++
				continue
			}
			t.Shown += int(rate * float64(sl.sizes[i+1]))
			if sl.messages[i+1].Text != result.Text {
				t.Cut++
			}
		}
	}
	tools := make([]ToolUsage, 0, len(byName))
	for _, t := range byName {
		tools = append(tools, *t)
	}
	slices.SortFunc(tools, func(a, b ToolUsage) int { return cmp.Compare(a.Name, b.Name) })
	return tools
}

// String is the report as text: a line of totals, a table of sections, a table of tools.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "context: %d of %d tokens (%.0f %%), profile %s, %s, %s evicted, %s\n",
		r.Tokens, r.Limit, 100*float64(r.Tokens)/float64(max(r.Limit, 1)), r.Profile,
		line.Count(r.Steps, "step"), line.Count(r.Folded, "step"), line.Count(r.Compactions, "compaction"))
	if r.Observed > 0 {
		fmt.Fprintf(&b, "estimates × %.2f, calibrated on %s, to within %.0f %%\n",
			r.Ratio, line.Count(r.Observed, "counted request"), 100*r.Margin)
	}
	fmt.Fprintf(&b, "%-16s %6s %8s %6s\n", "section", "parts", "tokens", "share")
	for _, s := range r.Sections {
		share := 100 * float64(s.Tokens) / float64(max(r.Tokens, 1))
		fmt.Fprintf(&b, "%-16s %6d %8d %4.0f %%\n", s.Name, s.Parts, s.Tokens, share)
	}
	if len(r.Tools) > 0 {
		fmt.Fprintf(&b, "\n%-22s %6s %6s %6s %7s %9s %8s\n", "tool", "calls", "failed", "cut", "evicted", "received", "shown")
	}
	for _, u := range r.Tools {
		fmt.Fprintf(&b, "%-22s %6d %6d %6d %7d %9d %8d\n", u.Name, u.Calls, u.Failed, u.Cut, u.Folded, u.Received, u.Shown)
	}
	return b.String()
}
