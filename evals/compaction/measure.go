package compaction

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/policy"
	"github.com/forayhq/foray/evals/internal/words"
)

// A seen is what all messages of a view show together. Its sets and upTo are those of a [piece].
type seen struct {
	ids      set
	unlisted set
	lines    set
	pins     set
	pieces   []*piece // that name a stored text
	upTo     int
	quarters int // size of the messages without the system prompt, in quarters of a token
}

// pointerTo returns the id under which a window stores a part of a unit.
func pointerTo(at spot) string { return fmt.Sprintf("s%d.%d", at.unit+1, at.part) }

// truncates reports whether the view shows the head of a user message, quotes it or what replaces it, with
// the pointer to it.
func (v *seen) truncates(p pin) bool {
	id := pointerTo(spot{p.unit, 0})
	for _, piece := range v.pieces {
		for _, at := range piece.pointers {
			replaced := strings.Contains(at.line, "[replaces "+id+": ")
			if at.id == id && (replaced || strings.Contains(piece.text, p.head) || p.quotedBy(at.line)) {
				return true
			}
		}
	}
	return false
}

// quotedBy reports whether a line "- [id] … words … words" quotes the user message.
func (p *pin) quotedBy(line string) bool {
	_, quote, found := strings.Cut(line, "] ")
	quote, _, _ = strings.Cut(strings.TrimPrefix(quote, "… "), " …")
	quote, _, _ = strings.Cut(quote, " [replaces ")
	return found && quote != "" && strings.Contains(p.text, flat(quote))
}

// A gauge measures the views of one policy on one script. It analyses each text only once.
type gauge struct {
	*script
	found    map[pieceKey]*piece
	resolver policy.Resolver // nil: the policy stores nothing
}

func (g *gauge) piece(text string, args bool) *piece {
	key := pieceKey{text, args}
	if p, ok := g.known[key]; ok {
		return p
	}
	p, ok := g.found[key]
	if !ok {
		p = g.newPiece(key)
		g.found[key] = p
	}
	return p
}

// look analyses a view.
func (g *gauge) look(view []transcript.Message) *seen {
	v := &seen{
		ids: newSet(len(g.ids)), unlisted: newSet(len(g.ids)),
		lines: newSet(len(g.script.lines)), pins: newSet(len(g.script.pins)),
	}
	for i := range view {
		m := &view[i]
		v.quarters += g.quarters(m)
		g.add(v, g.piece(m.Text, false), m.Role == transcript.User)
		for _, call := range m.Calls {
			g.add(v, g.piece(string(call.Args), true), false)
		}
	}
	return v
}

// quarters returns the size of a message, in quarters of a token.
func (g *gauge) quarters(m *transcript.Message) int {
	n := g.counter.Framing(m) + g.piece(m.Text, false).quarters
	for _, call := range m.Calls {
		n += g.piece(call.Name, false).quarters + g.piece(string(call.Args), true).quarters
	}
	return n
}

func (g *gauge) add(v *seen, p *piece, user bool) {
	v.ids.or(p.ids)
	v.unlisted.or(p.unlisted)
	v.lines.or(p.lines)
	for i, pins := range p.pins {
		if !user {
			pins &^= g.ofUsers[i]
		}
		v.pins[i] |= pins
	}
	if len(p.pointers) > 0 {
		v.pieces = append(v.pieces, p)
	}
	v.upTo = max(v.upTo, p.upTo)
}

// recall adds to a tally what a view shows of a target, and what it leads to by pointers.
func (g *gauge) recall(y *tally, t *target, v *seen) {
	y.Identifiers += len(t.deps)
	y.LongRange += len(t.far)
	y.SeenIdentifiers += v.ids.count(t.deps)
	y.SeenLongRange += v.ids.count(t.far)
	y.UnlistedIdentifiers += v.unlisted.count(t.deps)
	y.UnlistedLongRange += v.unlisted.count(t.far)
	y.Lines += len(t.lines)
	y.SeenLines += v.lines.count(t.lines)
	y.Near += len(t.near)
	y.UnlistedNear += v.unlisted.count(t.near)
	y.NearLines += len(t.nearLine)
	y.SeenNearLines += v.lines.count(t.nearLine)
	y.LongRangeLines += len(t.farLines)
	y.SeenLongRangeLines += v.lines.count(t.farLines)
	y.Anchors += len(t.anchors)
	y.SeenAnchors += v.lines.count(t.anchors)
	for _, id := range t.deps {
		if v.ids.has(id) {
			y.PointedAt++
			y.Named++
			continue
		}
		pointed, cued := g.reach(t, v, id)
		if pointed || cued {
			y.PointedAt++
		}
		if cued {
			y.Named++
		}
	}
}

// reach reports whether a model could look up an identifier that the view does not show. It is pointed if the view
// names a stored text that contains it. It is also cued if the line with that name shows another identifier or path of
// a call that needs it. A range of steps that a view offers names no text.
func (g *gauge) reach(t *target, v *seen, id int) (pointed, cued bool) {
	if g.resolver == nil {
		return false, false
	}
	for _, p := range v.pieces {
		for _, at := range p.pointers {
			if !g.stores(at.id, id) {
				continue
			}
			if g.cue(t, at.line, id) {
				return true, true
			}
			pointed = true
		}
	}
	return pointed, false
}

// stores reports whether the stored text with an id contains an identifier.
func (g *gauge) stores(pointer string, id int) bool {
	body, ok := g.resolver.Resolve(pointer)
	return ok && g.piece(body, strings.HasSuffix(pointer, "a")).ids.has(id)
}

// cue reports whether a line shows another identifier or path of a call that needs an identifier.
func (g *gauge) cue(t *target, line string, id int) bool {
	for _, call := range t.calls {
		if slices.Contains(call.deps, id) &&
			slices.ContainsFunc(call.cues, func(cue string) bool { return hasWhole(line, cue) }) {
			return true
		}
	}
	return false
}

// hasWhole reports whether a text contains a word or path with no word characters around it.
func hasWhole(text, part string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], part)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(part)
		if (i == 0 || !words.IsWord(text[i-1])) && (end == len(text) || !words.IsWord(text[end])) {
			return true
		}
		from = i + 1
	}
}
