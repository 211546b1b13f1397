package contextwindow

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
)

// A Report says what the next request of a window consists of, what the model saw of each result when it came in, and
// what reading the rest would cost. All sizes are calibrated estimates in tokens.
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
	Freed       int            `json:"freed"`               // by all compactions together, less what undo brought back
	ReadTool    string         `json:"read_tool,omitempty"` // reads a text again by its id
	Example     string         `json:"example,omitempty"`   // the newest id of a result that is not shown whole
	Sections    []SectionUsage `json:"sections"`            // they add up to Tokens; empty ones are omitted
	Tools       []ToolUsage    `json:"tools"`               // by name
}

// A SectionUsage is what one kind of content takes of a request.
type SectionUsage struct {
	Name   string `json:"name"`   // "system prompt", "tool schemas", "history", "prompt", "digest", …
	Parts  int    `json:"parts"`  // messages, calls, notes or schemas
	Tokens int    `json:"tokens"` // framing included
}

// A ToolUsage is what the results of one tool took and still take. At first sight means in the first request after a
// result came in, which may be the next one. Each call is one of Whole, Repeats, Shortened or Unseen.
type ToolUsage struct {
	Name      string `json:"name"`
	Calls     int    `json:"calls"`
	Failed    int    `json:"failed"`
	Truncated int    `json:"cut"`      // results that the request shows truncated
	Evicted   int    `json:"folded"`   // evicted results
	Received  int    `json:"received"` // tokens of all results as they were received
	Shown     int    `json:"shown"`    // tokens of the results that the request shows

	First     int `json:"first_shown"`     // tokens at first sight
	Whole     int `json:"first_whole"`     // results that were whole at first sight
	Repeats   int `json:"first_repeats"`   // that left out lines which the request showed elsewhere, and perhaps others
	Shortened int `json:"first_shortened"` // that were shortened in any other way
	Unseen    int `json:"first_unseen"`    // that were evicted before
	// Reread is the price of reading again, one by one, what the request does not show whole: in tokens of uncached
	// input. One reading is another request with the window from the cache (.10), a call of 60 tokens (output: 5), and
	// up to 2,000 tokens of the result, written to the cache (1.25) and read from it four times.
	Reread int `json:"reread"`
}

// The price of reading a result again, in tokens of uncached input, as evals/compaction defines it.
const (
	priceCached = .10
	priceOutput = 5
	priceAdded  = 1.25 + 4*priceCached // written to the cache once, and read from it in the next requests
	callOfRead  = 60                   // tokens of the call, and of the framing of its result
	mostReread  = 2_000                // tokens of the result
)

// rereadPrice returns the price of reading a result of some tokens again in a request of some tokens.
func rereadPrice(request, result int) int {
	added := callOfRead + min(result, mostReread)
	return int(priceCached*float64(request) + priceOutput*callOfRead + priceAdded*float64(added))
}

// sections are the parts of a request, in the order of a Report.
var sections = []string{
	"system prompt", "tool schemas", "history", "prompt", "digest", "user messages",
	"assistant texts", "reasoning", "calls", "results", "notes",
}

// Explain reports what the next request consists of, by section and by tool, what the model saw of each tool's results
// at first sight, and what reading the rest would cost. Its time grows with the log.
func (w *Window) Explain() Report {
	tokens := w.meter.tokens()
	r := Report{
		Model: w.budget.Model, Profile: w.policy.name, Limit: w.limit, Tokens: tokens, Ratio: w.meter.rate(),
		Margin: w.meter.margin(), Observed: w.meter.counted, Steps: len(w.units.list), Evicted: len(w.evicted.steps),
		Pinned: w.pins(), Compactions: w.evicted.ledger.compactions, Freed: freed(w), ReadTool: readTool(w.state),
	}
	r.Tools, r.Example = toolUsage(w.state)
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

// freed returns how many calibrated tokens the compactions in the log freed, less what came back.
func freed(w *Window) int {
	raw := 0
	for _, e := range w.entries {
		if e.Edit != nil && e.Edit.Cause != causeQuota {
			raw += e.Edit.Before - e.Edit.After
		}
	}
	return int(w.meter.rate() * float64(raw))
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
	for _, sl := range readSlots(&s.view) {
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

// toolUsage returns the usage of each tool, and the newest id of a result that is not shown whole.
func toolUsage(s *state) (tools []ToolUsage, example string) {
	byName := make(map[string]*ToolUsage)
	shown := make(map[int]*slot, len(s.view.slots))
	for _, sl := range s.view.slots {
		shown[sl.step] = sl
	}
	rate, tokens := s.meter.rate(), s.meter.tokens()
	for _, u := range s.units.list {
		sl, sizes := shown[u.Step], s.units.sizesAt(u.Step)
		for i, call := range u.Messages[0].Calls {
			t := byName[call.Name]
			if t == nil {
				t = &ToolUsage{Name: call.Name}
				byName[call.Name] = t
			}
			result, received := &u.Messages[i+1], int(rate*float64(sizes[i+1]))
			t.Calls++
			t.Received += received
			t.see(s, u, i+1, rate)
			if result.Failed {
				t.Failed++
			}
			switch {
			case sl == nil:
				t.Evicted++
			case sl.messages[i+1].Text != result.Text:
				t.Truncated++
				t.Shown += int(rate * float64(sl.sizes[i+1]))
			default:
				t.Shown += int(rate * float64(sl.sizes[i+1]))
				continue
			}
			t.Reread += rereadPrice(tokens, received)
			example = s.units.pointer(partID{step: u.Step, part: i + 1})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		tools = append(tools, *byName[name])
	}
	return tools, example
}

// see counts what was shown of a result at first sight.
func (t *ToolUsage) see(s *state, u *Unit, part int, rate float64) {
	sight, less := s.sights.less[partID{step: u.Step, part: part}]
	if u.Step > s.sights.upTo {
		var whole bool
		sight, whole = sightOf(&s.view, u, part)
		less = !whole
	}
	switch {
	case !less:
		t.Whole++
		sight.tokens = s.units.sizesAt(u.Step)[part]
	case sight.evicted:
		t.Unseen++
	case sight.repeats:
		t.Repeats++
	default:
		t.Shortened++
	}
	t.First += int(rate * float64(sight.tokens))
}

// sectionLabels are the sections in the words of a reader who does not know this package.
var sectionLabels = map[string]string{
	"system prompt": "instructions", "tool schemas": "descriptions of the tools", "history": "earlier conversation",
	"prompt": "the question", "digest": "summary of removed steps", "user messages": "further user messages",
	"assistant texts": "what the model said", "reasoning": "the model's reasoning", "calls": "tool calls",
	"results": "tool results", "notes": "notes to the model",
}

// String is the report as text: a few sentences, a table of what the next request holds, and two of the tools. The
// tables fit 60 columns.
func (r Report) String() string {
	var b strings.Builder
	if r.Tokens < r.Limit/1_000 {
		fmt.Fprintf(&b, "What the model sees is not limited in practice (profile %s). "+
			"The next request would take %s tokens.\n", r.Profile, line.Number(r.Tokens))
	} else {
		fmt.Fprintf(&b, "What the model sees is limited to %s tokens a request (profile %s). "+
			"The next request would take %s of them (%s).\n",
			line.Number(r.Limit), r.Profile, line.Number(r.Tokens), percent(r.Tokens, r.Limit))
	}
	if r.Observed > 0 {
		fmt.Fprintf(&b, "Sizes are estimates to within %.0f %%, corrected by %s that the provider counted.\n",
			100*r.Margin, line.Count(r.Observed, "request"))
	}
	var all ToolUsage
	for _, u := range r.Tools {
		all.add(u)
	}
	if all.Calls > 0 {
		b.WriteString(all.sentences(r.ReadTool, r.Example))
	}
	b.WriteString(r.compactionSentence())
	fmt.Fprintf(&b, "\n%-26s %6s %8s %6s\n", "in the next request", "pieces", "tokens", "share")
	for _, s := range r.Sections {
		fmt.Fprintf(&b, "%-26s %6d %8s %6s\n",
			sectionLabels[s.Name], s.Parts, line.Number(s.Tokens), percent(s.Tokens, r.Tokens))
	}
	rows := r.Tools
	if all.Name = "all"; len(rows) > 1 {
		rows = append(slices.Clone(rows), all)
	}
	if len(rows) > 0 {
		b.WriteString(toolTables(rows, all.Truncated+all.Evicted > 0))
	}
	return b.String()
}

// toolTables writes what tools returned, and what the next request shows of it, unless that is all.
func toolTables(rows []ToolUsage, missing bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-19s %5s %6s %8s %8s %8s\n", "tokens of results", "calls", "failed", "returned", "at first", "now")
	for _, t := range rows {
		fmt.Fprintf(&b, "%-19s %5d %6d %8s %8s %8s\n", t.Name, t.Calls, t.Failed,
			line.Number(t.Received), line.Number(t.First), line.Number(t.Shown))
	}
	if !missing {
		return b.String()
	}
	fmt.Fprintf(&b, "\n%-26s %6s %9s %8s\n", "results in that request", "whole", "shortened", "summary")
	for _, t := range rows {
		fmt.Fprintf(&b, "%-26s %6d %9d %8d\n", t.Name, t.Calls-t.Truncated-t.Evicted, t.Truncated, t.Evicted)
	}
	return b.String()
}

func percent(part, of int) string {
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(max(of, 1)))
}

func (t *ToolUsage) add(u ToolUsage) {
	t.Calls, t.Failed = t.Calls+u.Calls, t.Failed+u.Failed
	t.Truncated, t.Evicted = t.Truncated+u.Truncated, t.Evicted+u.Evicted
	t.Received, t.Shown, t.First, t.Reread = t.Received+u.Received, t.Shown+u.Shown, t.First+u.First, t.Reread+u.Reread
	t.Whole, t.Repeats = t.Whole+u.Whole, t.Repeats+u.Repeats
	t.Shortened, t.Unseen = t.Shortened+u.Shortened, t.Unseen+u.Unseen
}

// sentences say what the model saw of all results, what it does not see now, and how that can be read again.
func (t *ToolUsage) sentences(tool, example string) string {
	text := fmt.Sprintf("The tools returned %s with %s tokens. ", line.Count(t.Calls, "result"), line.Number(t.Received))
	if t.Whole < t.Calls {
		text += fmt.Sprintf("When they came in, the model saw %s of these tokens (%s):\n%s whole",
			line.Number(t.First), percent(t.First, t.Received), line.Count(t.Whole, "result"))
		for _, way := range []struct {
			n   int
			how string
		}{
			{t.Shortened, "shortened"}, {t.Repeats, "without lines that it saw elsewhere"}, {t.Unseen, "only in a summary"},
		} {
			if way.n > 0 {
				text += fmt.Sprintf(", %s %s", line.Number(way.n), way.how)
			}
		}
		text += "."
	} else {
		text += "When they came in, the model saw all of them whole."
	}
	missing := t.Truncated + t.Evicted
	if missing == 0 {
		return text + " All are still there.\n"
	}
	text += fmt.Sprintf("\nNow it sees %d whole, %d shortened and %d only in a summary.",
		t.Calls-missing, t.Truncated, t.Evicted)
	id, _ := parsePartID(example)
	text += fmt.Sprintf("\nThe full text of each is kept under an id, such as %s (step %d, result %d).\n",
		example, id.step, id.part)
	if tool == "" {
		return text + "This run has no tool to read it again.\n"
	}
	return text + fmt.Sprintf("The model can read it again with %s; "+
		"one reading costs about as much as %s tokens of new input.\n", tool, line.Number(t.Reread/missing))
}

// compactionSentence says how often the window was compacted, and what that freed.
func (r *Report) compactionSentence() string {
	switch {
	case r.Tokens > r.Limit:
		return "The next request does not fit, and nothing more can be removed.\n"
	case r.Compactions == 0:
		return "Nothing had to be removed to make room.\n"
	}
	text := fmt.Sprintf("To make room, foray shortened the request %s and freed %s tokens",
		line.Count(r.Compactions, "time"), line.Number(r.Freed))
	if r.Evicted > 0 {
		text += fmt.Sprintf("; a summary replaces %d of %s", r.Evicted, line.Count(r.Steps, "step"))
	}
	return text + ".\n"
}
