package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/contextwindow/memory/summary"
	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// start is when everything in these tests begins.
var start = time.Date(2026, 3, 4, 5, 6, 7, 89, time.UTC)

// odd are strings that break what is put together from strings.
var odd = []string{
	"'; DROP TABLE threads; --", `"quoted" OR 1=1`, "a\x00b", "../../etc/passwd", "%s%n", "line\nbreak\r\n", "数据库 🗄️",
	" leading and trailing ", "NEAR(a b)", "a*", "col:x", "^a", "-a", "(", "\ufeff", "\u202ereversed", "NULL", "?1", "{}",
}

// open opens a database in a folder of the test, or in memory with a path of "".
func open(t testing.TB, path string, o *store.Options) *store.Store {
	t.Helper()
	if path == "" {
		path = store.InMemory
	}
	s, err := store.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// alone skips a long test of one goroutine where only races are looked for.
func alone(t *testing.T) {
	t.Helper()
	if raced {
		t.Skip("one goroutine")
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// appendTo appends messages to a thread whose last message is known.
func appendTo(ctx context.Context, s chat.Store, id string, last int64, ms ...chat.Message) ([]chat.Message, error) {
	t, err := s.Thread(ctx, id)
	if err != nil {
		return nil, err
	}
	if t.Last = last; len(ms) > 0 {
		t.Updated = ms[len(ms)-1].Time
	}
	return s.SaveThread(ctx, t, ms...)
}

// truncate removes messages of a thread as it is.
func truncate(ctx context.Context, s chat.Store, id string, from int64) error {
	t, err := s.Thread(ctx, id)
	if err != nil {
		return err
	}
	return s.TruncateMessages(ctx, t, from)
}

func say(text string) chat.Message {
	return chat.Message{Time: start, Message: transcript.Message{Role: transcript.User, Text: text}}
}

// A thread and its messages survive the program, each as it was.
func TestReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new folder", "a ?#%20 file.db")
	s, err := store.Open(t.Context(), path, nil)
	must(t, err)
	want := chat.Thread{ID: "t", User: "u", Title: "title", Created: start, Updated: start, State: json.RawMessage(`{"pins":[1]}`)}
	must(t, s.CreateThread(t.Context(), want))
	full := chat.Message{Time: start.Add(time.Minute), Partial: true, Message: transcript.Message{
		Role: transcript.Assistant, Text: "not \xff UTF-8", Origin: transcript.Prompt,
		Calls:        []transcript.ToolCall{{ID: "c1", Name: "read", Args: json.RawMessage(`{"b": 1,  "a":2}`)}},
		ProviderData: &transcript.ProviderData{Dialect: "d", Model: "m", Tokens: 3, Data: []byte{0, 255}},
	}}
	added, err := appendTo(t.Context(), s, "t", 0, say("hello"), full)
	must(t, err)
	records := noted(0, 2, strings.Repeat("body \x00\xff", 500))
	must(t, s.Sessions().AppendRecords(t.Context(), "s", 0, records...))
	must(t, s.Close())
	must(t, s.Close())
	if _, err := s.Thread(t.Context(), "t"); !errors.Is(err, store.ErrClosed) {
		t.Errorf("reading what is closed: %v", err)
	}

	s = open(t, path, nil)
	want.Messages, want.Last, want.Updated = 2, 2, full.Time
	got, err := s.Thread(t.Context(), "t")
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("thread: %v\n%s", err, diff)
	}
	ms, err := s.Messages(t.Context(), "t", 0, 10)
	if diff := cmp.Diff(added, ms); diff != "" || err != nil {
		t.Errorf("messages: %v\n%s", err, diff)
	}
	if diff := cmp.Diff(records, recordsOf(t, s, "s")); diff != "" {
		t.Error(diff)
	}
	must(t, s.Check(t.Context()))
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): os.ModeDir | 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode() != want {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
}

// model is what a Store and a Store in memory (chat.InMemory), which is simple enough to be right, are compared by.
type model struct {
	store, want chat.Store
	ids         []string
}

func (m *model) same(t *rapid.T, what string, do func(chat.Store) (any, error)) {
	want, wantErr := do(m.want)
	got, err := do(m.store)
	for _, sentinel := range []error{chat.ErrNoThread, chat.ErrThreadExists, chat.ErrConflict, summary.ErrConflict} {
		if errors.Is(wantErr, sentinel) != errors.Is(err, sentinel) {
			t.Fatalf("%s: error %v, want %v", what, err, wantErr)
		}
	}
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%s: error %v, want %v", what, err, wantErr)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err == nil && diff != "" {
		t.Fatalf("%s: -want +got\n%s", what, diff)
	}
}

func (m *model) id(t *rapid.T) string { return rapid.SampledFrom(m.ids).Draw(t, "id") }

func (m *model) create(t *rapid.T) {
	th := chat.Thread{ID: m.id(t), User: rapid.SampledFrom([]string{"", "u", "v"}).Draw(t, "user"), Created: start,
		Updated: start.Add(time.Duration(rapid.IntRange(0, 5).Draw(t, "at")))}
	m.same(t, "create", func(s chat.Store) (any, error) { return nil, s.CreateThread(context.Background(), th) })
}

func (m *model) append(t *rapid.T) {
	id, last := m.id(t), int64(rapid.IntRange(-1, 1).Draw(t, "stale"))
	if th, err := m.want.Thread(context.Background(), id); err == nil && last != 1 {
		last = th.Last
	}
	ms := make([]chat.Message, rapid.IntRange(0, 3).Draw(t, "messages"))
	for i := range ms {
		ms[i] = say(rapid.SampledFrom(odd).Draw(t, "text"))
	}
	m.same(t, "append", func(s chat.Store) (any, error) { return appendTo(context.Background(), s, id, last, ms...) })
}

// edited is a thread as a caller knows it that has missed the last change, now and then.
func (m *model) edited(t *rapid.T) chat.Thread {
	th := chat.Thread{ID: m.id(t), Title: rapid.SampledFrom(odd).Draw(t, "title"), Updated: start, State: json.RawMessage(`[1]`)}
	if known, err := m.want.Thread(context.Background(), th.ID); err == nil {
		th.Last = known.Last + int64(max(0, rapid.IntRange(-3, 1).Draw(t, "stale")))
	}
	return th
}

func (m *model) save(t *rapid.T) {
	th := m.edited(t)
	m.same(t, "save", func(s chat.Store) (any, error) { return s.SaveThread(context.Background(), th, say("saved")) })
}

func (m *model) truncate(t *rapid.T) {
	th, from := m.edited(t), int64(rapid.IntRange(0, 30).Draw(t, "from"))
	m.same(t, "truncate", func(s chat.Store) (any, error) { return nil, s.TruncateMessages(context.Background(), th, from) })
}

func (m *model) summarize(t *rapid.T) {
	id := m.id(t)
	ms, err := m.want.Messages(context.Background(), id, 0, 100)
	if err != nil || len(ms) == 0 {
		return
	}
	last := int64(0)
	if rapid.Bool().Draw(t, "known") {
		sum, _ := m.want.LoadSummary(context.Background(), id)
		last = sum.Last
	}
	sum := summary.Thread{Text: "s", Last: rapid.SampledFrom(ms).Draw(t, "last").Seq, Messages: 1, Extractive: true, Updated: start}
	m.same(t, "summary", func(s chat.Store) (any, error) { return nil, s.SaveSummary(context.Background(), id, last, sum) })
}

func (m *model) delete(t *rapid.T) {
	id := m.id(t)
	m.same(t, "delete", func(s chat.Store) (any, error) { return nil, s.DeleteThread(context.Background(), id) })
}

func (m *model) check(t *rapid.T) {
	ctx := context.Background()
	limit, at := rapid.IntRange(0, 5).Draw(t, "limit"), int64(rapid.IntRange(0, 20).Draw(t, "at"))
	id, user := m.id(t), rapid.SampledFrom([]string{"", "u"}).Draw(t, "of")
	m.same(t, "threads", func(s chat.Store) (any, error) { return s.Threads(ctx, user, 1, limit) })
	m.same(t, "thread", func(s chat.Store) (any, error) { return s.Thread(ctx, id) })
	m.same(t, "messages", func(s chat.Store) (any, error) { return s.Messages(ctx, id, at, limit) })
	m.same(t, "after", func(s chat.Store) (any, error) { return s.After(ctx, id, at, limit) })
	m.same(t, "recent", func(s chat.Store) (any, error) { return s.Recent(ctx, id, at, limit) })
	m.same(t, "summary", func(s chat.Store) (any, error) { return s.LoadSummary(ctx, id) })
}

// Whatever is done, the file says what the store in memory says.
func TestLikeTheStoreInMemory(t *testing.T) {
	alone(t)
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		s := open(t, "", nil)
		m := &model{store: s, want: chat.InMemory(), ids: []string{"a", "b.c-d_1", strings.Repeat("9", 64), odd[0]}}
		r.Repeat(map[string]func(*rapid.T){"": m.check, "create": m.create, "append": m.append, "append 2": m.append,
			"save": m.save, "truncate": m.truncate, "summarize": m.summarize, "delete": m.delete})
		if err := errors.Join(s.Check(context.Background()), s.Close()); err != nil {
			r.Fatal(err)
		}
	})
}

// A summary that was under way while the messages that it covers were taken back is not kept.
func TestSummaryOfWhatIsGone(t *testing.T) {
	s := open(t, "", nil)
	must(t, s.CreateThread(t.Context(), chat.Thread{ID: "t"}))
	_, err := appendTo(t.Context(), s, "t", 0, say("1"), say("2"), say("3"))
	must(t, err)
	must(t, truncate(t.Context(), s, "t", 2))
	_, err = appendTo(t.Context(), s, "t", 1, say("4"))
	must(t, err)
	if err := s.SaveSummary(t.Context(), "t", 0, summary.Thread{Text: "of 1 to 3", Last: 3, Messages: 3}); !errors.Is(err, summary.ErrConflict) {
		t.Errorf("a summary of messages that are gone: %v", err)
	}
	must(t, s.SaveSummary(t.Context(), "t", 0, summary.Thread{Text: "of 1 and 4", Last: 4, Messages: 2}))
	must(t, truncate(t.Context(), s, "t", 4))
	if sum, err := s.LoadSummary(t.Context(), "t"); sum.Text != "" || err != nil {
		t.Errorf("the summary outlived its messages: %v %v", sum, err)
	}
}

// Any text may stand in any field, and does nothing there but stand.
func TestOddStrings(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "f.db"), nil)
	ctx := t.Context()
	for i, text := range odd {
		id := fmt.Sprint("t", i)
		if err := s.CreateThread(ctx, chat.Thread{ID: text}); !errors.Is(err, store.ErrInvalid) != (chat.CheckThreadID(text) == nil) {
			t.Errorf("a thread %q: %v", text, err)
		}
		_ = s.DeleteThread(ctx, text)
		th := chat.Thread{ID: id, User: text, Title: text + "\xff", Created: start, Updated: start}
		must(t, s.CreateThread(ctx, th))
		m := say(text + "\xff")
		m.Name, m.CallID = text, text
		added, err := appendTo(ctx, s, id, 0, m)
		must(t, err)
		th.Messages, th.Last = 1, 1
		if got, err := s.Thread(ctx, id); err != nil || !cmp.Equal(got, th) {
			t.Errorf("thread %q: %+v %v", text, got, err)
		}
		if got, err := s.Messages(ctx, id, 0, 9); err != nil || !cmp.Equal(got, added) {
			t.Errorf("messages of %q: %+v %v", text, got, err)
		}
		sum := summary.Thread{Text: text + "\xff", Last: 1, Messages: 1}
		must(t, s.SaveSummary(ctx, id, 0, sum))
		if got, err := s.LoadSummary(ctx, id); got != sum || err != nil {
			t.Errorf("summary of %q: %+v %v", text, got, err)
		}
		records := noted(0, 1, text+"\xff")
		must(t, s.Sessions().AppendRecords(ctx, text, 0, records...))
		if diff := cmp.Diff(records, recordsOf(t, s, text)); diff != "" {
			t.Errorf("records of %q: %s", text, diff)
		}
	}
	if all, err := s.Threads(ctx, "", 0, 100); len(all) != len(odd) || err != nil {
		t.Errorf("%d threads of %d: %v", len(all), len(odd), err)
	}
	must(t, s.Check(ctx))
}

// What cannot be kept as it is gets a reason, and nothing of it is kept.
func TestRefused(t *testing.T) {
	t.Parallel()
	s := open(t, "", nil)
	ctx := t.Context()
	must(t, s.CreateThread(ctx, chat.Thread{ID: "t"}))
	huge := strings.Repeat("x", 100<<20)
	far := chat.Message{Time: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}
	appended := func(ms ...chat.Message) error {
		_, err := appendTo(ctx, s, "t", 0, ms...)
		return err
	}
	recorded := func(id string, rs ...session.Record) error { return s.Sessions().AppendRecords(ctx, id, 0, rs...) }
	wordy := session.Record{End: &session.End{Warnings: slices.Repeat([]string{huge[:1000]}, store.MaxRecord/1000)}}
	unsaid := session.Record{Step: &session.Stepped{Step: session.Step{Window: math.NaN()}}}
	for name, c := range map[string]struct{ err, want error }{
		"no id":              {s.CreateThread(ctx, chat.Thread{}), store.ErrInvalid},
		"id not UTF-8":       {s.CreateThread(ctx, chat.Thread{ID: "\xff"}), store.ErrInvalid},
		"long id":            {s.CreateThread(ctx, chat.Thread{ID: huge[:2000]}), store.ErrInvalid},
		"state no JSON":      {s.CreateThread(ctx, chat.Thread{ID: "x", State: json.RawMessage("{")}), store.ErrInvalid},
		"far time":           {appended(far), store.ErrInvalid},
		"huge message":       {appended(say("small"), say(huge)), store.ErrTooLarge},
		"session without id": {recorded("", noted(0, 1, "x")...), store.ErrInvalid},
		"huge body":          {recorded("l", append(noted(0, 1, "x"), noted(1, 1, huge)...)...), store.ErrTooLarge},
		"huge record":        {recorded("l", wordy), store.ErrTooLarge},
		"no JSON":            {recorded("l", unsaid), store.ErrInvalid},
		"huge summary":       {s.SaveSummary(ctx, "t", 0, summary.Thread{Text: huge}), store.ErrTooLarge},
		"huge memory":        {s.Memories().Put(ctx, longterm.Memory{ID: "m", Content: "ok"}, longterm.Memory{ID: "n", Content: huge}), store.ErrTooLarge},
		"memory without id":  {s.Memories().Put(ctx, longterm.Memory{Content: "ok"}), store.ErrInvalid},
		"thread that is not": {s.SaveSummary(ctx, "no", 0, summary.Thread{}), chat.ErrNoThread},
	} {
		if !errors.Is(c.err, c.want) || len(fmt.Sprint(c.err)) > 5000 {
			t.Errorf("%s: %.200v, want %v", name, c.err, c.want)
		}
	}
	if th, err := s.Thread(ctx, "t"); th.Messages != 0 || err != nil {
		t.Errorf("something was kept: %+v %v", th, err)
	}
	for m, err := range s.Memories().All(ctx) {
		t.Errorf("something was kept: %+v %v", m, err)
	}
	if list, err := s.Sessions().List(ctx, 0, 9); len(list) != 0 || err != nil {
		t.Errorf("something was kept: %+v %v", list, err)
	}
	must(t, recorded("l", noted(0, 1, huge[:store.MaxRecord])...))
	must(t, s.Check(ctx))
}

// Working memory goes on in another process, and goes with its thread.
func TestTexts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.db")
	now := start
	memoryOf := func(s *store.Store) *working.Memory {
		return working.New(&working.Options{Archive: s.Texts(), Entries: 3, Now: func() time.Time { return now }})
	}
	s, err := store.Open(t.Context(), path, nil)
	must(t, err)
	must(t, s.CreateThread(t.Context(), threadOf("t")))
	scope := memoryOf(s).OpenIn("t")
	for _, id := range []string{"x1", "x2", "x3"} {
		must(t, scope.Put(id, "text \x00\xff of "+id))
	}
	scope.Label("text \x00\xff of x1", transcript.ToolCall{Name: "read_file", Args: json.RawMessage(`{"path":"a'; DROP TABLE texts; --"}`)})
	must(t, scope.Keep(t.Context()))
	scope.Close()
	must(t, s.Close())

	s = open(t, path, nil)
	w := memoryOf(s)
	now = now.Add(time.Minute)
	scope = w.OpenIn("t")
	if got, err := scope.Get("x2"); got != "text \x00\xff of x2" || err != nil {
		t.Errorf("in another process: %q %v", got, err)
	}
	must(t, scope.Put("x4", "one too many"))
	must(t, scope.Keep(t.Context()))
	scope.Close()
	var expired *working.ExpiredError
	if _, err := w.OpenIn("t").Get("x1"); !errors.As(err, &expired) || !strings.Contains(expired.Entry.Args, "DROP TABLE") {
		t.Errorf("what made room: %v", err)
	}
	if _, err := s.Texts().Body(t.Context(), "t", "x1"); !errors.Is(err, contextwindow.ErrNoBody) {
		t.Errorf("its text: %v", err)
	}
	must(t, s.Check(t.Context()))
	if err := s.Texts().Keep(t.Context(), "t", []working.Entry{{ID: "y"}}, map[string]string{"y": strings.Repeat("x", store.MaxRecord+1)}); !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("a text that is too large: %v", err)
	}
	must(t, s.DeleteThread(t.Context(), "t"))
	if left, err := s.Texts().Entries(t.Context(), "t"); len(left) > 0 || err != nil {
		t.Errorf("behind the thread: %+v %v", left, err)
	}
}
