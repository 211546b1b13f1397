package contextwindow

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
)

// A Reader reads stored texts again, for the tool that pointers name. The excerpts that it returns are messages of kind
// [toollimit.Excerpt]: the window never stores or shortens them as texts of their own, but as parts of the text that
// they come from. A Reader is safe for concurrent use if its Store is. It knows the window as of [Window.Reader].
type Reader struct {
	Store Store // has the texts

	entries []Entry
	units   []*Unit
	ids     []string // of parts that the view shortens, and of the newest evicted results
	room    int      // tokens of an excerpt; 0: mostRead
	history bool     // the view shows messages from before the run, whose marks may name other ids
}

// listedIDs is how many ids of evicted results a Reader knows, for the error about an unknown one.
const listedIDs = 200

// Reader returns a reader of the texts that the window has stored, for the calls of one step: it gives an excerpt half
// of the room that is free now, from 256 to 10,000 tokens.
func (w *Window) Reader() *Reader {
	room := readRoom(limiter{w.state}.roomBelow(readMark))
	r := &Reader{Store: w.options.Store, entries: w.Entries(0), units: slices.Clip(w.units.list), room: room}
	evicted := w.evicted.steps
	for _, step := range evicted[max(0, len(evicted)-listedIDs):] {
		for part := range w.units.calls(step) {
			r.ids = append(r.ids, w.units.pointer(partID{step: step, part: part + 1}))
		}
	}
	for _, p := range textParts(w.state, func(_ *state, p textPart) bool { return p.shown != p.whole }) {
		r.ids = append(r.ids, w.units.pointer(p.id))
	}
	slices.Sort(r.ids)
	r.ids = slices.Compact(r.ids)
	r.history = slices.ContainsFunc(w.view.slots, func(sl *slot) bool {
		return len(sl.messages) > 0 && sl.messages[0].Origin == transcript.History
	})
	return r
}

// Read returns an excerpt of a stored text. Without a line and an offset it continues after the last excerpt of that
// text in the window; after the last line it says so. If the text cannot be read, the error says what the text was, or
// which ids exist, and wraps the error of the Store.
func (r *Reader) Read(p toollimit.Reading) (string, error) {
	p.ID = cleanID(p.ID)
	body, err := r.Store.Get(p.ID)
	if err != nil {
		return "", r.missing(p.ID, err)
	}
	if p.Line <= 0 && p.Offset <= 0 && p.Find == "" {
		lines := strings.Count(strings.TrimSuffix(body, "\n"), "\n") + 1
		switch at := r.lastEnd(p.ID); {
		case at.Line == lines+1:
			return fmt.Sprintf("[end of %s: line %d was its last. Read it again with start_line=1]\n", p.ID, lines), nil
		case at.Line <= lines:
			p.Line, p.Offset = at.Line, at.Offset
		}
	}
	return toollimit.Read(body, p, cmp.Or(r.room, mostRead))
}

// cleanID removes what models copy around an id.
func cleanID(id string) string {
	return strings.TrimPrefix(strings.Trim(strings.TrimSpace(id), "[]()\"'`…., "), "id=")
}

// lastEnd returns where the newest excerpt of a text ended, as it was shown when it came in.
func (r *Reader) lastEnd(id string) toollimit.Reading {
	var cuts []Truncation // of the unit before
	for _, e := range slices.Backward(r.entries) {
		if e.Edit != nil && e.Edit.Cause == causeQuota {
			cuts = e.Edit.Truncations
		}
		if e.Unit == nil {
			continue
		}
		for part, m := range slices.Backward(e.Unit.Messages) {
			if m.Kind != toollimit.Excerpt {
				continue
			}
			shown := m.Text
			for _, c := range cuts {
				if c.Step == e.Unit.Step && c.Part == part && !c.Args {
					shown = c.Text
				}
			}
			if end, ok := toollimit.ReadOn(shown); ok && end.ID == id {
				return end
			}
		}
		cuts = nil
	}
	return toollimit.Reading{}
}

// nearestIDs is how many ids the error about an unknown one names.
const nearestIDs = 6

// A missingError says why an id has no text, in the form that tools give to a model.
type missingError struct {
	text, code, try string
	err             error // of the Store
}

func (e *missingError) Error() string { return e.text }

func (e *missingError) Unwrap() error { return e.err }

// Problem returns a code for programs, and what to do about the error.
func (e *missingError) Problem() (code, try string) { return e.code, e.try }

// missing explains why an id has no text.
func (r *Reader) missing(id string, err error) error {
	if !errors.Is(err, ErrNoBody) {
		return fmt.Errorf("reading %s: %w", id, err)
	}
	part, known := parsePartID(id)
	if known && len(r.units) > 0 && part.step >= r.units[0].Step && part.step < r.units[0].Step+len(r.units) {
		u := r.units[part.step-r.units[0].Step]
		if source := u.source(part); source != "" {
			return &missingError{id + " is a part of " + source, "unknown_id", "read " + source, err}
		}
		what := u.describe(part)
		if what != "" && !slices.Contains(r.ids, id) {
			return &missingError{id + " was not shortened: it is shown whole", "unknown_id", "look at " + what, err}
		}
		if what != "" {
			return &missingError{"the text of " + id + " is lost: it was " + what, "lost", "make that call again", err}
		}
	}
	if len(r.ids) == 0 && r.history {
		return &missingError{fmt.Sprintf("nothing is stored under %q", id), "unknown_id",
			"take an id that a mark in an earlier message names", err}
	}
	if len(r.ids) == 0 {
		return &missingError{fmt.Sprintf("nothing is stored under %q: nothing was shortened so far", id), "unknown_id",
			"look further up: everything is shown whole", err}
	}
	ids := slices.Clone(r.ids)
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(part.distance(a), part.distance(b)) })
	return &missingError{fmt.Sprintf("nothing is stored under %q", id), "unknown_id",
		"take one of these ids: " + strings.Join(ids[:min(len(ids), nearestIDs)], ", "), err}
}

// describe says what a part is, or "" if the unit lacks it or was discarded.
func (u *Unit) describe(p partID) string {
	units := units{list: []*Unit{u}}
	first := partID{step: 1, part: p.part, args: p.args}
	if u.Messages[0].Role == "" || units.has(first) != nil {
		return ""
	}
	size := fmt.Sprintf(" (%d bytes)", u.size(p))
	switch {
	case p.args:
		return "the arguments of " + u.Messages[0].Calls[p.part-1].Name + size
	case p.part > 0:
		call := u.Messages[0].Calls[p.part-1]
		return "the result of " + call.Name + " " + firstRunes(line.Flat(string(call.Args)), callRunes) + size
	}
	return "a message by the " + string(u.Messages[0].Role) + size
}

// distance says how far another id is from a part, in steps first.
func (p partID) distance(id string) int {
	other, _ := parsePartID(id)
	steps, parts := other.step-p.step, other.part-p.part
	return 1_000*max(steps, -steps) + max(parts, -parts)
}

// Images returns the pictures of the message or result with an id, as it was received. Ids are those of
// [Reader.Read].
func (r *Reader) Images(id string) []toollimit.Image {
	p, ok := parsePartID(cleanID(id))
	if !ok || p.args || len(r.units) == 0 || p.step < r.units[0].Step || p.step-r.units[0].Step >= len(r.units) {
		return nil
	}
	if u := r.units[p.step-r.units[0].Step]; p.part < len(u.Messages) {
		return u.Messages[p.part].Images
	}
	return nil
}
