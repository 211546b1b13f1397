package localize

import (
	"context"
	"sync"
)

// A shelf holds the repositories that are in use, each until its last instance is done.
type shelf struct {
	dir  string
	mu   sync.Mutex // guards what follows
	open map[string]*repository
	left map[string]int // instances to come
}

func newShelf(dir string, instances []*Instance) *shelf {
	s := &shelf{dir: dir, open: make(map[string]*repository), left: make(map[string]int)}
	for _, in := range instances {
		s.left[in.mirror()]++
	}
	return s
}

func (s *shelf) take(ctx context.Context, in *Instance) (*repository, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.open[in.mirror()]; r != nil {
		return r, nil
	}
	r, err := openRepository(ctx, s.dir, in.mirror())
	if err == nil {
		s.open[in.mirror()] = r
	}
	return r, err
}

func (s *shelf) give(in *Instance) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left[in.mirror()]--; s.left[in.mirror()] == 0 {
		delete(s.open, in.mirror())
	}
}
