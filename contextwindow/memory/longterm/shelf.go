package longterm

import "github.com/forayhq/foray/internal/textsearch"

// An entry is a memory as it is searched. Entries are never changed, only replaced, so that a search may keep one.
type entry struct {
	Memory
	vector  []float32 // its embedding, if that can be compared, of length 1
	removed bool      // replaced or deleted
}

// A facet is what a search chooses entries by. Facets are apart from entries so that reading all of them is quick.
type facet struct {
	user     int32
	category Category
	state    entryState
	sketched bool // it has a vector of the shelf's length
}

// An entryState says whether a search may find an entry.
type entryState uint8

const (
	current    entryState = iota
	superseded            // found only by a query for superseded memories
	removed               // never found
)

func stateOf(m *Memory) entryState {
	if m.SupersededBy != "" {
		return superseded
	}
	return current
}

// A shelf holds memories for searching. It has no lock; the [Memories] that own it have one.
type shelf struct {
	entries  []*entry
	facets   []facet // of the entry of the same number, like said and sketches
	said     textsearch.Statements
	sketches sketches
	users    map[string]int32
	byID     map[string]int32
	removed  int
}

func newShelf() *shelf { return &shelf{byID: make(map[string]int32), users: make(map[string]int32)} }

// put takes a memory, and its vector if it has one, in place of the one with its id.
func (s *shelf) put(m Memory, vector []float32) {
	s.remove(m.ID)
	s.said.Add(m.Content, m.Created)
	s.add(&entry{Memory: m, vector: vector})
	s.tidy()
}

// add takes an entry whose statement has been added.
func (s *shelf) add(e *entry) {
	s.byID[e.ID] = int32(len(s.entries))
	s.entries = append(s.entries, e)
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

// touch replaces a memory by one with the same content.
func (s *shelf) touch(m Memory) {
	i := s.byID[m.ID]
	s.entries[i] = &entry{Memory: m, vector: s.entries[i].vector}
}

// remove drops a memory, if it is there.
func (s *shelf) remove(id string) {
	i, ok := s.byID[id]
	if !ok {
		return
	}
	delete(s.byID, id)
	s.entries[i] = &entry{removed: true}
	s.facets[i].state = removed
	s.removed++
}

// tidy rebuilds the shelf once more than half of it, and at least a thousand entries, are removed.
func (s *shelf) tidy() {
	if s.removed >= 1000 && s.removed >= len(s.entries)/2 {
		s.rebuild(newShelf())
	}
}

// measure drops all vectors of another length than the embedder's, so that none of them are compared.
func (s *shelf) measure(dimensions int) {
	if s.sketches.dimensions == dimensions || s.sketches.dimensions == 0 {
		return
	}
	for i, e := range s.entries {
		if len(e.vector) != dimensions {
			s.entries[i] = &entry{Memory: e.Memory, removed: e.removed}
		}
	}
	s.rebuild(newShelf())
}

// rebuild moves the entries that are not removed to a fresh shelf, and takes its place.
func (s *shelf) rebuild(fresh *shelf) {
	fresh.said = s.said
	fresh.said.Keep(func(i int) bool { return !s.entries[i].removed })
	for _, e := range s.entries {
		if !e.removed {
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
