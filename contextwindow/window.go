package contextwindow

import (
	"encoding/json"
	"slices"

	"github.com/forayhq/foray/contextwindow/internal/prefix"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// A Window is the log of one run and the view of it that fits the budget. It has no lock: one goroutine owns it.
type Window struct {
	entries     []Entry
	compactions []Compaction
	sent        sentView
	unreported  Compaction // provider data that was lost since the last Fit, other than by a compaction
	*state
}

// A sentView is the request that the next answer belongs to.
type sentView struct {
	messages []transcript.Message // nil: none was handed out since the last answer
	frame    prefix.Sum
	sum      prefix.Sum // of the request; 0: not summed
	notes    int        // written before it
}

// New returns an empty window with a budget. A budget without a positive limit has 24,000 tokens.
func New(b Budget, o *Options) *Window {
	w := newWindow(b, o)
	if w.options.After > 0 {
		w.do(&Edit{Op: opRewind, Cause: opRewind, Steps: []int{w.options.After}})
	}
	return w
}

func newWindow(b Budget, o *Options) *Window {
	if b.Limit <= 0 {
		b.Limit = unnamedLimit
	}
	b.Limit = min(b.Limit, allTokens) // sums with it do not overflow
	p, options := policyOf(b.Profile), Options{}
	if o != nil {
		options = *o
	}
	if options.ReadTool = toValid(options.ReadTool); options.Store == nil {
		options.Store = newMapStore()
	}
	if options.Ladder == nil {
		options.Ladder = p.ladder
	}
	return &Window{state: newState(b, p, options)}
}

// Open sets what every request carries besides its messages: the system prompt and the tool schemas. A later call
// replaces it. Invalid UTF-8 is replaced. A prefix that differs invalidates all provider data; the next [Window.Fit]
// reports how much.
func (w *Window) Open(p Prefix) {
	tools := p.Tools
	p = Prefix{System: toValid(p.System)}
	for _, t := range tools {
		valid := transcript.ToolSchema{Name: toValid(t.Name), Description: toValid(t.Description)}
		if len(t.Schema) > 0 {
			valid.Schema = json.RawMessage(toValid(string(t.Schema)))
		}
		p.Tools = append(p.Tools, valid)
	}
	data := w.view.withData()
	w.write(Entry{Prefix: &p})
	w.unreported.lose("prefix", lost(data, w.view.withData()))
}

// lose counts provider data that was lost other than by a compaction.
func (c *Compaction) lose(cause string, messages int) {
	if messages == 0 {
		return
	}
	c.Level, c.ProviderData = overflowLevel, c.ProviderData+messages
	if !slices.Contains(c.Steps, cause) {
		c.Steps = append(c.Steps, cause)
	}
}

// Append takes one unit: head alone, or an assistant message with calls and one result for each. Anything else
// returns [transcript.ErrUnpaired] or [transcript.ErrEmpty] and changes nothing. Results are put in the order of the
// calls; those over the quota of the turn are stored whole and shown truncated, with a pointer. Append returns the
// unit as the model will see it.
//
// An assistant message answers the request that [Window.View] last returned since the last assistant message, or else
// the view as it is. Its provider data is shown while the view begins with the bytes of that request. Notes written
// after the request are shown after the answer. History keeps provider data only if its Prefix says that it fits.
func (w *Window) Append(head transcript.Message, results ...transcript.Message) (Appended, error) {
	messages, err := transcript.Pair(head, results)
	if err != nil {
		return Appended{}, err
	}
	unit := &Unit{Step: w.units.last() + 1, Messages: messages}
	w.options.countImages(messages)
	w.sent.bind(unit, w.state)
	sizes, before := sizesOf(messages), w.meter.tokens()
	unit.Sizes = knownSizes(messages, sizes)
	cuts := limiter{w.state}.truncations(unit, sizes)
	for i := range cuts {
		if err := storePart(w.options.Store, unit, cuts[i].id()); err != nil {
			return Appended{}, err
		}
	}
	w.entries = append(w.entries, Entry{Unit: unit})
	w.addUnit(unit, sizes)
	if len(cuts) > 0 {
		w.do(&Edit{Op: opTruncate, Cause: causeQuota, Truncations: cuts})
	}
	shown := w.view.slots[len(w.view.slots)-1]
	if shown.data != nil && shown.messages[0].ProviderData == nil {
		w.unreported.lose("answer", 1)
	}
	a := Appended{Step: unit.Step, Messages: shown.messages, Received: sizes, Shown: shown.sizes}
	if shown == w.view.first && head.Origin != transcript.History {
		after := w.meter.calibrated(w.prefixTokens + shown.sizes[0])
		a.Server = Compaction{Level: overflowLevel, Steps: []string{serverStep}, Before: before, After: after}
		w.compactions = append(w.compactions, a.Server)
	}
	return a, nil
}

// bind writes into a unit which request it answers: this one, or else the view of a window as it is.
func (sent *sentView) bind(u *Unit, s *state) {
	head := &u.Messages[0]
	if head.Role != transcript.Assistant || head.Origin == transcript.History {
		return
	}
	defer func() { *sent = sentView{} }()
	if sent.messages != nil {
		u.Late = max(s.notes.count-sent.notes, 0)
	}
	if d := head.ProviderData; d == nil || d.Unbound || d.Prefix != "" {
		return
	}
	same := len(sent.messages) == len(s.view.messages) && len(sent.messages) > 0 &&
		&sent.messages[0] == &s.view.messages[0] && sent.frame == s.view.frame
	switch {
	case sent.sum != 0:
	case sent.messages == nil || same:
		sent.sum = s.view.sumTo(len(s.view.slots))
	default:
		sent.sum = sent.frame.Messages(sent.messages)
	}
	head.ProviderData.Prefix = sent.sum.Answer(*head).String()
}

// Appended is a unit as the model will see it. It must not be modified.
type Appended struct {
	Step     int
	Messages []transcript.Message
	Received []int // estimate of each message as it was received, in tokens
	Shown    []int // estimate of each message as it is shown, in tokens

	// Server is what the service compacted before this answer: from the size of the request to that of prefix and
	// answer. Level 0: nothing.
	Server Compaction
}

// Note writes a text for the model, which sees it after the newest message. The same text is written again
// only after a compaction or 4,000 tokens, so that requests extend each other. An empty text writes nothing. A kind
// consists of lower-case ASCII letters, digits, "_" and "-"; anything else in it becomes "_".
func (w *Window) Note(kind, text string) {
	if text == "" {
		return
	}
	if n := (Note{Kind: noteKind(kind), Text: toValid(text)}); !alreadyNoted(w.state, n) {
		w.write(Entry{Note: &n})
	}
}

// Observe takes the provider's own count of the request that [Window.View] last returned, in tokens. It must be
// called before anything else is appended; a count that is not positive is ignored. From then on the count is the
// truth for what it covered, and only additions are estimated. A count below .5 or above 3 times the raw estimate is
// not believed. Each count moves the ratio of additions a fifth of the way towards actual ÷ raw estimate, by at most
// .15 and within .5 to 3; requests below 2,000 tokens leave it unchanged.
func (w *Window) Observe(actual int) {
	if actual > 0 {
		w.write(Entry{Observed: &Observed{Actual: actual, Estimate: w.meter.used, Predicted: w.meter.tokens()}})
	}
}

// View returns the messages of the next request. They must not be modified, and later changes of the window leave them
// as they are.
//
// The next assistant message that is appended answers this request: see [Window.Append].
func (w *Window) View() []transcript.Message {
	w.sent = sentView{messages: w.view.handOut(), frame: w.view.frame, notes: w.notes.count}
	if w.view.bound {
		w.sent.sum = w.view.sumTo(len(w.view.slots))
	}
	return w.sent.messages
}

// Prefix returns the system prompt and the tools that every request carries.
func (w *Window) Prefix() Prefix { return w.prefix }

// Entries returns the log from an entry on, all of it from 0. The entries must not be modified.
func (w *Window) Entries(from int) []Entry {
	from = min(max(from, 0), len(w.entries))
	return w.entries[from:len(w.entries):len(w.entries)]
}

// Compactions returns all compactions so far, the oldest first. They must not be modified.
func (w *Window) Compactions() []Compaction { return slices.Clip(w.compactions) }

// Budget returns the budget that the window was made with.
func (w *Window) Budget() Budget { return w.budget }

// Usage is how much of a budget the next request takes.
type Usage struct {
	Tokens  int // estimate of the whole request
	Limit   int // of the budget, or less if the provider said so
	Prefix  int // part of Tokens: system prompt and tool schemas
	Prompt  int // part of Tokens: the message that opened the run
	Entries int // in the log
}

// Share returns the part of the limit that is taken; 1 is full.
func (u Usage) Share() float64 { return float64(u.Tokens) / float64(u.Limit) }

// Usage returns how much of the budget the next request takes. It takes constant time.
func (w *Window) Usage() Usage {
	prefix, prompt := w.meter.calibrated(w.prefixTokens), w.meter.calibrated(w.meter.fixed-w.prefixTokens)
	return Usage{w.meter.tokens(), w.limit, prefix, prompt, len(w.entries)}
}

// write applies an entry that needs no check and logs it.
func (w *Window) write(e Entry) {
	w.apply(e)
	w.entries = append(w.entries, e)
}

// do applies an edit and logs it with the sizes before and after.
func (w *Window) do(e *Edit) {
	e.Before = w.meter.used
	w.edit(e)
	e.After = w.meter.used
	w.entries = append(w.entries, Entry{Edit: e})
}

// refold makes the state anew from the entries.
func (w *Window) refold() {
	skip := undoneIn(w.entries)
	w.state = newState(w.budget, w.policy, w.options)
	for i, e := range w.entries {
		switch {
		case e.Edit != nil && e.Edit.Op == opUndo:
			w.meter.changed = true
		case !skip[i]:
			w.apply(e)
		}
	}
	if err := fillView(w.state); w.units.failed == nil {
		w.units.failed = err // the next Fit returns it
	}
}

func undoneIn(entries []Entry) map[int]bool {
	undone := make(map[int]bool)
	for _, e := range entries {
		if e.Edit != nil && e.Edit.Op == opUndo {
			for _, i := range e.Edit.Undone {
				undone[i] = true
			}
		}
	}
	return undone
}

// store saves what an edit removes from the view: the parts that it truncates, and all texts and arguments of the
// units that it evicts. Empty texts are saved too, because the digest names their ids.
func (s *state) store(e *Edit) error {
	var ids []partID
	for _, c := range e.Truncations {
		ids = append(ids, c.id())
	}
	switch e.Op {
	case opStage:
		ids = s.units.partsOf(s.view.steps())
	case opEvict:
		ids = s.units.partsOf(e.Steps)
	}
	for _, id := range ids {
		if err := storePart(s.options.Store, s.units.at(id.step), id); err != nil {
			return err
		}
	}
	return nil
}
