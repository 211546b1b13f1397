package compaction

import (
	"slices"

	"github.com/forayhq/foray/evals/internal/words"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/recording"
)

// A reference counts as long range if its word or line last occurred at least farTurns turns before.
const farTurns = 5

// A set is a set of numbers of a [vocabulary], as bits.
type set []uint64

func newSet(n int) set { return make(set, (n+63)/64) }

func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }
func (s set) or(o set) {
	for i := range o {
		s[i] |= o[i]
	}
}

// without returns the numbers that the set lacks.
func (s set) without(numbers []int) []int {
	return slices.DeleteFunc(slices.Clone(numbers), s.has)
}

func (s set) count(of []int) int {
	n := 0
	for _, i := range of {
		if s.has(i) {
			n++
		}
	}
	return n
}

// A vocabulary numbers the strings that the suite looks for in the views of one trajectory.
type vocabulary map[string]int

func (v vocabulary) number(s string) int {
	n, ok := v[s]
	if !ok {
		n = len(v)
		v[s] = n
	}
	return n
}

// A target is one request: the assistant's message that followed, and what its calls refer to.
type target struct {
	unit     int   // the unit that begins with the message
	deps     []int // identifiers that the calls refer to
	far      []int // the long-range ones of deps
	near     []int // the others
	lines    []int // lines that the calls repeat
	farLines []int // the long-range ones of lines
	nearLine []int // the others
	anchors  []int // lines that an edit replaces
	calls    []reference
}

// A reference is what one call refers to.
type reference struct {
	deps []int
	cues []string // identifiers and paths by which a model may look it up
}

// A script is a trajectory with all analyses that do not depend on a policy. Policies share it; nothing modifies it.
type script struct {
	*recording.Trajectory
	ids     vocabulary
	lines   vocabulary
	pins    vocabulary
	targets []target
	users   []pin    // user messages
	plans   []claim  // the plan's parts, by the unit that set them
	submits []claim  // titles of accepted submissions
	ofUsers set      // pins that are user messages
	sources []source // messages, in the order of feeding
	// Sources by the identifiers and lines in them, oldest first.
	idSources, lineSources [][]int
	fragments              vocabulary              // of results
	arrivals               [][]arrival             // results by unit
	texts                  map[string][]words.Leaf // strings in arguments, by their JSON
	known                  map[pieceKey]*piece     // of the recording's own texts
	counter                *recording.Counter
}

// A pin is a user message that every view must hold.
type pin struct {
	unit   int
	number int // in pins
	tokens int
	head   string // the beginning of its shortened form
	text   string // flat
}

// A claim is what must stay visible in all requests after a unit.
type claim struct {
	unit    int
	numbers []int // in pins
}

// A spot is a message, by its unit and its index there.
type spot struct{ unit, part int }

func prepare(t *recording.Trajectory, c *recording.Counter) *script {
	s := &script{
		Trajectory: t, counter: c,
		ids: make(vocabulary), lines: make(vocabulary), pins: make(vocabulary), fragments: make(vocabulary),
		texts: make(map[string][]words.Leaf), known: make(map[pieceKey]*piece),
	}
	f := newFinder(s)
	for k, u := range t.Units {
		if u[0].Role == transcript.Assistant && k > 0 {
			s.targets = append(s.targets, f.target(k, u[0]))
		}
		f.read(u)
		s.arrivals = append(s.arrivals, s.arrive(u))
	}
	s.pin()
	s.index()
	return s
}

// A finder reads a trajectory once and remembers the turn in which each word and line last occurred.
type finder struct {
	s        *script
	turn     int
	prompt   map[string]bool // words and lines of the system prompt and the first user message
	excluded map[string]bool
	seen     map[string]int // word → turn of its last occurrence
	lines    map[string]int
	opened   bool // the first user message was read
}

func newFinder(s *script) *finder {
	f := &finder{
		s: s, prompt: make(map[string]bool), excluded: make(map[string]bool),
		seen: make(map[string]int), lines: make(map[string]int),
	}
	for _, w := range words.Shell {
		f.excluded[w] = true
	}
	for _, u := range s.Units {
		for _, call := range u[0].Calls {
			texts, names := words.Leaves(call.Args)
			s.texts[string(call.Args)] = texts
			f.excluded[call.Name] = true
			for _, name := range names {
				f.excluded[name] = true
			}
		}
	}
	f.remember(s.System, true)
	return f
}

// read records what occurs in a unit.
func (f *finder) read(u recording.Unit) {
	if u[0].Role == transcript.Assistant {
		f.turn++
	}
	for i := range u {
		f.remember(u[i].Text, !f.opened && u[i].Role == transcript.User)
		for _, call := range u[i].Calls {
			for _, l := range f.s.texts[string(call.Args)] {
				f.remember(l.Text, false)
			}
		}
	}
	f.opened = f.opened || u[0].Role == transcript.User
}

func (f *finder) remember(text string, prompt bool) {
	for w := range words.All(text) {
		f.seen[w] = f.turn
		if prompt {
			f.prompt[w] = true
		}
	}
	for l := range words.Lines(text) {
		f.lines[l] = f.turn
		if prompt {
			f.prompt[l] = true
		}
	}
}

// target returns what the calls of a message refer to, given everything read so far.
func (f *finder) target(k int, m transcript.Message) target {
	t := target{unit: k}
	for _, call := range m.Calls {
		t.calls = append(t.calls, f.reference(&t, f.s.texts[string(call.Args)]))
	}
	t.deps, t.far = distinct(t.deps), distinct(t.far)
	t.lines, t.farLines = distinct(t.lines), distinct(t.farLines)
	t.near, t.nearLine = without(t.deps, t.far), without(t.lines, t.farLines)
	t.anchors = distinct(t.anchors)
	return t
}

// anchorNames are the arguments with the text that an edit replaces.
var anchorNames = []string{"old_string", "old_str", "old_text", "oldText", "oldString", "search"}

func (f *finder) reference(t *target, texts []words.Leaf) reference {
	var call reference
	for _, l := range texts {
		call.cues = append(call.cues, words.Paths(l.Text)...)
		for w, inPath := range words.All(l.Text) {
			if words.IsIdentifier(w, inPath) && !f.excluded[w] {
				call.cues = append(call.cues, w)
				f.dep(t, &call, w)
			}
		}
		anchor := slices.Contains(anchorNames, l.Key)
		for line := range words.Lines(l.Text) {
			f.line(t, line, anchor)
		}
	}
	slices.Sort(call.cues)
	call.cues, call.deps = slices.Compact(call.cues), distinct(call.deps)
	return call
}

func (f *finder) dep(t *target, call *reference, w string) {
	last, ok := f.seen[w]
	if !ok || f.prompt[w] {
		return
	}
	n := f.s.ids.number(w)
	t.deps, call.deps = append(t.deps, n), append(call.deps, n)
	if f.turn+1-last >= farTurns {
		t.far = append(t.far, n)
	}
}

func (f *finder) line(t *target, line string, anchor bool) {
	if anchor {
		t.anchors = append(t.anchors, f.s.lines.number(line))
	}
	last, ok := f.lines[line]
	if !ok || f.prompt[line] {
		return
	}
	n := f.s.lines.number(line)
	t.lines = append(t.lines, n)
	if f.turn+1-last >= farTurns {
		t.farLines = append(t.farLines, n)
	}
}

// without returns the numbers of a sorted list that another one lacks.
func without(all, some []int) []int {
	return slices.DeleteFunc(slices.Clone(all), func(n int) bool {
		_, found := slices.BinarySearch(some, n)
		return found
	})
}

func distinct(ns []int) []int {
	slices.Sort(ns)
	return slices.Compact(ns)
}

// index analyses the recording's own texts once for all policies, and finds where identifiers and lines occur.
func (s *script) index() {
	s.idSources, s.lineSources = make([][]int, len(s.ids)), make([][]int, len(s.lines))
	for k, u := range s.Units {
		for part := range u {
			s.addSource(spot{k, part}, &u[part])
			for _, call := range u[part].Calls {
				s.recorded(call.Name, false)
			}
		}
	}
	s.recorded(s.System, false)
}

// recorded analyses a text of the recording.
func (s *script) recorded(text string, args bool) *piece {
	key := pieceKey{text, args}
	p, ok := s.known[key]
	if !ok {
		p = s.newPiece(key)
		s.known[key] = p
	}
	return p
}
