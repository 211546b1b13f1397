package subject_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent/trace"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/subject"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
)

// open opens a subject whose models answer with a script.
func open(t *testing.T, spec string, script ...scripted.Line) trial.Subject {
	t.Helper()
	s, err := subject.Open(t.Context(), spec, subject.Env{
		Model: func(context.Context, string, int) (providers.Model, error) { return scripted.New(script...), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// source is a small tree.
func source(t *testing.T) string {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"retry.go": "package shop\n\n// Retry calls fn again until it succeeds, at most three times.\nfunc Retry(fn func() error) error {\n" +
			"\tvar err error\n\tfor range 3 {\n\t\tif err = fn(); err == nil {\n\t\t\treturn nil\n\t\t}\n\t}\n\treturn err\n}\n",
		"main.go": "package shop\n\nfunc Main() error { return Retry(func() error { return nil }) }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRules(t *testing.T) {
	for _, spec := range []string{"rules", "insight"} {
		var events bytes.Buffer
		s := open(t, spec)
		o, err := s.Do(t.Context(), trial.Input{
			Task: &task.Task{ID: "t", Prompt: "How often does Retry call fn?"}, Trial: 1, Dir: source(t), Trace: &events,
		})
		if err != nil {
			t.Fatal(spec, err)
		}
		if spec == "rules" && !strings.Contains(o.Answer, "retry.go") || o.Answer == "" || o.Steps == 0 || len(o.Calls) == 0 {
			t.Errorf("%s: %+v", spec, o)
		}
		if o.Cost != 0 || o.Usage != (providers.Usage{}) {
			t.Errorf("%s: it cost something: %+v", spec, o)
		}
		if spec == "rules" && requests(t, &events) == 0 {
			t.Errorf("%s: no trace", spec)
		}
		if _, err := s.Do(t.Context(), trial.Input{Task: &task.Task{ID: "t"}, Trial: 1, Trace: &events}); err == nil {
			t.Errorf("%s: no error without files", spec)
		}
	}
}

// requests counts the requests of a trace, which rebuild.
func requests(t *testing.T, events *bytes.Buffer) (n int) {
	t.Helper()
	for _, err := range trace.Read(events) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

func TestModel(t *testing.T) {
	var events bytes.Buffer
	s := open(t, "model:openai/gpt-4.1@16000+lean", scripted.Text("forty-two"))
	history := []transcript.Message{{Role: transcript.User, Text: "The number is 42."}, {Role: transcript.Assistant, Text: "Noted."}}
	o, err := s.Do(t.Context(), trial.Input{
		Task: &task.Task{ID: "t", Prompt: "Which number?", System: "Answer in words.", Messages: history}, Trial: 1, Trace: &events,
	})
	if err != nil || o.Answer != "forty-two" || o.Steps != 1 || len(o.View) != 3 || o.Stop != "answered" || o.Usage.Input == 0 {
		t.Errorf("%+v, %v", o, err)
	}
	if requests(t, &events) != 1 {
		t.Error("no request in the trace")
	}
	o, err = open(t, "model:openai/gpt-4.1").Do(t.Context(), trial.Input{Task: &task.Task{Prompt: "?"}, Trace: &events})
	if err == nil {
		t.Errorf("a model without an answer: %+v", o)
	}
}

// session is a conversation with n calls whose results are large, and a rule at its beginning.
func session(n int) *task.Task {
	t := &task.Task{ID: "s", Prompt: "Go on.", System: "You are careful.", Messages: []transcript.Message{
		{Role: transcript.User, Text: "Never touch the file ledger.db. Look at all parts."},
	}}
	for i := range n {
		id := fmt.Sprint("call", i)
		t.Messages = append(t.Messages, transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{
			{ID: id, Name: "read_file", Args: json.RawMessage(fmt.Sprintf(`{"path":"part%d.txt"}`, i))}}},
			transcript.Message{Role: transcript.Tool, CallID: id, Name: "read_file", Text: strings.Repeat(fmt.Sprintf("line of part %d\n", i), 300),
				Failed: i == 3})
	}
	return t
}

// A model gets no more of a long conversation than the window of its task, unless its spec has another.
func TestTaskWindow(t *testing.T) {
	for spec, small := range map[string]bool{"model:openai/gpt-4.1": true, "model:openai/gpt-4.1@64000": false} {
		long := session(12)
		long.Window = 4000
		var events bytes.Buffer
		_, err := open(t, spec, scripted.Text("done")).Do(t.Context(), trial.Input{Task: long, Trial: 1, Trace: &events})
		if first, _, _ := strings.Cut(events.String(), "\n"); err != nil || strings.Contains(first, `"limit":4000`) != small {
			t.Errorf("%s: %v, %s", spec, err, first)
		}
	}
}

// The window of a model grows with the conversation, so that what it holds does not depend on the question: a server
// finds it in its cache when the next question is asked. The trace says what was evicted on the way.
func TestWindowGrowsWithTheConversation(t *testing.T) {
	for _, profile := range []string{"lean", "ladder", "off"} {
		var views [][]transcript.Message
		for _, prompt := range []string{"Go on.", strings.Repeat("Which file must nobody touch? ", 20)} {
			long := session(20)
			long.Window, long.Prompt = 6000, prompt
			var events bytes.Buffer
			s := open(t, "model:openai/gpt-4.1+"+profile, scripted.Text("done"))
			o, err := s.Do(t.Context(), trial.Input{Task: long, Trial: 1, Trace: &events})
			if err != nil {
				t.Fatal(profile, err)
			}
			last := len(o.View) - 1
			if o.View[last].Text != prompt {
				t.Errorf("%s: %d messages, the last %.40q", profile, last+1, o.View[last].Text)
			}
			if profile != "lean" && !strings.Contains(events.String(), `"event":"compacted"`) { // lean need not compact here
				t.Errorf("%s: no compaction in the trace: %.200s", profile, events.String())
			}
			if requests(t, &events) != 1 {
				t.Errorf("%s: the trace has no request", profile)
			}
			views = append(views, o.View[:last])
		}
		if diff := gocmp.Diff(views[0], views[1]); diff != "" {
			t.Errorf("%s: %s", profile, diff)
		}
	}
}

// Each policy plays a session within its budget, except the one that drops nothing; those of foray have a trace.
func TestPolicy(t *testing.T) {
	for _, name := range []string{"lean", "ladder", "none", "trim", "codex"} {
		var events bytes.Buffer
		o, err := open(t, "policy:"+name+"@6000").Do(t.Context(), trial.Input{Task: session(40), Trial: 1, Trace: &events})
		if err != nil {
			t.Fatal(name, err)
		}
		text := ""
		for _, m := range o.View {
			text += m.Text
		}
		if tokens := len(text) / 4; (tokens > 6600) != (name == "none") {
			t.Errorf("%s: the last request has %d tokens", name, tokens)
		}
		if o.Steps != 41 || len(o.Calls) != 40 || !o.Calls[3].Failed || o.Usage.Input < 41*100 ||
			name != "trim" && !strings.Contains(text, "ledger.db") {
			t.Errorf("%s: %d steps, %d calls, %+v", name, o.Steps, len(o.Calls), o.Usage)
		}
		if u := o.Usage; u.Cached <= 0 || u.Cached >= u.Input || name == "none" && u.Input-u.Cached > 2*len(text)/4 {
			t.Errorf("%s: of %d tokens, %d were cached, and the last request has %d", name, u.Input, u.Cached, len(text)/4)
		}
		own := contextwindow.Profile(name) == contextwindow.Lean || contextwindow.Profile(name) == contextwindow.Ladder
		if own != (events.Len() > 0) || own && requests(t, &events) != 41 {
			t.Errorf("%s: another number of requests in the trace", name)
		}
	}
}

func TestRecording(t *testing.T) {
	dir := t.TempDir()
	asks := []json.RawMessage{json.RawMessage(`{"kind":"contains","all":["?"]}`)}
	set := &task.Set{Name: "s", Tasks: []task.Task{{ID: "a", Prompt: "A?", Checks: asks}, {ID: "b", Prompt: "B?", Checks: asks}}}
	say := func(text string) trial.Subject {
		return trial.Subject{Name: text, Do: func(_ context.Context, in trial.Input) (*check.Outcome, error) {
			if in.Task.ID == "b" {
				return nil, &trial.Failure{Class: trial.Provider, Text: "down"}
			}
			return &check.Outcome{Answer: text + in.Task.Prompt, Steps: in.Trial}, nil
		}}
	}
	if _, err := trial.Run(t.Context(), trial.Plan{Set: set, Dir: dir, Trials: 2, Subjects: []trial.Subject{say("one"), say("two")}}); err != nil {
		t.Fatal(err)
	}
	if _, err := subject.Open(t.Context(), "recording:"+dir, subject.Env{}); err == nil || !strings.Contains(err.Error(), "#one, #two") {
		t.Errorf("two subjects: %v", err)
	}
	if _, err := subject.Open(t.Context(), "recording:"+dir+"#three", subject.Env{}); err == nil || !strings.Contains(err.Error(), "one, two") {
		t.Errorf("another subject: %v", err)
	}
	s := open(t, "recording:"+filepath.Join(dir, "results.jsonl")+"#two")
	o, err := s.Do(t.Context(), trial.Input{Task: &set.Tasks[0], Trial: 2})
	if err != nil || o.Answer != "twoA?" || o.Steps != 2 || o.Took <= 0 {
		t.Errorf("%+v, %v", o, err)
	}
	o.Dir = t.TempDir() // a working copy is made for each trial, but the recorded run did not change this one
	for _, text := range []string{`{"kind":"files","missing":["a"]}`, `{"kind":"command","argv":["true"]}`} {
		c, err := check.Parse(json.RawMessage(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		if v := check.Judge(t.Context(), []check.Check{c}, o)[0]; !strings.Contains(v.Err, "a recording holds no files") {
			t.Errorf("%s judges the working copy: %+v", text, v)
		}
	}
	var failed *trial.Failure
	if _, err = s.Do(t.Context(), trial.Input{Task: &set.Tasks[1], Trial: 1}); !errors.As(err, &failed) || failed.Class != trial.Provider {
		t.Errorf("a recorded failure: %v", err)
	}
	if _, err = s.Do(t.Context(), trial.Input{Task: &set.Tasks[1], Trial: 3}); err == nil {
		t.Error("a trial that is not recorded")
	}
}

// A trace of a run of foray, and a session in the form of chat services, are recordings.
func TestRecordedSessions(t *testing.T) {
	var events bytes.Buffer
	want, err := open(t, "rules").Do(t.Context(), trial.Input{Task: &task.Task{ID: "t", Prompt: "How often does Retry call fn?"}, Dir: source(t), Trace: &events})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	chat := filepath.Join(t.TempDir(), "runs.jsonl")
	if err := errors.Join(os.WriteFile(path, events.Bytes(), 0o600), os.WriteFile(chat, []byte(
		`{"id":"t","messages":[{"role":"user","content":"Q"},{"role":"assistant","content":"the answer"}]}`+"\n"+
			`{"id":"u","messages":[{"role":"user","content":"Q"},{"role":"assistant","content":"another"}]}`+"\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	o, err := open(t, "recording:"+path).Do(t.Context(), trial.Input{Task: &task.Task{ID: "any"}})
	if err != nil || len(o.Calls) != len(want.Calls) || len(o.View) == 0 {
		t.Errorf("%v: %d calls, want %d", err, len(o.Calls), len(want.Calls))
	}
	s := open(t, "recording:"+chat)
	if o, err = s.Do(t.Context(), trial.Input{Task: &task.Task{ID: "u"}}); err != nil || o.Answer != "another" {
		t.Errorf("%+v, %v", o, err)
	}
	if _, err = s.Do(t.Context(), trial.Input{Task: &task.Task{ID: "v"}}); err == nil {
		t.Error("a session that is not there")
	}
}

// Each spec that cannot work is refused at once, with what to write instead.
func TestRefused(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.jsonl")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for spec, want := range map[string]string{
		"":                        "a subject is one of",
		"rulez":                   "did you mean rules?",
		"openai/gpt-4.1":          "write model:openai/gpt-4.1",
		"rules:x":                 "write it as rules",
		"model:":                  "model:PROVIDER/NAME",
		"model:openai/x@many":     "number of tokens",
		"model:openai/x+leen":     "available: [",
		"policy:leen":             "available: none, ",
		"policy:lean@9":           "at least 500",
		"policy:all":              "unknown policy",
		"exec:":                   "exec:COMMAND ARGS",
		"exec:'":                  "quote",
		"exec:no-such-program-90": "no-such-program-90",
		"recording:/no/such/file": "no such file",
		"recording:" + empty:      "neither results",
	} {
		_, err := subject.Open(t.Context(), spec, subject.Env{})
		if spec == "model:openai/x@many" || spec == "model:openai/x+leen" {
			_, err = subject.Open(t.Context(), spec, subject.Env{Model: func(context.Context, string, int) (providers.Model, error) { return nil, nil }})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", spec, err, want)
		}
	}
}

func TestSplit(t *testing.T) {
	got := subject.Split("rules, model:openai/a@8000+lean,exec:./agent --x a,b,policy:lean,nonsense")
	want := []string{"rules", "model:openai/a@8000+lean", "exec:./agent --x a,b", "policy:lean", "nonsense"}
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("%q, want %q", got, want)
	}
}
