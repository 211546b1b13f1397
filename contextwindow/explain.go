package contextwindow

import (
	"fmt"
	"maps"
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
	Evicted     int            `json:"folded"`   // evicted units
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
	Name      string `json:"name"`
	Calls     int    `json:"calls"`
	Failed    int    `json:"failed"`
	Truncated int    `json:"cut"`      // results that the request shows truncated
	Evicted   int    `json:"folded"`   // evicted results
	Received  int    `json:"received"` // tokens of all results as they were received
	Shown     int    `json:"shown"`    // tokens of the results that the request shows
}

// sections are the parts of a request, in the order of a Report.
var sections = []string{
	"system prompt", "tool schemas", "history", "prompt", "digest", "user messages",
	"assistant texts", "reasoning", "calls", "results", "notes",
}

// Explain reports what the next request consists of: tokens by section and by tool.
func (w *Window) Explain() Report {
	tokens := w.meter.tokens()
	r := Report{
		Model: w.budget.Model, Profile: w.policy.name, Limit: w.limit, Tokens: tokens, Ratio: w.meter.rate(),
		Margin: w.meter.margin(), Observed: w.meter.counted, Steps: len(w.units.list), Evicted: len(w.evicted.steps),
		Pinned: w.pins(), Compactions: w.evicted.ledger.compactions, Tools: toolUsage(w.state),
	}
	raw, before, sum := rawSections(w.state), 0, 0
	for _, name := range sections {
		if raw[name].Parts == 0 {
			continue
		}
		sum += raw[name].Tokens
		upTo := scale(tokens, sum, w.meter.used) // of running sums, so that the sections add up
		r.Sections = append(r.Sections, SectionUsage{name, raw[name].Parts, upTo - before})
		before = upTo
	}
	return r
}

// rawSections returns the sections by name, in raw tokens.
func rawSections(s *state) map[string]SectionUsage {
	raw := make(map[string]SectionUsage)
	add := func(name string, parts, tokens int) {
		raw[name] = SectionUsage{name, raw[name].Parts + parts, raw[name].Tokens + tokens}
	}
	system := toollimit.Tokens(s.prefix.System)
	add("system prompt", min(len(s.prefix.System), 1), system)
	add("tool schemas", len(s.prefix.Tools), s.prefixTokens-system)
	for _, sl := range s.view.slots {
		add("notes", len(sl.notes), sl.tokens-sum(sl.sizes))
		for n := range sl.messages {
			m, size := &sl.messages[n], sl.sizes[n]
			switch {
			case sl.step == 0:
				add("digest", 1, size)
			case sl.step < s.prompt:
				add("history", 1, size)
			case sl.step == s.prompt:
				add("prompt", 1, size)
			case m.Role == transcript.User:
				add("user messages", 1, size)
			case m.Role == transcript.Tool:
				add("results", 1, size)
			default:
				if m.ProviderData != nil {
					add("reasoning", 1, m.ProviderData.Tokens)
					size -= m.ProviderData.Tokens
				}
				for i := range m.Calls {
					add("calls", 1, m.Calls[i].Tokens())
					size -= m.Calls[i].Tokens()
				}
				add("assistant texts", 1, size)
			}
		}
	}
	return raw
}

func toolUsage(s *state) []ToolUsage {
	byName := make(map[string]*ToolUsage)
	shown := make(map[int]*slot, len(s.view.slots))
	for _, sl := range s.view.slots {
		shown[sl.step] = sl
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
				t.Evicted++
				continue
			}
			t.Shown += int(rate * float64(sl.sizes[i+1]))
			if sl.messages[i+1].Text != result.Text {
				t.Truncated++
			}
		}
	}
	tools := make([]ToolUsage, 0, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		tools = append(tools, *byName[name])
	}
	return tools
}

// String is the report as text: a line of totals, a table of sections, a table of tools.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "context: %d of %d tokens (%.0f %%), profile %s, %s, %s evicted, %s\n",
		r.Tokens, r.Limit, 100*float64(r.Tokens)/float64(max(r.Limit, 1)), r.Profile,
		line.Count(r.Steps, "step"), line.Count(r.Evicted, "step"), line.Count(r.Compactions, "compaction"))
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
		fmt.Fprintf(&b, "%-22s %6d %6d %6d %7d %9d %8d\n",
			u.Name, u.Calls, u.Failed, u.Truncated, u.Evicted, u.Received, u.Shown)
	}
	return b.String()
}
