package providers_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// layers are all layers, each around a model of its own, and the stack of all of them last.
func layers() map[string]func(providers.Model) providers.Model {
	meter := providers.NewMeter(0)
	other := scripted.New(scripted.Repeat(0, scripted.Fail(providers.Transient)))
	return map[string]func(providers.Model) providers.Model{
		"retry":      func(m providers.Model) providers.Model { return providers.Retry(m, &providers.RetryOptions{Tries: 1}) },
		"concurrent": func(m providers.Model) providers.Model { return providers.Concurrent(m, 2) },
		"rate":       func(m providers.Model) providers.Model { return providers.RateLimit(m, 1_000_000, time.Second, 1000) },
		"breaker":    func(m providers.Model) providers.Model { return providers.Breaker(m, nil) },
		"bound":      providers.Bound,
		"timeouts":   func(m providers.Model) providers.Model { return providers.Timeouts(m, 0, 0) },
		"fallback": func(m providers.Model) providers.Model {
			return providers.Fallback(m, &providers.FallbackOptions{Classes: []providers.Class{}}, other)
		},
		"meter": meter.Watch,
		"stack": func(m providers.Model) providers.Model {
			return providers.Fallback(stack(m, meter), &providers.FallbackOptions{Classes: []providers.Class{}}, other)
		},
	}
}

// stack is a model within all layers that stand around one, in the order that the package describes.
func stack(m providers.Model, meter *providers.Meter) providers.Model {
	m = meter.Watch(m)
	m = providers.Bound(providers.Timeouts(m, 0, 0))
	m = providers.Concurrent(m, 1000)
	m = providers.RateLimit(m, 1_000_000, time.Second, 1_000_000)
	m = providers.Breaker(m, &providers.BreakerOptions{Failures: 1_000_000})
	return providers.Retry(m, &providers.RetryOptions{Tries: 1})
}

// A pair is one step of a stream.
type pair struct {
	Delta providers.Delta
	Err   error
}

func drain(ctx context.Context, m providers.Model, req *providers.Request, most int) (pairs []pair) {
	for d, err := range m.Stream(ctx, req) {
		if pairs = append(pairs, pair{d, err}); len(pairs) == most {
			break
		}
	}
	return pairs
}

var samePairs = cmp.Comparer(func(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) })

// line draws an answer of any form, also of none that a model may have.
func line(t *rapid.T) scripted.Line {
	if rapid.Bool().Draw(t, "malformed") {
		return scripted.Malformed(rapid.SampledFrom(scripted.Faults()).Draw(t, "fault"))
	}
	l := scripted.Line{
		Text: rapid.String().Draw(t, "text"), Reasoning: rapid.StringN(0, 20, -1).Draw(t, "reasoning"),
		Finish: rapid.SampledFrom([]providers.Finish{"", providers.Length, providers.Filtered}).Draw(t, "finish"),
		Cut:    rapid.Bool().Draw(t, "cut"),
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "calls") {
		l.Calls = append(l.Calls, scripted.Call{Name: fmt.Sprint("tool", i), Args: rapid.String().Draw(t, "arguments")})
	}
	if rapid.Bool().Draw(t, "usage") {
		l.Usage = providers.Usage{Input: rapid.IntRange(1, 9999).Draw(t, "input"), Output: 3}
	}
	if rapid.Bool().Draw(t, "opaque") {
		l.ProviderData = &transcript.ProviderData{Dialect: "scripted", Model: "script", Data: []byte(rapid.String().Draw(t, "data"))}
	}
	if rapid.Bool().Draw(t, "fails") {
		class := rapid.SampledFrom([]providers.Class{
			providers.Auth, providers.Invalid, providers.Overflow, providers.Rate, providers.Transient, providers.Refused,
			providers.Network, providers.Malformed, providers.Cancelled,
		}).Draw(t, "class")
		l.Err = &providers.Error{Class: class, RetryAfter: time.Hour, Err: errors.New("as drawn")}
	}
	return l
}

// TestLayersPassAnswersUntouched compares each layer's stream with the model's own, pair by pair: whole, and broken off
// after any number of deltas.
func TestLayersPassAnswersUntouched(t *testing.T) {
	for name, wrap := range layers() {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			l := scripted.Repeat(2, line(t))
			piece, most := rapid.IntRange(0, 5).Draw(t, "piece"), rapid.IntRange(0, 20).Draw(t, "most")
			bare := scripted.Options{Piece: piece}.New(l)
			var left atomic.Int32
			within := wrap(counted{scripted.Options{Piece: piece}.New(l), &left})
			want := drain(t.Context(), bare, &providers.Request{}, most)
			got := drain(t.Context(), within, &providers.Request{}, most)
			if diff := cmp.Diff(want, got, samePairs); diff != "" {
				t.Fatalf("the layer changed the stream (-model +layer):\n%s", diff)
			}
			if left.Load() != 0 {
				t.Fatal("the stream within is not over")
			}
		}))
	}
}

// counted counts the streams under way.
type counted struct {
	providers.Model
	running *atomic.Int32
}

func (c counted) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		c.running.Add(1)
		defer c.running.Add(-1)
		for d, err := range c.Model.Stream(ctx, req) {
			if !yield(d, err) {
				return
			}
		}
	}
}

// TestLayersFreeWhatTheyHold panics in the caller's loop, and asks again: no place, probe or timer may be lost.
func TestLayersFreeWhatTheyHold(t *testing.T) {
	for name, wrap := range layers() {
		m := wrap(scripted.New(scripted.Repeat(0, scripted.Text("text"))))
		for range 5 {
			func() {
				defer func() { _ = recover() }()
				for range m.Stream(t.Context(), &providers.Request{}) {
					panic("of the caller")
				}
			}()
		}
		if r, err := providers.Ask(t.Context(), m, &providers.Request{}); err != nil || r.Message.Text != "text" {
			t.Errorf("%s: after panics %q, %v", name, r.Message.Text, err)
		}
	}
}

func TestLayersOfAnEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, wrap := range layers() {
		inner := scripted.New(scripted.Repeat(0, scripted.Text("text")))
		pairs := drain(ctx, wrap(inner), &providers.Request{}, 0)
		if len(pairs) != 1 || providers.ClassOf(pairs[0].Err) != providers.Cancelled || !errors.Is(pairs[0].Err, context.Canceled) {
			t.Errorf("%s: %+v", name, pairs)
		}
		if wrap(inner).Info() != inner.Info() {
			t.Errorf("%s: the info is not that of the model", name)
		}
	}
}

// TestThousandUsers asks one stack from a thousand goroutines; some break off, some end their context, some get errors.
func TestThousandUsers(t *testing.T) {
	const users, rounds = 1000, 3
	var running atomic.Int32
	meter := providers.NewMeter(0)
	lines := scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
		switch req.MaxOutput % 10 {
		case 0:
			return scripted.Fail(providers.Auth)
		case 1:
			return scripted.Broken("half")
		case 2:
			return scripted.Line{Text: "hangs", Hang: true}
		}
		return scripted.Line{Text: "a whole answer", Usage: providers.Usage{Input: 10, Output: 2}}
	}))
	within := stack(counted{scripted.Options{Piece: 2}.New(lines), &running}, meter)
	m := providers.Fallback(providers.Concurrent(within, 64), nil, scripted.New())
	var whole atomic.Int32
	var wg sync.WaitGroup
	for user := range users {
		wg.Go(func() {
			for round := range rounds {
				ctx, cancel := context.WithCancel(t.Context())
				for d, err := range m.Stream(ctx, &providers.Request{MaxOutput: user}) {
					if d.Finish != "" {
						whole.Add(1)
					}
					if user%10 == 2 {
						cancel()
					}
					if err != nil || user%10 == 3 && round > 0 {
						break
					}
				}
				cancel()
			}
		})
	}
	wg.Wait()
	if want := int32(users/10*6*rounds + users/10); whole.Load() != want || running.Load() != 0 {
		t.Errorf("%d whole answers, want %d; %d streams left", whole.Load(), want, running.Load())
	}
	if total := meter.Total(); total.Answers != users*rounds*9/10 {
		t.Errorf("%d answers on the meter, want %d", total.Answers, users*rounds*9/10)
	}
}

// TestThousandStreamsAtOnce holds a thousand answers open: each needs the goroutine of its caller only, and little room.
func TestThousandStreamsAtOnce(t *testing.T) {
	const users, most = 1000, 32 << 10 // the race detector needs about as much again
	synctest.Test(t, func(t *testing.T) {
		m := stack(scripted.New(scripted.Repeat(0, scripted.Line{Text: "begun", Hang: true})), providers.NewMeter(0))
		ctx, cancel := context.WithCancel(t.Context())
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		goroutines := runtime.NumGoroutine()
		var ended atomic.Int32
		var wg sync.WaitGroup
		for range users {
			wg.Go(func() {
				if _, err := providers.Ask(ctx, m, &providers.Request{}); providers.ClassOf(err) == providers.Cancelled {
					ended.Add(1)
				}
			})
		}
		synctest.Wait()
		runtime.GC()
		runtime.ReadMemStats(&after)
		each := (int64(after.HeapAlloc+after.StackInuse) - int64(before.HeapAlloc+before.StackInuse)) / users
		if n := runtime.NumGoroutine() - goroutines; n > users || each > most {
			t.Errorf("%d goroutines and %d bytes each, for %d streams", n, each, users)
		}
		t.Logf("%d bytes a stream, its goroutine included", each)
		cancel()
		wg.Wait()
		if ended.Load() != users {
			t.Errorf("%d streams ended with their context", ended.Load())
		}
	})
}
