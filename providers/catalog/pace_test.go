package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// A slowServer has one slot. It reads what its cache does not hold at 50 tokens a second, and counts 2 tokens for each
// estimated one.
type slowServer struct {
	measures bool   // reports its own timings
	cache    string // what it read last, with its answer
	fails    bool
}

func (s *slowServer) Info() providers.Info { return providers.Info{Provider: "llamacpp", Name: "slow"} }

func (s *slowServer) Stream(_ context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		if s.fails {
			yield(providers.Delta{}, &providers.Error{Class: providers.Network, Provider: "llamacpp", Model: "slow", Err: errors.New("reset")})
			return
		}
		text := req.System
		for _, m := range req.Messages {
			text += m.Text
		}
		all, anew := 2*providers.Size(req), 2*providers.Size(req)
		if strings.HasPrefix(text, s.cache) {
			anew -= 2 * providers.Size(&providers.Request{System: s.cache})
		}
		took := time.Duration(anew) * time.Second / 50
		time.Sleep(took)
		s.cache = text + "ok"
		u := &providers.Usage{Input: all, Output: 1}
		if s.measures {
			time.Sleep(time.Hour) // in the queue of the server
			u.Read, u.ReadTime = anew, took.Seconds()
		}
		_ = yield(providers.Delta{Text: "ok"}, nil) && yield(providers.Delta{Usage: u}, nil) && yield(providers.Delta{Finish: providers.Stop}, nil)
	}
}

func TestPaced(t *testing.T) {
	for _, measures := range []bool{false, true} {
		t.Run(fmt.Sprint("measured by the server: ", measures), func(t *testing.T) { synctest.Test(t, func(t *testing.T) { testPaced(t, measures) }) })
	}
}

func testPaced(t *testing.T, measures bool) {
	server := &slowServer{measures: measures}
	file := filepath.Join(t.TempDir(), "cache", "speed.json")
	m := newPaced(server, file, "slow")
	req := &providers.Request{System: strings.Repeat("Read the code. ", 400)}
	first := func() providers.Reading {
		t.Helper()
		for d := range m.Stream(t.Context(), req) {
			if d.Reading == nil {
				t.Fatalf("the first delta is %+v", d)
			}
			return *d.Reading
		}
		return providers.Reading{}
	}
	say := func(text string) {
		req.Messages = append(req.Messages, transcript.Message{Role: transcript.User, Text: text})
	}
	near := func(got, want float64) bool { return got > want*.9 && got < want*1.1 }
	ask := func() {
		t.Helper()
		r, err := providers.Ask(t.Context(), m, req)
		if err != nil {
			t.Fatal(err)
		}
		req.Messages = append(req.Messages, r.Message)
	}
	say("Where are requests retried?")
	if r := first(); r.Tokens != providers.Size(req) || r.Left != 0 || r.Done != 0 {
		t.Errorf("before anything is known: %+v, the request has %d tokens", r, providers.Size(req))
	}
	if len(m.last) > 0 {
		t.Error("a cancelled request counts as read")
	}
	ask()
	for name, want := range map[string]float64{"slow": float64(2*providers.Size(req)) / 50, "other": 0} {
		later := newPaced(server, file, name)
		later.ratio = m.ratio
		if got := later.expect(req).Left.Seconds(); want == 0 && got != 0 || want > 0 && !near(got, want) {
			t.Errorf("a later process expects %.1f s from server %q, want %.1f", got, name, want)
		}
	}
	question := strings.Repeat("and who calls that? ", 100)
	say(question)
	added := float64(2 * providers.Size(&providers.Request{System: question}))
	if r := m.expect(req); !near(float64(r.Tokens), added) || !near(r.Left.Seconds(), added/50) {
		t.Errorf("the second request: %+v, want about %.0f tokens, %.0f s", r, added, added/50)
	}
	m.forget()
	if r := first(); !near(float64(r.Tokens), 2*float64(providers.Size(req))) {
		t.Errorf("after an error: %+v, want the whole request of %d", r, 2*providers.Size(req))
	}
	ask()
	req.Messages[0].Text = "Something else."
	say("Hm.")
	if r := first(); !near(float64(r.Tokens), added) && r.Tokens < int(added) {
		t.Errorf("with another first message: %+v", r)
	}
	server.fails = true
	if _, err := providers.Ask(t.Context(), m, req); err == nil || len(m.last) > 0 {
		t.Errorf("a failed request: %v, and %d parts are known", err, len(m.last))
	}
}

// TestReadingOfALlamaServer plays what llama.cpp sends while it reads.
func TestReadingOfALlamaServer(t *testing.T) {
	noKeys(t)
	const chunk = `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}],"prompt_progress":{"total":622,"cache":4,"processed":%d,"time_ms":%d}}` + "\n\n"
	answers := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(body), `"return_progress":true`) {
			t.Errorf("the request: %s", body)
		}
		if answers++; answers == 1 {
			http.Error(w, "loading", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintf(w, chunk+chunk+chunk, 4, 0, 313, 6180, 622, 12360)
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}`+"\n\n"+`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n")
		fmt.Fprint(w, `data: {"choices":[],"usage":{"prompt_tokens":622,"completion_tokens":2},"timings":{"cache_n":4,"prompt_n":618,"prompt_ms":12360,"predicted_n":2,"predicted_ms":200.5}}`+"\n\ndata: [DONE]\n\n")
	}))
	defer s.Close()
	m, err := Open("llamacpp/m", &Options{BaseURL: s.URL + "/v1"})
	if err != nil {
		t.Fatal(err)
	}
	var readings []providers.Reading
	var usage providers.Usage
	req := &providers.Request{System: strings.Repeat("x ", 600), Messages: []transcript.Message{{Role: transcript.User, Text: "Hi"}}}
	for d, err := range m.Stream(t.Context(), req) {
		switch {
		case err != nil:
			t.Fatal(err)
		case d.Reading != nil:
			readings = append(readings, *d.Reading)
		case d.Usage != nil:
			usage = *d.Usage
		}
	}
	// an estimate before each try, then three of the server
	want := []providers.Reading{{Tokens: 618}, {Tokens: 618, Done: 309, Left: 6180 * time.Millisecond}, {Tokens: 618, Done: 618}}
	if len(readings) != 5 || !slices.Equal(readings[2:], want) || readings[0] != readings[1] || readings[0].Tokens < 300 {
		t.Errorf("readings %+v, want an estimate twice and %+v", readings, want)
	}
	if u := (providers.Usage{Input: 622, Cached: 4, Output: 2, Read: 618, ReadTime: 12.36, WriteTime: .2005}); usage != u {
		t.Errorf("usage %+v, want %+v", usage, u)
	}
}

func TestSlots(t *testing.T) {
	noKeys(t)
	for _, tt := range []struct {
		name   string
		served int
		want   int
	}{
		{"llamacpp/m", 0, 0}, {"llamacpp/m", 1, 1}, {"llamacpp/m", 4, 4}, {"ollama/m", 0, 1}, {"ollama/m", 2, 2}, {"vllm/m", 0, 0},
	} {
		target, err := Resolve(tt.name, &Options{Window: 8192})
		if err != nil {
			t.Fatal(err)
		}
		target, _ = target.Adopt(Served{Slots: tt.served})
		m, err := target.Open()
		if err != nil || m.Info().Slots != tt.want {
			t.Errorf("%s, whose server says %d: %+v, %v, want %d", tt.name, tt.served, m.Info(), err, tt.want)
		}
	}
}
