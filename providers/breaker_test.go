package providers_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
)

// TestBreaker plays answers as a word, one letter a request: what the service does, or a wait; and compares which
// requests came through and what changed.
func TestBreaker(t *testing.T) {
	lines := map[rune]scripted.Line{
		'a': scripted.Text("answer"),
		'n': scripted.Fail(providers.Network),
		'r': scripted.Fail(providers.Rate),
		't': scripted.Fail(providers.Transient),
		'5': {Err: &providers.Error{Class: providers.Transient, Status: 503, Err: errors.New("down")}},
		'9': {Err: &providers.Error{Class: providers.Transient, Status: 409, Err: errors.New("locked")}},
		'i': scripted.Fail(providers.Invalid),
		'u': scripted.Fail(providers.Auth),
		'm': scripted.Fail(providers.Malformed),
		'c': scripted.Fail(providers.Cancelled),
		'b': scripted.Broken("half"),
		'l': scripted.Busy(time.Hour),
	}
	for _, tt := range []struct {
		name, word, sent, changes string
	}{
		{"opens after three", "nrta", "nrt", "open"},
		{"5xx counts, 409 does not", "559", "559", ""},
		{"409 says that the service is up", "559555a", "559555", "open"},
		{"an answer begins the count anew", "nnannana", "nnannana", ""},
		{"errors of the request say that it is up", "nninnunn", "nninnunn", ""},
		{"what is no answer says nothing", "nnmcna", "nnmcn", "open"},
		{"breaking off counts", "bbba", "bbb", "open"},
		{"the probe closes it", "nnn.aaa", "nnnaaa", "open half-open closed"},
		{"the probe opens it again", "nnn.na.aa", "nnnnaa", "open half-open open half-open closed"},
		{"the next failure after a whole probe is the first", "nnn.anna", "nnnanna", "open half-open closed"},
		{"a probe that breaks off opens it again", "nnn.ba", "nnnb", "open half-open closed open"},
		{"a cancelled probe leaves it to the next", "nnn.caa", "nnncaa", "open half-open open half-open closed"},
		{"a refused probe closes it", "nnn.iaa", "nnniaa", "open half-open closed"},
		{"as long as the service asks", "nnl.a", "nnl", "open"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var sent, changes []string
			next := 'a'
			inner := scripted.New(scripted.Repeat(0, scripted.Func(func(*providers.Request) scripted.Line {
				sent = append(sent, string(next))
				return lines[next]
			})))
			m := providers.Breaker(inner, &providers.BreakerOptions{
				Failures: 3, Cooldown: time.Minute,
				OnChange: func(state string) { changes = append(changes, state) },
			})
			for _, next = range tt.word {
				if next == '.' {
					<-time.After(time.Minute)
					continue
				}
				before := len(sent)
				_, err := providers.Ask(t.Context(), m, &providers.Request{})
				if open := errors.Is(err, providers.ErrOpen); open != (len(sent) == before) {
					t.Errorf("%s: at %c %d requests were sent, error %v", tt.name, next, len(sent)-before, err)
				}
			}
			if got := strings.Join(sent, ""); got != tt.sent {
				t.Errorf("%s: sent %q, want %q", tt.name, got, tt.sent)
			}
			if diff := cmp.Diff(tt.changes, strings.Join(changes, " ")); diff != "" {
				t.Errorf("%s: changes %s", tt.name, diff)
			}
		})
	}
}

func TestOpenBreakerSaysWhyAndHowLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := providers.Breaker(scripted.New(scripted.Fail(providers.Rate)), &providers.BreakerOptions{Failures: 1, Cooldown: time.Minute})
		drain(t.Context(), m, &providers.Request{}, 0)
		<-time.After(20 * time.Second)
		_, err := providers.Ask(t.Context(), m, &providers.Request{})
		var e *providers.Error
		if !errors.As(err, &e) || e.Class != providers.Rate || e.RetryAfter != 40*time.Second || e.Provider != "scripted" || !strings.Contains(e.Error(), "scripted rate error") {
			t.Errorf("error %+v", err)
		}
	})
}

// TestOneProbe lets a hundred requests come to a half-open breaker: one goes, and the others do not wait for it.
func TestOneProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := scripted.New(scripted.Fail(providers.Network), scripted.Line{Delay: time.Minute, Text: "up"}, scripted.Repeat(0, scripted.Text("up")))
		m := providers.Breaker(inner, &providers.BreakerOptions{Failures: 1, Cooldown: time.Second})
		drain(t.Context(), m, &providers.Request{}, 0)
		<-time.After(time.Second)
		start := time.Now()
		var mu sync.Mutex
		took := map[time.Duration]int{}
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				_, err := providers.Ask(t.Context(), m, &providers.Request{})
				mu.Lock()
				defer mu.Unlock()
				if took[time.Since(start)]++; (err == nil) != (time.Since(start) == time.Minute) {
					t.Errorf("%v after %v", err, time.Since(start))
				}
			})
		}
		wg.Wait()
		if diff := cmp.Diff(map[time.Duration]int{0: 99, time.Minute: 1}, took); diff != "" {
			t.Error(diff)
		}
		if _, err := providers.Ask(t.Context(), m, &providers.Request{}); err != nil || len(inner.Requests()) != 3 {
			t.Errorf("after the probe: %v, %d requests", err, len(inner.Requests()))
		}
	})
}

// TestLateEndsDecideNothing lets requests that were sent before the breaker opened end while it is open: neither a
// failure nor an answer of theirs counts.
func TestLateEndsDecideNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := func(l scripted.Line) scripted.Line { l.Delay = 30 * time.Second; return l }
		inner := scripted.New(late(scripted.Text("up")), late(scripted.Fail(providers.Network)), scripted.Fail(providers.Network), scripted.Repeat(0, scripted.Text("up")))
		var changes []string
		m := providers.Breaker(inner, &providers.BreakerOptions{
			Failures: 1, Cooldown: time.Minute,
			OnChange: func(state string) { changes = append(changes, state) },
		})
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { drain(t.Context(), m, &providers.Request{}, 0) })
			synctest.Wait()
		}
		drain(t.Context(), m, &providers.Request{}, 0)
		wg.Wait()
		if _, err := providers.Ask(t.Context(), m, &providers.Request{}); !errors.Is(err, providers.ErrOpen) {
			t.Errorf("after the late ends: %v", err)
		}
		<-time.After(30 * time.Second) // a minute after it opened, half a minute after the late failure
		if _, err := providers.Ask(t.Context(), m, &providers.Request{}); err != nil {
			t.Errorf("the probe: %v", err)
		}
		if got := strings.Join(changes, " "); got != "open half-open closed" {
			t.Errorf("changes %q", got)
		}
	})
}

// TestAbandonedProbe ends the context of a probe, and breaks one off before its end: the next request is the next probe.
func TestAbandonedProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := scripted.New(scripted.Fail(providers.Network), scripted.Repeat(0, scripted.Line{Delay: time.Minute, Text: "up"}))
		changes := 0
		m := providers.Breaker(inner, &providers.BreakerOptions{Failures: 1, Cooldown: time.Second, OnChange: func(string) { changes++ }})
		drain(t.Context(), m, &providers.Request{}, 0)
		<-time.After(time.Second)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		drain(gone, m, &providers.Request{}, 0)
		if changes != 1 {
			t.Error("who is gone already is no probe")
		}
		for range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if _, err := providers.Ask(ctx, m, &providers.Request{}); providers.ClassOf(err) != providers.Cancelled {
				t.Errorf("a probe whose context ends: %v", err)
			}
			cancel()
		}
		if pairs := drain(t.Context(), m, &providers.Request{}, 1); pairs[0].Err != nil {
			t.Errorf("the last probe: %v", pairs[0].Err)
		}
		if len(inner.Requests()) != 5 {
			t.Errorf("%d requests were sent", len(inner.Requests()))
		}
	})
}
