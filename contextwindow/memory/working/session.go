package working

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// An Entry tells of a text that a session of working memory holds, or held.
type Entry struct {
	ID      string    `json:"id"`
	Kind    string    `json:"kind"` // "text" or "json"
	Tool    string    `json:"tool,omitempty"`
	Call    string    `json:"call,omitempty"` // id of the call of which it is the result; "": not known
	Args    string    `json:"args,omitempty"` // of the call, as JSON, if they are short
	Bytes   int       `json:"bytes"`
	Runes   int       `json:"runes"`
	Lines   int       `json:"lines"`
	Sum     string    `json:"sum"` // SHA-256 of the text, in hex
	Created time.Time `json:"created"`
	Read    time.Time `json:"read"`           // last
	Gone    string    `json:"gone,omitempty"` // why it is no longer held; "": it is
}

// describe measures a text.
func describe(id, body string) Entry {
	e := Entry{ID: id, Kind: "text", Bytes: len(body), Runes: utf8.RuneCountInString(body), Lines: strings.Count(body, "\n") + 1, Sum: sumOf(body)}
	if strings.HasSuffix(body, "\n") {
		e.Lines--
	}
	if first := strings.TrimLeft(body, " \t\r\n"); first != "" && strings.IndexByte("{[", first[0]) >= 0 && json.Valid([]byte(body)) {
		e.Kind = "json"
	}
	return e
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// A workingSession is what windows have left to those after them. Its lock orders what is done with it, and is held while Archive
// are asked.
type workingSession struct {
	working *Memory
	name    string
	scopes  int       // open ones, under Memory.mu
	used    time.Time // under Memory.mu

	mu      sync.Mutex
	loaded  bool
	entries map[string]*held
	unsaved map[string]bool // ids of entries that Archive were not told of
}

// A held is an entry with its text.
type held struct {
	Entry
	body   string // "" also if it is with Archive
	has    bool   // body is the text
	stored bool   // Archive have it
}

// expires returns when an entry goes if nobody reads it before.
func (o *Options) expires(e *Entry) time.Time {
	idle, absolute := e.Read.Add(o.Idle), e.Created.Add(o.Absolute)
	if absolute.Before(idle) {
		return absolute
	}
	return idle
}

// whyExpired says what an entry died of.
func (o *Options) whyExpired(e *Entry) string {
	if e.Created.Add(o.Absolute).Before(e.Read.Add(o.Idle)) {
		return fmt.Sprintf("texts are kept for %s", spoken(o.Absolute))
	}
	return fmt.Sprintf("texts that nobody reads are kept for %s", spoken(o.Idle))
}

// spoken is a time without what is zero: "30m", "2h".
func spoken(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// load reads what Archive have of the session, once. The caller holds the lock.
func (s *workingSession) load(ctx context.Context) error {
	if s.loaded {
		return nil
	}
	entries := make(map[string]*held)
	if bodies := s.working.options.Archive; bodies != nil {
		all, err := bodies.Entries(ctx, s.name)
		if err != nil {
			return err
		}
		for _, e := range all {
			entries[e.ID] = &held{Entry: e, stored: true}
		}
	}
	s.entries, s.unsaved, s.loaded = entries, make(map[string]bool), true
	return nil
}

// get returns a text, and notes that it was read.
func (s *workingSession) get(ctx context.Context, id string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(ctx); err != nil {
		return "", err
	}
	now := s.working.options.Now()
	s.drop(now)
	e := s.entries[id]
	switch {
	case e == nil:
		return "", notFound(id)
	case e.Gone != "":
		return "", &ExpiredError{e.Entry}
	case !e.has:
		body, err := s.working.options.Archive.Body(ctx, s.name, id)
		if err != nil {
			return "", err
		}
		e.body, e.has = body, true
	}
	e.Read = now
	s.unsaved[id] = true
	return e.body, nil
}

// list returns all entries, the oldest first.
func (s *workingSession) list(ctx context.Context) ([]Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	s.drop(s.working.options.Now())
	var all []Entry
	for _, e := range s.entries {
		all = append(all, e.Entry)
	}
	slices.SortFunc(all, func(a, b Entry) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID)) })
	return all, nil
}

// keep takes texts, lets go of what is too old or too much, and tells Archive.
func (s *workingSession) keep(ctx context.Context, bodies map[string]string, labels map[string]Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(ctx); err != nil {
		return err
	}
	now := s.working.options.Now()
	for _, e := range s.entries {
		if _, known := labels[e.Sum]; !known && e.Tool != "" {
			labels[e.Sum] = e.Entry
		}
	}
	for id, body := range bodies {
		s.take(describe(id, body), body, labels, now)
	}
	s.drop(now)
	s.makeRoom()
	return s.save(ctx)
}

// take takes a text. One that is there already was read again.
func (s *workingSession) take(e Entry, body string, labels map[string]Entry, now time.Time) {
	s.unsaved[e.ID] = true
	label := labels[e.Sum]
	e.Tool, e.Call, e.Args, e.Created, e.Read = label.Tool, label.Call, label.Args, now, now
	if old := s.entries[e.ID]; old != nil && old.Gone == "" && old.Sum == e.Sum {
		e.Created = old.Created
		old.Entry = e
		return
	}
	s.entries[e.ID] = &held{Entry: e, body: body, has: true}
}

// expire drops what is too old.
func (s *workingSession) expire(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(now)
}

// drop lets go of entries whose time is over.
func (s *workingSession) drop(now time.Time) {
	o := &s.working.options
	for _, e := range s.entries {
		if e.Gone == "" && !now.Before(o.expires(&e.Entry)) {
			s.letGo(e, o.whyExpired(&e.Entry))
		}
	}
}

func (s *workingSession) letGo(e *held, why string) {
	e.Gone, e.body, e.has = why, "", false
	s.unsaved[e.ID] = true
}

// mostGone is how many entries of a session that it no longer holds are remembered, so that who asks for one is told that
// it was there.
const mostGone = 1_024

// makeRoom lets go of the texts that were read longest ago, until the session is within its bounds.
func (s *workingSession) makeRoom() {
	o := &s.working.options
	var there, gone []*held
	bytes := 0
	for _, e := range s.entries {
		if e.Gone != "" {
			gone = append(gone, e)
			continue
		}
		there = append(there, e)
		bytes += e.Bytes
	}
	oldest := func(a, b *held) int {
		return cmp.Or(a.Read.Compare(b.Read), a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	}
	slices.SortFunc(there, oldest)
	for len(there) > 0 && (len(there) > o.Entries || bytes > o.Bytes) {
		s.letGo(there[0], "others that were read later took its room")
		bytes -= there[0].Bytes
		gone, there = append(gone, there[0]), there[1:]
	}
	slices.SortFunc(gone, oldest)
	for _, e := range gone[:max(len(gone)-mostGone, 0)] {
		delete(s.entries, e.ID)
		delete(s.unsaved, e.ID)
	}
}

// save tells Archive what has changed.
func (s *workingSession) save(ctx context.Context) error {
	bodies := s.working.options.Archive
	if bodies == nil || len(s.unsaved) == 0 {
		return nil
	}
	var entries []Entry
	texts := make(map[string]string)
	for id := range s.unsaved {
		e := s.entries[id]
		entries = append(entries, e.Entry)
		if e.has && !e.stored {
			texts[id] = e.body
		}
	}
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.ID, b.ID) })
	if err := bodies.Keep(ctx, s.name, entries, texts); err != nil {
		return err
	}
	for id := range texts {
		s.entries[id].stored = true
	}
	clear(s.unsaved)
	return nil
}
