package tools_test

import (
	"context"
	"sync"
	"testing"

	"github.com/forayhq/foray/tools"
)

// watched is a context whose run somebody looks at.
func watched(t testing.TB) (context.Context, *tools.Progress) {
	g := new(tools.Progress)
	return tools.WithRun(t.Context(), tools.Run{Progress: g}), g
}

func TestGaugeShowsTheNewestCount(t *testing.T) {
	ctx, g := watched(t)
	want := func(when, unit string, done, total int) {
		t.Helper()
		if got, ok := g.Read(); !ok || got != (tools.Status{Unit: unit, Done: done, Total: total}) {
			t.Errorf("%s: %+v, %t", when, got, ok)
		}
	}
	if got, ok := g.Read(); ok {
		t.Errorf("before any count: %+v", got)
	}
	commits := tools.CountProgress(ctx, "commits", 0)
	want("begun", "commits", 0, 0)
	files := tools.CountProgress(ctx, "files", 3)
	commits.Add(7)
	files.Add(2)
	want("the newest", "files", 2, 3)
	files.Add(2)
	want("more than there should be", "files", 4, 0)
	lines := tools.CountProgress(ctx, "lines", 0)
	files.End()
	want("ended below another", "lines", 0, 0)
	lines.End()
	want("what began before", "commits", 7, 0)
	files.End()
	want("ended again while another counts", "commits", 7, 0)
	commits.Add(1)
	commits.End()
	want("all ended", "commits", 8, 0)
	lines.End()
	want("ended again when all have", "commits", 8, 0)
	tools.CountProgress(ctx, "files", 9).Add(1)
	want("anew", "files", 1, 9)
}

func TestCountingWhereNobodyLooks(t *testing.T) {
	for name, ctx := range map[string]context.Context{"no run": t.Context(), "no gauge": tools.WithRun(t.Context(), tools.Run{Agent: "a"})} {
		c := tools.CountProgress(ctx, "files", 10)
		if c != nil {
			t.Errorf("%s: %v", name, c)
		}
		c.Add(1)
		c.End()
	}
}

func TestCountingAllocatesNothing(t *testing.T) {
	ctx, _ := watched(t)
	for _, c := range []*tools.Counter{nil, tools.CountProgress(ctx, "files", 0)} {
		if n := testing.AllocsPerRun(100, func() { c.Add(1) }); n > 0 {
			t.Errorf("%v: %v allocations an addition", c != nil, n)
		}
	}
}

// Whoever looks never sees a count go back, and in the end sees all of it.
func TestGaugeSideBySide(t *testing.T) {
	const workers, each = 8, 1000
	ctx, g := watched(t)
	c := tools.CountProgress(ctx, "files", workers*each)
	var counting, looking sync.WaitGroup
	over := make(chan struct{})
	looking.Go(func() {
		for last := 0; ; {
			p, _ := g.Read()
			if p.Unit == "files" && p.Done < last {
				t.Errorf("%d behind %d", p.Done, last)
			}
			if p.Unit == "files" {
				last = p.Done
			}
			select {
			case <-over:
				return
			default:
			}
		}
	})
	for range workers {
		counting.Go(func() {
			for range each {
				c.Add(1)
			}
			tools.CountProgress(ctx, "others", 0).End()
		})
	}
	counting.Wait()
	c.End()
	close(over)
	looking.Wait()
	if p, ok := g.Read(); !ok || p != (tools.Status{Unit: "files", Done: workers * each, Total: workers * each}) {
		t.Errorf("in the end %+v", p)
	}
}

func BenchmarkCount(b *testing.B) {
	ctx, _ := watched(b)
	c := tools.CountProgress(ctx, "files", 0)
	for b.Loop() {
		c.Add(1)
	}
}
