package contextwindow

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/toollimit"
)

// ErrUnpaired says that what was appended is no unit: a message of the user or the assistant alone, or an assistant
// message with calls and exactly one result for each of them.
var ErrUnpaired = errors.New("calls and results do not pair")

// ErrEmpty says that a message was appended that says nothing: no text, no calls, no opaque part.
var ErrEmpty = errors.New("message without a text or calls")

// Options are what a window may be given besides its budget. Nil and zero mean the defaults.
type Options struct {
	// Store keeps the full text of what is cut; nil: in memory.
	Store Store
	// Facts reads what a call did from the call and its result; nil: FactsByArguments.
	Facts func(ToolCall, Message) []Fact
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
func (w *Window) Open(f Frame) {
	f.System, f.Tools = valid(f.System), cloneTools(f.Tools)
	w.write(Entry{Frame: &f})
}

// Append takes one unit, whole: head alone, or an assistant message with calls and one result for each. Otherwise it
// returns ErrUnpaired or ErrEmpty and takes nothing. Results are put in the order of the calls; those that exceed the quota of the
// round are stored whole and shown cut, with a pointer. It returns the unit as the model will see it.
func (w *Window) Append(head Message, results ...Message) (Appended, error) {
	messages, err := pair(head, results)
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
	Messages []Message
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
func (w *Window) View() []Message {
	w.handed = max(w.handed, len(w.view))
	return w.view[:len(w.view):len(w.view)]
}

// Frame returns the system prompt and the tools that every request carries.
func (w *Window) Frame() Frame { return w.frame }

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
	Frame   int // of these tokens: system prompt and tools' schemas
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
		Frame:   w.calibrated(w.frameTokens),
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

// pair checks that head and results are one unit and returns copies of them, the results in the order of the calls. What
// does not belong to a message of its role is left out.
func pair(head Message, results []Message) ([]Message, error) {
	if err := checkHead(head); err != nil {
		return nil, err
	}
	if len(head.Calls) != len(results) {
		return nil, fmt.Errorf("%w: %d calls, %d results", ErrUnpaired, len(head.Calls), len(results))
	}
	head = Message{Role: head.Role, Text: head.Text, Calls: cloneCalls(head.Calls), Origin: head.Origin, Opaque: cloneOpaque(head)}
	if len(head.Calls) == 0 && head.Opaque == nil && strings.TrimSpace(head.Text) == "" {
		return nil, ErrEmpty
	}
	at, err := pairResults(head.Calls, results)
	if err != nil {
		return nil, err
	}
	messages := make([]Message, 1, 1+len(results))
	messages[0] = head
	for i, call := range head.Calls {
		r := &results[at[i]]
		messages = append(messages, Message{Role: Tool, Text: r.Text, CallID: call.ID, Name: call.Name,
			Kind: toollimit.Kind(valid(string(r.Kind))), Failed: r.Failed, Origin: head.Origin})
	}
	return messages, nil
}

// pairResults returns the index of the result of each call.
func pairResults(calls []ToolCall, results []Message) ([]int, error) {
	byID := make(map[string]int, len(results))
	for i := range results {
		if r := &results[i]; r.Role == Tool && len(r.Calls) == 0 {
			byID[valid(r.CallID)] = i
		}
	}
	at := make([]int, len(calls))
	for i, call := range calls {
		k, ok := byID[call.ID]
		if !ok {
			return nil, fmt.Errorf("%w: no result of a tool for call %q, or two calls have that id", ErrUnpaired, call.ID)
		}
		delete(byID, call.ID)
		at[i] = k
	}
	return at, nil
}

// checkHead checks what the first message of a unit says of itself.
func checkHead(head Message) error {
	if head.Role != User && head.Role != Assistant {
		return fmt.Errorf("%w: a unit cannot begin with a message of role %q", ErrUnpaired, head.Role)
	}
	if len(head.Calls) > 0 && head.Role != Assistant {
		return fmt.Errorf("%w: only an assistant calls tools", ErrUnpaired)
	}
	if head.Origin != "" && head.Origin != History && (head.Origin != Prompt || head.Role != User) {
		return fmt.Errorf("%w: a message of the %s cannot come from %q", ErrUnpaired, head.Role, head.Origin)
	}
	return nil
}

// cloneCalls copies calls with their arguments, so that a caller who reuses its buffers changes nothing here.
func cloneCalls(calls []ToolCall) []ToolCall {
	if len(calls) == 0 {
		return nil
	}
	clones := make([]ToolCall, len(calls))
	for i, c := range calls {
		clones[i] = ToolCall{ID: valid(c.ID), Name: valid(c.Name)}
		if len(c.Args) > 0 {
			clones[i].Args = json.RawMessage(valid(string(c.Args)))
		}
	}
	return clones
}

func cloneTools(tools []ToolSchema) []ToolSchema {
	if len(tools) == 0 {
		return nil
	}
	clones := make([]ToolSchema, len(tools))
	for i, t := range tools {
		clones[i] = ToolSchema{Name: valid(t.Name), Description: valid(t.Description)}
		if len(t.Schema) > 0 {
			clones[i].Schema = json.RawMessage(valid(string(t.Schema)))
		}
	}
	return clones
}

// mostOpaque bounds what an opaque part may say of its size, in tokens: more than any window holds.
const mostOpaque = 1 << 30

// cloneOpaque copies the opaque part of an assistant's message; no other message has one.
func cloneOpaque(m Message) *Opaque {
	if m.Opaque == nil || m.Role != Assistant {
		return nil
	}
	o := *m.Opaque
	o.Dialect, o.Model = valid(o.Dialect), valid(o.Model)
	o.Tokens = min(max(o.Tokens, 0), mostOpaque)
	o.Data = slices.Clone(o.Data)
	return &o
}

// valid replaces what is not UTF-8: ids, names and arguments come from JSON and go into JSON.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
