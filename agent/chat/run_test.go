package chat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/contextwindow/memory/task"
	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/tree"
)

// report is a long result of a tool, with something in its middle.
var report = func() string {
	lines := make([]string, 4000)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d: nothing out of the ordinary", i+1)
	}
	lines[2000] = "line 2001: the valve is open"
	return strings.Join(lines, "\n")
}()

var pointer = regexp.MustCompile(`\bx[0-9a-f]{12}\b`)

// What a tool found in one turn can be read whole in the next, though the request shows it cut.
func TestResultsOfEarlierTurnsCanBeReadAgain(t *testing.T) {
	inputs := make(chan string, 1)
	inspect := tools.New("inspect", "Inspect the plant.", func(ctx context.Context, _ struct{}) (string, error) {
		inputs <- tools.RunFrom(ctx).Input
		return report, nil
	})
	model := scripted.Options{Info: providers.Info{Window: 200_000}}.New(
		scripted.Calls(scripted.Call{Name: "inspect"}), scripted.Text("All is well. Shall I go on?"),
		scripted.Func(func(req *providers.Request) scripted.Line {
			all, _ := json.Marshal(req.Messages)
			id := pointer.FindString(string(all))
			if id == "" {
				t.Errorf("no pointer in %.3000s", all)
			}
			return scripted.Calls(scripted.Call{Name: "read_working_memory", Args: map[string]any{"id": id, "find": "valve"}})
		}),
		scripted.Func(func(req *providers.Request) scripted.Line {
			return scripted.Text("It says: " + req.Messages[len(req.Messages)-1].Text)
		}))
	h, id := open(t, chat.Config{Agent: agent.Config{Model: model, Tools: []tools.Tool{inspect}}})
	first := ask(t, h, id, "Inspect the plant. You must not touch anything.")
	if got := <-inputs; got != "Inspect the plant. You must not touch anything." {
		t.Errorf("the tool is told %q", got)
	}
	if len(first.Messages) != 4 || first.Messages[2].Text != report {
		t.Errorf("the thread has %d messages of the turn", len(first.Messages))
	}
	active, err := h.Task(t.Context(), id)
	if err != nil || active.Status != task.Waiting || len(active.Steps) != 1 || active.Steps[0].Status != task.Done || len(active.Constraints) != 1 {
		t.Errorf("the task: %+v %v", active, err)
	}
	if turn := ask(t, h, id, "continue"); !strings.Contains(turn.Text, "the valve is open") {
		t.Errorf("answered %q", turn.Text)
	}
	if again, err := h.Task(t.Context(), id); err != nil || again.ID != active.ID || len(again.FollowUps) != 1 {
		t.Errorf("the task after it: %+v %v", again, err)
	}
	if err := h.SetTask(t.Context(), id, task.Done); err != nil {
		t.Error(err)
	}
}

// A tool's finding and an unfinished task are told to the next turn.
func TestFindingsAreTold(t *testing.T) {
	find := tools.New("note_finding", "Note a finding.", func(_ context.Context, in struct{ Text string }) (task.Finding, error) {
		return task.Finding{Text: in.Text, Evidence: "main.go:7", Importance: 8}, nil
	})
	model := scripted.New(scripted.Calls(scripted.Call{Name: "note_finding", Args: map[string]string{"Text": "the lock is never freed"}}),
		scripted.Text("Found it."), scripted.Text("Done."))
	h, id := open(t, chat.Config{Agent: agent.Config{Model: model, Tools: []tools.Tool{find}}})
	ask(t, h, id, "Find the deadlock.")
	ask(t, h, id, "continue")
	last := model.Requests()[2].Messages
	if text := last[len(last)-1].Text; !strings.Contains(text, "the lock is never freed (main.go:7)") {
		t.Errorf("the second turn is told %s", text)
	}
	all := ""
	for _, m := range last {
		all += m.Text + "\n"
	}
	if n := strings.Count(all, "Find the deadlock"); n != 1 {
		t.Errorf("the second turn is told its goal %d times:\n%s", n, all)
	}
}

// The goal is pinned once what was said after it puts it out of sight, and what a message adds to the task is not said
// twice.
func TestTheGoalIsPinnedWhenItIsFar(t *testing.T) {
	look := tools.New("look", "Look.", func(context.Context, struct{}) (string, error) {
		text := ""
		for i := range 300 {
			text += fmt.Sprintf("row %d holds %d\n", i, i*i)
		}
		return text, nil
	})
	model := scripted.New(scripted.Calls(scripted.Call{Name: "look"}), scripted.Text("Seen."), scripted.Repeat(0, scripted.Text("Done.")))
	h, id := open(t, chat.Config{Agent: agent.Config{Model: model, Tools: []tools.Tool{look}}})
	ask(t, h, id, "Find the deadlock.")
	ask(t, h, id, "continue, but you must not touch main.go")
	last := model.Requests()[2].Messages
	text := last[len(last)-1].Text
	if strings.Count(text, "Task (active): Find the deadlock.") != 1 || strings.Count(text, "must not touch main.go") != 1 {
		t.Errorf("the second turn is told %s", text)
	}
}

// What turns have done to the task goes with them.
func TestUndoTakesTheTaskBack(t *testing.T) {
	look := tools.New("look", "Look.", func(context.Context, struct{}) (string, error) { return "seen", nil })
	model := scripted.New(scripted.Text("Noted."), scripted.Calls(scripted.Call{Name: "look"}), scripted.Text("Shall I go on?"), scripted.Repeat(0, scripted.Text("Done.")))
	h, id := open(t, chat.Config{Agent: agent.Config{Model: model, Tools: []tools.Tool{look}}})
	current := func() task.Active {
		got, err := h.Task(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	said := []string{"Write the release notes.", "Find the deadlock. You must not change anything.", "continue", "Translate the manual."}
	var before []task.Active
	for _, text := range said {
		before = append(before, current())
		ask(t, h, id, text)
	}
	if now := current(); now.Goal != said[3] || before[2].Status != task.Waiting || len(before[2].Steps) != 1 {
		t.Fatalf("%+v %+v", before, now)
	}
	for i := len(said) - 1; i >= 0; i-- {
		if _, err := h.Undo(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(before[i], current()); diff != "" {
			t.Errorf("before %q: %s", said[i], diff)
		}
	}
	for n := range 12 { // more than are remembered
		ask(t, h, id, fmt.Sprintf("Do part %d of the plan.", n))
	}
	for range 12 {
		if _, err := h.Undo(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if left := current(); left.Goal != "" && left.Goal != "Do part 3 of the plan." {
		t.Errorf("after more turns than are remembered: %+v", left)
	}
}

// A text that one turn cut can be read in a later one by its id, also by another process; when it has gone, the answer says
// so, and names the call.
func TestWorkingMemoryOutlivesItsTurn(t *testing.T) {
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "f.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	now := time.Now()
	id, answers := "", make(map[string]string)
	talk := func(text string, lines ...scripted.Line) {
		working := working.New(&working.Options{Archive: s.Texts(), Now: func() time.Time { return now }})
		inspect := tools.New("inspect", "Inspect the plant.", func(context.Context, struct{}) (string, error) { return report, nil })
		model := scripted.Options{Info: providers.Info{Window: 200_000}}.New(append(lines, scripted.Func(func(req *providers.Request) scripted.Line {
			answers[text] = req.Messages[len(req.Messages)-1].Text
			return scripted.Text("Seen.")
		}))...)
		c := chat.Config{Store: s, Agent: agent.Config{Model: model, Memory: working, Tools: []tools.Tool{inspect}}}
		h, err := chat.New(c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Thread(t.Context(), "plant"); err != nil {
			create(t, h, chat.Thread{ID: "plant"})
		}
		ask(t, h, "plant", text)
		if err := h.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	talk("look", scripted.Calls(scripted.Call{Name: "inspect"}))
	if id = regexp.MustCompile(`\bs\d+\.\d+\b`).FindString(answers["look"]); id == "" {
		t.Fatalf("no pointer in %.500s", answers["look"])
	}
	read := scripted.Calls(scripted.Call{Name: "read_working_memory", Args: map[string]any{"id": id, "find": "valve"}})
	talk("again", read)
	if !strings.Contains(answers["again"], "the valve is open") {
		t.Errorf("in another process: %s", answers["again"])
	}
	now = now.Add(time.Hour)
	talk("later", read)
	if got := answers["later"]; !strings.Contains(got, "expired") || !strings.Contains(got, "inspect {}") {
		t.Errorf("an hour later: %s", got)
	}
	talk("never", scripted.Calls(scripted.Call{Name: "read_working_memory", Args: map[string]any{"id": "s99.9"}}))
	if got := answers["never"]; !strings.Contains(got, "unknown_id") {
		t.Errorf("what never was: %s", got)
	}
}

// Each turn of a thread reads something new, in a process of its own from the third turn on. An id that one turn named
// reads the same in every later one, also in a thread that an older version saved.
func TestIDsNameOneTextInAllTurns(t *testing.T) {
	ostest.SkipRaced(t)
	for _, older := range []bool{false, true} {
		s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "f.db"), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		turn, named := 0, make(map[string]string) // the turn that named an id
		inspect := tools.New("inspect", "Inspect the plant.", func(context.Context, struct{}) (string, error) {
			return strings.ReplaceAll(report, "nothing", fmt.Sprint("in turn ", turn, " nothing")), nil
		})
		var reading string
		model := scripted.Options{Info: providers.Info{Window: 200_000}}.New(scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
			last := req.Messages[len(req.Messages)-1]
			switch id := regexp.MustCompile(`\bs\d+\.\d+\b`).FindString(last.Text); {
			case last.Role == transcript.User && reading != "":
				return scripted.Calls(scripted.Call{Name: "read_working_memory", Args: map[string]any{"id": reading, "find": "line 70: in"}})
			case last.Role == transcript.User:
				return scripted.Calls(scripted.Call{Name: "inspect"})
			case reading == "" && named[id] == "":
				named[id] = fmt.Sprint("line 70: in turn ", turn, " nothing")
			case reading == "":
				t.Errorf("turn %d names %s again", turn, id)
			}
			return scripted.Text(last.Text)
		})))
		start := func() *chat.Chat {
			h, err := chat.New(chat.Config{Store: s, Agent: agent.Config{Model: model, Memory: working.New(&working.Options{Archive: s.Texts()}), Tools: []tools.Tool{inspect}}})
			if err != nil {
				t.Fatal(err)
			}
			few := h.Settings()
			few.Turns = 1 // or each history would be longer than the one before
			if err := h.Configure(few); err != nil {
				t.Fatal(err)
			}
			return h
		}
		h := start()
		create(t, h, chat.Thread{ID: "plant"})
		for turn = 1; turn <= 4; turn++ {
			if turn >= 3 {
				if err := h.Close(t.Context()); err != nil {
					t.Error(err)
				}
				h = start()
			}
			if older && turn == 3 {
				saved, err := s.Thread(t.Context(), "plant")
				if err != nil || !strings.Contains(string(saved.State), `"steps":`) {
					t.Fatalf("%s %v", saved.State, err)
				}
				saved.State = regexp.MustCompile(`"steps":\d+,`).ReplaceAll(saved.State, nil)
				if _, err := s.SaveThread(t.Context(), saved); err != nil {
					t.Fatal(err)
				}
			}
			reading = ""
			done := ask(t, h, "plant", "look again")
			if _, err := contextwindow.Load(done.Result.Transcript, contextwindow.Budget{}, nil); err != nil {
				t.Errorf("turn %d: %v", turn, err)
			}
			for id, want := range maps.Clone(named) {
				reading = id
				if got := ask(t, h, "plant", "read"); !strings.Contains(got.Text, want) {
					t.Errorf("turn %d, %s: %.300s, want %s", turn, id, got.Text, want)
				}
			}
		}
		if len(named) != 4 {
			t.Errorf("the ids are %v", named)
		}
		if err := h.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// What another process remembers is known at the next turn.
func TestMemoriesOfAnotherProcess(t *testing.T) {
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "f.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	longTerm := func() *longterm.Memories {
		l, err := longterm.Open(t.Context(), &longterm.Options{Store: s.Memories()})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	other := longTerm()
	model := echo()
	c := with(model)
	c.Store, c.Memory = s, longTerm()
	h, id := open(t, c)
	told := func() string {
		ask(t, h, id, "how should answers be?")
		all := model.Requests()
		return fmt.Sprint(all[len(all)-1].Messages)
	}
	told()
	m, err := other.Save(t.Context(), longterm.Memory{User: "ada", Category: longterm.UserPreference, Content: "Ada prefers answers in rhyme."}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if text := told(); !strings.Contains(text, "answers in rhyme") {
		t.Errorf("saved by another process: %s", text)
	}
	if err := other.Delete(t.Context(), m.ID); err != nil {
		t.Fatal(err)
	}
	if text := told(); strings.Contains(text, "answers in rhyme") {
		t.Errorf("deleted by another process: %s", text)
	}
}

// A clock is a source that has something new each time.
type clock struct{ ticks atomic.Int64 }

func (c *clock) Describe(contextbuilder.Query) (contextbuilder.Block, bool) {
	return contextbuilder.Block{Type: "collected_info", Priority: contextbuilder.P0}, true
}

func (c *clock) Fill(_ context.Context, _ contextbuilder.Query, b contextbuilder.Block) (contextbuilder.Block, error) {
	b.Text = fmt.Sprintf("tick %d", c.ticks.Add(1))
	return b, nil
}

// Blocks that are live are told anew before each request, and requests extend one another.
func TestLiveBlocksAreRefreshed(t *testing.T) {
	look := tools.New("look", "Look.", func(context.Context, struct{}) (string, error) { return "seen", nil })
	model := scripted.New(scripted.Repeat(2, scripted.Calls(scripted.Call{Name: "look"})), scripted.Text("done"))
	c := chat.Config{Agent: agent.Config{Model: model, Tools: []tools.Tool{look}}}
	c.Builder.Sources = []contextbuilder.Source{&clock{}}
	h, id := open(t, c)
	ask(t, h, id, "go")
	requests := model.Requests()
	for i, req := range requests {
		text := req.Messages[len(req.Messages)-1].Text
		if !strings.Contains(text, fmt.Sprintf("tick %d", i+1)) {
			t.Errorf("request %d is told %s", i+1, text)
		}
		for n, m := range requests[max(i-1, 0)].Messages {
			if i > 0 && m.Text != req.Messages[n].Text {
				t.Errorf("request %d does not extend the one before it at message %d", i+1, n)
			}
		}
	}
}

// What a user has said of themselves is known in another conversation of theirs, and in nobody else's.
func TestMemoriesOfExchanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newMemories(t)
		model := echo()
		c := with(model)
		c.Memory = l
		h, err := chat.New(c)
		if err != nil {
			t.Fatal(err)
		}
		first, second := create(t, h, chat.Thread{User: "ada"}), create(t, h, chat.Thread{User: "ada"})
		other := create(t, h, chat.Thread{User: "bob"})
		ask(t, h, second, "good morning")
		ask(t, h, first, "I prefer short answers in British English.") // a message that follows at once knows it
		told := func(thread string) string {
			ask(t, h, thread, "how should answers be?")
			all := model.Requests()
			return fmt.Sprint(all[len(all)-1].Messages)
		}
		if text := told(second); !strings.Contains(text, "British English") || !strings.Contains(text, "<user_memory>") {
			t.Errorf("Ada's other conversation: %s", text)
		}
		if text := told(other); strings.Contains(text, "British") {
			t.Errorf("Bob's conversation: %s", text)
		}
		found, err := h.Memories("ada", "", 10)
		if err != nil || len(found) != 1 || found[0].Provenance != (longterm.Provenance{Thread: first, Message: "1"}) {
			t.Errorf("%+v %v", found, err)
		}
		if _, err := h.Undo(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		if found, _ := h.Memories("ada", "", 10); len(found) > 0 {
			t.Errorf("undone, and still there: %+v", found)
		}
		s := h.Settings()
		s.Extraction = false
		if err := h.Configure(s); err != nil {
			t.Fatal(err)
		}
		ask(t, h, first, "I prefer long answers in French.")
		synctest.Wait()
		if found, _ := h.Memories("ada", "", 10); len(found) > 0 {
			t.Errorf("switched off: %+v", found)
		}
		if err := h.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A forgetful model echoes and keeps nothing.
type forgetful struct{}

func (forgetful) Info() providers.Info { return providers.Info{Name: "script", Window: 200_000} }

func (forgetful) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return echo().Stream(ctx, req)
}

// What a chat holds does not grow with the turns that it has answered.
func TestMemoryStaysFlat(t *testing.T) { synctest.Test(t, memoryStaysFlat) }

func memoryStaysFlat(t *testing.T) {
	h, _ := open(t, with(forgetful{}))
	heap := func() uint64 {
		synctest.Wait() // nothing is under way behind the answers
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var before uint64
	for round := range 10 {
		var all sync.WaitGroup
		for i := range 10 {
			all.Go(func() {
				id := create(t, h, chat.Thread{User: fmt.Sprintf("user %d.%d", round, i)})
				for n := range 10 {
					ask(t, h, id, fmt.Sprintf("message %d, %s", n, strings.Repeat("some more words ", 50)))
				}
				if err := h.Delete(t.Context(), id); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if round == 1 {
			before = heap()
		}
	}
	if after := heap(); after > before+2<<20 {
		t.Errorf("%d KiB after 200 turns, %d KiB after 1,000", before>>10, after>>10)
	} else {
		t.Logf("%d KiB after 200 turns, %d KiB after 1,000", before>>10, after>>10)
	}
}

// BenchmarkTurn is a turn of a thread that has 10,000 messages, with a model that takes no time.
func BenchmarkTurn(b *testing.B) {
	store := chat.InMemory()
	c := with(forgetful{})
	c.Store = store
	c.Builder.NoSummary = true
	h, err := chat.New(c)
	if err != nil {
		b.Fatal(err)
	}
	thread, err := h.Create(b.Context(), chat.Thread{})
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("some words of a message ", 10)
	ms := make([]chat.Message, 10_000)
	for i := range ms {
		ms[i].Time, ms[i].Text, ms[i].Role = time.Now(), text, "user"
		if i%2 == 1 {
			ms[i].Role = "assistant"
		}
	}
	if _, err := store.SaveThread(b.Context(), thread, ms...); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := h.Do(b.Context(), thread.ID, text); err != nil {
			b.Fatal(err)
		}
	}
	if err := h.Close(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkTurnWithTools is a turn of a new thread whose agent has the code tools, with a model that takes no time.
func BenchmarkTurnWithTools(b *testing.B) {
	c := with(forgetful{})
	c.Agent.Tools = codebase.Tools(tree.Open(fstest.MapFS{"a.go": {Data: []byte("package a\n")}}, nil), nil)
	h, err := chat.New(c)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		thread, err := h.Create(b.Context(), chat.Thread{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := h.Do(b.Context(), thread.ID, "a question"); err != nil {
			b.Fatal(err)
		}
	}
	if err := h.Close(b.Context()); err != nil {
		b.Fatal(err)
	}
}
