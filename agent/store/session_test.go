package store_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/session/sessiontest"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

func TestSessionsFulfilTheContract(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"file": "f.db", "memory": ""} {
		if raced && path == "" {
			continue // it is the same code
		}
		t.Run(name, func(t *testing.T) {
			sessiontest.Run(t, func(t *testing.T) session.Store {
				if path != "" {
					path = filepath.Join(t.TempDir(), "f.db")
				}
				s := open(t, path, nil)
				t.Cleanup(func() { must(t, s.Check(context.Background())) })
				return s.Sessions()
			})
		})
	}
}

// recordsOf returns the records of a session.
func recordsOf(t testing.TB, s *store.Store, id string) (records []session.Record) {
	t.Helper()
	for r, err := range s.Sessions().Records(t.Context(), id) {
		must(t, err)
		records = append(records, r)
	}
	return records
}

// sessionIDs returns the ids that a list shows, in its order.
func sessionIDs(infos []store.SessionInfo) (ids []string) {
	for _, info := range infos {
		ids = append(ids, info.ID)
	}
	return ids
}

// runOf returns the records of a run of n steps that ended, each step with a text.
func runOf(prompt string, n int, text string) []session.Record {
	usage := func(i int) session.Progress {
		return session.Progress{Usage: providers.Usage{Input: 100 * i, Output: i}}
	}
	records := []session.Record{
		{Time: start, Run: &session.Run{Agent: "explorer", Model: "m", Folder: "/code", Prompt: prompt}},
		noted(0, 1, prompt)[0],
	}
	for i := 1; i <= n; i++ {
		records = append(records, noted(i, 1, text)[0], session.Record{Time: start, Step: &session.Stepped{Progress: usage(i)}})
	}
	end := &session.End{Stop: "answered", Usage: usage(n).Usage, Resumable: false}
	return append(records, session.Record{Time: start.Add(time.Hour), End: end})
}

// A list shows what the records of each session add up to, at each point of its life.
func TestSessionInfo(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "f.db"), nil)
	ctx, at := t.Context(), 0
	sessions := s.Sessions()
	want := store.SessionInfo{ID: "a", Title: "Why?", Folder: "/code", Agent: "explorer", Model: "m", Created: start}
	step := func(what string, change func(), records ...session.Record) {
		t.Helper()
		must(t, sessions.AppendRecords(ctx, "a", at, records...))
		at += len(records)
		change()
		want.Records = at
		got, err := sessions.Info(ctx, "a")
		must(t, err)
		if got.Bytes <= want.Bytes || time.Since(got.Updated) > time.Minute {
			t.Errorf("%s: %d bytes, updated %v", what, got.Bytes, got.Updated)
		}
		want.Bytes, want.Updated = got.Bytes, got.Updated
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
		if list, err := sessions.List(ctx, 0, 9); len(list) != 1 || !cmp.Equal(list[0], got) || err != nil {
			t.Errorf("%s: the list is %+v: %v", what, list, err)
		}
	}
	run := runOf("\nWhy?\nSay it in detail. "+strings.Repeat("text ", 1000), 3, "x")
	step("begun", func() { want.State, want.Resumable, want.Runs = store.Interrupted, true, 1 }, run[:2]...)
	step("two steps", func() { want.Steps, want.Usage = 2, providers.Usage{Input: 200, Output: 2} }, run[2:6]...)
	unlock, err := sessions.LockSession(ctx, "a")
	must(t, err)
	want.State, want.Resumable = store.Running, false
	step("running", func() { want.Steps, want.Usage = 3, providers.Usage{Input: 300, Output: 3} }, run[6:8]...)
	unlock()
	step("ended", func() { want.State, want.Stop = store.Ended, "answered" }, run[8:]...)
	step("rewound", func() {
		want.State, want.Stop, want.Resumable = store.Interrupted, "", true
		want.Steps, want.Usage = 1, providers.Usage{Input: 100, Output: 1}
	}, session.Record{Time: start, Rewind: &session.Rewind{To: 4}})
	again := runOf("And why not?", 2, "y")
	step("a second run", func() {
		want.Title, want.Runs, want.Steps, want.Usage = "And why not?", 2, 3, providers.Usage{Input: 300, Output: 3}
	}, again[:6]...)
	step("waiting", func() { want.State, want.Stop, want.Resumable = store.Waiting, "waiting", true },
		session.Record{End: &session.End{Stop: "waiting", Resumable: true, Usage: providers.Usage{Input: 200, Output: 2},
			Waiting: []session.Question{{Index: 1}}}})
	if _, err := sessions.Info(ctx, "b"); !errors.Is(err, session.ErrUnknown) {
		t.Errorf("an unknown session: %v", err)
	}
	must(t, s.Check(ctx))
}

// Removing a session keeps what others share with it, and leaves nothing of what was its own.
func TestRemoveSessions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.db")
	s := open(t, path, nil)
	ctx, sessions := t.Context(), s.Sessions()
	shared, own := strings.Repeat("shared ", 50_000), strings.Repeat("confidential ", 1000)
	must(t, sessions.AppendRecords(ctx, "a", 0, append(runOf("a", 2, shared), noted(0, 1, own)...)...))
	must(t, session.Fork(ctx, sessions, "a", "b", 1))
	must(t, sessions.AppendRecords(ctx, "c", 0, runOf("c", 1, own)...))
	forked := recordsOf(t, s, "b")
	unlock, err := sessions.LockSession(ctx, "a")
	must(t, err)
	if err := sessions.Remove(ctx, "a"); !errors.Is(err, session.ErrInUse) {
		t.Errorf("a session that runs: %v", err)
	}
	unlock()
	must(t, sessions.Remove(ctx, "a"))
	must(t, sessions.Remove(ctx, "c"))
	if err := sessions.Remove(ctx, "a"); !errors.Is(err, session.ErrUnknown) {
		t.Errorf("a second time: %v", err)
	}
	if diff := cmp.Diff(forked, recordsOf(t, s, "b")); diff != "" {
		t.Error(diff)
	}
	must(t, sessions.AppendRecords(ctx, "a", 0, noted(0, 1, "anew")...))
	if diff := cmp.Diff(noted(0, 1, "anew"), recordsOf(t, s, "a")); diff != "" {
		t.Error(diff)
	}
	must(t, s.Check(ctx))
	must(t, sessions.Remove(ctx, "b"))
	must(t, sessions.Compact(ctx))
	must(t, s.Check(ctx))
	must(t, s.Close())
	if data, err := os.ReadFile(path); err != nil || bytes.Contains(data, []byte("confidential")) || len(data) > 300<<10 {
		t.Errorf("the file has %d bytes: %v", len(data), err)
	}
}

// A session that is removed while someone reads it ends with an error, not early.
func TestRemovedWhileRead(t *testing.T) {
	s := open(t, "", nil)
	must(t, s.Sessions().AppendRecords(t.Context(), "a", 0, noted(0, 2000, "x")...))
	n, last := 0, error(nil)
	for _, err := range s.Sessions().Records(t.Context(), "a") {
		if n++; n == 1 {
			must(t, s.Sessions().Remove(t.Context(), "a"))
			must(t, s.Sessions().AppendRecords(t.Context(), "a", 0, noted(0, 2000, "y")...))
		}
		last = err
	}
	if !errors.Is(last, session.ErrUnknown) || n >= 2000 {
		t.Errorf("%d records, then %v", n, last)
	}
}

// Pruning removes the oldest sessions until the rest is within the limits, and none that runs.
func TestPrune(t *testing.T) {
	for name, c := range map[string]struct {
		limits store.Limits
		want   []string // ids that are kept
	}{
		"nothing":       {store.Limits{}, []string{"f", "e", "d", "c", "b", "a"}},
		"count":         {store.Limits{Count: 3}, []string{"f", "e", "b"}}, // b runs, and counts
		"all but it":    {store.Limits{Age: time.Nanosecond}, []string{"b"}},
		"young enough":  {store.Limits{Age: time.Hour}, []string{"f", "e", "d", "c", "b", "a"}},
		"bytes":         {store.Limits{Bytes: 40 << 10}, []string{"f", "e", "b"}},
		"bytes of one":  {store.Limits{Bytes: 1}, []string{"b"}},
		"count or size": {store.Limits{Count: 5, Bytes: 40 << 10}, []string{"f", "e", "b"}},
	} {
		s := open(t, "", nil)
		sessions := s.Sessions()
		for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
			must(t, sessions.AppendRecords(t.Context(), id, 0, noted(0, 1, random(10<<10))...))
		}
		unlock, err := sessions.LockSession(t.Context(), "b")
		must(t, err)
		before, err := sessions.List(t.Context(), 0, 10)
		must(t, err)
		removed, freed, err := sessions.Prune(t.Context(), c.limits)
		must(t, err)
		left, err := sessions.List(t.Context(), 0, 10)
		if got := sessionIDs(left); !slices.Equal(got, c.want) || err != nil {
			t.Errorf("%s: %q are left, want %q: %v", name, got, c.want, err)
		}
		want := int64(0)
		for _, info := range removed {
			want += info.Bytes
		}
		if len(removed)+len(left) != len(before) || freed != want {
			t.Errorf("%s: removed %q, %d bytes, want %d", name, sessionIDs(removed), freed, want)
		}
		unlock()
		must(t, s.Check(t.Context()))
	}
}

// random returns text that does not compress well.
func random(n int) string {
	data := make([]byte, n/2)
	for i := range data {
		data[i] = byte(rand.Int())
	}
	return hex.EncodeToString(data)
}

// Redaction masks credentials wherever a record holds text, and nowhere else: not in ids, which pair calls and results.
func TestRedact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.db")
	s := open(t, path, &store.Options{Redact: true})
	key := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	long := strings.Repeat("text ", 1000) + key
	message := transcript.Message{Role: transcript.Tool, CallID: "toolu_01A09q90qw90lq917835lq9", Text: long}
	records := []session.Record{
		{Run: &session.Run{Prompt: "Use " + key, Setup: json.RawMessage(`{"a":  "` + key + `"}`)}},
		{Entries: []contextwindow.Entry{{Unit: &contextwindow.Unit{Messages: []transcript.Message{message}}}}},
		{Result: &session.Result{Record: session.ToolRecord{Value: json.RawMessage(`{"password": "` + key + `"}`)}}},
	}
	whole, err := json.Marshal(records)
	must(t, err)
	must(t, s.Sessions().AppendRecords(t.Context(), "a", 0, records...))
	stored, err := json.Marshal(recordsOf(t, s, "a"))
	must(t, err)
	masked := strings.ReplaceAll(string(whole), key, "[redacted:github-token]")
	if diff := cmp.Diff(masked, string(stored)); diff != "" {
		t.Error(diff)
	}
	info, err := s.Sessions().Info(t.Context(), "a")
	if info.Redacted != 4 || info.Title != "Use [redacted:github-token]" || err != nil {
		t.Errorf("%+v: %v", info, err)
	}
	if records[0].Run.Prompt != "Use "+key {
		t.Error("the caller's record was changed")
	}
	must(t, s.Close())
	if data, err := os.ReadFile(path); err != nil || bytes.Contains(data, []byte(key)) {
		t.Errorf("the file holds the credential: %v", err)
	}
	plain := open(t, "", nil)
	must(t, plain.Sessions().AppendRecords(t.Context(), "a", 0, records...))
	if diff := cmp.Diff(records, recordsOf(t, plain, "a")); diff != "" {
		t.Errorf("without redaction: %s", diff)
	}
}

// Damage in what a session consists of is an error that names the session and what is wrong, and Check finds it, orphans
// too.
func TestDamagedSessions(t *testing.T) {
	body := strings.Repeat("long text ", 200)
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte(body)))
	for name, c := range map[string]struct {
		damage string
		says   []string // in the error of reading the session; none: only Check finds it
	}{
		"other record":  {`UPDATE records SET data = x'7b7d' WHERE key = 1 << 32 | 3`, []string{"record 3", `session "fix it"`}},
		"moved record":  {`UPDATE records SET data = (SELECT data FROM records WHERE key = 1 << 32) WHERE key = 1 << 32 | 1`, []string{"record 1"}},
		"no record":     {`DELETE FROM records WHERE key = 1 << 32 | 2`, []string{"record 2", "missing", `session "fix it"`}},
		"no end":        {`DELETE FROM records WHERE key = 1 << 32 | 4`, []string{"record 4", "missing", `session "fix it"`}},
		"one too many":  {`INSERT INTO records SELECT 1 << 32 | 9, data, sum FROM records LIMIT 1`, nil},
		"missing body":  {`DELETE FROM session_bodies; DELETE FROM bodies`, []string{"body " + hash, "missing", "record 1", `session "fix it"`}},
		"other body":    {`UPDATE bodies SET data = CAST(x'03' || data AS BLOB)`, []string{"body " + hash, "record 1", `session "fix it"`}},
		"other session": {`UPDATE sessions SET info = x'7b7d'`, []string{`session "fix it"`}},
		"fewer records": {`UPDATE sessions SET records = 2`, []string{`session "fix it"`}},
		"body of none":  {`DELETE FROM session_bodies`, nil},
		"unused body": {`INSERT INTO bodies (hash, size, data, sum) SELECT x'01', size, data, sum FROM bodies;
			INSERT INTO session_bodies VALUES (1, 2)`, nil},
		"no session": {`DELETE FROM sessions`, nil},
	} {
		path := filepath.Join(t.TempDir(), "f.db")
		s := open(t, path, nil)
		must(t, s.Sessions().AppendRecords(t.Context(), "fix it", 0, noted(0, 1, "short")...))
		must(t, s.Sessions().AppendRecords(t.Context(), "fix it", 1, noted(1, 4, body)...))
		must(t, s.Check(t.Context()))
		db, err := sql.Open("sqlite", path)
		must(t, err)
		_, err = db.Exec(c.damage)
		must(t, errors.Join(err, db.Close()))
		if err := s.Check(t.Context()); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("%s: Check: %v", name, err)
		}
		if len(c.says) == 0 {
			continue
		}
		for _, err = range s.Sessions().Records(t.Context(), "fix it") {
		}
		if !errors.Is(err, store.ErrDamaged) {
			t.Errorf("%s: reading: %v", name, err)
			continue
		}
		for _, part := range append(c.says, path) {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v does not say %q", name, err, part)
			}
		}
	}
}

// A disk that is full in the middle of an append keeps nothing of it, and the session continues once it has room.
func TestFullWhileRecording(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.db")
	s, err := store.Open(t.Context(), path, &store.Options{MaxSize: 400 << 10})
	must(t, err)
	n := 0
	for err == nil {
		add := append(noted(3*n, 2, "short"), noted(3*n+2, 1, random(20<<10))...)
		if err = s.Sessions().AppendRecords(t.Context(), "a", 3*n, add...); err == nil {
			n++
		}
	}
	if !errors.Is(err, store.ErrFull) || !strings.Contains(err.Error(), path) || n < 5 {
		t.Errorf("after %d appends: %v", n, err)
	}
	if err := s.Sessions().AppendRecords(t.Context(), "b", 0, noted(0, 1, random(300<<10))...); !errors.Is(err, store.ErrFull) {
		t.Errorf("a new session: %v", err)
	}
	must(t, errors.Join(s.Check(t.Context()), s.Close()))
	s = open(t, path, nil)
	if list, err := s.Sessions().List(t.Context(), 0, 9); len(list) != 1 || list[0].Records != 3*n || err != nil {
		t.Errorf("%d appends, and the list is %+v: %v", n, list, err)
	}
	must(t, s.Sessions().AppendRecords(t.Context(), "a", 3*n, noted(3*n, 1, "room")...))
	if got := len(recordsOf(t, s, "a")); got != 3*n+1 {
		t.Errorf("%d records, want %d", got, 3*n+1)
	}
	must(t, s.Check(t.Context()))
}

// The error of a lock names the process that runs a session, and a session is locked apart from a thread.
func TestLockSession(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.db")
	s, other := open(t, path, &store.Options{Command: "foray explore"}), open(t, path, nil)
	unlock, err := s.Sessions().LockSession(t.Context(), "a")
	must(t, err)
	_, err = other.Sessions().LockSession(t.Context(), "a")
	want := fmt.Sprintf(`session "a": the session is in use: foray explore (process %d on`, os.Getpid())
	if !errors.Is(err, session.ErrInUse) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s…", err, want)
	}
	free, err := other.LockThread(t.Context(), "a", 0)
	must(t, err)
	free()
	unlock()
	unlock, err = other.Sessions().LockSession(t.Context(), "a")
	must(t, err)
	unlock()
	if files, err := filepath.Glob(path + "-lock-*"); len(files) > 0 || err != nil {
		t.Errorf("locks that nobody holds leave files: %q %v", files, err)
	}
}

// Records consist of types that the store can rewrite: a new one needs a case in rewrite.
func TestTypesOfRecords(t *testing.T) {
	seen := make(map[reflect.Type]bool)
	var look func(of reflect.Type, path string)
	look = func(of reflect.Type, path string) {
		if seen[of] || of == reflect.TypeFor[time.Time]() {
			return
		}
		seen[of] = true
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice:
			look(of.Elem(), path)
		case reflect.Struct:
			for i := range of.NumField() {
				if of.Field(i).Tag.Get("json") == "-" {
					continue // not stored
				}
				if !of.Field(i).IsExported() {
					t.Errorf("%s.%s is not exported", path, of.Field(i).Name)
				}
				look(of.Field(i).Type, path+"."+of.Field(i).Name)
			}
		case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64, reflect.Uint8:
		default:
			t.Errorf("%s is a %s", path, of)
		}
	}
	look(reflect.TypeFor[session.Record](), "Record")
}

// Every text comes back byte for byte, whatever is in it, in text and as raw JSON.
func FuzzRecords(f *testing.F) {
	for _, text := range append(odd, "\xff", "\x00", "\x00=", "\x00AAAA", `"\u0000"`, `"\u0000=1"`, `{"a": 1}`, "null", "", " 1") {
		f.Add(text, text, 1)
	}
	s := open(f, "", nil)
	n := 0
	f.Fuzz(func(t *testing.T, text, raw string, times int) {
		text = strings.Repeat(text, max(0, min(times, 2000/max(1, len(text)))))
		call := transcript.ToolCall{ID: text, Args: json.RawMessage(raw)}
		records := []session.Record{
			{Time: start, Run: &session.Run{Prompt: text, Tools: []string{text}, Setup: json.RawMessage(raw)}},
			{Time: start, Entries: []contextwindow.Entry{{Note: &contextwindow.Note{Text: text}}, {Unit: &contextwindow.Unit{
				Messages: []transcript.Message{{Text: text, Calls: []transcript.ToolCall{call}}}}}}},
		}
		id := fmt.Sprint(n)
		n++
		must(t, s.Sessions().AppendRecords(t.Context(), id, 0, records...))
		if diff := cmp.Diff(records, recordsOf(t, s, id), cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	})
}
