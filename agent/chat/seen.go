package chat

import (
	"sync"
	"time"
)

// maxSeen is how many threads a seen knows.
const maxSeen = 1_024

// A seen knows when each thread was saved last, as far as this process knows. It is safe for concurrent use.
type seen struct {
	mu      sync.Mutex
	updated map[string]time.Time
}

// changed reports whether a thread was saved since the last call, or is unknown. With too many threads it forgets all.
func (s *seen) changed(t Thread) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, known := s.updated[t.ID]
	if s.updated == nil || len(s.updated) >= maxSeen && !known {
		s.updated = make(map[string]time.Time)
	}
	s.updated[t.ID] = t.Updated
	return !known || !at.Equal(t.Updated)
}
