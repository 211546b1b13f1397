package main

import (
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/tools/codebase"
)

// A screen keeps what is written to it; the line's goroutine and the test share it.
type screen struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// onScreen is what a terminal of one line shows in the end.
func onScreen(written string) string {
	return written[strings.LastIndex(written, clearLine)+len(clearLine):]
}

func TestLiveLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w screen
		var columns atomic.Int64
		columns.Store(80)
		p := newProgress(&w, false, false)
		p.columns = func() int { return int(columns.Load()) }
		want := func(text string) {
			t.Helper()
			time.Sleep(drawEvery)
			synctest.Wait()
			if got := onScreen(w.String()); got != text {
				t.Errorf("line %q, want %q", got, text)
			}
		}
		p.begin(12, "openai/m")
		if got := onScreen(w.String()); got != "[1/12] waiting for openai/m" {
			t.Errorf("at once %q", got)
		}
		call := contextwindow.ToolCall{ID: "1", Name: "search", Args: json.RawMessage(`{"pattern":"get\u001b[31m"}`)}
		p.show(agent.ToolStarted{Step: 3, Call: call})
		p.show(agent.ToolStarted{Step: 3, Call: call})
		want(`[3/12] search "get\x1b[31m"`)
		record := agent.ToolRecord{Step: 3, Call: call, Value: &codebase.SearchResult{Hits: 4100, FilesMatched: 1}, Duration: 200 * time.Millisecond}
		p.show(agent.ToolEnded{Step: 3, Record: record})
		want(`[3/12] search "get\x1b[31m" → 4,100 hits in 1 file (0.2s)`)
		time.Sleep(2 * time.Second)
		want("[3/12] waiting for 1 call (2s)")
		p.show(agent.ToolEnded{Step: 3, Record: record})
		p.show(agent.Stepped{Step: agent.Step{Number: 3}})
		time.Sleep(silentUntil)
		want("[4/12] waiting for openai/m (1s)")
		columns.Store(20)
		want("[4/12] waiting for…")
		columns.Store(80)
		p.show(agent.Warned{Warning: "odd\x1b[2J"})
		if !strings.HasSuffix(w.String(), clearLine+"foray: warning: odd\uFFFD[2J\n") {
			t.Errorf("after a warning: %q", w.String())
		}
		want("[4/12] waiting for openai/m (1s)")
		p.close()
		if got := onScreen(w.String()); got != "" {
			t.Errorf("at the end %q", got)
		}
	})
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		text    string
		columns int
		want    string
	}{
		{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"总价怎么算", 10, "总价怎么算"}, {"总价怎么算", 9, "总价怎么…"}, {"总价", 2, "…"}, {"a", 0, "…"},
	} {
		if got := fit(c.text, c.columns); got != c.want {
			t.Errorf("fit(%q, %d) is %q, want %q", c.text, c.columns, got, c.want)
		}
	}
}
