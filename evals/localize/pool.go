package localize

import (
	"context"
	"sync"
)

// A pool keeps each repository open until its last instance is done.
type pool struct {
	dir  string
	mu   sync.Mutex // guards the fields below
	open map[string]*repository
	left map[string]int // instances still to come
}

func newPool(dir string, instances []*Instance) *pool {
	s := &pool{dir: dir, open: make(map[string]*repository), left: make(map[string]int)}
	for _, in := range instances {
		s.left[in.mirror()]++
	}
	return s
}

func (s *pool) take(ctx context.Context, in *Instance) (*repository, error) {
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

func (s *pool) give(in *Instance) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left[in.mirror()]--; s.left[in.mirror()] == 0 {
		delete(s.open, in.mirror())
	}
}
