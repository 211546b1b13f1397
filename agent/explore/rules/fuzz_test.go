package rules_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/explore/rules"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools"
)

type contextType = context.Context

func contextCancelled(t *testing.T) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx, cancel
}

func broken(context.Context, json.RawMessage) (any, error) {
	return nil, errors.New("the disk is on fire")
}

// Whatever the tools answer, a run ends by itself, and calls only what is offered.
func FuzzRun(f *testing.F) {
	for _, text := range []string{
		"", "null", "[]", "{}", "… 37 more", `{"_cut":"…"}`, `{"items":["… 37 more"],"total":"many"}`,
		`{"items":[{"path":"a.go","hits":-1e99,"matches":[{"line":1e30,"text":5},{"line":2,"symbol":"A.b","text":"func b() { c() }"}]}],"files_matched":1}`,
		`{"path":"a.go","items":[{"name":"A.b","kind":"func","start":2,"end":900000000,"doc":"b does it all."}]}`,
		`{"items":[{"path":"a.go","start_line":1,"end_line":9,"lines":["x","… 7 more","b does it all. func b() { c() }"]}]}`,
		`{"items":[{"path":"a.go","score":1e308,"confidence":-3,"why":[1,"x"],"start":1,"end":9,"symbol":"A.b","functions":[{"symbol":"b","start":2,"end":1},{"symbol":"c","start":3,"end":4,"score":-1e308}]},{"path":"a.go"},{"path":"b.go","score":-1}]}`,
		`{"name":"A.b","definitions":[{},{}],"items":[{"path":"a.go","symbol":"C.d","references":[{"line":3,"kind":"call","text":"x := b()"},{"line":-3}]}]}`,
		`{"items":[{"hash":"0123456789abcdef","date":"2026-01-31T00:00:00Z","subject":"a: b","files":["a.go","a.go"]},{"hash":"HEAD","subject":""}]}`,
		`{"items":[{"path":"","start_line":0,"end_line":-1,"lines":[]}],"skipped":{"binary":-4}}{"tail":1}`,
	} {
		f.Add("how does A.b do it in a.go?", text, false)
		f.Add("overview", text, true)
	}
	f.Fuzz(func(t *testing.T, question, result string, failed bool) {
		if strings.TrimSpace(question) == "" {
			return // refused before a model is asked
		}
		var all []tools.Tool
		for _, name := range []string{"list_dir", "glob", "search", "read_file", "outline", "locate", "find_symbol", "references", "git_log", "report"} {
			all = append(all, tools.Tool{Name: name, Schema: json.RawMessage(`{"type":"object"}`), Call: func(context.Context, json.RawMessage) (any, error) {
				if failed && name == "report" {
					return nil, errors.New(result)
				}
				return json.RawMessage(result), nil
			}})
		}
		a, err := agent.New(agent.Config{Model: rules.New(nil), Tools: all, Profile: contextwindow.Off, Limits: agent.Limits{Steps: 30}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := a.Run(t.Context(), question)
		if err != nil || r.Stop != agent.Answered || r.Steps > 14 {
			t.Fatalf("stop %s after %d steps: %v", r.Stop, r.Steps, err)
		}
		if !utf8.ValidString(r.Text) {
			t.Errorf("the answer is not UTF-8: %q", r.Text)
		}
		for _, rec := range r.Tools {
			if !json.Valid(rec.Call.Args) || !utf8.Valid(rec.Call.Args) {
				t.Errorf("arguments %q", rec.Call.Args)
			}
		}
	})
}

// Any messages are answered, and the same ones the same way.
func FuzzMessages(f *testing.F) {
	f.Add([]byte(`[{"role":"user","text":"where is Fit?"},{"role":"assistant","calls":[{"id":"call_999999999_1","name":"search"}]},{"role":"tool","call_id":"call_999999999_1","text":"{}"}]`))
	f.Add([]byte(`[{"role":"tool","call_id":"x"},{"role":"assistant","text":"hello"},{"role":"user","origin":"record","text":"<record>"}]`))
	f.Add([]byte(`[{"role":"user","text":"a\n\n<note kind=\"closing\">"},{"role":"assistant","calls":[{"id":"","name":"read_file","args":"oops"},{"id":"","name":"report"}]}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var messages []transcript.Message
		if json.Unmarshal(data, &messages) != nil {
			return
		}
		req := &providers.Request{Messages: messages, Tools: []transcript.ToolSchema{{Name: "search"}, {Name: "report"}}}
		m := rules.New(nil)
		first, err := providers.Ask(t.Context(), m, req)
		if err != nil {
			t.Fatal(err)
		}
		again, err := providers.Ask(t.Context(), m, req)
		one, _ := json.Marshal(first)
		two, _ := json.Marshal(again)
		if err != nil || string(one) != string(two) {
			t.Errorf("two answers:\n%s\n%s", one, two)
		}
		for _, c := range first.Message.Calls {
			if c.Name != "search" && c.Name != "report" {
				t.Errorf("called %s", c.Name)
			}
		}
	})
}
