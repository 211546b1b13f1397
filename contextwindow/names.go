package contextwindow

import "github.com/forayhq/foray/toollimit"

// A nameIndex counts how often identifiers stand in the view. It follows from the slots, is brought up to date when it
// is asked, and is not built in windows that never ask.
type nameIndex map[string]int32

// indexNames brings the index up to date with the slots.
func (s *state) indexNames() {
	if s.names == nil {
		s.names = make(nameIndex)
		s.names.add(namesOf(s.frame.System), 1)
	}
	for i := range s.slots {
		sl := &s.slots[i]
		if sl.indexed {
			continue
		}
		sl.indexed, sl.names = true, slotNames(sl)
		s.names.add(sl.names, 1)
	}
}

// forget takes a slot whose messages change, or which goes, out of the indexes.
func (s *state) forget(sl *slot) {
	if sl.lines != nil {
		s.runs = nil
	}
	s.forgetNames(sl)
}

// forgetNames takes a slot whose notes change out of the index of names.
func (s *state) forgetNames(sl *slot) {
	if sl.indexed {
		s.names.add(sl.names, -1)
		sl.indexed, sl.names = false, nil
	}
}

// visible reports whether an identifier stands in the view. The index must be up to date.
func (s *state) visible(name string) bool { return s.names[name] > 0 }

// add counts names n times; an index that was not built yet stays so.
func (x nameIndex) add(names []string, n int32) {
	if x == nil {
		return
	}
	for _, name := range names {
		if x[name] += n; x[name] == 0 {
			delete(x, name)
		}
	}
}

func slotNames(sl *slot) []string {
	var names []string
	for i := range sl.messages {
		m := &sl.messages[i]
		names = appendNames(names, m.Text)
		for _, c := range m.Calls {
			names = appendNames(names, string(c.Args))
		}
	}
	for _, n := range sl.notes {
		names = appendNames(names, n.Text)
	}
	return names
}

func namesOf(text string) []string { return appendNames(nil, text) }

func appendNames(names []string, text string) []string {
	for name := range toollimit.Identifiers(text) {
		names = append(names, name)
	}
	return names
}

// A nameCount is in how many units an identifier stands, and whether the agent wrote it in the arguments of a call, as
// far as units were counted.
type nameCount struct {
	units   map[string]int
	written map[string]bool
	upTo    int // units counted
}

// mostWeight bounds what an identifier that stands in many units counts more than one that stands in one, and
// writtenWeight is what one that the agent wrote counts besides.
const (
	mostWeight    = 4
	writtenWeight = 2
)

// weigh gives an identifier that is not seen the number of units in which it stands, at most mostWeight, and more if
// the agent wrote it: what came up again and again, and what a call needed once, will come up again.
func (w *Window) weigh(seen func(string) bool) func(string) int {
	c := &w.count
	if c.units == nil {
		c.units, c.written = make(map[string]int), make(map[string]bool)
	}
	for ; c.upTo < len(w.units); c.upTo++ {
		here := make(map[string]bool)
		for _, m := range w.units[c.upTo].Messages {
			for name := range toollimit.Identifiers(m.Text) {
				here[name] = true
			}
			for _, call := range m.Calls {
				for name := range toollimit.Identifiers(string(call.Args)) {
					here[name], c.written[name] = true, true
				}
			}
		}
		for name := range here {
			c.units[name]++
		}
	}
	return func(name string) int {
		if seen(name) {
			return 0
		}
		weight := min(max(c.units[name], 1), mostWeight)
		if c.written[name] {
			weight += writtenWeight
		}
		return weight
	}
}
