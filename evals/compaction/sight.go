package compaction

import (
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/recording"
	"github.com/forayhq/foray/evals/internal/words"
)

// A sizeClass groups results by size.
type sizeClass int

const numClasses = 4

// classLimits are the largest sizes of the classes but the last, in tokens, and classNames their names in reports.
var (
	classLimits = [numClasses - 1]int{300, 1_000, 4_000}
	classNames  = [numClasses]string{"300", "1k", "4k", "larger"}
)

func classOf(tokens int) sizeClass {
	for i, limit := range classLimits {
		if tokens <= limit {
			return sizeClass(i)
		}
	}
	return numClasses - 1
}

// Bounds of what counts at first sight.
const (
	mostWeight  = 4_000 // tokens: a larger result weighs no more
	wholeFrom   = .98   // share of a result that counts as whole
	quarter     = .25
	alsoFrom    = words.MinLine // bytes from which a fragment may also be visible elsewhere
	rolesBeyond = 300           // tokens: roles are compared by larger results only
)

// An arrival is one result, split into what a reader may see or miss of it.
type arrival struct {
	call      string // the id of its call
	text      string
	tokens    int
	role      role
	fragments []fragment
	bytes     int // of all fragments
}

// A fragment is a line or piece of a line that is at least alsoFrom bytes long, or opens the result. Shorter lines add
// their bytes to the fragment before them.
type fragment struct {
	text   string
	bytes  int
	number int // in script.fragments; -1: too short
}

// arrive splits the results of a unit.
func (s *script) arrive(u []transcript.Message) []arrival {
	var all []arrival
	for i, m := range u[1:] {
		call := u[0].Calls[i]
		a := arrival{
			call: m.CallID, text: m.Text, tokens: recording.Tokens(s.counter.Quarters(m.Text)),
			role: roleOf(call, s.texts[string(call.Args)]),
		}
		for text := range words.Fragments(m.Text) {
			a.bytes += len(text)
			last := len(a.fragments) - 1
			switch {
			case len(text) >= alsoFrom:
				a.fragments = append(a.fragments, fragment{text, len(text), s.fragments.number(text)})
			case last >= 0:
				a.fragments[last].bytes += len(text)
			default:
				a.fragments = append(a.fragments, fragment{text, len(text), -1})
			}
		}
		all = append(all, a)
	}
	return all
}

// fragmentsIn returns the fragments of the script that are lines or pieces of lines of a text.
func (s *script) fragmentsIn(text string) set {
	found := newSet(len(s.fragments))
	for f := range words.Fragments(text) {
		if n, ok := s.fragments[f]; ok {
			found.add(n)
		}
	}
	return found
}

// A sight adds up how much of some results was seen in the first request after each arrived.
type sight struct {
	Results, Whole, UnderQuarter, Nothing int
	Weight                                int     // tokens, at most mostWeight a result
	Seen                                  float64 // of Weight
}

func (s *sight) add(o *sight) {
	s.Results += o.Results
	s.Whole += o.Whole
	s.UnderQuarter += o.UnderQuarter
	s.Nothing += o.Nothing
	s.Weight += o.Weight
	s.Seen += o.Seen
}

func (s *sight) share() float64 {
	if s.Weight == 0 {
		return 1
	}
	return s.Seen / float64(s.Weight)
}

// count adds a result and the share of it that was seen.
func (s *sight) count(tokens int, seen float64) {
	weight := min(tokens, mostWeight)
	one := sight{Results: 1, Weight: weight, Seen: seen * float64(weight)}
	switch {
	case seen >= wholeFrom:
		one.Whole = 1
	case seen == 0:
		one.UnderQuarter, one.Nothing = 1, 1
	case seen < quarter:
		one.UnderQuarter = 1
	}
	s.add(&one)
}

// firstSight counts what a view shows of the results of a range of units. Without served, it shows nothing.
func (r *replay) firstSight(from, to int, view []transcript.Message, served bool) {
	elsewhere := set(nil)
	for k := from; k < to; k++ {
		for i := range r.arrivals[k] {
			a := &r.arrivals[k][i]
			if a.bytes == 0 {
				continue
			}
			seen := 0.
			if served {
				seen = float64(r.seenOf(a, view, &elsewhere)) / float64(a.bytes)
			}
			r.tally.Sight[classOf(a.tokens)].count(a.tokens, seen)
			if a.tokens > rolesBeyond {
				r.tally.Roles[a.role].count(a.tokens, seen)
			}
		}
	}
}

// seenOf returns the bytes of a result that a view shows: fragments in what it shows of that result, and those from
// alsoFrom bytes on in any result or argument of a call. It fills in elsewhere when it is first needed.
func (r *replay) seenOf(a *arrival, view []transcript.Message, elsewhere *set) int {
	shown := shownOf(view, a.call)
	if shown == a.text {
		return a.bytes
	}
	own := newSet(len(r.fragments))
	if shown != "" {
		own = r.piece(shown, false).fragments
	}
	shown = words.StripEscapes(shown)
	if *elsewhere == nil {
		*elsewhere = r.fragmentsOf(view)
	}
	seen := 0
	for _, f := range a.fragments {
		if f.number >= 0 && (own.has(f.number) || elsewhere.has(f.number)) || strings.Contains(shown, f.text) {
			seen += f.bytes
		}
	}
	return seen
}

// shownOf returns what a view shows as the result of a call; "" if it shows none.
func shownOf(view []transcript.Message, call string) string {
	for i := len(view) - 1; i >= 0; i-- {
		if view[i].Role == transcript.Tool && view[i].CallID == call {
			return view[i].Text
		}
	}
	return ""
}

// fragmentsOf returns the fragments in the results and arguments of a view.
func (g *gauge) fragmentsOf(view []transcript.Message) set {
	found := newSet(len(g.fragments))
	for i := range view {
		if view[i].Role == transcript.Tool {
			found.or(g.piece(view[i].Text, false).fragments)
		}
		for _, call := range view[i].Calls {
			found.or(g.piece(string(call.Args), true).fragments)
		}
	}
	return found
}
