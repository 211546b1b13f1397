package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent"
	agenttrace "github.com/forayhq/foray/agent/trace"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// traced runs a task and returns its trace and result.
func traced(t *testing.T, c agent.Config, task agent.Task) ([]byte, *agent.Result) {
	t.Helper()
	var trace bytes.Buffer
	var result *agent.Result
	for e := range agenttrace.Write(mustNew(t, c).Stream(t.Context(), task), &trace) {
		if done, ok := e.(agent.RunFinished); ok {
			result = done.Result
		}
	}
	return trace.Bytes(), result
}

// readTrace returns the requests of a trace and the error behind them.
func readTrace(trace []byte) ([]providers.Request, error) {
	var requests []providers.Request
	for r, err := range agenttrace.Read(bytes.NewReader(trace)) {
		if err != nil {
			return requests, err
		}
		requests = append(requests, r.Request)
	}
	return requests, nil
}

// pages reads 4 KB in each call; the text of every seventh page is no UTF-8.
var pages = tools.New("read", "Read.", func(_ context.Context, in numberInput) (string, error) {
	if in.N%7 == 3 {
		return "\xff\xfe" + page(in.N), nil
	}
	return page(in.N), nil
})

// reads is so many answers that call for a page each, with an opaque part.
func reads(n int) []scripted.Line {
	lines := make([]scripted.Line, n)
	for i := range lines {
		lines[i] = scripted.Calls(scripted.Call{Name: "read", Args: map[string]int{"n": i}})
		lines[i].ProviderData = &transcript.ProviderData{Dialect: "scripted", Model: "script", Data: []byte{0xff, byte(i)}, Tokens: 7}
		lines[i].Usage = providers.Usage{Input: 3_000 + 500*i, Output: 10}
	}
	return lines
}

// TestTraceRebuildsEveryRequest compares what a model was sent, in runs of every kind, with what the trace alone gives.
func TestTraceRebuildsEveryRequest(t *testing.T) {
	refused := scripted.Line{Err: &providers.Error{Class: providers.Invalid, Err: errors.New(refusals[0])}}
	for name, test := range map[string]struct {
		config  agent.Config
		options scripted.Options
		lines   []scripted.Line
		history []transcript.Message
	}{
		"answer":          {lines: []scripted.Line{scripted.Text("done")}},
		"compactions":     {lines: append(reads(40), scripted.Text("done")), config: agent.Config{Profile: contextwindow.Lean}},
		"cheap":           {lines: append(reads(40), scripted.Text("done")), config: agent.Config{Profile: contextwindow.Cheap, Guide: func() agent.Guide { return nudges }}},
		"ladder":          {lines: append(reads(30), scripted.Text("done")), config: agent.Config{Profile: contextwindow.Ladder, Budget: contextwindow.Budget{Limit: 6_000}}},
		"overflows":       {lines: append(reads(20), scripted.Text("done")), config: agent.Config{Profile: contextwindow.Off, Budget: contextwindow.Budget{Limit: 100_000}}, options: scripted.Options{Limit: 9_000}},
		"reset":           {lines: append(reads(6), scripted.Repeat(3, scripted.Fail(providers.Overflow)), scripted.Text("done"))},
		"refused":         {lines: append(reads(6), refused, scripted.Text("done"))},
		"repaired":        {lines: slices.Concat(reads(1), []scripted.Line{scripted.Text("thinking")}, reads(9), []scripted.Line{scripted.Text("end")}), config: agent.Config{Profile: contextwindow.Ladder, Budget: contextwindow.Budget{Limit: 6_000}, Guide: func() agent.Guide { return nudges }}},
		"closing":         {lines: append(reads(3), scripted.Text("closing words")), config: agent.Config{Limits: agent.Limits{Steps: 4}}},
		"clamped":         {lines: append(reads(3), scripted.Text("done")), options: scripted.Options{Info: providers.Info{Window: 9_000, MaxOutput: 8_000}}},
		"asked again":     {lines: []scripted.Line{{}, scripted.Broken("half"), {Text: "half ", Finish: providers.Length}, scripted.Text("done")}},
		"ends in errors":  {lines: append(reads(2), scripted.Fail(providers.Auth))},
		"odd calls":       {lines: []scripted.Line{scripted.Calls(scripted.Call{Name: "\xff"}, scripted.Call{Name: "read", Args: `{"n":`}, scripted.Call{Name: "read", Args: " {\"n\" : 1}\n"}), scripted.Text("a\xffb")}},
		"damaged history": {lines: append(reads(2), scripted.Text("done")), history: recordedRun()[1:4]},
		"no text":         {lines: append(reads(2), scripted.Text("done")), config: agent.Config{System: "sys\xfftem"}},
	} {
		model := test.options.New(test.lines...)
		test.config.Model, test.config.Tools = model, []tools.Tool{pages}
		trace, result := traced(t, test.config, agent.Task{Prompt: "prompt \xff <&>", History: test.history})
		got, err := readTrace(trace)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(model.Requests(), got); diff != "" {
			t.Errorf("%s: requests (-sent +rebuilt):\n%s", name, diff)
		}
		if len(got) < len(test.lines) || result.Context.Steps == 0 {
			t.Errorf("%s: %d requests, %d lines, %v", name, len(got), len(test.lines), result.Context)
		}
		want := map[string]bool{"compactions": true, "cheap": true, "ladder": true, "overflows": true, "reset": true, "refused": true, "repaired": true}[name]
		if want != (len(result.Compactions) > 0) {
			t.Errorf("%s: compactions %v", name, result.Compactions)
		}
		checkLines(t, name, trace)
	}
}

// traceFields are the fields that each event may have besides seq, ms, event, agent and step.
var traceFields = map[string]string{
	"started": "version time budget provider model", "noted": "note", "compacted": "compaction", "entries": "from entries",
	"request": "view_of repaired choice max_output schema messages sha256", "text": "text", "reasoning": "text", "retried": "attempt reason",
	"tool_started": "call", "tool_ended": "call abandoned error duration_ms", "warned": "warning",
	"summarized": "units tokens usage error duration_ms",
	"joined":     "text", "returned": "text stop steps usage error duration_ms",
	"stepped": "finish calls results window usage duration_ms", "done": "text stop steps usage error duration_ms context",
}

// checkLines holds each line to the fields that are documented.
func checkLines(t *testing.T, name string, trace []byte) {
	t.Helper()
	for i, raw := range bytes.Split(bytes.TrimSpace(trace), []byte("\n")) {
		var line map[string]any
		if err := json.Unmarshal(raw, &line); err != nil {
			t.Fatalf("%s: line %d: %v", name, i+1, err)
		}
		allowed := strings.Fields("seq ms event agent step " + traceFields[line["event"].(string)])
		for field := range maps.Keys(line) {
			if !slices.Contains(allowed, field) {
				t.Errorf("%s: line %d: %v has a field %q", name, i+1, line["event"], field)
			}
		}
		for _, field := range allowed[:5] {
			if _, ok := line[field]; !ok {
				t.Errorf("%s: line %d has no %q", name, i+1, field)
			}
		}
	}
}

// TestReadSome reads some requests of a trace: they are those that Read gives, and what they consist of adds up.
func TestReadSome(t *testing.T) {
	model := scripted.New(append(reads(40), scripted.Text("done"))...)
	trace, _ := traced(t, agent.Config{Model: model, Tools: []tools.Tool{pages}, Profile: contextwindow.Lean}, agent.Task{Prompt: "prompt"})
	sent, lines := model.Requests(), make(map[int]providers.Request)
	for r, err := range agenttrace.Read(bytes.NewReader(trace)) {
		if err != nil {
			t.Fatal(err)
		}
		lines[r.Line] = sent[len(lines)]
	}
	n := 0
	for r, err := range agenttrace.ReadSome(bytes.NewReader(trace), func(line int) bool { return line%2 == 0 }) {
		if n++; err != nil || r.Line%2 > 0 || !cmp.Equal(r.Request, lines[r.Line]) {
			t.Fatalf("line %d: %v", r.Line, err)
		}
		report, sum := r.Explain(), 0
		for _, s := range report.Sections {
			sum += s.Tokens
		}
		if sum != report.Tokens || report.Tokens > report.Limit || sum == 0 {
			t.Errorf("line %d: %d tokens in sections of %d, limit %d", r.Line, sum, report.Tokens, report.Limit)
		}
	}
	if n == 0 || n >= len(sent) {
		t.Errorf("%d of %d requests", n, len(sent))
	}
}

// smallTrace is a trace of three requests and what was sent.
func smallTrace(t *testing.T) ([]byte, []providers.Request) {
	model := scripted.New(append(reads(2), scripted.Text("done"))...)
	trace, _ := traced(t, agent.Config{Model: model, Tools: []tools.Tool{pages}}, agent.Task{Prompt: "prompt"})
	return trace, model.Requests()
}

// TestTornTrace cuts a trace at many bytes, as the end of a process does.
func TestTornTrace(t *testing.T) {
	if ostest.RaceDetector {
		t.Skip("one goroutine reads a trace thousands of times")
	}
	trace, sent := smallTrace(t)
	for size := 0; size < len(trace); size += 41 { // a prime
		got, err := readTrace(trace[:size])
		whole := bytes.Count(trace[:size], []byte(`"event":"request"`))
		if !errors.Is(err, agenttrace.ErrCut) || len(got) > whole || len(got) < whole-1 {
			t.Fatalf("%d of %d bytes: %d of %d requests, %v", size, len(trace), len(got), whole, err)
		}
		if size > 0 && trace[size-1] != '\n' && !strings.Contains(err.Error(), "is torn") {
			t.Fatalf("%d bytes: %v", size, err)
		}
		if len(got) > 0 && !cmp.Equal(got, sent[:len(got)]) {
			t.Fatalf("%d bytes: other requests", size)
		}
	}
}

func TestDamagedTrace(t *testing.T) {
	trace, _ := smallTrace(t)
	lines := strings.SplitAfter(string(trace), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, `"event":"request"`) })
	without := func(i int) string { return strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "") }
	for name, test := range map[string]struct {
		trace string
		want  string
		read  int
	}{
		"empty":             {"", "after line 0", 0},
		"no trace":          {"hello\nworld\n", "line 1 is not a trace line", 0},
		"other JSON":        {"[1]\n", "line 1 is not a trace line", 0},
		"other version":     {strings.Replace(string(trace), `"version":1`, `"version":2`, 1), "unsupported trace version 2", 0},
		"line is missing":   {without(at + 1), "lines are missing", 1},
		"first is missing":  {without(0), "line 1: seq is 2", 0},
		"other entries":     {strings.ReplaceAll(string(trace), "Package page1", "Package page9"), "5 messages, hash", 2},
		"other request":     {strings.Replace(string(trace), `"sha256":"`, `"sha256":"0`, 1), "want 1, 0", 0},
		"too many entries":  {strings.Replace(string(trace), `"view_of":`, `"view_of":9`, 1), "but the log has 2", 0},
		"below zero":        {strings.Replace(string(trace), `"view_of":`, `"view_of":-`, 1), "a request over -2 entries", 0},
		"damaged log":       {strings.Replace(string(trace), `"step":2,"messages"`, `"step":7,"messages"`, 1), "damaged log", 1},
		"another agent":     {strings.ReplaceAll(string(trace), `"agent":"agent","step":1`, `"agent":"b","step":1`), `of agent "b", which has not started`, 0},
		"entries elsewhere": {strings.Replace(string(trace), `"event":"entries","agent":"agent","step":1,`, `"event":"entries","agent":"agent","step":1,"from":3,`, 1), "entries start at 3, but the log has 0", 0},
	} {
		got, err := readTrace([]byte(test.trace))
		if err == nil || !strings.Contains(err.Error(), test.want) || len(got) != test.read {
			t.Errorf("%s: %d requests, %v; want %d, %q", name, len(got), err, test.read, test.want)
		}
	}
}

// full is a disk with so many bytes left.
type full struct {
	left  int
	short bool // it says that it wrote less, and no error
}

var errFull = errors.New("no space left on device")

func (f *full) Write(p []byte) (int, error) {
	n := min(len(p), f.left)
	f.left -= n
	if n < len(p) && !f.short {
		return n, errFull
	}
	return n, nil
}

func TestTraceThatCannotBeWrittenIsAWarning(t *testing.T) {
	for left := 0; left < 9_000; left += 1_500 {
		for _, disk := range []*full{{left: left}, {left: left, short: true}} {
			a, model := start(t, agent.Config{Tools: []tools.Tool{pages}}, append(reads(2), scripted.Text("done"))...)
			warned := 0
			var result *agent.Result
			for e, err := range agenttrace.Write(a.Stream(t.Context(), agent.Task{Prompt: "prompt"}), disk) {
				if err != nil {
					t.Fatal(err)
				}
				switch e := e.(type) {
				case agent.WarningRaised:
					warned++
				case agent.RunFinished:
					result = e.Result
				}
			}
			if result.Text != "done" || len(model.Requests()) != 3 || warned != 1 || len(result.Warnings) != 1 || !strings.HasPrefix(result.Warnings[0], "the trace ends at line ") {
				t.Errorf("%d bytes left: %q, %d warnings, %q", left, result.Text, warned, result.Warnings)
			}
		}
	}
}

func TestBreakingOffATracedRun(t *testing.T) {
	for _, w := range []io.Writer{&bytes.Buffer{}, &full{}} {
		a, model := start(t, agent.Config{}, scripted.Line{Text: "half", Hang: true})
		events := 0
		for range agenttrace.Write(a.Stream(context.Background(), agent.Task{Prompt: "prompt"}), w) {
			if events++; events == 4 {
				break
			}
		}
		if trace, ok := w.(*bytes.Buffer); ok {
			if got, err := readTrace(trace.Bytes()); !errors.Is(err, agenttrace.ErrCut) || len(got) != len(model.Requests()) {
				t.Errorf("%d requests read, %d sent: %v", len(got), len(model.Requests()), err)
			}
		}
	}
}

func FuzzReadTrace(f *testing.F) {
	model := scripted.New(append(reads(1), scripted.Text("done"))...)
	a, err := agent.New(agent.Config{Model: model, Tools: []tools.Tool{echo}})
	if err != nil {
		f.Fatal(err)
	}
	var trace bytes.Buffer
	for range agenttrace.Write(a.Stream(context.Background(), agent.Task{Prompt: "prompt"}), &trace) {
	}
	f.Add(trace.Bytes())
	f.Add([]byte("{}\n"))
	f.Add([]byte(`{"seq":1,"event":"started","version":1,"budget":{}}` + "\n" + `{"seq":2,"event":"request","messages":0,"sha256":"x"}`))
	f.Fuzz(func(t *testing.T, trace []byte) {
		requests := 0
		for r, err := range agenttrace.Read(bytes.NewReader(trace)) {
			if requests++; err != nil && r.Line != 0 {
				t.Errorf("a request beside the error %v", err)
			}
		}
		if lines := bytes.Count(trace, []byte("\n")); requests > lines+1 {
			t.Errorf("%d requests of %d lines", requests, lines)
		}
	})
}

func ExampleTrace() {
	a, err := agent.New(agent.Config{Model: scripted.New(scripted.Text("Hello."))})
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer // os.Create("trace.jsonl")
	for event, err := range agenttrace.Write(a.Stream(context.Background(), agent.Task{Prompt: "Say hello."}), &file) {
		if done, ok := event.(agent.RunFinished); ok {
			fmt.Println(done.Result.Text, err)
		}
	}
	for request, err := range agenttrace.Read(&file) {
		fmt.Println(request.Step, request.Request.Messages[0].Text, err)
	}
	// Output:
	// Hello. <nil>
	// 1 Say hello. <nil>
}
