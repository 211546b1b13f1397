package httpapi_test

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open returns a chat that is closed at the end of the test, and an empty thread of it. Its sources have the time that they
// need, however busy the machine is.
func open(t *testing.T, c chat.Config) (*chat.Chat, string) {
	t.Helper()
	c.Builder.Deadline = cmp.Or(c.Builder.Deadline, time.Hour)
	h, err := chat.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return h, create(t, h, chat.Thread{User: "ada"})
}

func create(t *testing.T, h *chat.Chat, thread chat.Thread) string {
	t.Helper()
	made, err := h.Create(t.Context(), thread)
	if err != nil {
		t.Fatal(err)
	}
	return made.ID
}

// with is the config of a chat with a model.
func with(m providers.Model) chat.Config { return chat.Config{Agent: agent.Config{Model: m}} }

// said returns the text of the last message of a request without its fenced parts.
func said(req *providers.Request) string {
	text := req.Messages[len(req.Messages)-1].Text
	if i := strings.LastIndex(text, "</context>"); i >= 0 {
		text = text[i+len("</context>"):]
	}
	text, _, _ = strings.Cut(text, "\n\n<note")
	return strings.TrimSpace(text)
}

// echo answers every message with the message.
func echo() *scripted.Model {
	return scripted.New(scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
		return scripted.Text("re: " + said(req))
	})))
}

func ask(t *testing.T, h *chat.Chat, thread, text string) *chat.Turn {
	t.Helper()
	turn, err := h.Do(t.Context(), thread, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return turn
}

// gate is a model whose first answer waits until it is opened.
func gate() (providers.Model, func()) {
	opened := make(chan struct{})
	var once sync.Once
	first := true
	var mu sync.Mutex
	return scripted.New(scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
		mu.Lock()
		wait := first
		first = false
		mu.Unlock()
		if wait {
			<-opened
		}
		return scripted.Text("re: " + said(req))
	}))), func() { once.Do(func() { close(opened) }) }
}

// linesOf is a thread as lines of role and text.
func linesOf(t *testing.T, h *chat.Chat, thread string) []string {
	t.Helper()
	var ms []chat.Message
	for {
		after := int64(0)
		if len(ms) > 0 {
			after = ms[len(ms)-1].Seq
		}
		page, err := h.Messages(context.Background(), thread, after, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if ms = append(ms, page...); len(page) < 1000 {
			break
		}
	}
	lines := []string{}
	last := int64(0)
	for _, m := range ms {
		if m.Seq <= last {
			t.Errorf("message %d comes behind message %d", m.Seq, last)
		}
		last = m.Seq
		line := string(m.Role) + ": " + m.Text
		if m.Partial {
			line += " [partial]"
		}
		lines = append(lines, line)
	}
	return lines
}
