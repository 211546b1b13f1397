package textcalls_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/providers/textcalls"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var search = transcript.ToolSchema{Name: "search", Schema: []byte(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`)}

const written = `{"name": "search", "arguments": {"query": "retry"}}`

func request() *providers.Request {
	return &providers.Request{
		Messages: []transcript.Message{{Role: transcript.User, Text: "Where are requests retried?"}},
		Tools:    []transcript.ToolSchema{search},
	}
}

// A model of a local server writes its calls into fences. The layer makes them calls.
func ExampleNew() {
	model := textcalls.New(scripted.New(scripted.Text("Let me look.\n```json\n"+written+"\n```")),
		&textcalls.Options{Notify: func(line string) { fmt.Println(line) }})
	answer, err := providers.Ask(context.Background(), model, request())
	fmt.Printf("%q %s %v\n", answer.Message.Text, answer.Finish, err)
	for _, call := range answer.Message.Calls {
		fmt.Println(call.ID, call.Name, string(call.Args))
	}
	// Output:
	// scripted/script writes its calls as text (fenced JSON); foray reads them
	// "Let me look.\n" calls <nil>
	// call_1_1 search {"query":"retry"}
}

// TestStreams compares answers through the layer with those of the model.
func TestStreams(t *testing.T) {
	lines := map[string]scripted.Line{
		"text":        scripted.Text("A long answer. {It} has <all> `kinds` [of] brackets."),
		"a call":      scripted.Calls(scripted.Call{Name: "search", Args: map[string]any{"query": "x"}}),
		"reasoning":   {Text: "so", Reasoning: "well"},
		"usage":       {Text: "so", Usage: providers.Usage{Input: 10, Output: 2}},
		"length":      {Text: written[:30], Finish: providers.Length},
		"an error":    scripted.Fail(providers.Overflow),
		"broken":      scripted.Broken("half of a long answer <tool_call>"),
		"never ended": scripted.Malformed(scripted.Faults()[0]),
	}
	for _, fault := range scripted.Faults() {
		lines["malformed: "+fmt.Sprint(fault)] = scripted.Malformed(fault)
	}
	for name, l := range lines {
		want, wantErr := providers.Ask(t.Context(), scripted.New(l), request())
		got, err := providers.Ask(t.Context(), textcalls.New(scripted.New(l), nil), request())
		if diff := cmp.Diff(want, got); diff != "" || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%s: %v, want %v\n%s", name, err, wantErr, diff)
		}
	}
}

// TestMixed has a call of the service beside one in the text, and a caller who breaks off after each delta.
func TestMixed(t *testing.T) {
	l := scripted.Line{Text: "I look.\n<tool_call>" + written + "</tool_call>\nDone.", Usage: providers.Usage{Input: 9, Output: 3},
		Calls: []scripted.Call{{Name: "search", Args: map[string]any{"query": "own"}}}}
	got, err := providers.Ask(t.Context(), textcalls.New(scripted.New(l), nil), request())
	if err != nil || len(got.Message.Calls) != 2 || got.Message.Calls[0].ID == got.Message.Calls[1].ID || got.Message.Text != "I look.\nDone." || got.Usage.Input != 9 || got.Finish != providers.Calls {
		t.Errorf("%+v, %v", got, err)
	}
	for most := 1; most < 6; most++ {
		n := 0
		for range textcalls.New(scripted.New(l), nil).Stream(t.Context(), request()) {
			if n++; n == most {
				break
			}
		}
	}
}

// enforcing returns a model whose server enforces schemas.
func enforcing(lines ...scripted.Line) *scripted.Model {
	return scripted.Options{Info: providers.Info{Provider: "scripted", Name: "script", StructuredOutput: true}}.New(lines...)
}

func TestProbe(t *testing.T) {
	for want, l := range map[string]scripted.Line{
		textcalls.Native: scripted.Calls(scripted.Call{Name: "echo", Args: map[string]any{"text": "ping"}}),
		"<tools>":        scripted.Text(`<tools>{"name": "echo", "arguments": {"text": "ping"}}</tools>`),
		"":               scripted.Text("ping"),
		textcalls.Schema: scripted.Func(func(req *providers.Request) scripted.Line {
			if req.Schema == nil {
				return scripted.Text("ping")
			}
			return scripted.Text(`{"tool": "echo", "arguments": {"text": "ping"}}`)
		}),
	} {
		if got, err := textcalls.Probe(t.Context(), enforcing(scripted.Repeat(0, l))); got != want || err != nil {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	endless := scripted.Line{Text: `<tools>{"name": "echo", "arguments": {"text": "ping"}}</tools> And more, and`,
		Err: &providers.Error{Class: providers.TooLong}}
	if got, err := textcalls.Probe(t.Context(), enforcing(scripted.Repeat(0, endless))); got != "<tools>" || err != nil {
		t.Errorf("an answer without an end: %q, %v", got, err)
	}
	if _, err := textcalls.Probe(t.Context(), enforcing(scripted.Fail(providers.Auth))); providers.ClassOf(err) != providers.Auth {
		t.Errorf("no error: %v", err)
	}
}

// conversation is one in which a tool was called.
func conversation() *providers.Request {
	req := request()
	req.System = "You explore code."
	req.Messages = append(req.Messages,
		transcript.Message{Role: transcript.Assistant, Text: "I look.", Calls: []transcript.ToolCall{{ID: "call_1_1", Name: "search", Args: []byte(`{"query":"retry, \": or"}`)}, {ID: "call_1_2", Name: "search"}}},
		transcript.Message{Role: transcript.Tool, CallID: "call_1_1", Name: "search", Text: "retry.go:12"},
		transcript.Message{Role: transcript.Tool, CallID: "call_1_2", Name: "search"},
		transcript.Message{Role: transcript.User, Text: "And the limits?"})
	return req
}

// show writes a request as a model reads it.
func show(req providers.Request) string {
	text := fmt.Sprintf("tools %d, choice %q, schema %s\nsystem: %s\n", len(req.Tools), req.Choice, req.Schema, req.System)
	for _, m := range req.Messages {
		text += fmt.Sprintf("%s: %s", m.Role, m.Text)
		for _, c := range m.Calls {
			text += " " + c.Name + string(c.Args)
		}
		text += "\n"
	}
	return text
}

func TestRequests(t *testing.T) {
	const system = "You explore code.\n\nYou can call these tools:\n- search(query: string): Searches.\n\n"
	for calls, want := range map[string]string{
		textcalls.Text: `tools 0, choice "", schema ` + "\nsystem: " + system + "To call a tool, write nothing but a call in this form, and wait for its result:\n" +
			"<tool_call>\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>\nuser: Where are requests retried?\nassistant: I look.\n" +
			"<tool_call>\n{\"name\": \"search\", \"arguments\": {\"query\": \"retry, \\\": or\"}}\n</tool_call>\n<tool_call>\n{\"name\": \"search\", \"arguments\": {}}\n</tool_call>\n" +
			"user: <tool_response>\nretry.go:12\n</tool_response>\n\n<tool_response>\n(no output)\n</tool_response>\n\nAnd the limits?\n",
		textcalls.Schema: `tools 0, choice "", schema {"anyOf":[{"type":"object","properties":{"tool":{"const":"search"},"arguments":{"type":"object","properties":{"query":{"type":"string"}},"required":["query"],"additionalProperties":false}},"required":["tool","arguments"],"additionalProperties":false},{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"],"additionalProperties":false}]}` +
			"\nsystem: " + system + `Write one JSON object: {"tool": NAME, "arguments": {…}} calls a tool, {"answer": TEXT} answers.` +
			"\nuser: Where are requests retried?\nassistant: I look.\n{\"tool\": \"search\", \"arguments\": {\"query\": \"retry, \\\": or\"}}\n{\"tool\": \"search\", \"arguments\": {}}\n" +
			"user: Result of search:\nretry.go:12\n\nResult of search:\n(no output)\n\nAnd the limits?\n",
		textcalls.Auto: show(*conversation()),
	} {
		model := enforcing(scripted.Text("none"))
		req := conversation()
		req.Tools[0].Description = "Searches."
		before := show(*req)
		if _, err := providers.Ask(t.Context(), textcalls.New(model, &textcalls.Options{Calls: calls}), req); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, show(model.Requests()[0])); diff != "" {
			t.Errorf("%s:\n%s", calls, diff)
		}
		if show(*req) != before {
			t.Errorf("%s: the request was modified", calls)
		}
	}
}

// TestActions streams actions, and what a server answers that ignores the schema.
func TestActions(t *testing.T) {
	for text, want := range map[string]string{
		`{"tool": "search", "arguments": {"query": "x"}}`:  ` search{"query":"x"}`,
		`{"answer": "In retry.go:12.\n\"So\" 😀 é \u00e9"}`: "In retry.go:12.\n\"So\" 😀 é é",
		`{"answer": ""}`:                  "",
		`{"answer": "cut of`:              "cut of",
		`{"answers": "x"}`:                `{"answers": "x"}`,
		`In retry.go.`:                    `In retry.go.`,
		"```json\n{}\n```":                "```json\n{}\n```",
		`{"answer": {"a":1}}`:             `{"answer": {"a":1}}`,
		`{"tool": "no", "arguments": {}}`: `{"tool": "no", "arguments": {}}`,
	} {
		for n := 1; n < len(text)+2; n += 1 + n/3 {
			var deltas []providers.Delta
			for rest := text; rest != ""; rest = rest[min(n, len(rest)):] {
				deltas = append(deltas, providers.Delta{Text: rest[:min(n, len(rest))]})
			}
			model := enforcing(scripted.Deltas(append(deltas, providers.Delta{Finish: providers.Stop})...))
			got, err := providers.Ask(t.Context(), textcalls.New(model, &textcalls.Options{Calls: textcalls.Schema}), request())
			shown := got.Message.Text
			for _, c := range got.Message.Calls {
				shown += " " + c.Name + string(c.Args)
			}
			if shown != want || err != nil {
				t.Errorf("%q in pieces of %d: %q, %v, want %q", text, n, shown, err, want)
				break
			}
		}
	}
}

// TestAuto has models that call in each way, and what their later requests look like.
func TestAuto(t *testing.T) {
	fenced := scripted.Text("```json\n" + written + "\n```")
	for name, c := range map[string]struct {
		choice providers.ToolChoice
		lines  []scripted.Line
		calls  int    // in the first answer
		next   string // in the second request
		not    string
		said   string
	}{
		"native":           {"", []scripted.Line{scripted.Calls(scripted.Call{Name: "search", Args: map[string]any{"query": "x"}})}, 1, "assistant: I look. search{", "```", ""},
		"written":          {"", []scripted.Line{fenced}, 1, "```json\n{\"name\": \"search\", \"arguments\": {\"query\": \"retry, \\\": or\"}}", "<tool_response>", "as text (fenced JSON)"},
		"tags":             {"", []scripted.Line{scripted.Text("<tool_call>" + written + "</tool_call>")}, 1, "<tool_response>\nretry.go:12", "You can call", "as text (<tool_call>)"},
		"no tools":         {"", []scripted.Line{refusal("m does not support tools"), scripted.Text("<tool_call>" + written + "</tool_call>")}, 1, "tools 0", "I look. search{", "without tools"},
		"required, absent": {providers.Required, []scripted.Line{{Text: "I would search.", Usage: providers.Usage{Input: 5, Output: 2}}, {Text: `{"tool": "search", "arguments": {"query": "x"}}`, Usage: providers.Usage{Input: 7, Output: 3}}}, 1, `{"tool": "search"`, "I look. search{", "JSON schema"},
		"no schemas":       {providers.Required, []scripted.Line{scripted.Text("In retry.go."), refusal("unknown field response_format")}, 0, "I look. search{", "```", ""},
		"an answer":        {"", []scripted.Line{scripted.Text("In retry.go.")}, 0, "assistant: I look. search{", "```", ""},
	} {
		file := filepath.Join(t.TempDir(), "dir", "calls.json")
		var said []string
		o := &textcalls.Options{File: file, Key: "http://here m", Notify: func(line string) { said = append(said, line) }}
		model := enforcing(append(c.lines, scripted.Repeat(0, scripted.Text("Done.")))...)
		first := request()
		first.Choice = c.choice
		got, err := providers.Ask(t.Context(), textcalls.New(slow{model}, o), first)
		if err != nil || len(got.Message.Calls) != c.calls || c.calls > 0 && got.Finish != providers.Calls {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if want := (providers.Usage{Input: 12, Output: 5}); got.Usage.Input > 0 && got.Usage != want {
			t.Errorf("%s: usage %+v, want %+v", name, got.Usage, want)
		}
		if line := strings.Join(said, "\n"); !strings.Contains(line, c.said) || (line == "") != (c.said == "") || len(said) > 1 {
			t.Errorf("%s: %q", name, said)
		}
		other := textcalls.New(model, o) // another process, which reads the file
		if _, err := providers.Ask(t.Context(), other, conversation()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		next := show(model.Requests()[len(c.lines)])
		if !strings.Contains(next, c.next) || strings.Contains(next, c.not) {
			t.Errorf("%s: the next request is\n%s", name, next)
		}
	}
}

// TestSchemaRefused has a server that refuses a schema after it took others.
func TestSchemaRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "calls.json")
	if err := os.WriteFile(file, []byte(`{"k": "schema"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	model := enforcing(refusal("failed to parse grammar"), scripted.Text("<tool_call>"+written+"</tool_call>"))
	got, err := providers.Ask(t.Context(), textcalls.New(slow{model}, &textcalls.Options{File: file, Key: "k"}), request())
	if err != nil || len(got.Message.Calls) != 1 || model.Requests()[1].Schema != nil {
		t.Errorf("%+v, %v", got, err)
	}
	if raw, _ := os.ReadFile(file); !strings.Contains(string(raw), `"text"`) {
		t.Errorf("the file holds %s", raw)
	}
}

// A slow model says first what its server reads.
type slow struct{ providers.Model }

func (m slow) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		if !yield(providers.Delta{Reading: &providers.Reading{Tokens: 900}}, nil) {
			return
		}
		m.Model.Stream(ctx, req)(yield)
	}
}

func refusal(text string) scripted.Line {
	l := scripted.Fail(providers.Invalid)
	l.Err = &providers.Error{Class: providers.Invalid, Status: 400, Err: errors.New(text)}
	return l
}

// TestMemory damages the file.
func TestMemory(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"empty": "", "null": "null", "a list": "[1]", "unknown": `{"k": "telepathy"}`, "half": `{"k": "text", `} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		model := enforcing(scripted.Repeat(0, scripted.Text("<tools>"+written+"</tools>")))
		got, err := providers.Ask(t.Context(), textcalls.New(model, &textcalls.Options{File: file, Key: "k"}), request())
		if err != nil || len(got.Message.Calls) != 1 || len(model.Requests()[0].Tools) != 1 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if raw, _ := os.ReadFile(file); !strings.Contains(string(raw), `"k": "<tools>"`) && !strings.Contains(string(raw), `tools`) {
			t.Errorf("%s: the file holds %s", name, raw)
		}
	}
	model := enforcing(scripted.Text("<tools>" + written + "</tools>"))
	if _, err := providers.Ask(t.Context(), textcalls.New(model, &textcalls.Options{File: dir, Key: "k"}), request()); err != nil {
		t.Errorf("a directory for the file: %v", err)
	}
}
