package contextwindow

import (
	"slices"
)

// Fit makes the whole next request fit the budget. It walks the profile's ladder and then, only if the request still
// would not fit, the overflow ladder. It makes nothing larger, and a second Fit changes nothing. It returns
// [ErrIrreducible], with nothing changed, if the fixed parts alone do not fit, [ErrThrash] if the window has to be
// compacted again and again, or the error of the store.
func (w *Window) Fit() (Compaction, error) {
	if err := unreadable(w.state); err != nil {
		return Compaction{}, err
	}
	f := begin(w)
	if mustReclaim(w.state) {
		reclaim(w)
	}
	f.c.Level, f.c.Steps, f.c.ProviderData = w.unreported.Level, w.unreported.Steps, w.unreported.ProviderData
	w.unreported = Compaction{}
	halved, thrashed := w.pace.halved, w.pace.thrashed
	if w.meter.calibrated(w.meter.fixed) > w.limit {
		return f.end(), irreducible(w.Usage(), 0)
	}
	for again := true; again; {
		edits := len(w.entries)
		if err := f.walk(); err != nil {
			return f.end(), err
		}
		again = len(w.entries) > edits // until a pass changes nothing, so that a second Fit changes nothing
	}
	guarded := w.policy.marks != nil
	f.c.Thrash = guarded && w.pace.halved && !halved
	c := f.end()
	switch {
	case c.After > w.limit:
		u := w.Usage()
		return c, irreducible(u, max(0, u.Tokens-u.Prefix-u.Prompt))
	case guarded && w.pace.thrashed > thrashed:
		return c, ErrThrash
	}
	return c, nil
}

func irreducible(u Usage, rest int) error {
	return &IrreducibleError{Limit: u.Limit, System: u.Prefix, Prompt: u.Prompt, Rest: rest}
}

// Shrink makes the next request smaller after the provider refused the last one as too long. Limit is the window that
// the provider named, in tokens, or 0; it holds for the rest of the run. Without a limit, or with one that the
// estimate already keeps, the request shrinks by a fifth, as far as the fixed parts allow.
func (w *Window) Shrink(limit int) (Compaction, error) {
	reclaim(w)
	target := max(w.meter.tokens()*4/5, w.meter.calibrated(w.meter.fixed)+1)
	if limit > 0 {
		target = min(target, usable(limit, 0))
	}
	w.do(&Edit{Op: opLimit, Cause: "overflow", Limit: max(target, 1)})
	return w.Fit()
}

// ResetToPrompt evicts everything but the message that opened the run, after an error that nothing else could repair.
// The digest still holds what was submitted and done. It is left out if it holds nothing of the kind and would be
// larger than what it replaces.
func (w *Window) ResetToPrompt() error {
	steps := w.stepsBefore(len(w.view.slots), func(int) bool { return false })
	if len(steps) == 0 {
		return nil
	}
	room := w.shareOf(listShare) + submittedTokens(w.state, steps)
	return begin(w).reset("reset", w.evictEdit(steps, room, true), w.ledgerWith(steps))
}

// ResetStage evicts everything, the prompt included: the next user message opens a new stage. The digest after that
// message still holds what was submitted and done and what the user asked, but no answers; as in
// [Window.ResetToPrompt] it may be left out.
func (w *Window) ResetStage() error {
	steps := w.view.steps()
	if len(steps) == 0 {
		return nil
	}
	room := max(w.shareOf(digestShare/2), w.shareOf(listShare)+submittedTokens(w.state, steps))
	l := w.ledgerWith(steps)
	l.endStage()
	e := &Edit{Op: opStage, Steps: steps, Quiet: true}
	e.Digest, e.Lines = w.digestOf(l, steps, room)
	return begin(w).reset("stage", e, l)
}

// reset applies an edit that evicts all it can. The digest is left out if the ledger holds no fact for it and it would
// be larger than what it replaces.
func (f *fitting) reset(name string, e *Edit, l ledger) error {
	w, prompts := f.w, 0
	if slices.Contains(e.Steps, w.prompt) {
		prompts = 1
	}
	if w.freedBy(e) < 0 && l.bare(prompts) {
		e.Digest, e.Lines = "", nil
	}
	if e.Op == opStage {
		e.Steps, e.Quiet = nil, false // implied
	}
	if err := f.take(name, e); err != nil {
		return err
	}
	f.end()
	return nil
}

// A fitting is one compaction in progress.
type fitting struct {
	w     *Window
	c     Compaction
	shown []shownUnit // before the first edit
}

// A shownUnit is a unit that the view showed, with the sizes of its messages in raw tokens.
type shownUnit struct {
	step  int
	sizes []int
}

// remember keeps what the view shows before the first edit.
func (f *fitting) remember() {
	if f.shown != nil {
		return
	}
	for _, sl := range f.w.view.slots {
		if sl.step > 0 {
			f.shown = append(f.shown, shownUnit{sl.step, slices.Clone(sl.sizes)})
		}
	}
}

// compare counts what the view no longer shows, and what reading it again would cost.
func (f *fitting) compare() {
	rate := f.w.meter.rate()
	for _, u := range f.shown {
		i := f.w.view.find(u.step)
		if i < 0 {
			f.c.Evicted++
		}
		for part := 1; part < len(u.sizes); part++ {
			now := 0
			if i >= 0 {
				now = f.w.view.slots[i].sizes[part]
			}
			if now < u.sizes[part] {
				f.c.Removed += int(rate * float64(u.sizes[part]-now))
				f.c.Reread += rereadPrice(f.c.After, int(rate*float64(f.w.units.sizesAt(u.step)[part])))
			}
		}
	}
}

func begin(w *Window) *fitting { return &fitting{w: w, c: Compaction{Before: w.meter.tokens()}} }

// end completes the compaction and records it if it changed something.
func (f *fitting) end() Compaction {
	f.c.After = f.w.meter.tokens()
	f.compare()
	if f.c.Level > 0 {
		f.w.compactions = append(f.w.compactions, f.c)
		if log := f.w.options.Logger; log != nil {
			log.Info("context window compacted", "level", f.c.Level, "steps", f.c.Steps,
				"before", f.c.Before, "after", f.c.After, "limit", f.w.limit, "invalidated", f.c.Invalidated)
		}
	}
	return f.c
}

func (f *fitting) walk() error {
	s := f.w.state
	for _, level := range s.options.Ladder {
		target := int(level.At * float64(s.limit))
		if s.meter.tokens() < target {
			continue
		}
		if err := f.take(level.Name, evictImages(unpinnedImages)(s, target)); err != nil {
			return err
		}
		if s.meter.tokens() < target {
			continue
		}
		if err := f.take(level.Name, level.plan(s, s.meter.rawFor(target)-1)); err != nil {
			return err
		}
	}
	if s.policy.marks != nil {
		if err := f.atMarks(s.policy.marks); err != nil {
			return err
		}
	}
	for _, rung := range overflowLadder {
		if s.meter.tokens()+s.meter.uncertain() <= s.limit {
			break
		}
		target := s.meter.rawFor(int(float64(s.limit) / (1 + s.meter.margin())))
		if err := f.take(rung.name, rung.plan(s, target)); err != nil {
			return err
		}
	}
	return nil
}

// atMarks brings a request at the high mark down to the low one. L1 replaces repeated results; if that is not enough,
// L2 evicts the oldest turns first. L3 evicts all but the newest turn if the request is still at the high mark.
func (f *fitting) atMarks(m *twoMarks) error {
	s := f.w.state
	if !m.reached(s) || s.tooSoon() {
		return nil
	}
	low := s.meter.fixed + s.shareOf(m.lowShare(s))
	e := lossless(s)
	if e == nil || s.meter.used-s.freedBy(e) > low {
		if err := f.takeIfWorth("L2", m.evictToLow(s, low), minGain); err != nil {
			return err
		}
		e = lossless(s)
	}
	if err := f.takeIfWorth("L1", e, minGain); err != nil || !m.reached(s) {
		return err
	}
	return f.takeIfWorth("L3", evictTurns(1, digestShare)(s, low), lastGain)
}

// takeIfWorth takes an edit that frees a share of the budget, or any edit if the request would not fit.
func (f *fitting) takeIfWorth(name string, e *Edit, gain float64) error {
	m := &f.w.meter
	if e == nil || m.tokens() <= f.w.limit && float64(f.w.freedBy(e)) < gain*float64(m.rawFor(f.w.limit)) {
		return nil
	}
	return f.take(name, e)
}

// take applies an edit unless it is nil. It stores what the edit removes from the view first, so that every pointer
// resolves.
func (f *fitting) take(name string, e *Edit) error {
	if e == nil {
		return nil
	}
	w := f.w
	if err := unreadable(w.state); err != nil {
		return err
	}
	if err := w.store(e); err != nil {
		return err
	}
	f.remember()
	used, tokens, data := w.meter.used, w.meter.tokens(), w.view.withData()
	w.view.kept = len(w.view.slots)
	kept := w.view.kept
	e.Cause, e.Before = name, used
	w.edit(e)
	if w.view.kept < kept {
		valid := w.prefixTokens
		for _, sl := range w.view.slots[:w.view.kept] {
			valid += sl.tokens
		}
		f.c.Invalidated = max(f.c.Invalidated, scale(tokens, used-valid, used))
	}
	f.c.ProviderData += lost(data, w.view.withData())
	e.After = w.meter.used
	w.entries = append(w.entries, Entry{Edit: e})
	f.c.Level = max(f.c.Level, levelOf(name))
	if len(f.c.Steps) == 0 || f.c.Steps[len(f.c.Steps)-1] != name {
		f.c.Steps = append(f.c.Steps, name)
	}
	for i := range e.Truncations {
		f.c.Pointers = append(f.c.Pointers, w.units.pointer(e.Truncations[i].id()))
	}
	return nil
}

// mustReclaim reports whether the window has to compact what a service has compacted so far: the model does not read
// it, or the service let the request grow up to where the window compacts.
func mustReclaim(s *state) bool {
	if s.view.first == nil {
		return false
	}
	if owns := s.options.Owns; owns != nil && !owns(s.view.first.data) {
		return true
	}
	tokens := s.meter.tokens()
	at := func(l Level) bool { return tokens >= int(l.At*float64(s.limit)) }
	return tokens+s.meter.uncertain() > s.limit || slices.ContainsFunc(s.options.Ladder, at) ||
		s.policy.marks != nil && s.policy.marks.reached(s)
}

// reclaim hides what services have compacted, so that the whole view counts again, for this window to compact.
func reclaim(w *Window) {
	if w.view.first == nil {
		return
	}
	var steps []int
	for _, sl := range w.view.slots {
		if hasCompacted(sl) {
			steps = append(steps, sl.step)
		}
	}
	data := w.view.withData()
	w.do(&Edit{Op: opReclaim, Cause: opReclaim, Steps: steps})
	w.unreported.lose(opReclaim, lost(data, w.view.withData()))
}
