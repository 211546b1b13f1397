package contextwindow

import (
	"cmp"
	"log/slog"
	"maps"
	"slices"

	"github.com/forayhq/foray/contextwindow/internal/prefix"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// Options configure a [Window] besides its budget.
type Options struct {
	// Store keeps the full text of what is shortened or evicted; nil keeps it in memory.
	Store Store
	// Facts reads what a call did from the call and its result; nil means [FactsByArguments].
	Facts func(transcript.ToolCall, transcript.Message) []Fact
	// Ladder replaces the profile's levels; nil means the profile's.
	Ladder []Level
	// ReadTool is the name of the tool with which the model reads a stored text again; every pointer names it. "" means
	// [toollimit.ReadTool] while [Prefix].Tools has a tool of that name, and otherwise none: then pointers are bare ids.
	ReadTool string
	// PlainNotes shows notes as plain sentences instead of in tags, which small models repeat as an answer. It must not
	// change while a window lasts.
	PlainNotes bool
	// ImageTokens counts a picture as the model of the window does, in tokens; nil: 1,000 each, or what the picture says.
	ImageTokens func(toollimit.Image) int
	// Owns reports whether the model that reads the window reads provider data with which a service replaces what it
	// compacted: data of its own service and account. nil: it does.
	Owns func(*transcript.ProviderData) bool
	// After is the last step that earlier windows of the Store used: this one numbers its steps from there, so that no id
	// names two texts. [Load] takes it from the log.
	After int
	// Logger gets a line at level info for each compaction; nil logs nothing.
	Logger *slog.Logger
}

// noteAgain is how many tokens must be added before an unchanged note is written again.
const noteAgain = 4_000

// state is the fold of a window's entries. It follows from the entries and the configuration alone.
type state struct {
	budget  Budget
	policy  *policy
	options Options

	meter   meter
	pace    pace
	units   units
	view    view
	evicted evictedUnits
	sights  firstSights
	notes   notes

	prefix       Prefix
	prefixTokens int
	prompt       int // step of the message that opened the run; 0 before it
	promptTokens int
	limit        int          // tokens
	stage        int          // first step of the current stage; 0 for all steps
	pinned       map[int]bool // steps of pinned units
}

// notes holds the newest note of each kind and the age of notes.
type notes struct {
	live    map[string]liveNote
	count   int // notes ever written
	written int // tokens ever added to the window
}

type liveNote struct {
	text        string
	number      int
	written     int // notes.written when it was written
	compactions int // before it was written
}

// superseded reports whether a shown note was replaced by a newer one of its kind, so that it may leave the view.
func (n *notes) superseded(shown shownNote) bool { return n.live[shown.Kind].number != shown.number }

func newState(b Budget, p *policy, o Options) *state {
	frame := prefix.Of("", nil)
	s := &state{
		budget: b, policy: p, options: o, limit: b.Limit, view: view{frame: frame, sum: frame, plain: o.PlainNotes},
		meter:  meter{ratio: startRatio(b)},
		units:  units{facts: o.Facts, mostSaid: saidTokens(b)},
		notes:  notes{live: make(map[string]liveNote)},
		pinned: make(map[int]bool),
	}
	s.view.table = &s.units.names
	return s
}

// apply folds a checked entry into the state.
func (s *state) apply(e Entry) {
	switch {
	case e.Prefix != nil:
		s.setPrefix(*e.Prefix)
	case e.Unit != nil:
		s.addUnit(e.Unit, e.Unit.sizesOf())
	case e.Edit != nil:
		s.edit(e.Edit)
	case e.Note != nil:
		s.addNote(*e.Note)
	case e.Observed != nil:
		s.meter.observe(*e.Observed, s.view.first != nil)
	}
}

// settle renders the view, updates the meter and returns by how many tokens the request changed.
func (s *state) settle() int {
	s.view.render()
	if findFirst(&s.view) { // notes are written again, and no count covers what is read now
		s.meter.unseen, s.meter.changed = allTokens, true
		s.evicted.ledger.compactions++
	}
	used := s.meter.used
	view, prompt := readTokens(s)
	s.meter.used, s.meter.fixed = s.prefixTokens+view, s.prefixTokens+prompt
	return s.meter.used - used
}

func (s *state) setPrefix(p Prefix) {
	s.prefix, s.prefixTokens = p, toollimit.Tokens(p.System)
	for _, t := range p.Tools {
		s.prefixTokens += t.Tokens()
	}
	s.view.setPrefix(p)
	s.settle()
}

// addUnit shows a unit after all others, but before late notes. A digest that is the only other slot goes after a new
// prompt.
func (s *state) addUnit(u *Unit, sizes []int) {
	if u.Messages[0].Role == transcript.Assistant {
		s.sights.answered(s)
	}
	s.units.add(u, sizes)
	tokens := sum(sizes)
	s.notes.written += tokens
	late := s.notes.takeLate(&s.view, u.Late)
	s.view.insert(len(s.view.slots), slot{step: u.Step, messages: u.Messages, sizes: sizes, tokens: tokens,
		left: maps.Clone(u.Left)})
	for _, n := range late {
		s.view.attach(s.view.slots[len(s.view.slots)-1], n)
	}
	head := u.Messages[0]
	if head.Role == transcript.Assistant {
		s.pace.turns++
	}
	if head.Role == transcript.User && (head.Origin == transcript.Prompt || head.Origin == "" && s.prompt == 0) {
		s.prompt, s.promptTokens = u.Step, tokens
		if slots := s.view.slots; len(slots) == 2 && slots[0].step == 0 {
			s.view.unrender(0)
			slots[0], slots[1] = slots[1], slots[0]
		}
	}
	s.meter.unseen += s.settle()
}

// takeLate removes those of the newest notes that are still shown after the newest slot, and returns them.
func (n *notes) takeLate(v *view, newest int) []shownNote {
	last := len(v.slots) - 1
	if newest == 0 || last < 0 {
		return nil
	}
	isLate := func(shown shownNote) bool { return shown.number > n.count-newest }
	shown := v.slots[last].notes
	at := slices.IndexFunc(shown, isLate)
	if at < 0 {
		return nil
	}
	v.unrender(last)
	v.dropNotes(last, isLate)
	return shown[at:]
}

func (s *state) addNote(n Note) {
	if len(s.view.slots) == 0 {
		s.view.slots = append(s.view.slots, &slot{})
	}
	last := len(s.view.slots) - 1
	s.view.unrender(last)
	s.notes.count++
	s.notes.written += s.view.attach(s.view.slots[last], shownNote{n, s.notes.count})
	s.notes.live[n.Kind] = liveNote{n.Text, s.notes.count, s.notes.written, s.evicted.ledger.compactions}
	s.meter.unseen += s.settle()
}

// alreadyNoted reports whether the newest note of a kind has the same text and is recent enough to write nothing.
func alreadyNoted(s *state, note Note) bool {
	n, ok := s.notes.live[note.Kind]
	return ok && n.text == note.Text &&
		n.compactions == s.evicted.ledger.compactions && s.notes.written-n.written < noteAgain
}

// edit applies an edit. A quota removes tokens that the provider has not counted yet; a compaction removes tokens that
// it has counted, so that the rest may have another ratio. Provider data that comes back since the compaction made its
// prefix whole again does not come back if the view would grow by it.
func (s *state) edit(e *Edit) {
	before := s.view.tokens
	s.view.returned = nil
	large := s.view.tokensFrom(s.view.turnStart(1)) > roomOf(s.meter.rawFor(s.limit), largeTurn)
	switch e.Op {
	case opTruncate:
		if first := s.view.truncate(e.Truncations); first >= 0 && e.Cause != causeQuota {
			s.view.dropNotes(first, s.notes.superseded)
			s.evicted.ledger.compactions++
		}
	case opEvict:
		s.evict(e)
	case opStage:
		s.endStage(e)
	case opLimit:
		s.limit = min(s.limit, e.Limit)
	case opPin:
		s.pin(e)
	case opUnpin:
		for _, step := range e.Steps {
			delete(s.pinned, step)
		}
	case opRewind:
		s.units.skipTo(e.Steps[0])
		if e.Limit > 0 {
			s.limit = min(s.limit, e.Limit)
		}
	case opSummary:
		s.evicted.summary = summary{e.Steps, e.Text}
	case opReclaim:
		dropData(&s.view, e.Steps)
	case opUndo: // Window.refold skips the entries that it names
	}
	s.view.render()
	if s.view.tokens > before && (e.Op == opTruncate || e.Op == opEvict) {
		s.view.dropReturned()
	}
	delta := s.settle()
	if e.Cause == causeQuota {
		s.meter.unseen += delta
	} else if delta != 0 {
		s.meter.changed = true
	}
	if isLevel(e.Cause) || isRung(e.Cause) {
		s.pace.count(s.notes.written, isRung(e.Cause), large)
	}
}

// evict removes units from the view and shows the digest instead. Notes that were not superseded move to the newest
// message that stays.
func (s *state) evict(e *Edit) {
	steps := e.Steps
	s.evicted.focus = cmp.Or(e.Focus, s.evicted.focus)
	carried := s.removeUnits(func(sl *slot) bool {
		if len(steps) == 0 || sl.step != steps[0] {
			return false
		}
		steps = steps[1:]
		return true
	})
	s.view.showDigest(e.Digest, s.prompt)
	s.view.truncate(e.Truncations)
	s.evicted.lines = e.Lines
	s.evicted.forgetOld(&s.units)
	s.view.dropNotes(0, s.notes.superseded)
	if e.Quiet {
		s.view.dropNotes(0, func(shownNote) bool { return true })
		clear(s.notes.live)
	} else if len(s.view.slots) > 0 {
		for _, n := range carried {
			s.notes.written += s.view.attach(s.view.slots[len(s.view.slots)-1], n)
		}
	}
	s.evicted.ledger.compactions++
}

// removeUnits removes the digest and the units that goes picks, and adds the units to the ledger. It returns their
// notes that were not superseded.
func (s *state) removeUnits(goes func(*slot) bool) []shownNote {
	var carried []shownNote
	var steps []int
	outOfOrder := false // a unit is evicted after a newer one
	for _, sl := range s.view.remove(func(sl *slot) bool { return sl.step == 0 || goes(sl) }) {
		carried = append(carried, slices.DeleteFunc(slices.Clone(sl.notes), s.notes.superseded)...)
		if sl.step == 0 {
			continue
		}
		steps = append(steps, sl.step)
		delete(s.pinned, sl.step)
		outOfOrder = outOfOrder || sl.step < s.evicted.ledger.last
	}
	if outOfOrder {
		s.setEvicted(append(s.evicted.steps, steps...))
	} else {
		s.evicted.add(&s.units, steps)
		s.units.evict(&s.evicted.ledger, steps)
	}
	return carried
}

// setEvicted replaces the evicted units.
func (s *state) setEvicted(steps []int) {
	slices.Sort(steps)
	s.evicted.evictedParts = evictedParts{}
	s.evicted.add(&s.units, steps)
	s.evicted.ledger = s.units.ledgerOf(steps, s.evicted.ledger.compactions, s.stage)
}

func (s *state) endStage(e *Edit) {
	s.removeUnits(func(*slot) bool { return true })
	s.evicted.ledger.endStage()
	s.prompt, s.promptTokens = 0, 0
	clear(s.notes.live)
	clear(s.pinned)
	s.stage, s.evicted.focus, s.evicted.summary = s.units.last()+1, "", summary{}
	s.view.showDigest(e.Digest, s.prompt)
	s.evicted.lines = e.Lines
	s.evicted.ledger.compactions++
}

func (s *state) pin(e *Edit) {
	restored := false
	for _, step := range e.Steps {
		s.pinned[step] = true
		if s.view.find(step) < 0 {
			s.view.restore(s.units.keep(step), s.units.sizesAt(step))
			s.evicted.steps = slices.DeleteFunc(s.evicted.steps, func(known int) bool { return known == step })
			restored = true
		}
	}
	if restored {
		s.setEvicted(s.evicted.steps)
	}
	for _, c := range e.Truncations {
		i := s.view.find(c.Step)
		s.view.unrender(i)
		s.view.replace(s.view.slots[i], c)
	}
}

func (s *state) pins() []int { return slices.Sorted(maps.Keys(s.pinned)) }

// shareOf returns a share of what the fixed parts leave of the budget, in raw tokens.
func (s *state) shareOf(of float64) int {
	return int(of * float64(max(0, s.meter.rawFor(s.limit)-s.meter.fixed)))
}

// firstSights holds what the first request after them showed of the results before an index, except those shown whole.
type firstSights struct {
	upTo int // index
	less map[partID]firstSight
}

// A firstSight is what a request shows of a result that is not whole.
type firstSight struct {
	tokens  int
	repeats bool // the text leaves out lines that the request shows elsewhere
	evicted bool
}

// answered records what the request showed that an assistant message answers.
func (f *firstSights) answered(s *state) {
	for ; f.upTo < len(s.units.list); f.upTo++ {
		u := s.units.list[f.upTo]
		for part := 1; part < len(u.Messages); part++ {
			if sight, whole := sightOf(&s.view, u, part); !whole {
				if f.less == nil {
					f.less = make(map[partID]firstSight)
				}
				f.less[partID{step: u.Step, part: part}] = sight
			}
		}
	}
}

// sightOf returns what the view shows of a result, and whether that is the whole result.
func sightOf(v *view, u *Unit, part int) (sight firstSight, whole bool) {
	i := v.find(u.Step)
	if i < 0 {
		return firstSight{evicted: true}, false
	}
	sl := v.slots[i]
	repeats := sl.repeats != nil && len(sl.repeats[part]) > 0
	return firstSight{sl.sizes[part], repeats, false}, sl.shownWhole(u, part)
}

// readTool returns the name of the tool that reads a stored text again, or "" if the model has none.
func readTool(s *state) string {
	named := func(t transcript.ToolSchema) bool { return t.Name == toollimit.ReadTool }
	if s.options.ReadTool == "" && slices.ContainsFunc(s.prefix.Tools, named) {
		return toollimit.ReadTool
	}
	return s.options.ReadTool
}

// wholeText says how to read a stored text again.
func wholeText(s *state, id string) string {
	if tool := readTool(s); tool != "" {
		return "whole text: " + tool + " id=" + id
	}
	return "id=" + id
}
