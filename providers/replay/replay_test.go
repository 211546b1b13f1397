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

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/offline"
	"github.com/forayhq/foray/providers/replay"
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
	return &providers.Request{Messages: []contextwindow.Message{{Role: contextwindow.User, Text: text}}}
}

// raw draws a text of any bytes.
func raw(t *rapid.T, label string) string {
	return string(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, label+" bytes")) + rapid.String().Draw(t, label)
}

// stream draws deltas of any kind and order, with any bytes.
func stream(t *rapid.T) offline.Line {
	ds := make([]providers.Delta, rapid.IntRange(0, 6).Draw(t, "deltas"))
	for i := range ds {
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			ds[i].Text = raw(t, "text")
		case 1:
			ds[i].Reasoning = raw(t, "reasoning")
		case 2:
			ds[i].Call = &contextwindow.ToolCall{ID: raw(t, "id"), Name: raw(t, "name"), Args: json.RawMessage(raw(t, "args"))}
		case 3:
			ds[i].Opaque = &contextwindow.Opaque{Dialect: "d", Model: "m", Tokens: 3, Data: []byte(raw(t, "data"))}
		case 4:
			ds[i].Usage = &providers.Usage{Input: rapid.Int().Draw(t, "input"), Cached: 2, Output: 3, Reasoning: 1}
		case 5:
			ds[i].Finish = providers.Finish(rapid.SampledFrom([]string{"stop", "calls", "length"}).Draw(t, "finish"))
		}
	}
	l := offline.Deltas(ds...)
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
		lines := make([]offline.Line, n)
		reqs := make([]*providers.Request, n)
		for i := range lines {
			lines[i], reqs[i] = stream(t), ask(rapid.SampledFrom([]string{"a", "b", "\xff"}).Draw(t, "question"))
		}
		var file bytes.Buffer
		model := offline.New(offline.Options{Info: providers.Info{Window: 7, NoForcedTools: true, Rules: contextwindow.Gemini}}, lines...)
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

// recorded returns a recording of the answers to questions.
func recorded(t *testing.T, questions ...string) []byte {
	t.Helper()
	var file bytes.Buffer
	m := replay.Record(offline.Script(offline.Repeat(0, offline.Func(func(r *providers.Request) offline.Line {
		return offline.Text("to " + r.Messages[0].Text)
	}))), &file)
	for _, q := range questions {
		drain(t.Context(), m, ask(q))
	}
	return file.Bytes()
}

func TestDamage(t *testing.T) {
	whole := recorded(t, "one", "two", "three")
	lines := bytes.SplitAfter(whole, []byte("\n"))
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	half := lines[2][:len(lines[2])/2]
	for _, tt := range []struct {
		name    string
		file    []byte
		left    int
		warning string
		err     string
	}{
		{"whole", whole, 3, "", ""},
		{"no line end", bytes.TrimSpace(whole), 3, "", ""},
		{"blank lines", join(lines[0], []byte("\n  \n"), lines[1]), 2, "", ""},
		{"joined", join(whole, whole), 6, "", ""},
		{"torn", join(lines[0], lines[1], half), 2, "line 3, the last, is torn", ""},
		{"torn by one byte", whole[:len(whole)-2], 2, "line 3, the last, is torn", ""},
		{"torn, then gone on", join(lines[0], half, lines[1], lines[2]), 0, "", "line 2: "},
		{"only a torn line", half, 0, "", "no whole answer: line 1"},
		{"empty", nil, 0, "", "holds no answer"},
		{"damaged in the middle", join(lines[0], []byte("{\"foray_recording\":1,}\n"), lines[2]), 0, "", "line 2: "},
		{"damaged at the end", join(lines[0], []byte("not JSON\n")), 0, "", "line 2: "},
		{"another file", []byte("{\"name\":\"x\"}\n"), 0, "", "line 1: not an answer recorded in form 1"},
		{"a later form", bytes.Replace(whole, []byte(`"foray_recording":1`), []byte(`"foray_recording":2`), 1), 0, "", "line 1: not an answer recorded in form 1"},
		{"another request under the key", bytes.Replace(whole, []byte(`"role":"user"`), []byte(`"role":"tool"`), 1), 0, "", "line 1: the key is not that of the request"},
		{"two on a line", join(bytes.TrimSpace(lines[0]), lines[1]), 0, "", "line 1: something follows"},
	} {
		m, err := replay.Open(bytes.NewReader(tt.file))
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: error %v", tt.name, err)
			}
			continue
		}
		if err != nil || m.Left() != tt.left || !strings.HasPrefix(m.Warning(), tt.warning) || (tt.warning == "") != (m.Warning() == "") {
			t.Errorf("%s: %+v, %v", tt.name, m, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	var file bytes.Buffer
	m := replay.Record(offline.Script(offline.Repeat(0, offline.Broken("half \xff"))), &file)
	drain(f.Context(), m, ask("one"))
	f.Add(file.Bytes())
	f.Add([]byte(`{"foray_recording":1,"request":{},"answer":[{"text":{"base64":"/w=="}},{"call":{}}],"error":{}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := replay.Open(bytes.NewReader(text))
		if err != nil {
			return
		}
		for _, req := range []*providers.Request{{}, ask("one")} {
			drain(t.Context(), m, req)
		}
	})
}

// TestMissingSaysWhatDiffers changes one thing after another in a recorded request.
func TestMissingSaysWhatDiffers(t *testing.T) {
	call := contextwindow.ToolCall{ID: "c1", Name: "read_file", Args: json.RawMessage(`{"path":"a.go","line":1}`)}
	base := func() *providers.Request {
		return &providers.Request{
			System: "You read code.",
			Messages: []contextwindow.Message{
				{Role: contextwindow.User, Text: "What is in a.go?"},
				{Role: contextwindow.Assistant, Calls: []contextwindow.ToolCall{call}, Opaque: &contextwindow.Opaque{Dialect: "d", Data: []byte("x")}},
				{Role: contextwindow.Tool, CallID: "c1", Name: "read_file", Text: "package a", Kind: "file", Origin: contextwindow.History},
			},
			Tools: []contextwindow.ToolSchema{
				{Name: "list_dir", Schema: json.RawMessage(`{"type":"object"}`)},
				{Name: "read_file", Schema: json.RawMessage(`{"type": "object", "required": ["path"]}`)},
			},
			MaxOutput: 1000, Schema: json.RawMessage(`{}`), SchemaName: "Finding",
		}
	}
	var file bytes.Buffer
	model := offline.New(offline.Options{Info: providers.Info{StructuredOutput: true}}, offline.Repeat(0, offline.Text("x")))
	recorder := replay.Record(model, &file)
	drain(t.Context(), recorder, ask("something else"))
	drain(t.Context(), recorder, base())
	for _, tt := range []struct {
		change func(*providers.Request)
		want   string // "": the same request
	}{
		{func(*providers.Request) {}, ""},
		{func(r *providers.Request) { r.Messages[2].Kind, r.Messages[2].Origin = "text", "" }, ""},
		{func(r *providers.Request) {
			r.Messages[1].Calls[0].Args = json.RawMessage("{ \"line\":1,\n\"path\":\"a.go\"}")
		}, ""},
		{func(r *providers.Request) {
			r.Tools[1].Schema = json.RawMessage(`{"required":["path"],"type":"object"}`)
		}, ""},
		{func(r *providers.Request) { r.Tools[0], r.Tools[1] = r.Tools[1], r.Tools[0] }, ""},
		{func(r *providers.Request) { r.System += " Now." }, "system prompt"},
		{func(r *providers.Request) { r.Choice = providers.None }, `tool choice (recorded "", asked "none")`},
		{func(r *providers.Request) { r.MaxOutput = 10 }, "max output (recorded 1000, asked 10)"},
		{func(r *providers.Request) { r.Schema = json.RawMessage(`{"a":1}`) }, "schema"},
		{func(r *providers.Request) { r.SchemaName = "" }, `schema name (recorded "Finding", asked "")`},
		{func(r *providers.Request) { r.Tools[0].Description = "lists" }, "tool list_dir"},
		{func(r *providers.Request) { r.Tools = r.Tools[:1] }, "tool read_file (not asked)"},
		{func(r *providers.Request) { r.Tools = append(r.Tools, contextwindow.ToolSchema{Name: "search"}) }, "tool search (not recorded)"},
		{func(r *providers.Request) { r.Messages[0].Text = "?" }, "message 1 of 3 (user): text"},
		{func(r *providers.Request) { r.Messages[1].Calls[0].ID = "c2" }, "message 2 of 3 (assistant): calls"},
		{func(r *providers.Request) { r.Messages[1].Opaque.Data = []byte("y") }, "message 2 of 3 (assistant): opaque part"},
		{func(r *providers.Request) { r.Messages[1].Opaque = nil }, "message 2 of 3 (assistant): opaque part"},
		{func(r *providers.Request) { r.Messages[2].Failed = true; r.Messages[2].Text = "none" }, "message 3 of 3 (tool): text, call answered"},
		{func(r *providers.Request) { r.Messages = r.Messages[:2] }, "message 3 of 3 (tool, not asked)"},
		{func(r *providers.Request) { r.Messages = append(r.Messages, r.Messages[0]) }, "message 4 of 4 (user, not recorded)"},
		{func(r *providers.Request) { *r = *ask("something new") }, "message 1 of 1 (user): text"},
		{func(r *providers.Request) {
			*r = providers.Request{System: "s", Tools: r.Tools, Messages: make([]contextwindow.Message, 9)}
		}, "; and "},
	} {
		req := base()
		req.Messages = append([]contextwindow.Message(nil), req.Messages...)
		tt.change(req)
		pairs := drain(t.Context(), open(t, bytes.NewReader(file.Bytes())), req)
		err := pairs[len(pairs)-1].Err
		if tt.want == "" {
			if err != nil {
				t.Errorf("the same request, written otherwise: %v", err)
			}
			continue
		}
		if providers.ClassOf(err) != providers.Invalid || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "differs in: ") {
			t.Errorf("want %q, got %v", tt.want, err)
		}
		if _, differences, _ := strings.Cut(err.Error(), "differs in: "); tt.want != "; and " && differences != tt.want {
			t.Errorf("differences %q, want %q", differences, tt.want)
		}
	}
}

func TestSameRequestInOrder(t *testing.T) {
	var file bytes.Buffer
	recorder := replay.Record(offline.Script(offline.Text("1"), offline.Text("other"), offline.Fail(providers.Rate), offline.Text("3")), &file)
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
		"1 <nil>", " offline/script: rate: scripted rate error", "3 <nil>",
		" offline/script: invalid: this request was recorded 3 times and is asked once more",
	}
	if diff := cmp.Diff(want, got); diff != "" || m.Left() != 1 {
		t.Errorf("%d left: %s", m.Left(), diff)
	}
}

// TestCutShortIsNotRecorded ends answers from the caller's side; what the model itself ends is recorded.
func TestCutShortIsNotRecorded(t *testing.T) {
	var file bytes.Buffer
	recorder := replay.Record(offline.New(offline.Options{Piece: 1}, offline.Repeat(0, offline.Text("abc"))), &file)
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
}

// failing writes and flushes until it is full.
type failing struct {
	bytes.Buffer
	flushed, room int
}

func (f *failing) Write(p []byte) (int, error) {
	if len(p) > f.room {
		return 0, errors.New("disk full")
	}
	f.room -= len(p)
	return f.Buffer.Write(p)
}

func TestWritingFailsNoAnswer(t *testing.T) {
	w := &failing{room: 700}
	m := replay.Record(offline.Script(offline.Repeat(0, offline.Text("fine"))), w)
	for range 9 {
		if r, err := providers.Ask(t.Context(), m, ask("q")); err != nil || r.Message.Text != "fine" {
			t.Errorf("%q, %v", r.Message.Text, err)
		}
	}
	if err := m.Err(); err == nil || err.Error() != "recording an answer: disk full" {
		t.Errorf("error %v", err)
	}
	if left := open(t, &w.Buffer).Left(); left < 1 || left > 3 {
		t.Errorf("%d answers are recorded", left)
	}
	var file bytes.Buffer
	buffered := bufio.NewWriterSize(&file, 1<<20)
	drain(t.Context(), replay.Record(offline.Script(offline.Text("fine")), buffered), ask("q"))
	if file.Len() == 0 {
		t.Error("the line is not flushed")
	}
}

func TestConcurrentUse(t *testing.T) {
	const users = 200
	var file bytes.Buffer
	recorder := replay.Record(offline.Script(offline.Repeat(0, offline.Func(func(r *providers.Request) offline.Line {
		return offline.Text("to " + r.Messages[0].Text)
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
	m := replay.Record(secretive{offline.Script()}, &file)
	req := ask("the secret question")
	req.System, req.Tools = "secret system", []contextwindow.ToolSchema{{Name: "read_file", Description: "secret tool"}}
	pairs := drain(t.Context(), m, req)
	if strings.Contains(file.String(), "secret") || !strings.Contains(file.String(), "the key is wrong") {
		t.Errorf("%s", &file)
	}
	again := drain(t.Context(), open(t, &file), req)
	if diff := cmp.Diff(pairs, again, sameErrors); diff != "" {
		t.Error(diff)
	}
}
