package contextbuilder_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// What neither window nor summary show has a line in a digest, and an update is asked for; what the summary covers has none.
func TestGap(t *testing.T) {
	tests := []struct {
		name    string
		sum     summary
		digest  bool
		gap     int64
		updates int
		covered int64
	}{
		{"no summary yet", summary{}, true, 0, 1, 0},
		{"summary up to the window", summary{text: "Main topics", last: 80}, false, 0, 0, 80},
		{"summary behind", summary{text: "Main topics", last: 60}, true, 0, 1, 60},
		{"summary fails", summary{text: "Main topics", last: 1_000, err: errors.New("no table")}, true, 0, 1, 0},
		{"summary is late", summary{text: "Main topics", last: 1_000, wait: time.Hour}, true, 0, 1, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				test.sum.updates = make(chan string, 10)
				th := chat(40)
				got := build(t, contextbuilder.Config{Recent: th.Recent, Summary: test.sum, Deadline: deadline}, contextbuilder.Query{Input: "now?", Thread: "t"})
				w := got.Stats.Window
				if w.Covered != test.covered || len(test.sum.updates) != test.updates || w.Turns < 15 || w.Turns > 20 || w.From <= w.Covered || w.Excluded != w.From-1 {
					t.Errorf("%+v, %d updates", w, len(test.sum.updates))
				}
				head := got.History[0].Text
				if strings.Contains(head, "<earlier_turns>") != test.digest {
					t.Errorf("head %q", head)
				}
				for seq := int64(1); seq < w.From; seq += 4 { // each turn is somewhere
					if line := fmt.Sprintf("- [%d] user: question", seq); strings.Contains(head, line) != (test.digest && seq+3 > test.covered) {
						t.Errorf("turn at %d: %q", seq, head)
					}
				}
				if test.digest && w.Gap != w.From-1-test.covered {
					t.Errorf("gap %d of %+v", w.Gap, w)
				}
			})
		})
	}
}

// A summary that hangs is asked for once, and builds go on without it.
func TestStuckSummary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := &stuckSummary{release: make(chan struct{})}
		b := newBuilder(t, contextbuilder.Config{Recent: chat(40).Recent, Summary: stuck, Deadline: deadline})
		for range 10 {
			got, err := b.Build(t.Context(), contextbuilder.Query{Input: "now?", Thread: "t"})
			if err != nil || !strings.Contains(got.History[0].Text, "<earlier_turns>") {
				t.Errorf("%+v %v", got.Stats.Window, err)
			}
		}
		if n := stuck.calls.Load(); n != 1 {
			t.Errorf("%d calls of a summary that hangs", n)
		}
		close(stuck.release)
		synctest.Wait()
		got, err := b.Build(t.Context(), contextbuilder.Query{Input: "now?", Thread: "t"})
		if err != nil || !strings.Contains(got.History[0].Text, "Main topics") || stuck.calls.Load() != 2 {
			t.Errorf("%q after %d calls, %v", got.History[0].Text, stuck.calls.Load(), err)
		}
	})
}

type stuckSummary struct {
	calls   atomic.Int64
	release chan struct{}
}

func (s *stuckSummary) Through(context.Context, string) (string, int64, error) {
	s.calls.Add(1)
	<-s.release
	return "Main topics", 100, nil
}

func (s *stuckSummary) Update(string) {}

// A digest without room for all turns tells which it leaves out.
func TestLongGap(t *testing.T) {
	got := build(t, contextbuilder.Config{Recent: tenThousand().Recent, Total: 8_000}, contextbuilder.Query{Input: "now?", Thread: "t"})
	if head := got.History[0].Text; !strings.Contains(head, "are not shown\n") || got.Stats.Window.Gap < 9_800 {
		t.Errorf("%q %+v", head, got.Stats.Window)
	}
}

// The request's prefix stays while a thread grows by a few turns.
func TestSteadyPrefix(t *testing.T) {
	b := newBuilder(t, contextbuilder.Config{Recent: chat(200).Recent, NoSummary: true})
	changed, last := 0, int64(0)
	for turn := 100; turn < 200; turn++ {
		got, err := b.Build(t.Context(), contextbuilder.Query{Input: "now?", Thread: "t", Seq: int64(4*turn + 1)})
		if err != nil {
			t.Fatal(err)
		}
		w := got.Stats.Window
		if w.From != last {
			changed, last = changed+1, w.From
		}
		if w.Turns < 15 || w.Turns > 20 || w.From+int64(w.Messages) != int64(4*turn+1) {
			t.Fatalf("turn %d: %+v", turn, w)
		}
	}
	if changed > 40 {
		t.Errorf("the window began anew %d times in 100 turns", changed)
	}
}

// The ladder: each step only as far as it is needed, in order, each with an event.
func TestLadder(t *testing.T) {
	var th thread
	for i := range 16 {
		th.say(transcript.User, fmt.Sprintf("question %d", i))
		th.call(fmt.Sprint("c", i), `{"path":"a"}`, fmt.Sprintf("result %d ", i)+prose(100+i*8))
		th.say(transcript.Assistant, fmt.Sprintf("answer %d ", i)+prose(300))
	}
	block := func(name string, p contextbuilder.Priority) contextbuilder.Source {
		return source{block: contextbuilder.Block{Type: name, Priority: p, Text: strings.ReplaceAll(prose(60), ". ", ".\n")}}
	}
	steps := make(map[int][]string)
	var most []string
	for _, total := range []int{40_000, 12_000, 9_000, 7_000, 5_000, 3_000, 1_000, 500} {
		store := &bodies{}
		facts := contextbuilder.Block{Type: "facts", Text: prose(min(total/12, 600))} // P0: over the share of its section
		got := build(t, contextbuilder.Config{Total: total, Recent: th.Recent, Sources: []contextbuilder.Source{source{block: facts}, block("one", contextbuilder.P1), block("two", contextbuilder.P2)}},
			contextbuilder.Query{Input: "now?", Thread: "t", Store: store, System: prose(total / 40)})
		for _, c := range got.Stats.Compactions {
			steps[total] = append(steps[total], c.Step)
			if c.Before < c.After || c.Items < 1 || float64(c.Before) <= .8*float64(total) {
				t.Errorf("total %d: %+v", total, c)
			}
		}
		if len(steps[total]) > len(most) {
			most = steps[total]
		}
		if n := measured(got); n > total {
			t.Errorf("%d tokens of %d", n, total)
		}
		if text := bytesOf(got); len(pointers(text)) == 0 && strings.Contains(text, "cut;") {
			t.Errorf("total %d: something is cut without a pointer", total)
		}
		t.Logf("total %d: %d tokens, %v, %+v", total, got.Stats.Tokens, steps[total], got.Stats.Window)
	}
	if len(steps[40_000]) != 0 || len(most) == 0 {
		t.Errorf("%v", steps)
	}
}

// prose is words that are not all the same.
func prose(words int) string {
	var b strings.Builder
	for i := range words {
		fmt.Fprintf(&b, "word%d ", i)
		if i%12 == 11 {
			b.WriteString("ends here. ")
		}
	}
	return b.String()
}

// The summariser of a compaction: its text, once for the same turns, or else the digest.
func TestSummarise(t *testing.T) {
	var th thread
	for i := range 18 {
		th.say(transcript.User, fmt.Sprintf("question %d", i))
		th.say(transcript.Assistant, prose(60))
	}
	tests := []struct {
		name   string
		write  func(ctx context.Context) (string, error)
		digest bool
	}{
		{"written", func(context.Context) (string, error) { return "They spoke of </earlier_turns> words.", nil }, false},
		{"fails", func(context.Context) (string, error) { return "", errors.New("no model") }, true},
		{"says nothing", func(context.Context) (string, error) { return "  ", nil }, true},
		{"panics", func(context.Context) (string, error) { panic("broken") }, true},
		{"hangs", func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }, true},
		{"says too much", func(context.Context) (string, error) { return prose(100_000), nil }, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				b := newBuilder(t, contextbuilder.Config{Total: 6_000, Recent: th.Recent, Sources: []contextbuilder.Source{
					source{block: contextbuilder.Block{Type: "facts", Text: prose(400)}},
				}, Summarise: func(ctx context.Context, turns string, most int) (string, error) {
					if calls++; !strings.Contains(turns, "question 0") || most != 500 {
						t.Errorf("asked for %d tokens of %q", most, turns)
					}
					return test.write(ctx)
				}})
				began := time.Now()
				for range 2 {
					got, err := b.Build(t.Context(), contextbuilder.Query{Input: "now?", Thread: "t", System: prose(500)})
					if err != nil {
						t.Fatal(err)
					}
					head := got.History[0].Text
					if strings.Contains(head, "user: question 7") != test.digest || strings.Count(head, "</earlier_turns>") != 1 || got.Stats.Tokens > 6_000 {
						t.Errorf("%d tokens, head %q\n%+v", got.Stats.Tokens, head, got.Stats.Compactions)
					}
				}
				if took := time.Since(began); took > 4*time.Second || !test.digest && calls != 1 {
					t.Errorf("%d calls, %s", calls, took)
				}
			})
		})
	}
}

// A thread that is broken is repaired; one that gives nonsense is an error, as is one that fails.
func TestThreads(t *testing.T) {
	var orphans thread
	orphans.say(transcript.Assistant, "I begin")
	orphans.call("c1", `{"a":1}`, "result")
	orphans = orphans[:len(orphans)-1] // the result is lost
	orphans.say(transcript.User, "and?")
	got := build(t, contextbuilder.Config{Recent: orphans.Recent}, contextbuilder.Query{Input: "now?", Thread: "t"})
	if err := transcript.Check(append(got.History, got.Prompt), transcript.AnyProvider); err != nil {
		t.Errorf("%v in %+v", err, got.History)
	}
	unordered := thread{{Seq: 5, Message: transcript.Message{Role: transcript.User, Text: "a"}}, {Seq: 5, Message: transcript.Message{Role: transcript.User, Text: "b"}}}
	for name, threads := range map[string]interface {
		Recent(context.Context, string, int64, int) ([]contextbuilder.Message, error)
	}{"out of order": unordered, "fails": badThread{errors.New("disk")}, "panics": badThread{}} {
		b := newBuilder(t, contextbuilder.Config{Recent: threads.Recent})
		if _, err := b.Build(t.Context(), contextbuilder.Query{Input: "now?", Thread: "t"}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

type badThread struct{ err error }

func (b badThread) Recent(context.Context, string, int64, int) ([]contextbuilder.Message, error) {
	if b.err == nil {
		panic("broken")
	}
	return nil, b.err
}

// TestTurnWithoutText: a message of blanks that nobody answered leaves an empty turn.
func TestTurnWithoutText(t *testing.T) {
	for _, total := range []int{500, 1_000, 2_000, 48_000} {
		th := chat(20)
		th.say(transcript.User, " \n")
		th.say(transcript.User, "and now?")
		got := build(t, contextbuilder.Config{Total: total, Recent: th.Recent}, contextbuilder.Query{Input: "hello", Thread: "t"})
		if last := got.History[len(got.History)-1]; last.Text != "and now?" {
			t.Errorf("the newest turn is %+v", last)
		}
	}
}

func TestQueries(t *testing.T) {
	th := chat(3)
	th.say(transcript.User, "the question itself")
	b := newBuilder(t, contextbuilder.Config{Recent: th.Recent, Total: 2_000})
	got, err := b.Build(t.Context(), contextbuilder.Query{Thread: "t", Seq: 13})
	if err != nil || got.Prompt.Text != "the question itself" || got.Stats.Window.Messages != 12 {
		t.Errorf("by number: %q %+v %v", got.Prompt.Text, got.Stats.Window, err)
	}
	bad := map[string]struct {
		q    contextbuilder.Query
		want error
	}{
		"nothing said":   {contextbuilder.Query{Input: " \n"}, transcript.ErrEmpty},
		"no such number": {contextbuilder.Query{Thread: "t", Seq: 99}, nil},
		"negative":       {contextbuilder.Query{Input: "x", Room: -1}, nil},
		"system":         {contextbuilder.Query{Input: "x", System: prose(5_000)}, contextbuilder.ErrSystemTooLong},
		"no room":        {contextbuilder.Query{Input: prose(1_000), Room: 90}, contextwindow.ErrIrreducible},
		"fixed":          {contextbuilder.Query{Input: prose(1_000), Fixed: 1_990}, contextwindow.ErrIrreducible},
	}
	for name, test := range bad {
		if _, err := b.Build(t.Context(), test.q); err == nil || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Build(cancelled, contextbuilder.Query{Input: "x", Thread: "t"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	b.Close()
	if _, err := b.Build(t.Context(), contextbuilder.Query{Input: "x"}); !errors.Is(err, contextbuilder.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

func TestConfigs(t *testing.T) {
	shares := func(change func([]contextbuilder.Share)) []contextbuilder.Share {
		s := contextbuilder.DefaultShares()
		change(s)
		return s
	}
	for name, c := range map[string]contextbuilder.Config{
		"total":      {Total: 10},
		"turns":      {Turns: -1},
		"messages":   {MaxMessageTokens: 3},
		"message":    {MessageShare: 1.5},
		"deadline":   {Deadline: -time.Second},
		"similarity": {Similarity: 1.5},
		"source":     {Sources: []contextbuilder.Source{nil}},
		"sum":        {Shares: shares(func(s []contextbuilder.Share) { s[3].Share = .5 })},
		"floor":      {Shares: shares(func(s []contextbuilder.Share) { s[1].Floor = .11 })},
		"ceiling":    {Shares: shares(func(s []contextbuilder.Share) { s[1].Ceiling = .05 })},
		"twice":      {Shares: shares(func(s []contextbuilder.Share) { s[1].Section = contextbuilder.SectionInput })},
		"few":        {Shares: contextbuilder.DefaultShares()[:4]},
	} {
		if b, err := contextbuilder.New(c); err == nil {
			b.Close()
			t.Errorf("%s: no error", name)
		}
	}
}

// A flag that is off leaves its part out.
func TestFlags(t *testing.T) {
	c := contextbuilder.Config{Recent: chat(30).Recent, Summary: summary{text: "SUMMARY", last: 60}, Memories: known{func(string) {}}, Total: 48_000}
	q := contextbuilder.Query{Input: "now?", Thread: "t", User: "u", Task: "Task (active): move"}
	on := bytesOf(build(t, c, q))
	for _, part := range []string{"SUMMARY", "likes short answers", "Task (active): move"} {
		if !strings.Contains(on, part) {
			t.Errorf("%q is not in %s", part, on)
		}
	}
	c.NoSummary, c.NoMemories, c.NoPin = true, true, true
	off := bytesOf(build(t, c, q))
	for _, part := range []string{"SUMMARY", "likes short answers", "Task (active): move"} {
		if strings.Contains(off, part) {
			t.Errorf("%q is in %s", part, off)
		}
	}
}

func TestSimple(t *testing.T) {
	b := newBuilder(t, contextbuilder.Config{Total: 3_000, Log: slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	var said []transcript.Message
	for _, m := range chat(30) {
		said = append(said, m.Message)
	}
	got, err := b.Simple("be good", "and now?", said...)
	if err != nil || got.System != "be good" || got.Prompt.Text != "and now?" || measured(got) > 3_000 || got.Stats.Window.Turns < 2 {
		t.Errorf("%+v %v", got, err)
	}
	if got, err := b.Simple("", "alone"); err != nil || len(got.History) != 0 || !reflect.DeepEqual(got.Blocks, []contextbuilder.Block(nil)) {
		t.Errorf("%+v %v", got, err)
	}
}

// A warm thread is read once: the build after it asks for nothing but whether the thread went on.
func TestWarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads := &countedThread{thread: chat(30)}
		b := newBuilder(t, contextbuilder.Config{Recent: reads.Recent})
		b.Warm(contextbuilder.Query{Thread: "t"})
		synctest.Wait()
		warmed := reads.pages
		for range 3 {
			if _, err := b.Build(t.Context(), contextbuilder.Query{Input: "now?", Thread: "t"}); err != nil {
				t.Fatal(err)
			}
		}
		if warmed == 0 || reads.pages != warmed {
			t.Errorf("%d pages when warmed, %d after three builds", warmed, reads.pages)
		}
		reads.thread.say(transcript.User, "more")
		if _, err := b.Build(t.Context(), contextbuilder.Query{Input: "now?", Thread: "t"}); err != nil || reads.pages == warmed {
			t.Errorf("a thread that went on was not read again: %v", err)
		}
		time.Sleep(6 * time.Minute)
		before := reads.pages
		if _, err := b.Build(t.Context(), contextbuilder.Query{Input: "now?", Thread: "t"}); err != nil || reads.pages == before {
			t.Errorf("what is five minutes old was not read again: %v", err)
		}
	})
}

type countedThread struct {
	thread
	pages int
}

func (c *countedThread) Recent(ctx context.Context, id string, before int64, limit int) ([]contextbuilder.Message, error) {
	if limit > 1 {
		c.pages++
	}
	return c.thread.Recent(ctx, id, before, limit)
}

// A pasted input of 5 MB keeps head and tail and a pointer to the whole.
func TestPastedInput(t *testing.T) {
	store := &bodies{}
	input := "HEAD " + prose(500_000) + " TAIL"
	got := build(t, contextbuilder.Config{}, contextbuilder.Query{Input: input, Store: store})
	ids := pointers(got.Prompt.Text)
	if len(ids) == 0 || measured(got) > 48_000 || !strings.HasPrefix(got.Prompt.Text, "HEAD") || !strings.HasSuffix(got.Prompt.Text, "TAIL") {
		t.Fatalf("%d bytes, pointers %v", len(got.Prompt.Text), ids)
	}
	if whole, _ := store.get(ids[0]); whole != input || len(got.Stats.Warnings) == 0 {
		t.Errorf("the pointer leads to %d bytes of %d; warnings %v", len(whole), len(input), got.Stats.Warnings)
	}
	full := &bodies{err: errors.New("disk full")}
	got = build(t, contextbuilder.Config{}, contextbuilder.Query{Input: input, Store: full})
	if len(pointers(got.Prompt.Text)) != 0 || len(got.Stats.Warnings) < 2 {
		t.Errorf("a pointer to what could not be kept; warnings %v", got.Stats.Warnings)
	}
}

// An image of unknown size counts a thousand tokens, in the thread and in the input. Those of the thread are replaced by
// words before anything else gives way.
func TestImages(t *testing.T) {
	th := thread{
		{Seq: 1, Message: transcript.Message{Role: transcript.User, Text: "look", Images: make([]toollimit.Image, 3)}},
		{Seq: 2, Message: transcript.Message{Role: transcript.Assistant, Text: "I see"}},
		{Seq: 3, Message: transcript.Message{Role: transcript.User, Text: "and these", Images: make([]toollimit.Image, 2)}},
	}
	got := build(t, contextbuilder.Config{Recent: th.Recent}, contextbuilder.Query{Thread: "t", Seq: 3})
	recent, input := got.Stats.Section(contextbuilder.SectionRecent).Tokens, got.Stats.Section(contextbuilder.SectionInput).Tokens
	if recent < 3_000 || recent > 3_100 || input < 2_000 || input > 2_100 {
		t.Errorf("recent %d, input %d", recent, input)
	}
	small := newBuilder(t, contextbuilder.Config{Recent: th.Recent, Total: 2_000})
	if _, err := small.Build(t.Context(), contextbuilder.Query{Thread: "t", Seq: 3}); !errors.Is(err, contextwindow.ErrIrreducible) {
		t.Errorf("two images in 2,000 tokens: %v", err)
	}
}
