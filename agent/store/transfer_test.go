package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/contextwindow/memory/summary"
)

func threadOf(id string) chat.Thread { return chat.Thread{ID: id, Created: start, Updated: start} }

// exported returns the export of a thread with a gap in its numbers, odd texts, and a summary, and what it is of.
func exported(t testing.TB, s *store.Store) (lines string, thread chat.Thread, ms []chat.Message) {
	t.Helper()
	ctx := context.Background()
	must(t, s.CreateThread(ctx, threadOf("t")))
	for i := range 250 {
		m := say(odd[i%len(odd)] + "\xff <b>&\u2028")
		m.Time = start.Add(time.Duration(i) * time.Second)
		last := max(0, int64(i)) // the numbers are 1, 2, 3, 4, 5, 7, …
		if i > 5 {
			last++
		}
		if i == 5 {
			_, err := appendTo(ctx, s, "t", 5, m)
			must(t, err)
			must(t, truncate(ctx, s, "t", 6))
		}
		_, err := appendTo(ctx, s, "t", last, m)
		must(t, err)
	}
	must(t, s.SaveSummary(ctx, "t", 0, summary.Thread{Text: odd[0], Last: 9, Messages: 8, Updated: start}))
	var to bytes.Buffer
	must(t, s.ExportThread(ctx, "t", &to))
	ms, err := s.Messages(ctx, "t", 0, 1000)
	must(t, err)
	thread, err = s.Thread(ctx, "t")
	must(t, err)
	return to.String(), thread, ms
}

func TestThreadThereAndBack(t *testing.T) {
	ctx := t.Context()
	s := open(t, "", nil)
	lines, thread, ms := exported(t, s)
	if _, err := s.ImportThread(ctx, strings.NewReader(lines), ""); !errors.Is(err, chat.ErrThreadExists) {
		t.Errorf("the id is taken: %v", err)
	}
	got, err := s.ImportThread(ctx, strings.NewReader(lines), "copy")
	thread.ID = "copy"
	if diff := cmp.Diff(thread, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	copied, err := s.Messages(ctx, "copy", 0, 1000)
	if diff := cmp.Diff(ms, copied); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if sum, err := s.LoadSummary(ctx, "copy"); sum.Text != odd[0] || sum.Last != 9 || err != nil {
		t.Errorf("summary: %+v %v", sum, err)
	}
	var again bytes.Buffer
	must(t, s.ExportThread(ctx, "copy", &again))
	if want := strings.Replace(lines, `"id":"t"`, `"id":"copy"`, 1); again.String() != want {
		t.Error("the export of the copy differs")
	}
	if added, err := appendTo(ctx, s, "copy", thread.Last, say("next")); err != nil || added[0].Seq != thread.Last+1 {
		t.Errorf("the copy does not go on: %v %v", added, err)
	}
	must(t, s.Check(ctx))
}

// An export that is cut off anywhere, or that no export is like, is refused whole.
func TestBadThreads(t *testing.T) {
	s := open(t, "", nil)
	whole, _, _ := exported(t, s)
	lines := strings.SplitAfter(whole, "\n")
	join := func(parts ...string) string { return strings.Join(parts, "") }
	head, end := lines[0], `{"end":{"messages":1}}`
	cases := map[string]string{
		"nothing":          "",
		"no thread":        join(lines[1:]...),
		"two threads":      join(head, head, end),
		"a message twice":  join(head, lines[1], lines[1], `{"end":{"messages":2}}`),
		"a message less":   join(head, `{"end":{"messages":1}}`),
		"behind the end":   join(head, lines[1], end, lines[2]),
		"not JSON":         join(head, "hello\n", end),
		"two values":       join(head, lines[1][:len(lines[1])-1], lines[2], end),
		"unknown field":    join(head, `{"massage":{}}`, end),
		"two kinds":        join(head, `{"message":{"seq":1,"message":{"role":"user"}},"end":{"messages":1}}`),
		"summary of later": join(head, lines[1], `{"summary":{"text":"s","last":7,"messages":1,"extractive":true,"updated":"2026-01-01T00:00:00Z"}}`+"\n", end),
		"a long line":      join(head, strings.Repeat(" ", 2*store.MaxRecord+1), "\n", end),
	}
	for n := range 40 {
		cases[fmt.Sprint("cut off at ", n)] = whole[:len(whole)*n/40]
	}
	for name, in := range cases {
		if th, err := s.ImportThread(t.Context(), strings.NewReader(in), "new"); err == nil {
			t.Errorf("%s: taken: %+v", name, th)
		} else if _, gone := s.Thread(t.Context(), "new"); !errors.Is(gone, chat.ErrNoThread) {
			t.Errorf("%s: something was kept: %v", name, gone)
		}
	}
	must(t, s.Check(t.Context()))
	stopped := errors.New("stopped")
	if err := s.ExportThread(t.Context(), "t", failing{stopped}); !errors.Is(err, stopped) {
		t.Errorf("writing failed: %v", err)
	}
	if err := s.ExportThread(t.Context(), "no", failing{}); !errors.Is(err, chat.ErrNoThread) {
		t.Errorf("no such thread: %v", err)
	}
}

// A failing writer takes nothing.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestMemoriesThereAndBack(t *testing.T) {
	ctx := t.Context()
	s, other := open(t, "", nil), open(t, "", nil)
	for i, text := range odd {
		m := remembered(text, text)
		m.User, m.Embedding, m.Created = fmt.Sprint(i%2), []float32{float32(i), 0.1}, start.Add(time.Duration(i))
		must(t, s.Memories().Put(ctx, m))
	}
	var to bytes.Buffer
	if n, err := s.Memories().Export(ctx, &to, ""); n != len(odd) || err != nil {
		t.Errorf("%d of %d memories: %v", n, len(odd), err)
	}
	if n, err := other.Memories().Import(ctx, bytes.NewReader(to.Bytes())); n != len(odd) || err != nil {
		t.Errorf("%d of %d memories: %v", n, len(odd), err)
	}
	if diff := cmp.Diff(all(t, s), all(t, other)); diff != "" {
		t.Error(diff)
	}
	if n, err := s.Memories().Export(ctx, &bytes.Buffer{}, "1"); n != len(odd)/2 || err != nil {
		t.Errorf("%d memories of one user: %v", n, err)
	}
	good := `{"id":"good","category":"fact","content":"c","importance":5,"access_count":0}` + "\n"
	for _, bad := range []string{
		"{", "[]", `{"id":"x"}`, `{"id":"x","category":"fact","content":"c","importance":11,"access_count":0}`,
		`{"id":"","category":"fact","content":"c","importance":1}`, `{"id":"x","category":"gossip","content":"c","importance":1}`,
		`{"id":"x","category":"fact","content":"","importance":1}`, good + "x",
	} {
		_, err := other.Memories().Import(ctx, strings.NewReader(good+bad))
		if !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if diff := cmp.Diff(all(t, s), all(t, other)); diff != "" {
		t.Errorf("something was kept: %s", diff)
	}
}

// Whatever is imported is refused, or is a thread that exports and imports again to the same.
func FuzzImportThread(f *testing.F) {
	s := open(f, "", nil)
	lines, _, _ := exported(f, s)
	f.Add(lines[:strings.Index(lines, "\n")+1] + `{"end":{"messages":0}}`)
	f.Add(`{"thread":{"id":"x","created":"2026-01-01T00:00:00Z","updated":"2026-01-01T00:00:00Z","messages":0,"last":0}}
{"message":{"seq":3,"message":{"role":"user","text":"a"}}}
{"summary":{"text":"s","last":3,"messages":1,"extractive":true,"updated":"2026-01-01T00:00:00Z"}}
{"end":{"messages":1}}`)
	f.Fuzz(func(t *testing.T, in string) {
		ctx := context.Background()
		th, err := s.ImportThread(ctx, strings.NewReader(in), "one id")
		if err != nil {
			if !errors.Is(err, store.ErrInvalid) && !errors.Is(err, summary.ErrConflict) {
				t.Error(err)
			}
			return
		}
		var first, second bytes.Buffer
		must(t, s.ExportThread(ctx, th.ID, &first))
		must(t, s.DeleteThread(ctx, th.ID))
		_, err = s.ImportThread(ctx, bytes.NewReader(first.Bytes()), "")
		must(t, err)
		must(t, s.ExportThread(ctx, th.ID, &second))
		if first.String() != second.String() {
			t.Errorf("%s\nand then\n%s", first.String(), second.String())
		}
		must(t, s.DeleteThread(ctx, th.ID))
	})
}

// Whatever is imported is refused whole, or is memories that export and import again to the same.
func FuzzImportMemories(f *testing.F) {
	f.Add(`{"id":"x","category":"fact","content":"c","importance":5,"access_count":0,"embedding":[1,2],"links":["y"]}`)
	f.Add(`{"id":"x","category":"skill","content":"c","importance":1,"created":"2026-01-01T00:00:00+02:00"}` + "\n\n{}")
	s := open(f, "", nil)
	f.Fuzz(func(t *testing.T, in string) {
		ctx := context.Background()
		n, err := s.Memories().Import(ctx, strings.NewReader(in))
		found := all(t, s)
		if err != nil && len(found) > 0 || len(found) > n {
			t.Fatalf("%d of %d memories kept: %v", len(found), n, err)
		}
		var first bytes.Buffer
		_, err = s.Memories().Export(ctx, &first, "")
		must(t, err)
		_, err = s.Memories().Import(ctx, &first)
		must(t, err)
		if diff := cmp.Diff(found, all(t, s)); diff != "" {
			t.Error(diff)
		}
		for _, m := range found {
			must(t, s.Memories().Delete(ctx, m.ID))
		}
	})
}
