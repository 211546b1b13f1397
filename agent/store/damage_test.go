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
	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory/summary"
	"github.com/forayhq/foray/contextwindow/memory/working"
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
		_, err := appendTo(ctx, s, id, 0, ms...)
		must(t, err)
		must(t, s.SaveSummary(ctx, id, 0, summary.Thread{Text: "summary of " + id, Last: 9, Messages: 9}))
		must(t, s.Texts().Keep(ctx, id, []working.Entry{{ID: "b"}}, map[string]string{"b": strings.Repeat("text ", 3000)}))
		must(t, s.Sessions().AppendRecords(ctx, id, 0, noted(0, 10, strings.Repeat(id+" body ", 3000))...))
		must(t, s.Memories().Put(ctx, remembered(id, "the memory "+id)))
	}
	must(t, s.Close())
}

// noted returns n records of notes with a text, numbered from a number on.
func noted(from, n int, text string) []session.Record {
	records := make([]session.Record, n)
	for i := range records {
		note := &contextwindow.Note{Kind: fmt.Sprint(from + i), Text: text}
		records[i] = session.Record{Time: start, Entries: []contextwindow.Entry{{Note: note}}}
	}
	return records
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
		text, err := s.Texts().Body(ctx, t.ID, "b")
		if err != nil {
			return "", err
		}
		fmt.Fprintln(&b, text)
		for r, err := range s.Sessions().Records(ctx, t.ID) {
			if err != nil {
				return "", err
			}
			fmt.Fprintln(&b, r.Time, *r.Entries[0].Note)
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
	alone(t)
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

// A database of an earlier version is brought to the newest, with the threads and memories that it holds.
func TestAnEarlierVersion(t *testing.T) {
	exported := func(path string) string {
		s, err := store.Open(t.Context(), path, nil)
		must(t, err)
		defer func() { must(t, errors.Join(s.Check(t.Context()), s.Close())) }()
		var b bytes.Buffer
		must(t, s.ExportThread(t.Context(), "t1", &b))
		_, err = s.Memories().Export(t.Context(), &b, "")
		must(t, err)
		return b.String()
	}
	for version, older := range []string{
		1: `DROP TABLE texts; DROP TRIGGER memory_added; DROP TRIGGER memory_changed; DROP TRIGGER memory_removed;
			DROP TABLE memory_changes`,
		2: `SELECT 1`,
	}[1:] {
		path := filepath.Join(t.TempDir(), "f.db")
		fill(t, path)
		before := exported(path)
		db, err := sql.Open("sqlite", path)
		must(t, err)
		_, err = db.Exec(fmt.Sprintf(`DROP TABLE session_bodies; DROP TABLE sessions; DROP TABLE records; DROP TABLE bodies;
			CREATE TABLE bodies (scope, id); INSERT INTO bodies VALUES (1, 2);
			CREATE TABLE entries (log, n); INSERT INTO entries VALUES (1, 2); %s; PRAGMA user_version = %d`, older, version+1))
		must(t, errors.Join(err, db.Close()))
		if diff := cmp.Diff(before, exported(path)); diff != "" {
			t.Error(diff)
		}
		s := open(t, path, nil)
		must(t, s.Texts().Keep(t.Context(), "t", []working.Entry{{ID: "x"}}, map[string]string{"x": "text"}))
		must(t, s.Sessions().AppendRecords(t.Context(), "s", 0, noted(0, 1, strings.Repeat("text", 1000))...))
		must(t, s.Check(t.Context()))
	}
}
