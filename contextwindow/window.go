package contextwindow

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// Options are what a window may be given besides its budget. Nil and zero mean the defaults.
type Options struct {
	// Store keeps the full text of what is cut; nil: in memory.
	Store Store
	// Facts reads what a call did from the call and its result; nil: FactsByArguments.
	Facts func(transcript.ToolCall, transcript.Message) []Fact
	// Ladder replaces the profile's levels; nil: the profile's.
	Ladder []Level
}

// A Window is the log of one run and the view of it that fits the budget. It has no lock: one goroutine owns it.
type Window struct {
	budget  Budget
	policy  *policy
	options Options
	entries []Entry
	log     []Compaction
	briefs  map[Cut]*callBrief // of folded calls, as far as they were asked for
	state
}

// New returns an empty window with a budget. A budget without a positive limit has 24,000 tokens.
func New(b Budget, o *Options) *Window {
	if b.Limit <= 0 {
		b.Limit = unnamedLimit
	}
	w := &Window{budget: b, policy: policyOf(b.Profile)}
	if o != nil {
		w.options = *o
	}
	if w.options.Store == nil {
		w.options.Store = newMapStore()
	}
	if w.options.Facts == nil {
		w.options.Facts = FactsByArguments
	}
	if w.options.Ladder == nil {
		w.options.Ladder = w.policy.ladder
	}
	w.state = newState(b.Limit, startRatio(b), w.options.Facts)
	return w
}

// Open records what every request carries besides its messages: the system prompt and the tools' schemas. A later
// call replaces it. What is not UTF-8 is replaced, as in ids and arguments.
func (w *Window) Open(f Prefix) {
	f.System, f.Tools = valid(f.System), cloneTools(f.Tools)
	w.write(Entry{Prefix: &f})
}

// Append takes one unit, whole: head alone, or an assistant message with calls and one result for each. Otherwise it
// returns ErrUnpaired or ErrEmpty and takes nothing. Results are put in the order of the calls; those that exceed the quota of the
// round are stored whole and shown cut, with a pointer. It returns the unit as the model will see it.
func (w *Window) Append(head transcript.Message, results ...transcript.Message) (Appended, error) {
	messages, err := transcript.Pair(head, results)
	if err != nil {
		return Appended{}, err
	}
	unit := &Unit{Step: len(w.units) + 1, Messages: messages}
	sizes := messageSizes(messages)
	cuts := w.limitResults(unit, sizes)
	if err := w.keep(cuts, unit); err != nil {
		return Appended{}, err
	}
	w.entries = append(w.entries, Entry{Unit: unit})
	w.addUnit(unit, sizes)
	if len(cuts) > 0 {
		edit := &Edit{Op: OpCut, Cause: "quota", Cuts: cuts, Before: w.used}
		w.edit(edit)
		edit.After = w.used
		w.entries = append(w.entries, Entry{Edit: edit})
	}
	w.render()
	shown := &w.slots[len(w.slots)-1]
	return Appended{Step: unit.Step, Messages: shown.messages, Received: sizes, Shown: shown.sizes}, nil
}

// Appended is a unit as the model will see it. It must not be modified.
type Appended struct {
	Step     int
	Messages []transcript.Message
	Received []int // estimate of each message as it was received, in tokens
	Shown    []int // and as it is shown
}

// Note writes a text for the model, which it sees fenced behind the newest message. The same text again is written
// only after a compaction or 4,000 tokens, so that requests extend each other. An empty text writes nothing. A kind is of
// lower-case ASCII letters, digits, "_" and "-"; anything else in it becomes "_".
func (w *Window) Note(kind, text string) {
	n := Note{Kind: noteKind(kind), Text: valid(text)}
	if text == "" || w.noteStands(n) {
		return
	}
	w.write(Entry{Note: &n})
}

// Observe takes the provider's own count of the whole request that View last returned, in tokens, before anything is
// appended to the window. From then on that count is the truth for what it saw, unless it is less than .5 or more than 3
// times the raw estimate, and only what is added is estimated. It moves the ratio by which that estimate is multiplied a fifth of the way towards
// actual ÷ raw estimate, by at most .15, and never out of .5 to 3; requests estimated at less than 2,000 tokens leave the
// ratio as it is. A count that is not positive is ignored.
func (w *Window) Observe(actual int) {
	if actual > 0 {
		w.write(Entry{Observed: &Observed{Actual: actual, Estimate: w.used, Predicted: w.tokens()}})
	}
}

// View returns the messages of the next request. The slice and what it points to must not be modified; it stays as it
// is when the window goes on.
func (w *Window) View() []transcript.Message {
	w.handed = max(w.handed, len(w.view))
	return w.view[:len(w.view):len(w.view)]
}

// Frame returns the system prompt and the tools that every request carries.
func (w *Window) Prefix() Prefix { return w.frame }

// Entries returns the log from an entry on: all of it from 0. Entries must not be modified.
func (w *Window) Entries(from int) []Entry {
	from = min(max(from, 0), len(w.entries))
	return w.entries[from:len(w.entries):len(w.entries)]
}

// Compactions returns what was compacted so far, the oldest first.
func (w *Window) Compactions() []Compaction { return slices.Clone(w.log) }

// Usage is how much of a budget a whole request takes.
type Usage struct {
	Tokens  int // estimate of the whole request
	Limit   int // of the budget, or less if the provider said so
	Prefix  int // of these tokens: system prompt and tools' schemas
	Prompt  int // of these tokens: the message that opened the run
	Entries int // in the log
}

// Share returns the part of the limit that is taken; 1 is full.
func (u Usage) Share() float64 { return float64(u.Tokens) / float64(u.Limit) }

// Usage returns how much of the budget the next request takes, from running sums.
func (w *Window) Usage() Usage {
	return Usage{
		Tokens:  w.tokens(),
		Limit:   w.limit,
		Prefix:  w.calibrated(w.frameTokens),
		Prompt:  w.calibrated(w.promptSize),
		Entries: len(w.entries),
	}
}

// Budget returns the budget that the window was made with.
func (w *Window) Budget() Budget { return w.budget }

// write applies an entry that needs no check and appends it to the log.
func (w *Window) write(e Entry) {
	w.apply(e)
	w.entries = append(w.entries, e)
	w.render()
}

func cloneTools(tools []transcript.ToolSchema) []transcript.ToolSchema {
	if len(tools) == 0 {
		return nil
	}
	clones := make([]transcript.ToolSchema, len(tools))
	for i, t := range tools {
		clones[i] = transcript.ToolSchema{Name: valid(t.Name), Description: valid(t.Description)}
		if len(t.Schema) > 0 {
			clones[i].Schema = json.RawMessage(valid(string(t.Schema)))
		}
	}
	return clones
}

// valid replaces what is not UTF-8: ids, names and arguments come from JSON and go into JSON.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
