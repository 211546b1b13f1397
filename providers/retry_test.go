package providers_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
)

// highest draws the end of the range: the bound of each wait.
func highest() float64 { return 1 }

func TestRetryByClass(t *testing.T) {
	for class, again := range map[providers.Class]bool{
		providers.Rate: true, providers.Transient: true, providers.Network: true,
		providers.Auth: false, providers.Invalid: false, providers.Overflow: false, providers.Refused: false,
		providers.Malformed: false, providers.Cancelled: false, providers.Spent: false, "": false,
	} {
		synctest.Test(t, func(t *testing.T) {
			m := scripted.New(scripted.Fail(class), scripted.Text("the second answer"))
			r, err := providers.Ask(t.Context(), providers.Retry(m, nil), &providers.Request{})
			if again && (err != nil || r.Message.Text != "the second answer") || !again && (err == nil || len(m.Requests()) != 1) {
				t.Errorf("%q: %d requests, answer %q, error %v", class, len(m.Requests()), r.Message.Text, err)
			}
		})
	}
	plain := scripted.New(scripted.Line{Err: errors.New("of no model")}, scripted.Text(""))
	if _, err := providers.Ask(t.Context(), providers.Retry(plain, nil), &providers.Request{}); err == nil || len(plain.Requests()) != 1 {
		t.Errorf("an error that no model made: %d requests, %v", len(plain.Requests()), err)
	}
}

func TestRetryWaits(t *testing.T) {
	fail := scripted.Fail(providers.Transient)
	busy := scripted.Busy(10 * time.Second)
	for _, tt := range []struct {
		name    string
		options *providers.RetryOptions
		lines   []scripted.Line
		waits   []time.Duration
		left    int
	}{
		{"doubled, four tries", &providers.RetryOptions{Rand: highest}, []scripted.Line{fail, fail, fail, fail, fail}, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}, 1},
		{"capped", &providers.RetryOptions{Rand: highest, Tries: 9, Base: 5 * time.Second, Cap: 12 * time.Second}, []scripted.Line{fail, fail, fail, fail, scripted.Text("")},
			[]time.Duration{5 * time.Second, 10 * time.Second, 12 * time.Second, 12 * time.Second}, 0},
		{"many tries do not overflow", &providers.RetryOptions{Rand: highest, Tries: 101, Base: 20 * time.Second}, []scripted.Line{scripted.Repeat(100, fail), scripted.Text("")},
			append([]time.Duration{20 * time.Second}, slices.Repeat([]time.Duration{30 * time.Second}, 99)...), 0},
		{"full jitter begins at zero", &providers.RetryOptions{Rand: func() float64 { return 0 }}, []scripted.Line{fail, scripted.Text("")}, []time.Duration{0}, 0},
		{"a base above the cap", &providers.RetryOptions{Rand: highest, Base: time.Hour}, []scripted.Line{fail, scripted.Text("")}, []time.Duration{30 * time.Second}, 0},
		{"as long as the service asks", &providers.RetryOptions{Rand: func() float64 { return 0 }}, []scripted.Line{busy, scripted.Text("")}, []time.Duration{10 * time.Second}, 0},
		{"and a tenth more at most", &providers.RetryOptions{Rand: highest}, []scripted.Line{busy, scripted.Text("")}, []time.Duration{11 * time.Second}, 0},
		{"longer than the cap when asked", &providers.RetryOptions{Rand: func() float64 { return 0 }, Cap: time.Second}, []scripted.Line{busy, scripted.Text("")}, []time.Duration{10 * time.Second}, 0},
		{"not longer than patience", &providers.RetryOptions{Patience: 9 * time.Second}, []scripted.Line{busy, scripted.Text("")}, nil, 1},
		{"one try", &providers.RetryOptions{Tries: 1}, []scripted.Line{fail, fail}, nil, 1},
		{"never after a delta", nil, []scripted.Line{scripted.Broken("half"), scripted.Text("")}, nil, 1},
		{"an open breaker is not waited for", nil, []scripted.Line{{Err: &providers.Error{Class: providers.Transient, Err: providers.ErrOpen}}, fail}, nil, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			o := providers.RetryOptions{}
			if tt.options != nil {
				o = *tt.options
			}
			var waits []time.Duration
			o.OnRetry = func(err error, tries int, wait time.Duration) {
				if waits = append(waits, wait); tries != len(waits) || err == nil {
					t.Errorf("%s: try %d, %v", tt.name, tries, err)
				}
			}
			m := scripted.New(tt.lines...)
			start, sum := time.Now(), time.Duration(0)
			_, err := providers.Ask(t.Context(), providers.Retry(m, &o), &providers.Request{})
			for _, w := range waits {
				sum += w
			}
			left, _ := m.Left()
			if diff := cmp.Diff(tt.waits, waits); diff != "" || left != tt.left || (err == nil) != (tt.left == 0) {
				t.Errorf("%s: %d left, error %v, waits %s", tt.name, left, err, diff)
			}
			if took := time.Since(start); took != sum {
				t.Errorf("%s: took %v, told %v", tt.name, took, sum)
			}
		})
	}
}

func TestRetryEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := scripted.New(scripted.Busy(time.Minute), scripted.Text("never"))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		start := time.Now()
		_, err := providers.Ask(ctx, providers.Retry(m, nil), &providers.Request{})
		var e *providers.Error
		if !errors.As(err, &e) || e.Class != providers.Cancelled || e.Provider != "scripted" || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %+v", err)
		}
		if time.Since(start) != 20*time.Second || len(m.Requests()) != 1 {
			t.Errorf("%d requests in %v", len(m.Requests()), time.Since(start))
		}
	})
}

// A stubborn model sees no end of a context: it fails with err after wait, whatever happens.
type stubborn struct {
	wait time.Duration
	then func() // at the end of the wait
	err  error
}

func (stubborn) Info() providers.Info { return providers.Info{Provider: "scripted", Name: "stubborn"} }

func (m stubborn) Stream(context.Context, *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		<-time.After(m.wait)
		if m.then != nil {
			m.then()
		}
		yield(providers.Delta{}, m.err)
	}
}

func TestNobodyTriesAgainForACallerWhoIsGone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	failed := &providers.Error{Class: providers.Network, Provider: "p", Model: "m", Err: errors.New("reset")}
	m := stubborn{then: cancel, err: failed}
	retry := providers.Retry(m, &providers.RetryOptions{OnRetry: func(err error, _ int, _ time.Duration) { t.Errorf("tried again: %v", err) }})
	if _, err := providers.Ask(ctx, retry, &providers.Request{}); err != failed {
		t.Errorf("error %v", err)
	}
	other := scripted.New(scripted.Text("never"))
	if _, err := providers.Ask(ctx, providers.Fallback(m, nil, other), &providers.Request{}); err != failed || len(other.Requests()) != 0 {
		t.Errorf("error %v, %d requests to the other", err, len(other.Requests()))
	}
}

// TestTimeoutsOfAStubbornModel ends ten seconds after its limit: whose end it was decides the class, and an error of the
// model's own stays.
func TestTimeoutsOfAStubbornModel(t *testing.T) {
	cancelled := &providers.Error{Class: providers.Cancelled, Provider: "p", Model: "m", Err: context.Canceled}
	auth := &providers.Error{Class: providers.Auth, Provider: "p", Model: "m", Err: errors.New("no key")}
	for _, tt := range []struct {
		name     string
		err      error
		deadline time.Duration
		class    providers.Class
	}{
		{"the limit", cancelled, time.Hour, providers.Network},
		{"the limit, then the caller", cancelled, 15 * time.Second, providers.Cancelled},
		{"the model's own", auth, time.Hour, providers.Auth},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), tt.deadline)
			defer cancel()
			m := providers.Timeouts(stubborn{wait: 20 * time.Second, err: tt.err}, 10*time.Second, 0)
			if _, err := providers.Ask(ctx, m, &providers.Request{}); providers.ClassOf(err) != tt.class {
				t.Errorf("%s: %v", tt.name, err)
			}
		})
	}
}

func TestTimeouts(t *testing.T) {
	o := [2]time.Duration{10 * time.Second, 3 * time.Second}
	slow := func(delay, pace time.Duration) scripted.Line {
		return scripted.Line{Text: "abcd", Delay: delay, Pace: pace}
	}
	for _, tt := range []struct {
		name   string
		bounds [2]time.Duration // first, idle
		line   scripted.Line
		ctx    time.Duration // until the caller's context ends; 0: never
		class  providers.Class
		text   string
		took   time.Duration
	}{
		{"in time", o, slow(9*time.Second, 2*time.Second), 0, "", "abcd", 17 * time.Second},
		{"no first delta", o, slow(11*time.Second, 0), 0, providers.Network, "", 10 * time.Second},
		{"idle inside", o, slow(0, 4*time.Second), 0, providers.Network, "a", 3 * time.Second},
		{"idle before the end", o, scripted.Line{Text: "abcd", Hang: true}, 0, providers.Network, "abcd", 3 * time.Second},
		{"the caller's deadline is first", o, slow(11*time.Second, 0), 5 * time.Second, providers.Cancelled, "", 5 * time.Second},
		{"the default is five minutes", [2]time.Duration{}, slow(time.Hour, 0), 0, providers.Network, "", 5 * time.Minute},
		{"no limit on the first", [2]time.Duration{-1, time.Second}, slow(time.Hour, 2*time.Second), 0, providers.Network, "a", time.Hour + time.Second},
		{"no limits", [2]time.Duration{-1, -1}, slow(time.Hour, time.Hour), 0, "", "abcd", 5 * time.Hour},
		{"an error of the model is its own", o, scripted.Fail(providers.Auth), 0, providers.Auth, "", 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			if tt.ctx > 0 {
				ctx, cancel = context.WithTimeout(ctx, tt.ctx)
			}
			defer cancel()
			start := time.Now()
			m := providers.Timeouts(scripted.Options{Piece: 1}.New(tt.line), tt.bounds[0], tt.bounds[1])
			r, err := providers.Ask(ctx, m, &providers.Request{})
			if providers.ClassOf(err) != tt.class || r.Message.Text != tt.text || time.Since(start) != tt.took {
				t.Errorf("%s: %q, %v after %v", tt.name, r.Message.Text, err, time.Since(start))
			}
		})
	}
}

func TestTheTimeOfTheCallerIsNotIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := scripted.Options{Piece: 1}.New(scripted.Line{Text: "abcd", Pace: 2 * time.Second})
		m := providers.Timeouts(inner, time.Second, 3*time.Second)
		text := ""
		for d, err := range m.Stream(t.Context(), &providers.Request{}) {
			if err != nil {
				t.Error(err)
			}
			text += d.Text
			<-time.After(time.Minute)
		}
		if text != "abcd" {
			t.Errorf("text %q", text)
		}
	})
}
