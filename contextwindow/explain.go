package contextwindow

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// A Report says what the next request of a window is made of. All sizes are calibrated estimates in tokens.
type Report struct {
	Model       string         `json:"model,omitempty"`
	Profile     Profile        `json:"profile"`
	Limit       int            `json:"limit"`    // of the budget, or less if the provider said so
	Tokens      int            `json:"tokens"`   // of the whole request
	Ratio       float64        `json:"ratio"`    // tokens for each raw one; 1: the raw estimate
	Margin      float64        `json:"margin"`   // by which share estimates have been wrong of late, at least .05
	Observed    int            `json:"observed"` // requests that the provider counted and that were large enough to tell
	Steps       int            `json:"steps"`    // units in the log
	Folded      int            `json:"folded"`   // units that the record stands for
	Pinned      []int          `json:"pinned,omitempty"`
	Compactions int            `json:"compactions"`
	Sections    []SectionUsage `json:"sections"` // together they are Tokens; those of nothing are left out
	Tools       []ToolUsage    `json:"tools"`    // by name
}

// A SectionUsage is what one kind of content takes of a request.
type SectionUsage struct {
	Name   string `json:"name"`   // of the constants Section…
	Parts  int    `json:"parts"`  // messages, calls, notes or schemas of the kind
	Tokens int    `json:"tokens"` // framing included
}

// The sections of a request, in the order of a Report.
const (
	SectionSystem    = "system prompt"
	SectionTools     = "tool schemas"
	SectionHistory   = "history"
	SectionPrompt    = "prompt"
	SectionRecord    = "record"
	SectionUser      = "user messages"
	SectionAssistant = "assistant texts"
	SectionReasoning = "reasoning"
	SectionCalls     = "calls"
	SectionResults   = "results"
	SectionNotes     = "notes"
)

var sections = [...]string{SectionSystem, SectionTools, SectionHistory, SectionPrompt, SectionRecord, SectionUser,
	SectionAssistant, SectionReasoning, SectionCalls, SectionResults, SectionNotes}

// A ToolUsage is what the results of one tool took and take.
type ToolUsage struct {
	Name     string `json:"name"`
	Calls    int    `json:"calls"`
	Failed   int    `json:"failed"`
	Cut      int    `json:"cut"`      // results that the request shows shortened
	Folded   int    `json:"folded"`   // results that only the record stands for
	Received int    `json:"received"` // tokens of all results as they were received
	Shown    int    `json:"shown"`    // tokens of those that the request shows
}

// Explain says what the next request is made of: tokens by section and by tool.
func (w *Window) Explain() Report {
	r := Report{
		Model: w.budget.Model, Profile: w.policy.name, Limit: w.limit, Tokens: w.tokens(), Ratio: float64(w.tokens()) / float64(max(w.used, 1)), Margin: w.margin(), Observed: w.counted,
		Steps: len(w.units), Folded: len(w.folded), Pinned: w.pins(), Compactions: w.ledger.compactions, Tools: w.toolUsage(),
	}
	parts, raw := w.sectionSizes()
	before, sum := 0, 0
	for i, name := range sections {
		if parts[i] == 0 {
			continue
		}
		sum += raw[i]
		upTo := scale(r.Tokens, sum, w.used) // of running sums, so that the sections add up
		r.Sections = append(r.Sections, SectionUsage{name, parts[i], upTo - before})
		before = upTo
	}
	return r
}

// scale is whole × part ÷ of, rounded.
func scale(whole, part, of int) int {
	if of == 0 {
		return 0
	}
	return int(math.Round(float64(whole) * float64(part) / float64(of)))
}

// sectionSizes counts the parts of each section and their raw tokens.
func (w *Window) sectionSizes() (parts, raw [len(sections)]int) {
	add := func(name string, n, tokens int) {
		at := slices.Index(sections[:], name)
		parts[at] += n
		raw[at] += tokens
	}
	system := toollimit.Tokens(w.frame.System)
	if w.frame.System != "" {
		add(SectionSystem, 1, system)
	}
	if len(w.frame.Tools) > 0 {
		add(SectionTools, len(w.frame.Tools), w.frameTokens-system)
	}
	for i := range w.slots {
		sl := &w.slots[i]
		add(SectionNotes, len(sl.notes), sl.tokens-sum(sl.sizes))
		for n := range sl.messages {
			m := &sl.messages[n]
			switch {
			case sl.step == 0:
				add(SectionRecord, 1, sl.sizes[n])
			case sl.step < w.prompt:
				add(SectionHistory, 1, sl.sizes[n])
			case sl.step == w.prompt:
				add(SectionPrompt, 1, sl.sizes[n])
			case m.Role == transcript.User:
				add(SectionUser, 1, sl.sizes[n])
			case m.Role == transcript.Tool:
				add(SectionResults, 1, sl.sizes[n])
			default:
				reasoning, calls := ofMessage(m)
				if m.ProviderData != nil {
					add(SectionReasoning, 1, reasoning)
				}
				add(SectionCalls, len(m.Calls), calls)
				add(SectionAssistant, 1, sl.sizes[n]-reasoning-calls)
			}
		}
	}
	return parts, raw
}

// ofMessage returns what reasoning and calls take of an assistant's message, in raw tokens.
func ofMessage(m *transcript.Message) (reasoning, calls int) {
	if m.ProviderData != nil {
		reasoning = m.ProviderData.Tokens
	}
	for i := range m.Calls {
		calls += m.Calls[i].Tokens()
	}
	return reasoning, calls
}

// toolUsage sums the results of each tool over the whole log.
func (w *Window) toolUsage() []ToolUsage {
	byName := make(map[string]*ToolUsage)
	shown := make(map[int]*slot, len(w.slots))
	for i := range w.slots {
		shown[w.slots[i].step] = &w.slots[i]
	}
	rate := float64(w.tokens()) / float64(max(w.used, 1))
	for _, u := range w.units {
		sl := shown[u.Step]
		sizes := w.sizes[u.Step-1]
		for i, call := range u.Messages[0].Calls {
			t := byName[call.Name]
			if t == nil {
				t = &ToolUsage{Name: call.Name}
				byName[call.Name] = t
			}
			t.add(u.Messages[i+1], sl, i+1, rate*float64(sizes[i+1]))
			if sl != nil {
				t.Shown += int(rate * float64(sl.sizes[i+1]))
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

func (t *ToolUsage) add(result transcript.Message, sl *slot, part int, received float64) {
	t.Calls++
	t.Received += int(received)
	if result.Failed {
		t.Failed++
	}
	switch {
	case sl == nil:
		t.Folded++
	case sl.messages[part].Text != result.Text:
		t.Cut++
	}
}

// String is the report as text: a line of totals, a table of sections, a table of tools.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "context: %d of %d tokens (%.0f %%), profile %s, %s, %s folded, %s\n",
		r.Tokens, r.Limit, 100*float64(r.Tokens)/float64(max(r.Limit, 1)), r.Profile,
		plural(r.Steps, "step"), plural(r.Folded, "step"), plural(r.Compactions, "compaction"))
	if r.Observed > 0 {
		fmt.Fprintf(&b, "estimates × %.2f, by %s that the provider counted, to within %.0f %%\n", r.Ratio, plural(r.Observed, "request"), 100*r.Margin)
	}
	fmt.Fprintf(&b, "%-16s %6s %8s %6s\n", "section", "parts", "tokens", "share")
	for _, s := range r.Sections {
		fmt.Fprintf(&b, "%-16s %6d %8d %4.0f %%\n", s.Name, s.Parts, s.Tokens, 100*float64(s.Tokens)/float64(max(r.Tokens, 1)))
	}
	if len(r.Tools) > 0 {
		fmt.Fprintf(&b, "\n%-22s %6s %6s %6s %6s %9s %8s\n", "tool", "calls", "failed", "cut", "folded", "received", "shown")
	}
	for _, u := range r.Tools {
		fmt.Fprintf(&b, "%-22s %6d %6d %6d %6d %9d %8d\n", u.Name, u.Calls, u.Failed, u.Cut, u.Folded, u.Received, u.Shown)
	}
	return b.String()
}
