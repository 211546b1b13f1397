package geminiwire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/geminiwire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const secret = "AIzaSyTest-0123456789abcdef"

func newService(t testing.TB) *geminiwire.Service {
	t.Helper()
	s, err := geminiwire.New("test", geminiwire.Config{Name: "models/gemini-2.5-flash", BaseURL: "https://example.com/g/", Key: secret})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNew(t *testing.T) {
	s := newService(t)
	want := providers.Info{Provider: "test", Name: "models/gemini-2.5-flash", Window: 1_000_000, Rules: transcript.Gemini, StructuredOutput: true,
		Vision: providers.Vision{Tile: 768, Each: 258, Crop: true}}
	if diff := cmp.Diff(want, s.Info); diff != "" || s.Base.String() != "https://example.com/g" {
		t.Errorf("at %s, info (-want +got):\n%s", s.Base, diff)
	}
	c := geminiwire.Config{Name: "m", Key: secret, Info: providers.Info{Provider: "mine", Rules: transcript.AnyProvider}}
	mine, err := geminiwire.New("test", c)
	if err != nil || mine.Info.Provider != "mine" || mine.Info.Rules != transcript.AnyProvider {
		t.Errorf("%v, error %v", mine, err)
	}
	if shown := fmt.Sprintf("%v %+v %#v %v %#v", c, c, c, mine, mine); strings.Contains(shown, secret) || !strings.Contains(shown, "mine/m at generativelanguage.googleapis.com") {
		t.Errorf("shown: %s", shown)
	}
	for _, tt := range []struct {
		config geminiwire.Config
		says   string
		class  providers.Class
	}{
		{geminiwire.Config{Name: "../m", Key: secret}, "test: model name", ""},
		{geminiwire.Config{Name: "m", Key: secret, BaseURL: "https://example.com/v1beta/"}, "test: the base URL", ""},
		{geminiwire.Config{Name: "m", Key: secret, BaseURL: "http://example.com"}, "exposes the key", ""},
		{geminiwire.Config{Name: "m", Key: secret + "\n"}, "test: the key contains", ""},
		{geminiwire.Config{Name: "m"}, "requires a key", providers.Auth},
	} {
		s, err := geminiwire.New("test", tt.config)
		if err == nil || s != nil || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), secret) || providers.ClassOf(err) != tt.class {
			t.Errorf("%v: error %v, want one that says %q", tt.config, err, tt.says)
		}
	}
}

func TestFault(t *testing.T) {
	s := newService(t)
	for _, tt := range []struct {
		event string
		want  providers.Error
		told  bool
	}{
		{`{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}`, providers.Error{Class: providers.Transient, Code: "UNAVAILABLE"}, true},
		{`[{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT","details":[{"reason":"x"},{"reason":"API_KEY_INVALID"}]}}]`, providers.Error{Class: providers.Auth, Code: "API_KEY_INVALID"}, true},
		{`{"error":{"message":"no","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"2.5s"}]}}`, providers.Error{Class: providers.Rate, Code: "RESOURCE_EXHAUSTED", RetryAfter: 2500 * time.Millisecond}, true},
		{`{"error":{"message":"no","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"-9e9h"},{"retryDelay":"99h"},{"retryDelay":"999999s"}]}}`, providers.Error{Class: providers.Rate, Code: "RESOURCE_EXHAUSTED", RetryAfter: 24 * time.Hour}, true},
		{`{"error":{"code":418,"message":"tea"}}`, providers.Error{Class: providers.Invalid, Code: "418"}, true},
		{`{"error":"broken"}`, providers.Error{Class: providers.Transient}, true},
		{`{"error":{"message":"The input token count (9) exceeds the maximum number of tokens allowed (8)."}}`, providers.Error{Class: providers.Overflow, Tokens: 9, Limit: 8}, true},
		{`{"error":{}}`, providers.Error{Class: providers.Transient}, false},
		{`{"candidates":[{"error":1}]}`, providers.Error{Class: providers.Transient}, false},
		{`no JSON`, providers.Error{Class: providers.Transient}, false},
	} {
		e, told := s.Fault([]byte(tt.event))
		got := providers.Error{Class: e.Class, Status: e.Status, Code: e.Code, RetryAfter: e.RetryAfter, Limit: e.Limit, Tokens: e.Tokens}
		if got != tt.want || told != tt.told {
			t.Errorf("%s: %+v %v, want %+v %v", tt.event, got, told, tt.want, tt.told)
		}
	}
}

func TestFinish(t *testing.T) {
	for reason, want := range map[string][2]providers.Finish{
		"STOP": {providers.Stop, providers.Calls}, "WHIM": {providers.Stop, providers.Calls},
		"MAX_TOKENS": {providers.Length, providers.Length}, "SAFETY": {providers.Filtered, providers.Filtered},
	} {
		if got := [2]providers.Finish{geminiwire.Finish(reason, false), geminiwire.Finish(reason, true)}; got != want {
			t.Errorf("%s: %v, want %v", reason, got, want)
		}
		if class, failed := geminiwire.Failure(reason); failed {
			t.Errorf("%s is an error of class %s", reason, class)
		}
	}
	if class, failed := geminiwire.Failure("OTHER"); !failed || class != providers.Transient {
		t.Errorf("OTHER: class %q, %v", class, failed)
	}
}

// read returns the events of a body.
func read(s *geminiwire.Service, body io.Reader) (events []string, err error) {
	e := s.Events(&http.Response{Body: io.NopCloser(body)})
	for {
		event, err := e.Next()
		if err != nil {
			return events, err
		}
		events = append(events, string(event.Data))
	}
}

// FuzzEvents writes the same values as events, scattered, with comments and other line ends, and as a list: both are
// read as they were written. Any bytes are read to an end, or to an error that has a class.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{`{"a":"b\nc"}`, "{\"a\":\n1}", "data: {}\n\n", "\ufeff[{},", "<html>", ": x\r\n\r\n", "{}\n\n{\"error\":1}"} {
		f.Add([]byte(seed))
	}
	s := newService(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		if _, err := read(s, bytes.NewReader(body)); err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) && providers.ClassOf(err) != providers.Malformed {
			t.Errorf("error %v", err)
		}
		var value map[string]any
		if json.Unmarshal(body, &value) != nil || value == nil {
			return
		}
		one, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{string(one), string(one), string(one)}
		events := fmt.Sprintf(": hello\n\ndata: %s\r\n\r\nevent: x\ndata:%s\n\ndata: %s", one, one, one)
		list := fmt.Sprintf("[%s,\n%s\r\n, %s]", one, one, one)
		for _, wire := range []string{events, list} {
			if got, err := read(s, iotest.OneByteReader(strings.NewReader(wire))); err != io.EOF || !slices.Equal(got, want) {
				t.Errorf("%q: %q, error %v", wire, got, err)
			}
		}
	})
}
