package search

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// An automaton finds the end of the first match of a program, in one step a rune. It is deterministic, builds its
// states as it reaches them, and serves one goroutine. The regexp package has none, which makes it slow on texts
// without a match.
type automaton struct {
	prog    *syntax.Prog
	bounds  []rune     // the first rune of each class; the program does not distinguish the runes of a class
	classes [256]int32 // by byte
	end     int32      // the class of the end of the text
	wide    int32      // the class of bytes that are not a rune by themselves; its transitions are never built
	stride  int        // transitions of a state

	states []state
	next   []int32 // by state and class; the id of a state is where its row starts
	ids    map[string]int32
	size   int // of all states, in instructions

	read, work int // bytes read, and instructions followed to build transitions, since the start
	drops      int // how often all states were dropped
	queue      []uint32
	seen       []bool
}

// A state is the set of instructions that are reached, in order, and the kind of the rune before.
type state struct {
	pcs    []uint32
	before rune
}

// Values of a transition that are no state.
const (
	unbuilt = -1
	matched = -2 // a match ends before the rune
	gaveUp  = -3 // too many states
)

// Bounds of an automaton. When its states exceed theirs, it drops them all, and builds them again as it reaches them.
// It gives up when its work exceeds maxWork plus workPerByte for each byte read: regexp is then faster.
const (
	maxProgram      = 5000 // instructions of the program
	maxTransitions  = 1 << 18
	maxInstructions = 1 << 17 // of all states
	maxWork         = 1 << 20 // instructions followed to build transitions
	workPerByte     = 16
)

// newAutomaton returns nil for a program that is too large.
func newAutomaton(prog *syntax.Prog) *automaton {
	if len(prog.Inst) > maxProgram {
		return nil
	}
	a := &automaton{prog: prog, bounds: classBounds(prog), ids: map[string]int32{}, seen: make([]bool, len(prog.Inst))}
	a.end = int32(len(a.bounds))
	a.wide, a.stride = a.end+1, int(a.end)+2
	for c := range a.classes {
		a.classes[c] = a.wide
		if c < utf8.RuneSelf {
			a.classes[c] = a.class(rune(c))
		}
	}
	return a
}

// classBounds divides the runes into classes that no instruction and no boundary distinguishes.
func classBounds(prog *syntax.Prog) []rune {
	bounds := []rune{0, '\n', '\n' + 1, '0', '9' + 1, 'A', 'Z' + 1, '_', '_' + 1, 'a', 'z' + 1, utf8.RuneSelf}
	for i := range prog.Inst {
		in := &prog.Inst[i]
		switch in.Op {
		case syntax.InstRune, syntax.InstRune1:
			if len(in.Rune) == 1 {
				for r, first := in.Rune[0], true; first || r != in.Rune[0]; r, first = unicode.SimpleFold(r), false {
					bounds = append(bounds, r, r+1)
				}
				continue
			}
			for j := 0; j+1 < len(in.Rune); j += 2 {
				bounds = append(bounds, in.Rune[j], in.Rune[j+1]+1)
			}
		default: // no runes of its own
		}
	}
	slices.Sort(bounds)
	return slices.Compact(bounds)
}

func (a *automaton) class(r rune) int32 {
	i, found := slices.BinarySearch(a.bounds, r)
	if !found {
		i--
	}
	return int32(i)
}

// to returns the transition of the state s for a class.
func (a *automaton) to(s, class int32) int32 {
	if to := a.next[s+class]; to != unbuilt {
		return to
	}
	return a.step(s, class)
}

// step builds the transition of the state s for a class.
func (a *automaton) step(s, class int32) int32 {
	from := a.states[int(s)/a.stride]
	r := rune(-1)
	if class != a.end {
		r = a.bounds[class]
	}
	pcs, match := a.follow(from.pcs, from.before, r)
	to := int32(matched)
	if !match {
		if a.work += len(pcs); a.work > maxWork+workPerByte*a.read {
			return gaveUp
		}
		drops := a.drops
		to = a.state(pcs, kindBefore(r))
		if a.drops > drops { // s was dropped too
			return to
		}
	}
	a.next[s+class] = to
	return to
}

// kindBefore returns one rune that stands for all with the same effect on a boundary after them: fewer states.
func kindBefore(r rune) rune {
	switch {
	case r == '\n':
		return '\n'
	case syntax.IsWordChar(r):
		return 'a'
	default:
		return ' '
	}
}

// follow executes the instructions at the position between the runes before and r, and then consumes r. It reports
// whether a match ends before r.
func (a *automaton) follow(pcs []uint32, before, r rune) (next []uint32, match bool) {
	holds := syntax.EmptyOpContext(before, r)
	clear(a.seen)
	a.queue = append(a.queue[:0], pcs...)
	for len(a.queue) > 0 {
		pc := a.queue[len(a.queue)-1]
		a.queue = a.queue[:len(a.queue)-1]
		if a.seen[pc] {
			continue
		}
		a.seen[pc] = true
		in := &a.prog.Inst[pc]
		switch in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			a.queue = append(a.queue, in.Out, in.Arg)
		case syntax.InstCapture, syntax.InstNop:
			a.queue = append(a.queue, in.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^holds == 0 {
				a.queue = append(a.queue, in.Out)
			}
		case syntax.InstMatch:
			return nil, true
		case syntax.InstFail:
		default:
			if r >= 0 && in.MatchRune(r) {
				next = append(next, in.Out)
			}
		}
	}
	next = append(next, uint32(a.prog.Start)) // a match may start anywhere
	slices.Sort(next)
	return slices.Compact(next), false
}

// state returns the id of a state, which it adds if it is new.
func (a *automaton) state(pcs []uint32, before rune) int32 {
	key := make([]byte, 0, 4*len(pcs)+4)
	key = binary.NativeEndian.AppendUint32(key, uint32(before))
	for _, pc := range pcs {
		key = binary.NativeEndian.AppendUint32(key, pc)
	}
	if id, ok := a.ids[string(key)]; ok {
		return id
	}
	if len(a.next)+a.stride > maxTransitions || a.size+len(pcs) > maxInstructions {
		a.states, a.next, a.size = a.states[:0], a.next[:0], 0
		clear(a.ids)
		a.drops++
	}
	id := int32(len(a.next))
	a.states = append(a.states, state{pcs, before})
	a.ids[string(key)] = id
	a.size += len(pcs)
	for range a.stride {
		a.next = append(a.next, unbuilt)
	}
	return id
}
