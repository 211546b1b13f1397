package scripted_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/providertest"
	"github.com/forayhq/foray/providers/replay"
	"github.com/forayhq/foray/providers/scripted"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const dialect = "scripted"

func TestContract(t *testing.T) {
	providertest.Run(t, suite(nil))
}

// TestContractOfTheLayers holds the layers of the package providers to the contract, all around one model.
func TestContractOfTheLayers(t *testing.T) {
	providertest.Run(t, suite(func(m providers.Model) providers.Model {
		m = providers.NewMeter(0).Watch(m)
		m = providers.Timeouts(m, 0, 0)
		m = providers.Concurrent(m, 2)
		m = providers.RateLimit(m, 1000, time.Second, 1000)
		m = providers.Breaker(m, nil)
		m = providers.Retry(m, &providers.RetryOptions{Tries: 1})
		return providers.Fallback(m, nil)
	}))
}

// TestContractOfReplay holds recorded answers to the contract: each answer is recorded whole, and what the case sees is
// its replay. An answer without an end cannot be recorded, and is that of the recorder.
func TestContractOfReplay(t *testing.T) {
	s := suite(nil)
	s.New = func(t *testing.T, turns ...providertest.Turn) providers.Model {
		return &taped{Model: suite(nil).New(t, turns...), turns: turns}
	}
	providertest.Run(t, s)
}

type taped struct {
	providers.Model
	turns []providertest.Turn
	next  atomic.Int32
}

func (m *taped) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		var file bytes.Buffer
		answer := replay.Record(m.Model, &file).Stream(ctx, req)
		if m.turns[m.next.Add(1)-1].Fault != providertest.Hang {
			for range replay.Record(m.Model, &file).Stream(context.Background(), req) {
			}
			again, err := replay.Open(&file)
			if err != nil {
				panic(err)
			}
			answer = again.Stream(ctx, req)
		}
		for d, err := range answer {
			if !yield(d, err) {
				return
			}
		}
	}
}

// suite is that of a script within other layers; nil: none.
func suite(wrap func(providers.Model) providers.Model) providertest.Suite {
	return providertest.Suite{
		New: func(_ *testing.T, turns ...providertest.Turn) providers.Model {
			lines := make([]scripted.Line, len(turns))
			piece := 4
			for i, turn := range turns {
				lines[i] = line(turn)
				if len(turn.Text) > 100 || strings.Join(turn.Text, "") == "It ho" {
					piece = 0
				}
			}
			m := scripted.Options{Piece: piece}.New(lines...)
			if wrap == nil {
				return m
			}
			return wrap(m)
		},
	}
}

// line returns the line that answers as turn does.
func line(turn providertest.Turn) scripted.Line {
	l := scripted.Line{
		Reasoning: strings.Join(turn.Reasoning, ""), Text: strings.Join(turn.Text, ""),
		Usage: turn.Usage, Finish: turn.Finish, Hang: turn.Fault == providertest.Hang,
	}
	used := map[string]bool{"": true}
	for _, c := range turn.Calls {
		call := scripted.Call{Name: c.Name, Args: strings.Join(c.Args, "")}
		if !used[c.ID] {
			call.ID, used[c.ID] = c.ID, true
		}
		l.Calls = append(l.Calls, call)
	}
	if l.Finish == providers.Stop {
		l.Finish = ""
	}
	if turn.Signature != "" {
		l.ProviderData = &transcript.ProviderData{Dialect: dialect, Model: "script", Data: []byte(turn.Signature)}
	}
	switch {
	case turn.Class != "":
		l.Err = &providers.Error{Class: turn.Class, RetryAfter: turn.Wait, Limit: turn.Limit, Tokens: turn.Tokens, Err: errors.New("as the turn says")}
	case turn.Fault == providertest.CutCall:
		l.Calls = l.Calls[:len(l.Calls)-1]
		fallthrough
	case turn.Fault == providertest.CutOff:
		l.Err = &providers.Error{Class: providers.Network, Err: errors.New("cut off")}
	}
	return scripted.Func(func(req *providers.Request) scripted.Line {
		if fault := providertest.Missing(told(req), turn); fault != "" {
			return scripted.Line{Err: &providers.Error{Class: providers.Invalid, Err: errors.New(fault)}}
		}
		return l
	})
}

// told returns what a service that knows this dialect is told by req.
func told(req *providers.Request) string {
	var b bytes.Buffer
	fmt.Fprintln(&b, req.System)
	for _, m := range req.Messages {
		fmt.Fprintln(&b, m.Role, m.CallID, m.Text)
		for _, c := range m.Calls {
			text, bad := providers.Unparsed(c.Args)
			if !bad {
				text = string(c.Args)
			}
			fmt.Fprintln(&b, c.ID, c.Name, text)
		}
		if m.ProviderData != nil && m.ProviderData.Dialect == dialect && m.ProviderData.Model == "script" {
			b.Write(m.ProviderData.Data)
		}
	}
	return b.String()
}

func ask(t *testing.T, m providers.Model, messages ...transcript.Message) *providers.Response {
	t.Helper()
	r, err := providers.Ask(t.Context(), m, &providers.Request{Messages: messages})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestScriptIsServedLineByLine(t *testing.T) {
	step := 0
	m := scripted.New(
		scripted.Calls(scripted.Call{Name: "search", Args: map[string]any{"query": "a<b"}}, scripted.Call{Name: "list_dir"}),
		scripted.Repeat(2, scripted.Func(func(*providers.Request) scripted.Line {
			step++
			return scripted.Text(fmt.Sprint("step ", step))
		})),
		scripted.Text("done"),
	)
	if n, bounded := m.Left(); n != 4 || !bounded {
		t.Errorf("left %d %v at the start, want 4", n, bounded)
	}
	first := ask(t, m)
	want := []transcript.ToolCall{
		{ID: "call_1_1", Name: "search", Args: json.RawMessage(`{"query":"a\u003cb"}`)},
		{ID: "call_1_2", Name: "list_dir", Args: json.RawMessage(`{}`)},
	}
	if diff := cmp.Diff(want, first.Message.Calls); diff != "" {
		t.Error(diff)
	}
	got := []string{ask(t, m).Message.Text, ask(t, m).Message.Text}
	if n, _ := m.Left(); n != 1 {
		t.Errorf("left %d before the last line", n)
	}
	got = append(got, ask(t, m).Message.Text)
	if diff := cmp.Diff([]string{"step 1", "step 2", "done"}, got); diff != "" {
		t.Error(diff)
	}
	_, err := providers.Ask(t.Context(), m, &providers.Request{})
	if providers.ClassOf(err) != providers.Invalid || !strings.Contains(err.Error(), "used up: request 5, 3 lines") {
		t.Errorf("after the last line: %v", err)
	}
	if n := len(m.Requests()); n != 5 {
		t.Errorf("%d requests recorded, want 5", n)
	}
}

func TestRepeatWithoutEnd(t *testing.T) {
	m := scripted.New(scripted.Repeat(0, scripted.Calls(scripted.Call{Name: "list_dir"})))
	ids := map[string]bool{}
	for range 100 {
		ids[ask(t, m).Message.Calls[0].ID] = true
	}
	if n, bounded := m.Left(); bounded || len(ids) != 100 {
		t.Errorf("left %d, bounded %v, %d different ids of 100", n, bounded, len(ids))
	}
}

func TestLimitIsAnOverflowAndUsesNoLine(t *testing.T) {
	m := scripted.Options{Limit: 100}.New(scripted.Text("fits"))
	long := transcript.Message{Role: transcript.User, Text: strings.Repeat("many words ", 200)}
	_, err := providers.Ask(t.Context(), m, &providers.Request{Messages: []transcript.Message{long}})
	var e *providers.Error
	if !errors.As(err, &e) || e.Class != providers.Overflow || e.Limit != 100 || e.Tokens <= 100 {
		t.Fatalf("error %+v", err)
	}
	if text := ask(t, m, transcript.Message{Role: transcript.User, Text: "short"}).Message.Text; text != "fits" {
		t.Errorf("the next answer is %q", text)
	}
}

func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		name  string
		line  scripted.Line
		class providers.Class
		text  string
	}{
		{"a class", scripted.Fail(providers.Transient), providers.Transient, ""},
		{"broken off", scripted.Broken("half an ans"), providers.Network, "half an ans"},
		{"no finish", scripted.Line{Text: "half", Cut: true}, providers.Network, "half"},
		{"an error of its own", scripted.Line{Err: errors.New("disk full")}, "", ""},
		{"arguments that cannot be encoded", scripted.Calls(scripted.Call{Name: "f", Args: func() {}}), providers.Invalid, ""},
		{"a line of Func from Func", scripted.Func(func(*providers.Request) scripted.Line { return scripted.Repeat(2, scripted.Text("")) }), providers.Invalid, ""},
	} {
		r, err := providers.Ask(t.Context(), scripted.New(tt.line), &providers.Request{})
		if err == nil || providers.ClassOf(err) != tt.class || r.Message.Text != tt.text {
			t.Errorf("%s: %q, error %v", tt.name, r.Message.Text, err)
		}
	}
}

func TestDelayWaitsOnTheTestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := scripted.New(scripted.Repeat(2, scripted.Line{Delay: time.Hour, Text: "late"}))
		start := time.Now()
		if text := ask(t, m).Message.Text; text != "late" || time.Since(start) != time.Hour {
			t.Errorf("%q after %v", text, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start = time.Now()
		_, err := providers.Ask(ctx, m, &providers.Request{})
		if providers.ClassOf(err) != providers.Cancelled || time.Since(start) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

func TestRequestsKeepTheirLength(t *testing.T) {
	m := scripted.New(scripted.Repeat(2, scripted.Text("yes")))
	messages := make([]transcript.Message, 1, 8)
	messages[0].Text = "first"
	ask(t, m, messages...)
	messages = append(messages, transcript.Message{Text: "second"})
	ask(t, m, messages...)
	got := m.Requests()
	_ = append(got[0].Messages, transcript.Message{Text: "of the test"})
	if len(got[0].Messages) != 1 || len(got[1].Messages) != 2 || messages[1].Text != "second" {
		t.Errorf("recorded %+v, messages %+v", got, messages)
	}
}

// BenchmarkSteps is a script of 400 steps, each with one call, recorded.
func BenchmarkSteps(b *testing.B) {
	const steps = 400
	call := scripted.Calls(scripted.Call{Name: "read_file", Args: `{"path":"a.go"}`})
	req := &providers.Request{Messages: make([]transcript.Message, 100)}
	b.ReportAllocs()
	for b.Loop() {
		m := scripted.New(scripted.Repeat(steps, call))
		for range steps {
			for _, err := range m.Stream(b.Context(), req) {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*steps), "ns/step")
}
