package providers_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

func TestArguments(t *testing.T) {
	for _, tt := range []struct{ text, args, unparsed string }{
		{`{"path":"a.go"}`, `{"path":"a.go"}`, ""},
		{" {\n \"a\" : 1 } \n", "{\n \"a\" : 1 }", ""},
		{"", `{}`, ""},
		{" \n", `{}`, ""},
		{`{"path": "a.g`, `"{\"path\": \"a.g"`, `{"path": "a.g`},
		{`{"a":1}{"b":2}`, `"{\"a\":1}{\"b\":2}"`, `{"a":1}{"b":2}`},
		{`[1]`, `"[1]"`, `[1]`},
		{`null`, `"null"`, `null`},
		{`"quoted"`, `"\"quoted\""`, `"quoted"`},
		{"<tool>&", `"<tool>&"`, "<tool>&"},
		{"\xff", `"` + "\uFFFD" + `"`, "\uFFFD"},
	} {
		args := providers.Arguments(tt.text)
		unparsed, bad := providers.Unparsed(args)
		if string(args) != tt.args || unparsed != tt.unparsed || bad != (tt.unparsed != "") {
			t.Errorf("%q: args %s, unparsed %q %v", tt.text, args, unparsed, bad)
		}
	}
}

func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{"a":1}`, `{"a":`, "", "null", "\x00", "{\"\xff\":1}", `{"a":"😀"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		args := providers.Arguments(text)
		if !json.Valid(args) || !utf8.Valid(args) {
			t.Fatalf("%q gives %q, which cannot be stored", text, args)
		}
		if _, err := json.Marshal(transcript.ToolCall{Args: args}); err != nil {
			t.Fatal(err)
		}
		var object map[string]json.RawMessage
		unparsed, bad := providers.Unparsed(args)
		if parses := json.Unmarshal(args, &object) == nil; parses == bad {
			t.Errorf("%q: is an object %v, unparsed %v", text, parses, bad)
		}
		if bad && unparsed != strings.ToValidUTF8(text, "\uFFFD") {
			t.Errorf("%q came back as %q", text, unparsed)
		}
	})
}

func TestNextStepIsAfterAllIDsOfTheConversation(t *testing.T) {
	calls := func(ids ...string) transcript.Message {
		m := transcript.Message{Role: transcript.Assistant}
		for _, id := range ids {
			m.Calls = append(m.Calls, transcript.ToolCall{ID: id})
		}
		return m
	}
	user := transcript.Message{Role: transcript.User, Text: "call_9_9"}
	for _, tt := range []struct {
		name string
		ms   []transcript.Message
		want int
	}{
		{"nothing yet", nil, 1},
		{"a prompt", []transcript.Message{user}, 1},
		{"two steps", []transcript.Message{user, calls("call_1_1"), calls("call_2_1", "call_2_2"), user}, 3},
		{"a step of another provider last", []transcript.Message{calls("call_4_1"), calls("toolu_1")}, 5},
		{"one generated beside one given", []transcript.Message{calls("abc", "call_7_2")}, 8},
		{"alike, but not ours", []transcript.Message{calls("call_1", "call_x_1", "call_0_1", "call_-3_1", "call_2_x", "call_99999999999_1")}, 1},
	} {
		if got := providers.NextStep(tt.ms); got != tt.want {
			t.Errorf("%s: step %d, want %d", tt.name, got, tt.want)
		}
	}
}
