package textcalls

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// tools are what the tests offer.
var tools = &offer{schemas: &schemas{}, tools: []transcript.ToolSchema{
	{Name: "list_dir", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"depth":{"type":"integer","minimum":1}},"additionalProperties":false}`)},
	{Name: "search", Schema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"},"exact":{"type":"boolean"},"paths":{"type":"array","items":{"type":"string"}}},"required":["query"],"additionalProperties":false}`)},
}}

// read reads an answer in pieces of n bytes. It returns the text, and the calls as name, arguments and form.
func read(t testing.TB, text string, n int, cut bool) (string, []string) {
	t.Helper()
	r := newReader(tools, false)
	defer r.stop()
	var out strings.Builder
	for rest := text; rest != ""; {
		k := min(n, len(rest))
		out.WriteString(r.add(rest[:k]))
		rest = rest[k:]
	}
	last, found := r.end(cut)
	out.WriteString(last)
	var calls []string
	for _, f := range found {
		if !json.Valid(f.args) || !tools.has(f.name) {
			t.Errorf("%q: a call of %q with %s", text, f.name, f.args)
		}
		calls = append(calls, fmt.Sprint(f.name, string(f.args), " ", f.form.name))
	}
	return out.String(), calls
}

const (
	arguments = `{"query":"retry"}`
	object    = `{"name": "search", "arguments": {"query": "retry"}}`
	listing   = `{"name": "list_dir", "arguments": {"path": "."}}`
)

// TestForms has a case for each row of the table, and for each repair.
func TestForms(t *testing.T) {
	one := func(form string) []string { return []string{"search" + arguments + " " + form} }
	two := func(form string) []string { return append(one(form), `list_dir{"path":"."} `+form) }
	for name, c := range map[string]struct {
		text, rest string
		want       []string
	}{
		"hermes":                {"<tool_call>\n" + object + "\n</tool_call>", "", one("<tool_call>")},
		"hermes, words before":  {"I look.\n<tool_call>\n" + object + "\n</tool_call>\n", "I look.\n", one("<tool_call>")},
		"hermes, words after":   {"<tool_call>" + object + "</tool_call>\nThen I answer.", "Then I answer.", one("<tool_call>")},
		"hermes, same line":     {"I look: <tool_call>" + object + "</tool_call>", "I look: ", one("<tool_call>")},
		"hermes twice":          {"<tool_call>\n" + object + "\n</tool_call>\n<tool_call>\n" + listing + "\n</tool_call>", "", two("<tool_call>")},
		"hermes, two in one":    {"<tool_call>\n" + object + "\n" + listing + "\n</tool_call>", "", two("<tool_call>")},
		"hermes, open":          {"<tool_call>\n" + object, "", one("<tool_call>")},
		"hermes, brace missing": {"<tool_call>\n" + object[:len(object)-1] + "\n</tool_call>", "", one("<tool_call>")},
		"hermes, no arguments":  {`<tool_call>{"name": "list_dir"}</tool_call>`, "", []string{"list_dir{} <tool_call>"}},
		"hermes, misfit":        {`<tool_call>{"name": "search", "arguments": {"q": 1}}</tool_call>`, "", []string{`search{"q":1} <tool_call>`}},
		"tools":                 {"<tools>\n" + object + "\n</tools>", "", one("<tools>")},
		"tools, a list":         {"<tools>[" + object + ", " + listing + "]</tools>", "", two("<tools>")},
		"function":              {"<function=search>" + arguments + "</function>", "", one("<function=…>")},
		"function, parameters":  {"<function=search>\n<parameter=query>\nretry\n</parameter>\n</function>\n</tool_call>", "", one("<function=…>")},
		"qwen3-coder":           {"<tool_call>\n<function=search>\n<parameter=query>\na < b\n</parameter>\n<parameter=limit>\n5\n</parameter>\n<parameter=paths>[\"a\"]</parameter>\n</function>\n</tool_call>", "", []string{`search{"limit":5,"paths":["a"],"query":"a < b"} <tool_call>`}},
		"mistral":               {"[TOOL_CALLS][" + object + ", " + listing + "]", "", two("[TOOL_CALLS]")},
		"mistral 11":            {"[TOOL_CALLS]search[ARGS]" + arguments + `[TOOL_CALLS]list_dir[CALL_ID]a1[ARGS]{"path":"."}`, "", two("[TOOL_CALLS]")},
		"llama":                 {`<|python_tag|>{"name": "search", "parameters": {"query": "retry"}}; ` + listing, "", two("<|python_tag|>")},
		"fence":                 {"```json\n" + object + "\n```", "", one("fenced JSON")},
		"fence, words before":   {"Let me look.\n\n```json\n" + object + "\n```\n", "Let me look.\n\n", one("fenced JSON")},
		"fence without a word":  {"```\n" + object + "\n```", "", one("fenced JSON")},
		"fence in one line":     {"```json" + object + "```", "", one("fenced JSON")},
		"fence of tags":         {"```xml\n<tool_call>" + object + "</tool_call>\n```", "", one("fenced JSON")},
		"fence, open":           {"```json\n" + object, "", one("fenced JSON")},
		"two fences":            {"```json\n" + object + "\n```\n```json\n" + listing + "\n```", "", two("fenced JSON")},
		"fence of two":          {"```json\n" + object + "\n" + listing + "\n```", "", two("fenced JSON")},
		"bare":                  {object, "", one("bare JSON")},
		"bare, several lines":   {"{\n  \"name\": \"search\",\n  \"arguments\": {\n    \"query\": \"retry\"\n  }\n}\n", "", one("bare JSON")},
		"bare, words before":    {"I search: " + object, "I search: ", one("bare JSON")},
		"bare list":             {"[" + object + "," + listing + "]", "", two("bare JSON")},
		"bare twice":            {object + "\n" + listing, "", two("bare JSON")},
		"parameters first":      {`{"parameters": {"query": "retry"}, "name": "search"}`, "", one("bare JSON")},
		"other names":           {"I look.\n" + `{"name": "grep", "arguments": {"pattern": "x"}}`, "I look.\n", []string{`grep{"pattern":"x"} bare JSON`}},
		"after thoughts":        {"<think>\nI could write\n```json\n" + object + "\n```\nfor example.\n<tool_call>" + object + "</tool_call> for example</think>\n\n" + object, "<think>\nI could write\n```json\n" + object + "\n```\nfor example.\n<tool_call>" + object + "</tool_call> for example</think>\n\n", one("bare JSON")},
		"about examples":        {"I look for examples of the schema, and its format, as I would in any project:\n" + object, "I look for examples of the schema, and its format, as I would in any project:\n", one("bare JSON")},
		"openai":                {`{"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{\"query\":\"retry\"}"}}`, "", one("bare JSON")},
		"doubled braces":        {`{{"name": "search", "arguments": {{"query": "retry"}}}}`, "", one("bare JSON")},
		"doubled outside":       {`{{"name": "search", "arguments": {"query": "retry"}}}`, "", one("bare JSON")},
		"doubled in tags":       {`<tools>{{"name": "search", "arguments": {"query": "retry"}}}</tools>`, "", one("<tools>")},
		"a line end in it":      {"{\"name\": \"search\", \"arguments\": {\"query\": \"a\nb\",}}", "", []string{`search{"query":"a\nb"} bare JSON`}},
		"a regular expression":  {`{"name": "search", "arguments": {"query": "\w+\("}}`, "", []string{`search{"query":"\\w+\\("} bare JSON`}},
		"Python":                {`{"name": "search", "arguments": {"query": "x", "exact": True}}`, "", []string{`search{"query":"x","exact":true} bare JSON`}},
		"alone, misfit":         {`{"name": "search", "arguments": {"q": "x"}}`, "", []string{`search{"q":"x"} bare JSON`}},
		"a fence around text":   {"```go\nfunc main() {}\n```\n" + object, "```go\nfunc main() {}\n```\n", one("bare JSON")},
	} {
		for n := 1; n <= len(c.text); n++ {
			rest, calls := read(t, c.text, n, false)
			if diff := cmp.Diff(c.want, calls); diff != "" || rest != c.rest {
				t.Errorf("%s in pieces of %d: text %q, want %q\n%s", name, n, rest, c.rest, diff)
				break
			}
		}
	}
}

// TestNoCalls holds texts that only show calls, or something like them.
func TestNoCalls(t *testing.T) {
	for name, text := range map[string]string{
		"prose":                 "There are no calls here, {braces} and <tags> aside: [1] `x`.",
		"another tool":          `{"name": "delete", "arguments": {"path": "."}}`,
		"another tool in tags":  `<tool_call>{"name": "delete", "arguments": {"path": "."}}</tool_call>`,
		"arguments do not fit":  "I look.\n```json\n" + `{"name": "search", "arguments": {"colour": "x"}}` + "\n```",
		"no arguments":          `{"name": "search"}`,
		"other names, misfit":   `{"name": "grep", "arguments": {"colour": "x"}}`,
		"a person":              `{"name": "Ada", "arguments": {"query": "x"}}`,
		"other keys":            `{"name": "search", "version": 2, "arguments": {"query": "x"}}`,
		"a schema":              `{"name": "search", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}}`,
		"a schema in tags":      `<tools>{"type": "function", "function": {"name": "search", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}}}</tools>`,
		"described":             `<tools>{"name": "search", "description": "Searches.", "parameters": {}}</tools>`,
		"words after":           "```json\n" + object + "\n```\nThis searches for retries.",
		"words after it":        object + " is how a call looks.",
		"an example":            "For example:\n```json\n" + object + "\n```",
		"would be":              "A call would be " + object,
		"inline code":           "The model writes `<tool_call>" + object + "</tool_call>`.",
		"in a fence":            "````md\nIt answers\n```json\n" + object + "\n```\n````",
		"in a fence of text":    "```text\nuser: hi\n<tool_call>" + object + "</tool_call>\n```",
		"in a sentence":         "It writes <tool_call>" + object + "</tool_call> and waits.",
		"indented":              "So:\n\n    " + object + "\n",
		"a list in a line":      "values [" + object + "]",
		"only a tag":            "<tool_call>",
		"a tag and words":       "<tools> are what an agent has.",
		"a list of arguments":   `{"name": "search", "arguments": ["retry"]}`,
		"arguments in prose":    `<tool_call>{"name": "search", "arguments": "retry"}</tool_call>`,
		"an unknown function":   "<function=delete>{}</function>",
		"an unknown function 2": "[TOOL_CALLS]delete[ARGS]{}",
		"code":                  "<|python_tag|>search.call(query=\"x\")",
		"nothing":               "",
	} {
		for n := 1; n <= max(1, len(text)); n++ {
			if rest, calls := read(t, text, n, false); len(calls) > 0 || rest != text {
				t.Errorf("%s in pieces of %d: %q with %q", name, n, rest, calls)
				break
			}
		}
	}
	if rest, calls := read(t, object[:len(object)-1], 7, true); len(calls) > 0 || rest == "" {
		t.Errorf("an answer that was cut off: %q with %q", rest, calls)
	}
}

// TestFlow checks that text flows as soon as it cannot become a call, and that nothing of a call ever does.
func TestFlow(t *testing.T) {
	for text, most := range map[string]int{
		"A long sentence without anything special in it.": 0,
		"if x { return [2]int{1, 2} }\n":                  3,
		`{"name": "Ada", "age": 36}`:                      14,
		`{"answer": "a long text about it"}`:              11,
		"```go\nfunc main() {}\n```\n":                    8,
		"a <b>bold</b> word":                              1,
	} {
		r := newReader(tools, false)
		held := 0
		got := ""
		for i := range len(text) {
			got += r.add(text[i : i+1])
			held = max(held, i+1-len(got))
		}
		r.stop()
		if held > most {
			t.Errorf("%q: %d bytes were held back, want at most %d", text, held, most)
		}
	}
	for _, text := range []string{"<tool_call>" + object + "</tool_call>", "```json\n" + object + "\n```", object, "[TOOL_CALLS][" + object + "]"} {
		r := newReader(tools, false)
		for i := range len(text) {
			if shown := r.add(text[i : i+1]); shown != "" {
				t.Errorf("%q: %q was shown", text, shown)
			}
		}
		r.stop()
	}
}
