package longterm

import "github.com/forayhq/foray/contextwindow/memory/textsearch"

// An entry is a memory as it is searched. Entries are never changed, only replaced, so that a search may keep one.
type entry struct {
	Memory
	vector  []float32 // its embedding, if that can be compared, of length 1
	wording textsearch.Wording
	gone    bool // replaced or deleted
}

// A facet is what a search chooses entries by, kept apart so that looking through all of them is quick.
type facet struct {
	user     int32
	category Category
	state    entryState
	sketched bool // it has a vector of the shelf's length
}

// An entryState says whether a search may find an entry.
type entryState uint8

const (
	holds      entryState = iota
	superseded            // found by who asks for such, too
	removed               // found by nobody
)

func stateOf(m *Memory) entryState {
	if m.SupersededBy != "" {
		return superseded
	}
	return holds
}

// A shelf holds memories for searching. It has no lock; the Memories that owns it has.
type shelf struct {
	entries  []*entry
	facets   []facet
	users    map[string]int32
	byID     map[string]int32
	said     textsearch.Statements
	sketches sketches
	gone     int
}

func newShelf() *shelf { return &shelf{byID: make(map[string]int32), users: make(map[string]int32)} }

// put takes a memory, and its vector if it has one, in place of the one with its id.
func (s *shelf) put(m Memory, vector []float32) {
	s.remove(m.ID)
	s.add(&entry{Memory: m, vector: vector, wording: textsearch.ReadStatement(m.Content, m.Created)})
	s.tidy()
}

func (s *shelf) add(e *entry) {
	s.byID[e.ID] = int32(len(s.entries))
	s.entries = append(s.entries, e)
	s.said.Add(e.wording)
	s.facets = append(s.facets, facet{s.user(e.User), e.Category, stateOf(&e.Memory), s.sketches.add(e.vector)})
}

// user returns the number of a user, a new one if it has none.
func (s *shelf) user(name string) int32 {
	n, ok := s.users[name]
	if !ok {
		n = int32(len(s.users))
		s.users[name] = n
	}
	return n
}

// touch replaces what is kept of a memory without its words, which must be the same.
func (s *shelf) touch(m Memory) {
	i := s.byID[m.ID]
	s.entries[i] = &entry{Memory: m, vector: s.entries[i].vector, wording: s.entries[i].wording}
}

// remove drops a memory, if it is there.
func (s *shelf) remove(id string) {
	i, ok := s.byID[id]
	if !ok {
		return
	}
	delete(s.byID, id)
	s.entries[i] = &entry{gone: true}
	s.facets[i].state = removed
	s.gone++
}

// tidy builds the shelf anew once more than half of it, and more than a thousand, is gone.
func (s *shelf) tidy() {
	if s.gone < 1000 || s.gone < len(s.entries)/2 {
		return
	}
	fresh := newShelf()
	for _, e := range s.entries {
		if !e.gone {
			fresh.add(e)
		}
	}
	*s = *fresh
}

// get returns a memory.
func (s *shelf) get(id string) (Memory, bool) {
	i, ok := s.byID[id]
	if !ok {
		return Memory{}, false
	}
	return s.entries[i].Memory, true
}
