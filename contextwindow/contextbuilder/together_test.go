package contextbuilder_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forayhq/foray/contextwindow/contextbuilder"
	threadsummary "github.com/forayhq/foray/contextwindow/memory/summary"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
)

var _ contextbuilder.Summary = (*threadsummary.Updater)(nil)

// A sharedThread is a growing thread, read by the builder and by the summary.
type sharedThread struct {
	mu sync.Mutex
	thread
	from int64 // number of the first message that the window shows
}

// left returns what the window shows no more: what a summary may cover.
func (s *sharedThread) left(ctx context.Context, id string, seq int64, limit int) ([]threadsummary.Message, error) {
	s.mu.Lock()
	from := s.from
	s.mu.Unlock()
	return s.After(ctx, id, seq, int(max(0, min(int64(limit), from-1-seq))))
}

func (s *sharedThread) shows(from int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.from = from
}

func (s *sharedThread) Recent(ctx context.Context, id string, before int64, limit int) ([]contextbuilder.Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.thread.Recent(ctx, id, before, limit)
}

func (s *sharedThread) After(_ context.Context, _ string, seq int64, limit int) ([]threadsummary.Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []threadsummary.Message
	for _, m := range s.thread[min(int(seq), len(s.thread)):] {
		if len(found) < limit {
			found = append(found, threadsummary.Message{Seq: m.Seq, Message: m.Message})
		}
	}
	return found, nil
}

func (s *sharedThread) says(role transcript.Role, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.say(role, text)
}

// A conversation of 300 turns in the room of a window of 24,000 tokens: what the user decided in turn 3 is in the request
// of turn 300, in the summary, and every turn before is in the window, in the summary or in a digest.
func TestFactOfTurnThree(t *testing.T) {
	ostest.SkipRaced(t)
	th := &sharedThread{}
	summaries, err := threadsummary.New(threadsummary.Config{Log: th.left})
	if err != nil {
		t.Fatal(err)
	}
	defer summaries.Close()
	b := newBuilder(t, contextbuilder.Config{Recent: th.Recent, Summary: summaries})
	room := 24_000 * 6 / 10
	var got contextbuilder.Built
	for turn := 1; turn <= 300; turn++ {
		text := fmt.Sprintf("What does function number %d do?", turn)
		if turn == 3 {
			text = "We decided to call the release blue_heron."
		}
		if got, err = b.Build(t.Context(), contextbuilder.Query{System: "You help.", Input: text, Thread: "t", Room: room, From: got.Stats.Window.From, Whole: got.Stats.Window.Whole}); err != nil {
			t.Fatal(err)
		}
		if w := got.Stats.Window; got.Stats.Tokens > room || w.Excluded > 0 && w.Covered+w.Gap != w.Excluded {
			t.Fatalf("turn %d: %+v", turn, got.Stats)
		}
		th.shows(got.Stats.Window.From)
		th.says(transcript.User, text)
		th.says(transcript.Assistant, fmt.Sprintf("Function %d: ", turn)+prose(150))
		summaries.Update("t")
		if turn%7 == 0 { // mostly the summary is behind
			if err := summaries.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	head := got.History[0].Text
	if !strings.Contains(head, "<thread_summary") || !strings.Contains(head, "blue_heron") {
		t.Errorf("the fact of turn 3 is lost:\n%s", head)
	}
	if w := got.Stats.Window; w.Turns < 10 || w.Covered < 500 {
		t.Errorf("%+v", w)
	}
}

// Everything at once on a few threads: no race, no deadlock, and nobody is left behind (TestMain).
func TestSideBySide(t *testing.T) {
	th := &sharedThread{thread: chat(10)}
	slow := newCounted("slow", contextbuilder.P1, time.Millisecond)
	slow.answers(func(ctx context.Context) (string, error) {
		select {
		case <-time.After(2 * time.Millisecond):
			return "text", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	})
	b := newBuilder(t, contextbuilder.Config{Recent: th.Recent, Deadline: 3 * time.Millisecond, Sources: append(eight(func(string) {}), slow)})
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			thread := fmt.Sprint("t", worker%3)
			q := contextbuilder.Query{Input: "requirement", Thread: thread, User: "u", Turn: 5, Stage: "assessment"}
			for i := range 60 {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(1+i%7)*time.Millisecond)
				built, err := b.Build(ctx, q)
				if err == nil {
					_, _, err = b.Refresh(ctx, q, built.Known)
				}
				cancel()
				if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, contextbuilder.ErrClosed) {
					t.Error(err)
				}
				switch {
				case i%11 == 0:
					b.Invalidate(thread, "slow")
				case i%13 == 0:
					b.Clear(thread)
				case i%5 == 0:
					b.Warm(q)
				case i%17 == 0:
					th.says(transcript.User, "more")
				case worker == 7 && i == 55:
					b.Close()
				}
			}
		})
	}
	all.Wait()
}
