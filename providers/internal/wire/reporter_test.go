package wire_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
)

const testKey = "sk-0123456789"

func newReporter() *wire.Reporter {
	return wire.NewReporter("p", "m", "; is the base URL right?", "short", testKey[:8], testKey, "")
}

func TestReporterShowsNoSecret(t *testing.T) {
	r := newReporter()
	long := strings.Repeat("日本 \n", 400) + testKey
	shown := fmt.Sprint(r, *r, r.Error(providers.Invalid, testKey+" is wrong"), r.Misled(providers.Malformed, long), r.Failed(t.Context(), errors.New("x "+testKey+"\xff"))) +
		fmt.Sprintf("%+v %#v %#v", r, r, *r)
	if strings.Contains(shown, testKey[:8]) || !strings.Contains(shown, "[secret] is wrong") || strings.Count(shown, "日") != 167 || strings.Contains(shown, "\n") || !utf8.ValidString(shown) {
		t.Errorf("shown: %s", shown)
	}
	if got := r.Redact("a short word, " + testKey); got != "a short word, [secret]" {
		t.Errorf("redacted: %s", got)
	}
	if err := r.Error(providers.Rate, " \n"); err.Error() != "p/m: rate: no reason given" {
		t.Error(err)
	}
	if err := r.Misled(providers.Malformed, "a page"); err.Error() != "p/m: malformed: a page; is the base URL right?" {
		t.Error(err)
	}
}

// brokenBody fails when it is read.
type brokenBody struct{}

func (brokenBody) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
func (brokenBody) Close() error             { return nil }

func TestReporterRefused(t *testing.T) {
	r := newReporter()
	mine := func(body []byte) *providers.Error {
		if text, ok := strings.CutPrefix(string(body), "mine: "); ok {
			e := r.Error(providers.Refused, text)
			e.RetryAfter = time.Second
			return e
		}
		return nil
	}
	for _, tt := range []struct {
		name, kind, body string
		status           int
		want             providers.Error
		says             string
	}{
		{"of the dialect", "", "mine: no", 400, providers.Error{Class: providers.Refused, RetryAfter: time.Second}, "no"},
		{"a redirect", "", "", 307, providers.Error{Class: providers.Malformed}, "the server redirects to another address; is the base URL right?"},
		{"a page", "text/html", "x", 404, providers.Error{Class: providers.Malformed}, "the server answered with a web page; is the base URL right?"},
		{"a page of a gateway", "", " <html>", 502, providers.Error{Class: providers.Transient}, "the server answered with a web page; is the base URL right?"},
		{"text", "", " busy \n", 503, providers.Error{Class: providers.Transient, RetryAfter: 3 * time.Second}, "busy"},
		{"text that says too long", "", "maximum context length is 8 tokens", 400, providers.Error{Class: providers.Overflow, Limit: 8}, "maximum context length is 8 tokens"},
		{"nothing", "", "", 429, providers.Error{Class: providers.Rate, RetryAfter: 3 * time.Second}, "Too Many Requests"},
	} {
		resp := &http.Response{StatusCode: tt.status, Header: http.Header{"Content-Type": {tt.kind}}, Body: io.NopCloser(strings.NewReader(tt.body))}
		if tt.want.RetryAfter > 0 {
			resp.Header.Set("Retry-After", "3")
		}
		e := r.Refused(resp, mine)
		tt.want.Status, tt.want.Provider, tt.want.Model = tt.status, "p", "m"
		says := e.Err.Error()
		e.Err = nil
		if diff := cmp.Diff(&tt.want, e); diff != "" || says != tt.says {
			t.Errorf("%s: says %q (-want +got):\n%s", tt.name, says, diff)
		}
	}
	e := r.Refused(&http.Response{StatusCode: 500, Header: http.Header{}, Body: brokenBody{}}, mine)
	if !errors.Is(e, io.ErrUnexpectedEOF) || e.Class != providers.Transient {
		t.Errorf("a body that breaks off: %v", e)
	}
}

func TestReporterFailed(t *testing.T) {
	r := newReporter()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	told := &providers.Error{Class: providers.Rate}
	var n struct{ N int }
	form := json.Unmarshal([]byte(`{"N":"x"}`), &n)
	for name, tt := range map[string]struct {
		ctx   context.Context
		err   error
		class providers.Class
	}{
		"the context ended":    {ended, told, providers.Cancelled},
		"an error of a model":  {t.Context(), fmt.Errorf("sending: %w", told), providers.Rate},
		"another form":         {t.Context(), form, providers.Malformed},
		"no TLS":               {t.Context(), http.ErrSchemeMismatch, providers.Malformed},
		"an unknown authority": {t.Context(), &tls.CertificateVerificationError{Err: errors.New("x")}, providers.Invalid},
		"the transport's time": {t.Context(), context.DeadlineExceeded, providers.Network},
	} {
		if err := r.Failed(tt.ctx, tt.err); providers.ClassOf(err) != tt.class {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := r.Failed(t.Context(), errors.New(strings.Repeat("quoted ", 1<<10))); len(err.Error()) > 1000 {
		t.Errorf("an error of %d bytes", len(err.Error()))
	}
	if err := r.Failed(ended, told); !errors.Is(err, context.Canceled) {
		t.Errorf("%v does not say that the context ended", err)
	}
}

// TestReporterStream has an ask that goes on as long as put lets it.
func TestReporterStream(t *testing.T) {
	r := newReporter()
	asked := 0
	for _, tt := range []struct {
		name  string
		take  int // deltas until the caller breaks off
		end   int // deltas until the context ends
		err   error
		put   int
		class providers.Class
	}{
		{"whole", 9, 9, nil, 4, ""},
		{"failed", 9, 9, errors.New("reset"), 4, providers.Network},
		{"broken off", 2, 9, errors.New("not told"), 1, ""},
		{"cancelled", 9, 2, nil, 1, providers.Cancelled},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		put, seen := 0, 0
		stream := r.Stream(ctx, func(yield func([]providers.Delta) error) error {
			asked++
			for range 4 {
				if err := yield([]providers.Delta{{Text: "a"}, {Text: "b"}}[:1+put%2]); err != nil {
					return err
				}
				put++
			}
			return tt.err
		})
		var last error
		for _, err := range stream {
			if last = err; err != nil {
				continue
			}
			if seen++; seen == tt.end {
				cancel()
			}
			if seen == tt.take {
				break
			}
		}
		cancel()
		if put != tt.put || providers.ClassOf(last) != tt.class {
			t.Errorf("%s: %d deltas, %d puts, error %v", tt.name, seen, put, last)
		}
	}
	r.Stream(t.Context(), func(func([]providers.Delta) error) error { asked++; return nil })
	if asked != 4 {
		t.Errorf("asked %d times: a stream over which nobody iterates asks nothing", asked)
	}
}

// TestEnding reports usage that cannot be true.
func TestEnding(t *testing.T) {
	good := providers.Usage{Input: 900, Output: 40, Cached: 100, Read: 800, ReadTime: 16, WriteTime: 4}
	plain := providers.Usage{Input: 900, Output: 40, Cached: 100}
	with := func(change func(*providers.Usage)) *providers.Usage {
		u := good
		change(&u)
		return &u
	}
	for name, tt := range map[string]struct{ said, want *providers.Usage }{
		"none":             {nil, nil},
		"good":             {&good, &good},
		"cached only":      {with(func(u *providers.Usage) { u.Read, u.ReadTime = 0, 0 }), with(func(u *providers.Usage) { u.Read, u.ReadTime = 0, 0 })},
		"negative input":   {with(func(u *providers.Usage) { u.Input = -1 }), nil},
		"negative output":  {with(func(u *providers.Usage) { u.Output = -7 }), nil},
		"quintillions":     {with(func(u *providers.Usage) { u.Input = math.MaxInt }), nil},
		"negative read":    {with(func(u *providers.Usage) { u.Read = -1 }), &plain},
		"read in no time":  {with(func(u *providers.Usage) { u.ReadTime = 1e-300 }), &plain},
		"wrote in no time": {with(func(u *providers.Usage) { u.WriteTime = 1e-300 }), &plain},
		"wrote for ever":   {with(func(u *providers.Usage) { u.WriteTime = 1e300 }), &plain},
		"read backwards":   {with(func(u *providers.Usage) { u.ReadTime = -1 }), &plain},
	} {
		var got *providers.Usage
		for _, d := range wire.Ending(&providers.Request{}, nil, nil, tt.said, providers.Stop) {
			if d.Usage != nil {
				got = d.Usage
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestIdentify(t *testing.T) {
	message := func(ids string) transcript.Message { // - is none
		m := transcript.Message{Role: transcript.Assistant}
		for _, id := range strings.Fields(ids) {
			m.Calls = append(m.Calls, transcript.ToolCall{ID: strings.TrimPrefix(id, "-")})
		}
		return m
	}
	for _, tt := range []struct{ before, ids, want string }{
		{"", "a b", "a b"},
		{"", "- -", "call_1_1 call_1_2"},
		{"a", "a b", "call_1_1 b"},
		{"", "a a", "a call_1_2"},
		{"call_1_1", "- -", "call_2_1 call_2_2"},
		{"call_1_1 x", "call_2_2 call_2_2", "call_2_2 call_2_4"},
		{"", "call_1_2 -", "call_1_2 call_1_4"},
		{"a", "", ""},
	} {
		calls := message(tt.ids).Calls
		providers.Identify([]transcript.Message{message(tt.before)}, calls)
		if diff := cmp.Diff(message(tt.want).Calls, calls); diff != "" {
			t.Errorf("%q behind %q (-want +got):\n%s", tt.ids, tt.before, diff)
		}
	}
}

func TestObject(t *testing.T) {
	for args, want := range map[string]string{
		"": "{}", `{"a" : "<b>"}`: `{"a" : "<b>"}`, `"{\"a\""`: `{"unparsed_arguments":"{\"a\""}`, `"<&>"`: `{"unparsed_arguments":"<&>"}`, "[1]": `{"unparsed_arguments":"[1]"}`,
	} {
		if got := string(wire.Object([]byte(args))); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}
