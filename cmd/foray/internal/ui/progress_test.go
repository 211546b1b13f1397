package ui

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/search"
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
		p := NewProgress(&w, false, false)
		p.columns = func() int { return int(columns.Load()) }
		want := func(text string) {
			t.Helper()
			time.Sleep(drawEvery)
			synctest.Wait()
			if got := onScreen(w.String()); got != text {
				t.Errorf("line %q, want %q", got, text)
			}
		}
		p.Begin(12, "openai/m")
		if got := onScreen(w.String()); got != "[1/12] waiting for openai/m" {
			t.Errorf("at once %q", got)
		}
		call := transcript.ToolCall{ID: "1", Name: "search", Args: json.RawMessage(`{"pattern":"get\u001b[31m"}`)}
		p.Show(agent.ToolStarted{Step: 3, Call: call})
		p.Show(agent.ToolStarted{Step: 3, Call: call})
		want(`[3/12] search "get\x1b[31m"`)
		record := agent.ToolRecord{Step: 3, Made: call, Value: &codebase.SearchResult{Result: search.Result{Hits: 4100, FilesMatched: 1}}, Duration: 200 * time.Millisecond}
		p.Show(agent.ToolFinished{Step: 3, Record: record})
		want(`[3/12] search "get\x1b[31m" → 4,100 hits in 1 file (0.2s)`)
		time.Sleep(2 * time.Second)
		want("[3/12] waiting for 1 call (2s)")
		p.Show(agent.ToolFinished{Step: 3, Record: record})
		p.Show(agent.StepFinished{Step: agent.Step{Number: 3}})
		time.Sleep(silentUntil)
		want("[4/12] waiting for openai/m (1s)")
		columns.Store(20)
		want("[4/12] waitin… (1s)")
		columns.Store(80)
		p.Show(agent.WarningRaised{Warning: "odd\x1b[2J"})
		if !strings.HasSuffix(w.String(), clearLine+"foray: warning: odd\uFFFD[2J\n") {
			t.Errorf("after a warning: %q", w.String())
		}
		want("[4/12] waiting for openai/m (1s)")
		at := func(done, total int) agent.Event {
			return agent.ToolProgressed{Step: 4, Call: call, Progress: tools.Status{Unit: "files", Done: done, Total: total}}
		}
		p.Show(agent.ToolStarted{Step: 4, Call: call})
		p.Show(at(800, 0))
		want(`[4/12] search "get\x1b[31m"`) // it may be over soon
		time.Sleep(silentUntil)
		want(`[4/12] search "get\x1b[31m": 800 files (1s)`)
		p.Show(at(12_300, 100_000))
		want(`[4/12] search "get\x1b[31m": 12,300 of 100,000 files (1s)`)
		columns.Store(50)
		want(`[4/12] search "get…: 12,300 of 100,000 files (1s)`)
		columns.Store(21)
		want("…: 12,300 of 100,00…")
		columns.Store(80)
		p.Show(agent.ToolFinished{Step: 4, Record: record})
		want(`[4/12] search "get\x1b[31m" → 4,100 hits in 1 file (0.2s)`)
		p.Show(agent.StepFinished{Step: agent.Step{Number: 4}})
		time.Sleep(silentUntil)
		want("[5/12] waiting for openai/m (1s)")
		p.Close()
		if got := onScreen(w.String()); got != "" {
			t.Errorf("at the end %q", got)
		}
	})
}

// While a tool counts, the line of a terminal says how far it is; where there is no such line nothing of it is printed.
func TestProgressOfALongCall(t *testing.T) {
	walk := tools.New("walk", "Count.", func(ctx context.Context, _ struct{}) (string, error) {
		c := tools.CountProgress(ctx, "files", 100_000)
		defer c.End()
		for range 10 {
			time.Sleep(time.Second)
			c.Add(10_000)
		}
		return "walked", nil
	})
	show := func(t *testing.T, p *Progress) {
		a, err := agent.New(agent.Config{Model: scripted.New(scripted.Calls(scripted.Call{Name: "walk"}), scripted.Text("done")), Tools: []tools.Tool{walk}})
		if err != nil {
			t.Fatal(err)
		}
		p.Begin(24, "offline")
		for e, err := range a.Stream(t.Context(), agent.Task{Prompt: "prompt"}) {
			if err != nil {
				t.Error(err)
			}
			p.Show(e)
		}
		p.Close()
	}
	for _, test := range []struct {
		name                     string
		terminal, quiet, verbose bool
	}{{"terminal", true, false, false}, {"pipe", false, false, false}, {"quiet", false, true, false}, {"verbose", false, false, true}} {
		synctest.Test(t, func(t *testing.T) {
			var w screen
			p := NewProgress(&w, test.quiet, test.verbose)
			if test.terminal {
				p.columns = func() int { return 80 }
			}
			show(t, p)
			got := w.String()
			for _, far := range []string{": 10,000 of 100,000 files (1s)", ": 50,000 of 100,000 files (5s)", ": 90,000 of 100,000 files (9s)"} {
				if strings.Contains(got, clearLine+"[1/24] walk"+far+clearLine) != test.terminal {
					t.Errorf("%s: %q: %q", test.name, far, got)
				}
			}
			if !test.terminal && strings.Contains(got, "files") || strings.Count(got, "\n") != map[string]int{"verbose": 1}[test.name] {
				t.Errorf("%s: %q", test.name, got)
			}
		})
	}
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		text    string
		columns int
		want    string
	}{
		{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"总价怎么算", 10, "总价怎么算"}, {"总价怎么算", 9, "总价怎么…"}, {"总价", 2, "…"}, {"a", 0, "…"},
	} {
		if got := Fit(c.text, c.columns); got != c.want {
			t.Errorf("Fit(%q, %d) is %q, want %q", c.text, c.columns, got, c.want)
		}
	}
}

func TestReadingLines(t *testing.T) {
	unknown := providers.Reading{Tokens: 4_100}
	long := providers.Reading{Tokens: 4_100, Left: 80 * time.Second}
	half := providers.Reading{Tokens: 4_100, Done: 2_048, Left: 39_900 * time.Millisecond}
	short := providers.Reading{Tokens: 300, Left: 6 * time.Second}
	for r, want := range map[providers.Reading]string{
		unknown: "reading 4,100 tokens", long: "reading 4,100 tokens, about 80 s", short: "reading 300 tokens, about 6 s",
		half:                                     "reading, 2,048 of 4,100 tokens, about 40 s left",
		{Tokens: 16_000, Left: 13 * time.Minute}: "reading 16,000 tokens, about 13 min",
	} {
		if got := Reading(r); got != want {
			t.Errorf("%+v: %q, want %q", r, got, want)
		}
	}
	for _, tt := range []struct {
		name           string
		quiet, verbose bool
		want           string
	}{
		{"in a pipe", false, false, "foray: reading 4,100 tokens, about 80 s\nforay: reading, 2,048 of 4,100 tokens, about 40 s left\n"},
		{"verbose", false, true, "[1/8] reading 4,100 tokens, about 80 s\n[2/8] reading, 2,048 of 4,100 tokens, about 40 s left\n"},
		{"quiet", true, false, ""},
	} {
		var w screen
		p := NewProgress(&w, tt.quiet, tt.verbose)
		p.Begin(8, "llamacpp/m")
		for _, e := range []agent.Event{
			agent.RequestSent{Step: 1}, agent.ReadingProgressed{Step: 1, Reading: long}, agent.ReadingProgressed{Step: 1, Reading: half},
			agent.RequestSent{Step: 2}, agent.ReadingProgressed{Step: 2, Reading: unknown}, agent.ReadingProgressed{Step: 2, Reading: half},
			agent.RequestSent{Step: 3}, agent.ReadingProgressed{Step: 3, Reading: short},
		} {
			p.Show(e)
		}
		p.Close()
		if w.String() != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, w.String(), tt.want)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		var w screen
		p := NewProgress(&w, false, false)
		p.columns = func() int { return 80 }
		p.Begin(8, "llamacpp/m")
		for _, step := range []struct {
			reading providers.Reading
			want    string
		}{
			{long, "[1/8] reading 4,100 tokens, about 80 s (41s)"},
			{half, "[1/8] reading, 2,048 of 4,100 tokens, about 40 s left (82s)"},
			{providers.Reading{Tokens: 4_100, Done: 4_100}, "[1/8] waiting for llamacpp/m (123s)"},
		} {
			p.Show(agent.ReadingProgressed{Step: 1, Reading: step.reading})
			time.Sleep(41 * time.Second)
			synctest.Wait()
			if got := onScreen(w.String()); got != step.want {
				t.Errorf("%+v: line %q, want %q", step.reading, got, step.want)
			}
		}
		p.Close()
	})
}

// While another display shows the run, the terminal gets nothing; that display gets the lines so far and each new one,
// and the terminal the new ones at the end.
func TestYield(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w screen
		p := NewProgress(&w, false, false)
		p.columns = func() int { return 80 }
		p.Notice("session 1125-bodega")
		p.Begin(8, "llamacpp/m")
		var passed []string
		p.Yield(func(text string) { passed = append(passed, text) })
		before := w.String()
		p.Show(agent.ToolStarted{Step: 1, Call: transcript.ToolCall{Name: "search"}})
		p.Show(agent.ReadingProgressed{Step: 1, Reading: providers.Reading{Tokens: 50_000, Left: time.Hour}})
		p.Show(agent.WarningRaised{Warning: "odd \x1b[2J"})
		time.Sleep(time.Minute)
		synctest.Wait()
		if w.String() != before {
			t.Errorf("the terminal got %q", strings.TrimPrefix(w.String(), before))
		}
		if got, want := strings.Join(passed, "|"), "session 1125-bodega|warning: odd \ufffd[2J"; got != want {
			t.Errorf("the other display got %q, want %q", got, want)
		}
		p.Close()
		p.Say("later")
		if got, want := strings.TrimPrefix(w.String(), before), "foray: warning: odd \ufffd[2J\nforay: later\n"; got != want {
			t.Errorf("the terminal got %q, want %q", got, want)
		}
	})
}
