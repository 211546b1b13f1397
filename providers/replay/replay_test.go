package replay_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/replay"
	"github.com/forayhq/foray/providers/scripted"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A pair is one step of a stream.
type pair struct {
	Delta providers.Delta
	Err   error
}

func drain(ctx context.Context, m providers.Model, req *providers.Request) (pairs []pair) {
	for d, err := range m.Stream(ctx, req) {
		pairs = append(pairs, pair{d, err})
	}
	return pairs
}

// sameErrors compares errors by what they say and by what can be done about them.
var sameErrors = cmp.Comparer(func(a, b error) bool {
	var x, y *providers.Error
	if errors.As(a, &x) != errors.As(b, &y) || fmt.Sprint(a) != fmt.Sprint(b) {
		return false
	}
	if x == nil {
		return true
	}
	p, q := *x, *y
	p.Err, q.Err = nil, nil
	return p == q
})

func open(t interface{ Fatal(...any) }, r io.Reader) *replay.Model {
	m, err := replay.Open(r)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func ask(text string) *providers.Request {
	return &providers.Request{Messages: []transcript.Message{{Role: transcript.User, Text: text}}}
}

// raw draws a text of any bytes.
func raw(t *rapid.T, label string) string {
	return string(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, label+" bytes")) + rapid.String().Draw(t, label)
}

// stream draws deltas of any kind and order, with any bytes.
func stream(t *rapid.T) scripted.Line {
	ds := make([]providers.Delta, rapid.IntRange(0, 6).Draw(t, "deltas"))
	for i := range ds {
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			ds[i].Text = raw(t, "text")
		case 1:
			ds[i].Reasoning = raw(t, "reasoning")
		case 2:
			ds[i].Call = &transcript.ToolCall{ID: raw(t, "id"), Name: raw(t, "name"), Args: json.RawMessage(raw(t, "args"))}
		case 3:
			ds[i].ProviderData = &transcript.ProviderData{Dialect: "d", Model: "m", Tokens: 3, Data: []byte(raw(t, "data"))}
		case 4:
			ds[i].Usage = &providers.Usage{Input: rapid.Int().Draw(t, "input"), Cached: 2, Output: 3, Reasoning: 1}
		case 5:
			ds[i].Finish = providers.Finish(rapid.SampledFrom([]string{"stop", "calls", "length"}).Draw(t, "finish"))
		}
	}
	l := scripted.Deltas(ds...)
	switch rapid.IntRange(0, 2).Draw(t, "end") {
	case 0:
		l.Err = &providers.Error{
			Class: providers.Class(rapid.SampledFrom([]string{"auth", "rate", "overflow", "network"}).Draw(t, "class")), Status: 429,
			Code: "code", RetryAfter: 1234567, Limit: 5, Tokens: 6, Err: errors.New(raw(t, "error")),
		}
	case 1:
		l.Err = errors.New(raw(t, "plain error"))
	}
	return l
}

// TestReplayIsTheRecording records answers of any bytes and compares the streams, pair by pair.
func TestReplayIsTheRecording(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "answers")
		lines := make([]scripted.Line, n)
		reqs := make([]*providers.Request, n)
		for i := range lines {
			lines[i], reqs[i] = stream(t), ask(rapid.SampledFrom([]string{"a", "b", "\xff"}).Draw(t, "question"))
		}
		var file bytes.Buffer
		model := scripted.Options{Info: providers.Info{Window: 7, NoForcedTools: true, Rules: transcript.Gemini}}.New(lines...)
		recorder := replay.Record(model, &file)
		var want [][]pair
		for _, req := range reqs {
			want = append(want, drain(t.Context(), recorder, req))
		}
		if err := recorder.Err(); err != nil || bytes.Count(file.Bytes(), []byte("\n")) != n {
			t.Fatalf("%d lines, error %v", bytes.Count(file.Bytes(), []byte("\n")), err)
		}
		m := open(t, bytes.NewReader(file.Bytes()))
		var got [][]pair
		for _, req := range reqs {
			got = append(got, drain(t.Context(), m, req))
		}
		if diff := cmp.Diff(want, got, sameErrors); diff != "" {
			t.Fatalf("(-recorded +replayed)\n%s", diff)
		}
		if m.Info() != model.Info() || m.Left() != 0 || m.Warning() != "" {
			t.Errorf("info %+v, %d left, warning %q", m.Info(), m.Left(), m.Warning())
		}
		// What is replayed can be recorded again, to the same bytes.
		var second bytes.Buffer
		copied := replay.Record(open(t, bytes.NewReader(file.Bytes())), &second)
		for _, req := range reqs {
			drain(t.Context(), copied, req)
		}
		if !bytes.Equal(file.Bytes(), second.Bytes()) {
			t.Error("the recording of a replay differs")
		}
	})
}

func TestSameRequestInOrder(t *testing.T) {
	var file bytes.Buffer
	recorder := replay.Record(scripted.New(scripted.Text("1"), scripted.Text("other"), scripted.Fail(providers.Rate), scripted.Text("3")), &file)
	for _, q := range []string{"q", "o", "q", "q"} {
		drain(t.Context(), recorder, ask(q))
	}
	m := open(t, &file)
	var got []string
	for range 4 {
		r, err := providers.Ask(t.Context(), m, ask("q"))
		got = append(got, fmt.Sprint(r.Message.Text, " ", err))
	}
	want := []string{
		"1 <nil>", " scripted/script: rate: scripted rate error", "3 <nil>",
		" scripted/script: invalid: the recording has this request 3 times, and it was sent once more",
	}
	if diff := cmp.Diff(want, got); diff != "" || m.Left() != 1 {
		t.Errorf("%d left: %s", m.Left(), diff)
	}
}

// TestCutShortIsNotRecorded ends answers from the caller's side; what the model itself ends is recorded.
func TestCutShortIsNotRecorded(t *testing.T) {
	var file bytes.Buffer
	recorder := replay.Record(scripted.Options{Piece: 1}.New(scripted.Repeat(0, scripted.Text("abc"))), &file)
	for most, lines := range map[string]int{"a": 0, "abc": 0, "": 1} { // "": at the finish
		file.Reset()
		for d := range recorder.Stream(t.Context(), ask("q")) {
			if most == "a" && d.Text == "a" || most == "abc" && d.Text == "c" || d.Finish != "" {
				break
			}
		}
		if got := bytes.Count(file.Bytes(), []byte("\n")); got != lines {
			t.Errorf("broken off at %q: %d lines", most, got)
		}
	}
	file.Reset()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for d := range recorder.Stream(ctx, ask("q")) {
		if d.Text == "b" {
			cancel()
		}
	}
	if file.Len() != 0 {
		t.Errorf("ended by its context: %s", &file)
	}
	drain(t.Context(), recorder, ask("q"))
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	said := ""
	for d, err := range open(t, &file).Stream(ctx, ask("q")) {
		if said += d.Text; said == "ab" {
			cancel()
		}
		if (err != nil) != (said == "ab" && d.Text == "") || err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("after %q: %v", said, err)
		}
	}
	if said != "ab" {
		t.Errorf("a replay went on after the end of its context: %q", said)
	}
}

// failing is full at its third line, and not before and after.
type failing struct {
	bytes.Buffer
	lines int
}

func (f *failing) Write(p []byte) (int, error) {
	if f.lines++; f.lines == 3 {
		f.Buffer.Write(p[:len(p)/2])
		return len(p) / 2, errors.New("disk full")
	}
	return f.Buffer.Write(p)
}

func TestWritingFailsNoAnswer(t *testing.T) {
	w := &failing{}
	m := replay.Record(scripted.New(scripted.Repeat(0, scripted.Text("fine"))), w)
	for range 9 {
		if r, err := providers.Ask(t.Context(), m, ask("q")); err != nil || r.Message.Text != "fine" {
			t.Errorf("%q, %v", r.Message.Text, err)
		}
	}
	if err := m.Err(); err == nil || err.Error() != "recording an answer: disk full" {
		t.Errorf("error %v", err)
	}
	if again := open(t, &w.Buffer); again.Left() != 2 || again.Warning() == "" {
		t.Errorf("%d answers are recorded, warning %q", again.Left(), again.Warning())
	}
	var file bytes.Buffer
	buffered := bufio.NewWriterSize(&file, 1<<20)
	drain(t.Context(), replay.Record(scripted.New(scripted.Text("fine")), buffered), ask("q"))
	if file.Len() == 0 {
		t.Error("the line is not flushed")
	}
}

func TestConcurrentUse(t *testing.T) {
	const users = 200
	var file bytes.Buffer
	recorder := replay.Record(scripted.New(scripted.Repeat(0, scripted.Func(func(r *providers.Request) scripted.Line {
		return scripted.Text("to " + r.Messages[0].Text)
	}))), &file)
	each := func(m providers.Model) {
		var wg sync.WaitGroup
		for i := range users {
			wg.Go(func() {
				q := fmt.Sprint("q", i/2)
				if r, err := providers.Ask(t.Context(), m, ask(q)); err != nil || r.Message.Text != "to "+q {
					t.Errorf("%s: %q, %v", q, r.Message.Text, err)
				}
			})
		}
		wg.Wait()
	}
	each(recorder)
	m := open(t, &file)
	each(m)
	if m.Left() != 0 {
		t.Errorf("%d left", m.Left())
	}
}

// secretive is a model whose requests hold a key, as those of a dialect do, and whose error has headers in its chain.
type secretive struct{ providers.Model }

func (secretive) Stream(context.Context, *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		yield(providers.Delta{}, &providers.Error{Class: providers.Auth, Provider: "p", Model: "m", Err: withHeader{"Bearer sk-secret"}})
	}
}

type withHeader struct{ Authorization string }

func (withHeader) Error() string { return "the key is wrong" }

func TestNothingOfTheRequestIsRecorded(t *testing.T) {
	var file bytes.Buffer
	m := replay.Record(secretive{scripted.New()}, &file)
	req := ask("the secret question")
	req.System, req.Tools = "secret system", []transcript.ToolSchema{{Name: "read_file", Description: "secret tool"}}
	pairs := drain(t.Context(), m, req)
	if strings.Contains(file.String(), "secret") || !strings.Contains(file.String(), "the key is wrong") {
		t.Errorf("%s", &file)
	}
	again := drain(t.Context(), open(t, &file), req)
	if diff := cmp.Diff(pairs, again, sameErrors); diff != "" {
		t.Error(diff)
	}
}
