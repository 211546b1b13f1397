package providers_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
)

// TestPlacesAreNotHeldWhileWaiting has one place: a second user is served while the first waits to try again.
func TestPlacesAreNotHeldWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := scripted.New(scripted.Busy(time.Minute), scripted.Text("second user"), scripted.Text("first user"))
		m := providers.Retry(providers.Concurrent(inner, 1), &providers.RetryOptions{Rand: func() float64 { return 0 }})
		start := time.Now()
		var first string
		var took time.Duration
		var wg sync.WaitGroup
		wg.Go(func() {
			r, _ := providers.Ask(t.Context(), m, &providers.Request{})
			first, took = r.Message.Text, time.Since(start)
		})
		synctest.Wait()
		r, err := providers.Ask(t.Context(), m, &providers.Request{})
		if err != nil || r.Message.Text != "second user" || time.Since(start) != 0 {
			t.Errorf("%q, %v after %v", r.Message.Text, err, time.Since(start))
		}
		wg.Wait()
		if first != "first user" || took != time.Minute {
			t.Errorf("the first got %q after %v", first, took)
		}
	})
}

func TestConcurrentBoundsAndKeepsTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running atomic.Int32
		var order []int
		inner := scripted.New(scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
			order = append(order, req.MaxOutput)
			return scripted.Line{Text: "x", Delay: time.Second}
		})))
		m := providers.Concurrent(counted{inner, &running}, 1)
		var wg sync.WaitGroup
		for i := range 5 {
			wg.Go(func() { drain(t.Context(), m, &providers.Request{MaxOutput: i}, 0) })
			synctest.Wait()
			if running.Load() != 1 {
				t.Errorf("%d under way", running.Load())
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		if _, err := providers.Ask(ctx, m, &providers.Request{}); providers.ClassOf(err) != providers.Cancelled {
			t.Errorf("whose context ended while it waited: %v", err)
		}
		wg.Wait()
		if diff := cmp.Diff([]int{0, 1, 2, 3, 4}, order); diff != "" {
			t.Error(diff)
		}
	})
}

func TestRateLimitWithoutBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := providers.RateLimit(scripted.New(scripted.Repeat(0, scripted.Text("x"))), 1, time.Second, 0)
		start := time.Now()
		for range 3 {
			drain(t.Context(), m, &providers.Request{}, 0)
		}
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("three requests, one a second, took %v", took)
		}
	})
}

func TestRateLimitSpreadsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := scripted.New(scripted.Repeat(0, scripted.Text("x")))
		m := providers.RateLimit(inner, 60, time.Minute, 3)
		start := time.Now()
		var at []time.Duration
		for i := range 6 {
			if i == 4 { // gives its token back
				ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
				if _, err := providers.Ask(ctx, m, &providers.Request{}); providers.ClassOf(err) != providers.Cancelled {
					t.Errorf("whose context ended while it waited: %v", err)
				}
				cancel()
			}
			drain(t.Context(), m, &providers.Request{}, 0)
			at = append(at, time.Since(start).Round(time.Second))
		}
		want := []time.Duration{0, 0, 0, time.Second, 2 * time.Second, 3 * time.Second}
		if diff := cmp.Diff(want, at); diff != "" || len(inner.Requests()) != 6 {
			t.Errorf("%d requests: %s", len(inner.Requests()), diff)
		}
	})
}
