package working

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// A session holds the texts that windows left to later ones. It stays locked while its [Archive] is called.
type session struct {
	options *Options
	name    string
	scopes  int       // open ones, under Memory.mu
	used    time.Time // under Memory.mu

	mu      sync.Mutex
	loaded  bool
	entries map[string]*kept
	unsaved map[string]bool // ids of entries that the archive does not know yet
}

// A kept is an entry with its text.
type kept struct {
	Entry
	body     string
	inMemory bool // body is the text
	archived bool // the archive has the text
}

// load reads the entries of the session from the archive, once. The caller holds the lock.
func (s *session) load(ctx context.Context) error {
	if s.loaded {
		return nil
	}
	entries := make(map[string]*kept)
	if s.options.Archive != nil {
		all, err := s.options.Archive.Entries(ctx, s.name)
		if err != nil {
			return err
		}
		for _, e := range all {
			entries[e.ID] = &kept{Entry: e, archived: true}
		}
	}
	s.entries, s.unsaved, s.loaded = entries, make(map[string]bool), true
	return nil
}

// get returns a text and counts it as read.
func (s *session) get(ctx context.Context, id string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(ctx); err != nil {
		return "", err
	}
	now := s.options.Now()
	s.dropExpired(now)
	e := s.entries[id]
	switch {
	case e == nil:
		return "", notFound(id)
	case e.Gone != "":
		return "", &ExpiredError{e.Entry}
	case !e.inMemory:
		body, err := s.options.Archive.Body(ctx, s.name, id)
		if err != nil {
			return "", err
		}
		e.body, e.inMemory = body, true
	}
	e.Read = now
	s.unsaved[id] = true
	return e.body, nil
}

// list returns all entries, oldest first.
func (s *session) list(ctx context.Context) ([]Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	s.dropExpired(s.options.Now())
	var all []Entry
	for _, e := range s.entries {
		all = append(all, e.Entry)
	}
	slices.SortFunc(all, func(a, b Entry) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID)) })
	return all, nil
}

// keep takes texts, evicts what is too old or too much, and writes the changes to the archive.
func (s *session) keep(ctx context.Context, bodies map[string]string, labels map[string]Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(ctx); err != nil {
		return err
	}
	now := s.options.Now()
	for _, e := range s.entries {
		if _, known := labels[e.Sum]; !known && e.Tool != "" {
			labels[e.Sum] = e.Entry
		}
	}
	for id, body := range bodies {
		s.take(describe(id, body), body, labels, now)
	}
	s.dropExpired(now)
	s.makeRoom()
	return s.save(ctx)
}

// take takes a text. A text that the session holds already counts as read.
func (s *session) take(e Entry, body string, labels map[string]Entry, now time.Time) {
	s.unsaved[e.ID] = true
	label := labels[e.Sum]
	e.Tool, e.Call, e.Args, e.Created, e.Read = label.Tool, label.Call, label.Args, now, now
	if old := s.entries[e.ID]; old != nil && old.Gone == "" && old.Sum == e.Sum {
		e.Created = old.Created
		old.Entry = e
		return
	}
	s.entries[e.ID] = &kept{Entry: e, body: body, inMemory: true}
}

// expire evicts expired texts.
func (s *session) expire(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropExpired(now)
}

// dropExpired is expire for a caller that holds the lock.
func (s *session) dropExpired(now time.Time) {
	for _, e := range s.entries {
		if e.Gone == "" && !now.Before(s.options.expires(&e.Entry)) {
			s.evict(e, s.options.whyExpired(&e.Entry))
		}
	}
}

func (s *session) evict(e *kept, why string) {
	e.Gone, e.body, e.inMemory = why, "", false
	s.unsaved[e.ID] = true
}

// maxGone is how many entries without text a session remembers, so that whoever asks for one learns that it expired.
const maxGone = 1_024

// makeRoom evicts the texts that were read longest ago until the session is within its limits.
func (s *session) makeRoom() {
	var held, gone []*kept
	bytes := 0
	for _, e := range s.entries {
		if e.Gone != "" {
			gone = append(gone, e)
			continue
		}
		held = append(held, e)
		bytes += e.Bytes
	}
	oldest := func(a, b *kept) int {
		return cmp.Or(a.Read.Compare(b.Read), a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	}
	slices.SortFunc(held, oldest)
	for len(held) > 0 && (len(held) > s.options.Entries || bytes > s.options.Bytes) {
		s.evict(held[0], "others that were read later took its room")
		bytes -= held[0].Bytes
		gone, held = append(gone, held[0]), held[1:]
	}
	slices.SortFunc(gone, oldest)
	for _, e := range gone[:max(len(gone)-maxGone, 0)] {
		delete(s.entries, e.ID)
		delete(s.unsaved, e.ID)
	}
}

// save writes the changes to the archive.
func (s *session) save(ctx context.Context) error {
	if s.options.Archive == nil || len(s.unsaved) == 0 {
		return nil
	}
	var entries []Entry
	texts := make(map[string]string)
	for id := range s.unsaved {
		e := s.entries[id]
		entries = append(entries, e.Entry)
		if e.inMemory && !e.archived {
			texts[id] = e.body
		}
	}
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.ID, b.ID) })
	if err := s.options.Archive.Keep(ctx, s.name, entries, texts); err != nil {
		return err
	}
	for id := range texts {
		s.entries[id].archived = true
	}
	clear(s.unsaved)
	return nil
}
