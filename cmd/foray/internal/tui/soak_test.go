package tui

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"charm.land/bubbletea/v2"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
)

// Forty turns with pastes, resizes, messages in between and cancels lose and double no message.
func TestFortyTurns(t *testing.T) {
	ostest.SkipRaced(t)
	r := rand.New(rand.NewPCG(1, 2))
	hanging := make(chan struct{}, 1)
	m := scripted.New(scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
		last := req.Messages[len(req.Messages)-1].Text
		if strings.Contains(last, "hang ") { // as a message of its own, or read by the run before it
			half := scripted.Text("Half an answer to " + last)
			half.Hang = true
			hanging <- struct{}{}
			return half
		}
		return scripted.Text("Answer to " + last[:min(len(last), 20)] + strings.Repeat("\n\nword **bold** `code`", len(req.Messages)*7%20))
	})))
	x := open(t, 140, 50, m, nil)
	var sent []string
	for i := range 40 {
		text := fmt.Sprintf("message %d ends", i)
		if i%5 == 1 {
			paste := strings.Repeat(fmt.Sprintf("pasted %d\n", i), 2+r.IntN(300))
			x.pastes(paste)
			text = paste + text
		}
		x.types(fmt.Sprintf("message %d ends\r", i))
		sent = append(sent, text)
		if i%7 == 3 {
			x.types(fmt.Sprintf("\x1b[48;%d;%d;0;0t", 10+r.IntN(40), 40+r.IntN(100))) // the terminal says its new size
			x.types("\x1b[5~\x1b[6~\x14")                                             // pages and folds
		}
		if i%8 == 5 {
			x.answered(text)
			sent = append(sent, x.cancels(i, hanging)...)
		}
		if i%3 != 0 { // two messages out of three are typed while an answer may be in progress
			x.answered(sent[len(sent)-1])
		}
	}
	x.answered(sent[len(sent)-1])
	ms, err := x.chat.Messages(t.Context(), x.id(), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range ms {
		if m.Role == transcript.User {
			got = append(got, m.Text)
		}
	}
	if strings.Join(got, "|") != strings.Join(sent, "|") {
		t.Errorf("the thread has %d messages, %d were sent:\n%.300q\n%.300q", len(got), len(sent), got, sent)
	}
}

// cancels sends a message whose answer does not end and another one to its run, and cancels the run before it has read
// that one. It returns both messages, which the thread must hold.
func (x *terminal) cancels(i int, hanging <-chan struct{}) []string {
	x.t.Helper()
	sent := []string{fmt.Sprintf("hang %d", i), fmt.Sprintf("between %d", i)}
	x.types(sent[0] + "\r")
	select { // the screen cannot be read any more: the program draws for sizes that it has not
	case <-hanging:
	case <-time.After(patience):
		x.t.Fatalf("%q is not asked", sent[0])
	}
	x.types(sent[1] + "\r\x03")
	x.answered(sent[1])
	return sent
}

// answered waits until a message is in the thread, and an answer after it.
func (x *terminal) answered(text string) {
	x.t.Helper()
	x.until("an answer to "+text, func(string) bool {
		if x.thread.Load() == nil {
			return false
		}
		ms, err := x.chat.Messages(context.Background(), x.id(), 0, 1000)
		n := len(ms)
		return err == nil && n > 1 && ms[n-1].Role == transcript.Assistant && ms[n-2].Text == text
	})
}

// longHistory is a conversation of so many lines.
func longHistory(lines int) *app {
	a := newApp(context.Background(), &Host{Handle: func(context.Context, string) bool { return false }})
	a.resize(110, 40)
	for i := range lines / 10 {
		a.log.add(&block{kind: said, text: fmt.Sprint("question ", i)})
		a.log.add(&block{kind: answer, text: fmt.Sprintf("Answer %d with `code` and **words**.\n\n- one\n- two\n\n```go\nx := %d\n```", i, i)})
	}
	return a
}

// BenchmarkKey is the time from a key to the frame that shows it, with 10,000 lines of history.
func BenchmarkKey(b *testing.B) {
	a := longHistory(10_000)
	a.View()
	for b.Loop() {
		a.Update(tea.KeyPressMsg{Code: 'a', Text: "a"})
		a.View()
		a.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
	}
}

// BenchmarkFirstPaint is the time from the loaded conversation of 10,000 lines to its first frame.
func BenchmarkFirstPaint(b *testing.B) {
	for b.Loop() {
		longHistory(10_000).View()
	}
}

// A long conversation takes little memory: only what was shown is rendered.
func TestMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	a := longHistory(10_000)
	for range 200 {
		a.log.scroll(-20)
		a.View()
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 50<<20 {
		t.Errorf("10,000 lines take %d MB", grown>>20)
	}
	runtime.KeepAlive(a)
}
