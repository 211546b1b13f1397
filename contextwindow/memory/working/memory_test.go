package working_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// A scope keeps what one window cuts; a tool reads it by the scope's id.
func ExampleMemory() {
	mem := working.New(nil)
	scope := mem.Open()
	if err := scope.Put("s2.1", "the whole text"); err != nil {
		fmt.Println(err)
	}
	fmt.Println(mem.Get(scope.ID(), "s2.1"))
	scope.Close()
	_, err := mem.Get(scope.ID(), "s2.1")
	fmt.Println(errors.Is(err, working.ErrNoScope))
	// Output:
	// the whole text <nil>
	// true
}

func TestScopesAreApart(t *testing.T) {
	mem := working.New(nil)
	var scopes []*working.Scope
	seen := make(map[string]bool)
	for i := range 50 {
		s := mem.Open()
		if seen[s.ID()] {
			t.Fatalf("two scopes have the id %s", s.ID())
		}
		seen[s.ID()] = true
		if err := s.Put("s1.1", fmt.Sprint("text of ", i)); err != nil {
			t.Fatal(err)
		}
		scopes = append(scopes, s)
		if i%2 == 1 {
			scopes[i-1].Close()
			scopes[i-1].Close()
		}
	}
	for i, s := range scopes {
		got, err := mem.Get(s.ID(), "s1.1")
		if closed := i%2 == 0; closed && !errors.Is(err, working.ErrNoScope) || !closed && got != fmt.Sprint("text of ", i) {
			t.Errorf("scope %d: %q %v", i, got, err)
		}
	}
}

func TestWhatIsNotThere(t *testing.T) {
	mem := working.New(nil)
	scope := mem.Open()
	_, err := mem.Get(scope.ID(), "s9.9")
	if !errors.Is(err, working.ErrNotFound) || !errors.Is(err, contextwindow.ErrNoBody) || errors.Is(err, working.ErrNoScope) {
		t.Errorf("an id that never was: %v", err)
	}
	if err := scope.Put("s9.9", "old"); err != nil {
		t.Fatal(err)
	}
	if err := scope.Put("s9.9", "new"); err != nil {
		t.Fatal(err)
	}
	if got, err := scope.Get("s9.9"); got != "new" || err != nil {
		t.Errorf("a text put again: %q %v", got, err)
	}
	if _, err := mem.Get("", "s9.9"); !errors.Is(err, working.ErrNoScope) {
		t.Errorf("a run without a scope: %v", err)
	}
}

func TestSideBySide(t *testing.T) {
	mem := working.New(nil)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			scope := mem.Open()
			defer scope.Close()
			for i := range 200 {
				id := fmt.Sprintf("s%d.1", i)
				if err := scope.Put(id, id); err != nil {
					t.Error(err)
				}
				if got, err := mem.Get(scope.ID(), id); got != id || err != nil {
					t.Errorf("%q %v", got, err)
				}
			}
		})
	}
	all.Wait()
}

// monday is when these tests begin.
var monday = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// A clockwork is a time that tests set.
type clockwork struct{ now time.Time }

func (c *clockwork) after(d time.Duration) { c.now = c.now.Add(d) }

func sessions(t *testing.T, o working.Options) (*working.Memory, *clockwork) {
	t.Helper()
	c := &clockwork{monday}
	o.Now = func() time.Time { return c.now }
	w := working.New(&o)
	return w, c
}

// leave puts texts into a session as a window does that ends.
func leave(t *testing.T, w *working.Memory, session string, bodies map[string]string) {
	t.Helper()
	s := w.OpenIn(session)
	defer s.Close()
	for id, body := range bodies {
		if err := s.Put(id, body); err != nil {
			t.Fatal(err)
		}
		s.Label(body, transcript.ToolCall{ID: "c1", Name: "read_file", Args: []byte(`{"path":"` + id + `"}`)})
	}
	if err := s.Keep(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// reads reads a text of a session as the tool of a later window does.
func reads(w *working.Memory, session, id string) (string, error) {
	s := w.OpenIn(session)
	defer s.Close()
	return w.Get(s.ID(), id)
}

// Texts outlive their window for 30 minutes since they were read and 2 hours in all, and who comes later is told what
// they were.
func TestSessionsExpire(t *testing.T) {
	for _, durable := range []bool{false, true} {
		var o working.Options
		if durable {
			o.Archive = &diskArchive{}
		}
		w, clock := sessions(t, o)
		leave(t, w, "t", map[string]string{"x1": "one\ntwo\n", "x2": `{"a":1}`})
		steps := []struct {
			wait time.Duration
			id   string
			want string // "" if it has expired
			why  string
		}{
			{29 * time.Minute, "x1", "one\ntwo\n", ""},
			{time.Minute, "x2", "", "texts that nobody reads are kept for 30m"},
			{28 * time.Minute, "x1", "one\ntwo\n", ""},
			{29 * time.Minute, "x1", "one\ntwo\n", ""},
			{29 * time.Minute, "x1", "one\ntwo\n", ""},
			{5 * time.Minute, "x1", "", "texts are kept for 2h"},
			{24 * time.Hour, "x1", "", "texts are kept for 2h"},
		}
		for i, step := range steps {
			clock.after(step.wait)
			s := w.OpenIn("t")
			got, err := s.Get(step.id)
			var expired *working.ExpiredError
			if step.want == "" != errors.As(err, &expired) || got != step.want {
				t.Fatalf("durable %v, step %d: %q %v", durable, i, got, err)
			}
			if expired != nil && (expired.Entry.Gone != step.why || expired.Entry.Tool != "read_file" || !isExpired(err) ||
				!errors.Is(err, contextwindow.ErrNoBody) || errors.Is(err, working.ErrNotFound)) {
				t.Errorf("durable %v, step %d: %+v", durable, i, expired.Entry)
			}
			if err := s.Keep(t.Context()); err != nil {
				t.Error(err)
			}
			s.Close()
		}
		if _, err := reads(w, "t", "x3"); !errors.Is(err, working.ErrNotFound) || isExpired(err) {
			t.Errorf("what never was: %v", err)
		}
		if _, err := reads(w, "other", "x1"); !errors.Is(err, working.ErrNotFound) {
			t.Errorf("another session: %v", err)
		}
	}
}

// What an open scope holds neither expires nor counts.
func TestOpenScopesAreExempt(t *testing.T) {
	w, clock := sessions(t, working.Options{Entries: 2, Bytes: 100})
	s := w.OpenIn("t")
	defer s.Close()
	for i := range 10 {
		if err := s.Put(fmt.Sprint("x", i), strings.Repeat("y", 50)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Keep(t.Context()); err != nil {
		t.Fatal(err)
	}
	clock.after(3 * time.Hour)
	for i := range 10 {
		if got, err := w.Get(s.ID(), fmt.Sprint("x", i)); len(got) != 50 || err != nil {
			t.Errorf("x%d: %q %v", i, got, err)
		}
	}
	if all, err := w.Entries(t.Context(), "t"); err != nil || len(all) != 10 || all[0].Gone == "" {
		t.Errorf("%+v %v", all, err)
	}
}

// Beyond its bounds a session lets go of what was read longest ago.
func TestSessionBounds(t *testing.T) {
	for name, o := range map[string]working.Options{"entries": {Entries: 4}, "bytes": {Bytes: 4 * 1_000}} {
		w, clock := sessions(t, o)
		for i := range 4 {
			leave(t, w, "t", map[string]string{fmt.Sprint("x", i): strings.Repeat(fmt.Sprint(i), 1_000)})
			clock.after(time.Second)
		}
		if _, err := reads(w, "t", "x0"); err != nil {
			t.Error(err)
		}
		clock.after(time.Second)
		leave(t, w, "t", map[string]string{"x4": strings.Repeat("4", 1_000)})
		for i, want := range []bool{true, false, true, true, true} {
			_, err := reads(w, "t", fmt.Sprint("x", i))
			if want != (err == nil) || !want && !isExpired(err) {
				t.Errorf("%s: x%d: %v", name, i, err)
			}
		}
		leave(t, w, "t", map[string]string{"huge": strings.Repeat("h", 1<<20)})
		if _, err := reads(w, "t", "huge"); name == "bytes" != isExpired(err) {
			t.Errorf("%s: a text that is larger than everything: %v", name, err)
		}
	}
}

// Whatever is put, read and waited for: a session is within its bounds, and every text that it gives is the one that
// was put.
func TestSessionsHoldTheirBounds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		clock := &clockwork{monday}
		o := working.Options{Entries: rapid.IntRange(1, 6).Draw(rt, "entries"), Bytes: rapid.IntRange(1, 60).Draw(rt, "bytes"), Now: func() time.Time { return clock.now }}
		if rapid.Bool().Draw(rt, "durable") {
			o.Archive = &diskArchive{}
		}
		w := working.New(&o)
		put := make(map[string]string)
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			clock.after(time.Duration(rapid.IntRange(0, 40).Draw(rt, "minutes")) * time.Minute)
			s := w.OpenIn("t")
			for range rapid.IntRange(0, 3).Draw(rt, "puts") {
				id := fmt.Sprint("x", rapid.IntRange(0, 9).Draw(rt, "id"))
				put[id] = strings.Repeat("z", rapid.IntRange(0, 30).Draw(rt, "size"))
				_ = s.Put(id, put[id])
				if got, err := s.Get(id); got != put[id] || err != nil {
					rt.Fatalf("open: %q %v", got, err)
				}
			}
			if err := s.Keep(context.Background()); err != nil {
				rt.Fatal(err)
			}
			s.Close()
			all, err := w.Entries(context.Background(), "t")
			if err != nil {
				rt.Fatal(err)
			}
			there, bytes := 0, 0
			for _, e := range all {
				got, err := reads(w, "t", e.ID)
				if e.Gone == "" != (err == nil) || err == nil && got != put[e.ID] || err != nil && !isExpired(err) {
					rt.Fatalf("%+v: %q %v, want %q", e, got, err, put[e.ID])
				}
				if e.Gone == "" {
					there, bytes = there+1, bytes+e.Bytes
				}
			}
			if there > o.Entries || bytes > o.Bytes {
				rt.Fatalf("%d texts of %d bytes", there, bytes)
			}
		}
	})
}

// Archive that fail lose nothing that is in memory, and say so.
func TestArchiveThatFail(t *testing.T) {
	disk := &diskArchive{}
	w, _ := sessions(t, working.Options{Archive: disk})
	s := w.OpenIn("t")
	defer s.Close()
	_ = s.Put("x1", "text")
	disk.err = errors.New("disk full")
	if err := s.Keep(t.Context()); !errors.Is(err, disk.err) {
		t.Errorf("no error: %v", err)
	}
	disk.err = nil
	if err := s.Keep(t.Context()); err != nil || disk.texts["t"]["x1"] != "text" {
		t.Errorf("again: %v %v", err, disk.texts)
	}
}

// A text that each window puts again is written once, and knows its call in another process.
func TestTheSameTextIsWrittenOnce(t *testing.T) {
	disk := &diskArchive{}
	for range 3 {
		w, clock := sessions(t, working.Options{Archive: disk})
		leave(t, w, "t", map[string]string{"x1": "text"})
		s := w.OpenIn("t")
		_ = s.Put("x1", "text") // without a label
		if err := s.Keep(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Close()
		clock.after(time.Minute)
	}
	w, _ := sessions(t, working.Options{Archive: disk})
	all, err := w.Entries(t.Context(), "t")
	if err != nil || len(all) != 1 || all[0].Tool != "read_file" || disk.written != 1 {
		t.Errorf("%+v %v, %d texts were written", all, err, disk.written)
	}
}

// diskArchive are Archive.
type diskArchive struct {
	mu      sync.Mutex
	entries map[string]map[string]working.Entry
	texts   map[string]map[string]string
	err     error
	written int // texts
}

func (d *diskArchive) Entries(_ context.Context, session string) ([]working.Entry, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Collect(maps.Values(d.entries[session])), d.err
}

func (d *diskArchive) Body(_ context.Context, session, id string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.texts[session][id], d.err
}

func (d *diskArchive) Keep(_ context.Context, session string, entries []working.Entry, texts map[string]string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return d.err
	}
	if d.entries == nil {
		d.entries, d.texts = make(map[string]map[string]working.Entry), make(map[string]map[string]string)
	}
	if d.entries[session] == nil {
		d.entries[session], d.texts[session] = make(map[string]working.Entry), make(map[string]string)
	}
	d.written += len(texts)
	for _, e := range entries {
		d.entries[session][e.ID] = e
		if text, ok := texts[e.ID]; ok {
			d.texts[session][e.ID] = text
		}
		if e.Gone != "" {
			delete(d.texts[session], e.ID)
		}
	}
	return nil
}

func isExpired(err error) bool {
	var expired *working.ExpiredError
	return errors.As(err, &expired)
}
