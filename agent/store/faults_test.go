package store_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory"
)

// fill makes a database with something of everything in it, and closes it.
func fill(t testing.TB, path string) {
	t.Helper()
	ctx := context.Background()
	s, err := store.Open(ctx, path, nil)
	must(t, err)
	for i := range 5 {
		id := fmt.Sprint("t", i)
		must(t, s.CreateThread(ctx, threadOf(id)))
		var ms []chat.Message
		for j := range 20 {
			ms = append(ms, say(strings.Repeat(fmt.Sprintf("message %d of %s; ", j, id), 1+j*j)))
		}
		_, err := s.AppendMessages(ctx, id, 0, ms...)
		must(t, err)
		must(t, s.SaveSummary(ctx, id, 0, memory.Summary{Text: "summary of " + id, Last: 9, Messages: 9}))
		must(t, s.Bodies(id).Put("b", strings.Repeat("body ", 3000)))
		must(t, s.AppendEntries(ctx, id, 0, notes(10)...))
		must(t, s.Memories().Put(ctx, remembered(id, "the memory "+id)))
	}
	must(t, s.Close())
}

func notes(n int) []contextwindow.Entry {
	es := make([]contextwindow.Entry, n)
	for i := range es {
		es[i].Note = &contextwindow.Note{Kind: "n", Text: fmt.Sprint("note ", i)}
	}
	return es
}

// content is all that is in a database, read in every way that there is. Nothing in it was made up.
func content(ctx context.Context, s *store.Store) (string, error) {
	var b bytes.Buffer
	ts, err := s.Threads(ctx, "", 0, 100)
	if err != nil {
		return "", err
	}
	for _, t := range ts {
		if err := s.ExportThread(ctx, t.ID, &b); err != nil {
			return "", err
		}
		body, err := s.Bodies(t.ID).Get("b")
		if err != nil {
			return "", err
		}
		es, err := s.Entries(ctx, t.ID)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(&b, body, len(es), es)
		for _, e := range es {
			fmt.Fprintln(&b, *e.Note)
		}
	}
	_, err = s.Memories().Export(ctx, &b, "")
	return b.String(), err
}

// contentOf opens a database and returns its content.
func contentOf(path string) (got string, checked, err error) {
	ctx := context.Background()
	s, err := store.Open(ctx, path, nil)
	if err != nil {
		return "", nil, err
	}
	got, err = content(ctx, s)
	checked = s.Check(ctx)
	return got, checked, errors.Join(err, s.Close())
}

// Flipped bits are found when they are read, or by Check, or they are where nothing is. What is read is never anything
// else than what was written.
func TestFlippedBits(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f.db")
	fill(t, path)
	whole, err := os.ReadFile(path)
	must(t, err)
	want, checked, err := contentOf(path)
	must(t, errors.Join(checked, err))
	want = withoutPointers(want)
	random := rand.New(rand.NewPCG(1, 2))
	found, silent := 0, 0
	for range 80 {
		broken := bytes.Clone(whole)
		at := random.IntN(len(broken))
		if random.IntN(4) == 0 {
			at = random.IntN(4096) // the first page says what the others are
		}
		for range 1 + random.IntN(3) {
			broken[min(at+random.IntN(8), len(broken)-1)] ^= 1 << random.IntN(8)
		}
		must(t, os.WriteFile(path, broken, 0o600))
		got, checked, err := contentOf(path)
		switch {
		case err != nil || checked != nil:
			found++
			mustBeClear(t, fmt.Sprint("bits flipped at ", at), path, errors.Join(err, checked))
		default:
			silent++
		}
		if err == nil && checked == nil && withoutPointers(got) != want {
			t.Errorf("bits flipped at %d: other content without an error\n%s", at, cmp.Diff(want, withoutPointers(got)))
		}
	}
	t.Logf("%d found, %d where nothing is", found, silent)
	if found == 0 {
		t.Error("no flipped bit was found")
	}
}

// withoutPointers drops addresses that fmt prints.
func withoutPointers(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if at := strings.Index(line, "0x"); at >= 0 {
			lines[i] = line[:at]
		}
	}
	return strings.Join(lines, "\n")
}

// mustBeClear holds an error of a damaged file to what a person needs.
func mustBeClear(t *testing.T, what, path string, err error) {
	t.Helper()
	known := errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrForeign) || errors.Is(err, store.ErrNewer) ||
		errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrReadOnly)
	if !known || !strings.Contains(err.Error(), path) {
		t.Errorf("%s: no clear error: %v", what, err)
	}
}

func TestTruncatedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.db")
	fill(t, path)
	whole, err := os.ReadFile(path)
	must(t, err)
	for _, size := range []int{1, 50, 100, 4095, 4096, 4097, len(whole) / 3, len(whole) / 2, len(whole) - 4096, len(whole) - 1} {
		must(t, os.WriteFile(path, whole[:size], 0o600))
		s, err := store.Open(t.Context(), path, nil)
		if err == nil {
			must(t, s.Close())
		}
		mustBeClear(t, fmt.Sprintf("%d bytes of %d", size, len(whole)), path, err)
		if left, err := os.ReadFile(path); !bytes.Equal(left, whole[:size]) || err != nil {
			t.Errorf("%d bytes: what was left of the file was changed: %v", size, err)
		}
	}
}

// digest stands for what is in a regular file; a device has no end.
func digest(path string) [sha256.Size]byte {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return [sha256.Size]byte{}
	}
	data, _ := os.ReadFile(path)
	return sha256.Sum256(data)
}

func TestWhatIsNoDatabase(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other.db")
	db, err := sql.Open("sqlite", other)
	must(t, err)
	_, err = db.Exec(`CREATE TABLE precious (x); INSERT INTO precious VALUES (1)`)
	must(t, errors.Join(err, db.Close()))
	newer := filepath.Join(dir, "newer.db")
	fill(t, newer)
	db, err = sql.Open("sqlite", newer)
	must(t, err)
	_, err = db.Exec(`PRAGMA user_version = 99`)
	must(t, errors.Join(err, db.Close()))
	text := filepath.Join(dir, "text.db")
	must(t, os.WriteFile(text, bytes.Repeat([]byte("This is a letter. "), 1000), 0o600))
	for path, want := range map[string]error{
		other: store.ErrForeign, newer: store.ErrNewer, text: store.ErrForeign, dir: store.ErrForeign, "/dev/full": store.ErrForeign,
		filepath.Join(text, "f.db"): store.ErrReadOnly,
	} {
		before := digest(path)
		_, err := store.Open(t.Context(), path, nil)
		if !errors.Is(err, want) || !strings.Contains(fmt.Sprint(err), path) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
		if digest(path) != before {
			t.Errorf("%s was changed", path)
		}
	}
	if err := func() error { _, err := store.Open(t.Context(), newer, nil); return err }(); !strings.Contains(err.Error(), "99") {
		t.Errorf("the version is not named: %v", err)
	}
}

// A file that may not grow keeps all that it has, and goes on once it may.
func TestFull(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "f.db")
	s, err := store.Open(ctx, path, &store.Options{MaxSize: 400 << 10})
	must(t, err)
	must(t, s.CreateThread(ctx, threadOf("t")))
	last := int64(0)
	for err == nil {
		_, err = s.AppendMessages(ctx, "t", last, say(strings.Repeat("x", 5000)), say("and one more"))
		if err == nil {
			last += 2
		}
	}
	if !errors.Is(err, store.ErrFull) || !strings.Contains(err.Error(), path) {
		t.Errorf("no clear error: %v", err)
	}
	if err := s.Memories().Put(ctx, remembered("m", strings.Repeat("many words ", 50_000))); !errors.Is(err, store.ErrFull) {
		t.Errorf("a memory: %v", err)
	}
	if th, err := s.Thread(ctx, "t"); th.Last != last || last < 10 || err != nil {
		t.Errorf("%+v, want up to %d: %v", th, last, err)
	}
	must(t, s.Check(ctx))
	must(t, s.Close())
	s = open(t, path, nil)
	added, err := s.AppendMessages(ctx, "t", last, say("there is room again"))
	must(t, err)
	if added[0].Seq != last+1 {
		t.Errorf("a gap: %d behind %d", added[0].Seq, last)
	}
	must(t, s.Check(ctx))
}

// Nothing is lost when Close comes while others write: what was acknowledged is there.
func TestCloseWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.db")
	s, err := store.Open(t.Context(), path, nil)
	must(t, err)
	const writers = 8
	var last [writers]int64
	var started, done = make(chan struct{}, writers), make(chan error, writers)
	for i := range writers {
		go func() {
			id := fmt.Sprint("t", i)
			err := s.CreateThread(context.Background(), threadOf(id))
			started <- struct{}{}
			for err == nil {
				if _, err = s.AppendMessages(context.Background(), id, last[i], say("x")); err == nil {
					last[i]++
				}
			}
			done <- err
		}()
	}
	for range writers {
		<-started
	}
	must(t, s.Close())
	for range writers {
		if err := <-done; !errors.Is(err, store.ErrClosed) {
			t.Error(err)
		}
	}
	s = open(t, path, nil)
	for i := range writers {
		th, err := s.Thread(t.Context(), fmt.Sprint("t", i))
		if errors.Is(err, chat.ErrNoThread) && last[i] == 0 {
			continue
		}
		if th.Last != last[i] || err != nil {
			t.Errorf("thread %d ends with %d, want %d: %v", i, th.Last, last[i], err)
		}
	}
	must(t, s.Check(t.Context()))
}

// An end of the context before something begins ends it, and the database in memory is still there.
func TestCancelled(t *testing.T) {
	s := open(t, "", nil)
	must(t, s.CreateThread(t.Context(), threadOf("t")))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 10 {
		if _, err := s.AppendMessages(ctx, "t", 0, say("x")); !errors.Is(err, context.Canceled) {
			t.Errorf("writing: %v", err)
		}
		if _, err := s.Thread(ctx, "t"); !errors.Is(err, context.Canceled) {
			t.Errorf("reading: %v", err)
		}
	}
	if th, err := s.Thread(t.Context(), "t"); th.Messages != 0 || err != nil {
		t.Errorf("%+v %v", th, err)
	}
	if _, err := store.Open(ctx, filepath.Join(t.TempDir(), "f.db"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("opening: %v", err)
	}
}

// The log of a window takes no entries out of order, and a Rewind is a truncation.
func TestEntries(t *testing.T) {
	s := open(t, "", nil)
	ctx := t.Context()
	w := contextwindow.New(contextwindow.BudgetFor("", contextwindow.Lean), nil)
	save := func(from int) error { return s.AppendEntries(ctx, "w", from, w.Entries(from)...) }
	for i := range 6 {
		_, err := w.Append(contextwindow.Message{Role: contextwindow.User, Text: fmt.Sprint("not \xff UTF-8 ", i)})
		must(t, err)
	}
	must(t, save(0))
	n := len(w.Entries(0))
	w.Note("status", "a note")
	must(t, save(n))
	if err := save(n); !errors.Is(err, store.ErrChanged) {
		t.Errorf("the same entries again: %v", err)
	}
	must(t, w.Rewind(3))
	must(t, s.TruncateEntries(ctx, "w", len(w.Entries(0))))
	es, err := s.Entries(ctx, "w")
	if diff := cmp.Diff(w.Entries(0), es); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	again, err := contextwindow.Load(es, contextwindow.BudgetFor("", contextwindow.Lean), nil)
	must(t, err)
	if diff := cmp.Diff(w.View(), again.View()); diff != "" {
		t.Error(diff)
	}
	if es, err := s.Entries(ctx, "never was"); len(es) != 0 || err != nil {
		t.Errorf("%d entries: %v", len(es), err)
	}
	must(t, s.Check(ctx))
}
