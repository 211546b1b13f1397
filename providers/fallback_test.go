package providers_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
)

func named(name string, info providers.Info, lines ...scripted.Line) *scripted.Model {
	info.Name = name
	return scripted.Options{Info: info}.New(lines...)
}

func TestFallback(t *testing.T) {
	fail, text := scripted.Fail, scripted.Text
	plain, structured := providers.Info{}, providers.Info{StructuredOutput: true}
	schema := &providers.Request{Schema: []byte(`{"type":"object"}`)}
	for _, tt := range []struct {
		name    string
		options providers.FallbackOptions
		models  []*scripted.Model
		req     *providers.Request
		text    string // of the answer
		class   providers.Class
		event   string // who answered in place of the first, and after which classes
	}{
		{"the first answers", providers.FallbackOptions{}, []*scripted.Model{named("one", plain, text("1")), named("two", plain)}, nil, "1", "", ""},
		{"the second", providers.FallbackOptions{}, []*scripted.Model{named("one", plain, fail(providers.Rate)), named("two", plain, text("2"))}, nil, "2", "", "two after rate"},
		{"the third", providers.FallbackOptions{}, []*scripted.Model{named("one", plain, fail(providers.Network)), named("two", plain, fail(providers.Malformed)), named("three", plain, text("3"))}, nil, "3", "", "three after network malformed"},
		{"all fail", providers.FallbackOptions{}, []*scripted.Model{named("one", plain, fail(providers.Rate)), named("two", plain, fail(providers.Transient))}, nil, "", providers.Transient, ""},
		{"a class that says nothing about the service", providers.FallbackOptions{}, []*scripted.Model{named("one", plain, fail(providers.Overflow)), named("two", plain, text("2"))}, nil, "", providers.Overflow, ""},
		{"unless the options say so", providers.FallbackOptions{Classes: []providers.Class{providers.Refused}}, []*scripted.Model{named("one", plain, fail(providers.Refused)), named("two", plain, text("2"))}, nil, "2", "", "two after filtered"},
		{"and then only so", providers.FallbackOptions{Classes: []providers.Class{providers.Refused}}, []*scripted.Model{named("one", plain, fail(providers.Rate)), named("two", plain, text("2"))}, nil, "", providers.Rate, ""},
		{"never after a delta", providers.FallbackOptions{}, []*scripted.Model{named("one", plain, scripted.Broken("half")), named("two", plain, text("2"))}, nil, "half", providers.Network, ""},
		{"a schema goes to models that honour it", providers.FallbackOptions{}, []*scripted.Model{named("one", structured, fail(providers.Rate)), named("two", plain, text("2")), named("three", structured, text("{}"))}, schema, "{}", "", "three after rate"},
		{"or to none", providers.FallbackOptions{}, []*scripted.Model{named("one", structured, fail(providers.Rate)), named("two", plain, text("2"))}, schema, "", providers.Rate, ""},
	} {
		event := ""
		tt.options.OnFallback = func(m providers.Info, failed []error) {
			event += m.Name + " after"
			for _, err := range failed {
				event += " " + string(providers.ClassOf(err))
			}
		}
		others := make([]providers.Model, 0, 2)
		for _, m := range tt.models[1:] {
			others = append(others, m)
		}
		m := providers.Fallback(tt.models[0], &tt.options, others...)
		req := tt.req
		if req == nil {
			req = &providers.Request{}
		}
		r, err := providers.Ask(t.Context(), m, req)
		if r.Message.Text != tt.text || providers.ClassOf(err) != tt.class || event != tt.event || m.Info().Name != "one" {
			t.Errorf("%s: %q, %v, event %q", tt.name, r.Message.Text, err, event)
		}
	}
}

func TestFallbackNamesAllThatFailed(t *testing.T) {
	m := providers.Fallback(
		named("one", providers.Info{}, scripted.Fail(providers.Network)), nil,
		named("two", providers.Info{}, scripted.Fail(providers.Rate)),
		named("three", providers.Info{}, scripted.Busy(7)),
	)
	_, err := providers.Ask(t.Context(), m, &providers.Request{})
	var e *providers.Error
	if !errors.As(err, &e) || e.Model != "three" || e.Status != 429 || e.RetryAfter != 7 {
		t.Errorf("error %+v", err)
	}
	for _, want := range []string{"scripted/one: network", "scripted/two: rate", "scripted/three: rate"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
}

// TestFallbackSuitsTheRequest looks at what each model was asked.
func TestFallbackSuitsTheRequest(t *testing.T) {
	one := named("one", providers.Info{MaxOutput: 10}, scripted.Fail(providers.Rate))
	two := named("two", providers.Info{MaxOutput: 100, NoForcedTools: true}, scripted.Fail(providers.Rate))
	three := named("three", providers.Info{}, scripted.Text("3"))
	req := providers.Request{Choice: providers.Required, MaxOutput: 1000, System: "s"}
	if _, err := providers.Ask(t.Context(), providers.Fallback(one, nil, two, three), &req); err != nil {
		t.Fatal(err)
	}
	got := []providers.Request{one.Requests()[0], two.Requests()[0], three.Requests()[0], req}
	second := req
	second.Choice, second.MaxOutput = providers.Auto, 100
	if diff := cmp.Diff([]providers.Request{req, second, req, req}, got); diff != "" {
		t.Error(diff)
	}
}

// TestFallbackPastAnOpenBreaker has a first model that is down: once its breaker is open, nobody waits for it, until its
// probe is answered.
func TestFallbackPastAnOpenBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := named("one", providers.Info{}, scripted.Repeat(4, scripted.Fail(providers.Network)), scripted.Repeat(0, scripted.Text("1")))
		two := named("two", providers.Info{}, scripted.Repeat(0, scripted.Text("2")))
		breaker := providers.Breaker(one, &providers.BreakerOptions{Failures: 4, Cooldown: time.Minute})
		m := providers.Fallback(providers.Retry(breaker, &providers.RetryOptions{Rand: highest}), nil, two)
		start := time.Now()
		var got []string
		for range 4 {
			r, err := providers.Ask(t.Context(), m, &providers.Request{})
			got = append(got, fmt.Sprint(r.Message.Text, " ", err, " ", time.Since(start)))
			if len(got) == 3 {
				<-time.After(time.Minute)
			}
		}
		want := []string{"2 <nil> 7s", "2 <nil> 7s", "2 <nil> 7s", "1 <nil> 1m7s"}
		if diff := cmp.Diff(want, got); diff != "" || len(one.Requests()) != 5 {
			t.Errorf("%d requests to the first: %s", len(one.Requests()), diff)
		}
	})
}
