package chat

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/contextwindow/memory/summary"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools"
)

// A slowModel is a model on a server that answers one request at a time, in a minute. Each turn takes three steps. It
// counts the requests that made it forget a run in progress.
type slowModel struct {
	slots int
	busy  chan struct{} // holds one, by which synctest sees who waits

	mu      sync.Mutex
	running string // the thread whose run has begun and not answered yet
	between []string
	asked   int
}

func (m *slowModel) Info() providers.Info {
	return providers.Info{Provider: "llamacpp", Name: "slow", Window: 32_000, Slots: m.slots}
}

func (m *slowModel) Stream(_ context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		m.busy <- struct{}{}
		defer func() { <-m.busy }()
		time.Sleep(time.Minute)
		thread, steps := "", 0
		for _, msg := range req.Messages {
			switch {
			case msg.Role == transcript.User && strings.Contains(msg.Text, "thread "):
				_, after, _ := strings.Cut(msg.Text, "thread ")
				thread, steps = after[:1], 0
			case msg.Role == transcript.Tool:
				steps++
			}
		}
		m.note(thread, steps)
		if steps < 2 {
			call := transcript.ToolCall{ID: fmt.Sprintf("c%d_%d", len(req.Messages), steps), Name: "look", Args: []byte(`{}`)}
			_ = yield(providers.Delta{Call: &call}, nil) && yield(providers.Delta{Finish: providers.Calls}, nil)
			return
		}
		_ = yield(providers.Delta{Text: "It is on page 1."}, nil) && yield(providers.Delta{Finish: providers.Stop}, nil)
	}
}

// note records a request of a run, or of the background if the thread is "".
func (m *slowModel) note(thread string, steps int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.running != "" && m.running != thread {
		m.between = append(m.between, thread)
	}
	switch {
	case thread == "":
		m.asked++
	case steps == 2:
		m.running = ""
	default:
		m.running = thread
	}
}

// ask is a request in the background: it takes the server for a minute.
func (m *slowModel) ask(ctx context.Context, _, _ string) (string, error) {
	m.busy <- struct{}{}
	defer func() { <-m.busy }()
	time.Sleep(time.Minute)
	m.note("", 0)
	return "", ctx.Err()
}

// TestOneSlot holds two conversations at once with summaries and extraction by the same model. With one slot, nothing
// comes between two steps of a run; with more, much does.
func TestOneSlot(t *testing.T) {
	for slots, disturbed := range map[int]bool{1: false, 0: true, 4: true} {
		synctest.Test(t, func(t *testing.T) {
			m := &slowModel{slots: slots, busy: make(chan struct{}, 1)}
			look := tools.New("look", "Look.", func(ctx context.Context, _ struct{}) (string, error) {
				time.Sleep(5 * time.Minute) // long enough for a request in the background
				return "page 1", ctx.Err()
			})
			look.Timeout = time.Hour
			memories, err := longterm.Open(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			c, err := New(Config{
				Agent: agent.Config{Model: m, Tools: []tools.Tool{look}}, Builder: contextbuilder.Config{Turns: 1},
				Summary: summary.Config{Ask: m.ask, Messages: 1},
				Memory:  memories, Extraction: longterm.ExtractorConfig{Ask: m.ask},
			})
			if err != nil {
				t.Fatal(err)
			}
			var both sync.WaitGroup
			for _, name := range []string{"A", "B"} {
				thread, err := c.Create(t.Context(), Thread{User: name})
				if err != nil {
					t.Fatal(err)
				}
				both.Go(func() {
					for i := range 4 {
						if _, err := c.Do(t.Context(), thread.ID, fmt.Sprintf("In thread %s, item number %d is on the shelf.", name, i)); err != nil {
							t.Error(err)
						}
					}
				})
			}
			both.Wait()
			if err := c.Close(t.Context()); err != nil {
				t.Error(err)
			}
			if got := len(m.between) > 0; got != disturbed || m.asked < 6 {
				t.Errorf("%d slots: %d requests between the steps of a run: %q; %d in the background", slots, len(m.between), m.between, m.asked)
			}
			t.Logf("%d slots: %d evictions, %d background requests", slots, len(m.between), m.asked)
		})
	}
}
