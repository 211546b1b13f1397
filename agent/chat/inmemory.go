package chat

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/memory/summary"
)

// inMemory implements [Store].
type inMemory struct {
	mu      sync.RWMutex
	threads map[string]*memoryThread
}

// A memoryThread is one thread of an inMemory. Its messages are never changed in place.
type memoryThread struct {
	Thread
	messages []Message
	numbered int64 // the highest number given to a message so far
	summary  summary.Thread
}

// InMemory returns an empty [Store] that keeps everything in memory and loses it with the process.
func InMemory() Store { return &inMemory{threads: make(map[string]*memoryThread)} }

func (s *inMemory) CreateThread(_ context.Context, t Thread) error {
	if err := CheckThreadID(t.ID); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.threads[t.ID] != nil {
		return ErrThreadExists
	}
	t.State, t.Messages, t.Last = slices.Clone(t.State), 0, 0
	s.threads[t.ID] = &memoryThread{Thread: t}
	return nil
}

func (s *inMemory) Thread(_ context.Context, id string) (Thread, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t := s.threads[id]
	if t == nil {
		return Thread{}, ErrNoThread
	}
	return t.copy(), nil
}

func (t *memoryThread) copy() Thread {
	c := t.Thread
	c.State, c.Messages = slices.Clone(c.State), len(t.messages)
	if c.Messages > 0 {
		c.Last = t.messages[c.Messages-1].Seq
	}
	return c
}

func (s *inMemory) Threads(_ context.Context, user string, offset, limit int) ([]Thread, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var found []Thread
	for _, t := range s.threads {
		if user == "" || t.User == user {
			found = append(found, t.copy())
		}
	}
	slices.SortFunc(found, func(a, b Thread) int {
		return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.ID, b.ID))
	})
	from := min(max(offset, 0), len(found))
	return found[from:min(from+max(limit, 0), len(found))], nil
}

// LockThread locks nothing: no other process can open the store, and a Chat queues its own turns.
func (s *inMemory) LockThread(context.Context, string, time.Duration) (func(), error) {
	return func() {}, nil
}

func (s *inMemory) SaveThread(_ context.Context, t Thread, ms ...Message) ([]Message, error) {
	added := slices.Clone(ms)
	err := s.replace(t, func(old *memoryThread) {
		for i := range added {
			old.numbered++
			added[i].Seq = old.numbered
		}
		old.messages = append(old.messages, added...)
	})
	if err != nil {
		return nil, err
	}
	return added, nil
}

// replace saves a thread and runs fn on it, unless another writer has changed its messages.
func (s *inMemory) replace(t Thread, fn func(*memoryThread)) error {
	return s.change(t.ID, func(old *memoryThread) error {
		if old.copy().Last != t.Last {
			return ErrConflict
		}
		old.User, old.Title, old.Updated, old.State = t.User, t.Title, t.Updated, slices.Clone(t.State)
		fn(old)
		return nil
	})
}

// change runs fn on a thread under the lock.
func (s *inMemory) change(id string, fn func(*memoryThread) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.threads[id]
	if t == nil {
		return ErrNoThread
	}
	return fn(t)
}

func (s *inMemory) DeleteThread(_ context.Context, id string) error {
	return s.change(id, func(*memoryThread) error {
		delete(s.threads, id)
		return nil
	})
}

func (s *inMemory) Messages(_ context.Context, thread string, after int64, limit int) ([]Message, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t := s.threads[thread]
	if t == nil {
		return nil, ErrNoThread
	}
	from := t.at(after + 1)
	return slices.Clone(t.messages[from:min(from+max(limit, 0), len(t.messages))]), nil
}

// at returns the index of the first message numbered seq or higher.
func (t *memoryThread) at(seq int64) int {
	i, _ := slices.BinarySearchFunc(t.messages, seq, func(m Message, seq int64) int { return cmp.Compare(m.Seq, seq) })
	return i
}

func (s *inMemory) TruncateMessages(_ context.Context, t Thread, from int64) error {
	return s.replace(t, func(old *memoryThread) {
		old.messages = slices.Clip(old.messages[:old.at(from)])
		if old.summary.Last >= from {
			old.summary = summary.Thread{}
		}
	})
}

func (s *inMemory) After(ctx context.Context, thread string, seq int64, limit int) ([]summary.Message, error) {
	ms, _ := s.Messages(ctx, thread, seq, limit)
	found := make([]summary.Message, len(ms))
	for i, m := range ms {
		found[i] = summary.Message{Seq: m.Seq, Message: m.Message}
	}
	return found, nil
}

func (s *inMemory) Recent(_ context.Context, thread string, before int64, limit int) ([]contextbuilder.Message, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t := s.threads[thread]
	if t == nil {
		return nil, nil
	}
	end := len(t.messages)
	if before > 0 {
		end = t.at(before)
	}
	ms := t.messages[max(0, end-max(limit, 0)):end]
	found := make([]contextbuilder.Message, len(ms))
	for i, m := range ms {
		found[i] = contextbuilder.Message{Seq: m.Seq, Message: m.Message}
	}
	return found, nil
}

func (s *inMemory) LoadSummary(_ context.Context, thread string) (summary.Thread, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if t := s.threads[thread]; t != nil {
		return t.summary, nil
	}
	return summary.Thread{}, nil
}

func (s *inMemory) SaveSummary(_ context.Context, thread string, last int64, sum summary.Thread) error {
	return s.change(thread, func(t *memoryThread) error {
		i := t.at(sum.Last)
		if t.summary.Last != last || i == len(t.messages) || t.messages[i].Seq != sum.Last {
			return summary.ErrConflict
		}
		t.summary = sum
		return nil
	})
}

func (s *inMemory) DeleteSummary(_ context.Context, thread string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.threads[thread]; t != nil {
		t.summary = summary.Thread{}
	}
	return nil
}
