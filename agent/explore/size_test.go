package explore

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/toollimit"
)

// A sized model has another name and window than the one that answers.
type sized struct {
	providers.Model
	name   string
	window int
}

func (m sized) Info() providers.Info {
	i := m.Model.Info()
	i.Name, i.Window = m.name, m.window
	return i
}

func sizedTree() *Tree {
	return &Tree{Files: fstest.MapFS{"a.go": {Data: []byte("package a\n\nfunc Fit() int { return 1 }\n")}}}
}

// firstRequest returns what the model of a window reads first.
func firstRequest(t *testing.T, model string, window int, o *RunOptions) *providers.Request {
	t.Helper()
	m := sized{scripted.New(scripted.Text("Fit returns 1 [a.go:3].")), model, window}
	for e, err := range sizedTree().Stream(t.Context(), m, "What does Fit return?", o) {
		if err != nil {
			t.Fatal(err)
		}
		if sent, ok := e.(agent.RequestSent); ok {
			return sent.Request
		}
	}
	t.Fatal("no request was sent")
	return nil
}

func fixedTokens(r *providers.Request) (schemas, prompt int) {
	for _, s := range r.Tools {
		schemas += s.Tokens()
	}
	return schemas, toollimit.Tokens(r.System)
}

// TestFixedTokens prints what a window spends on prompt and schemas, and holds small windows to their bounds.
func TestFixedTokens(t *testing.T) {
	t.Logf("%8s %8s %8s %8s", "window", "schemas", "prompt", "share")
	for _, window := range []int{4 << 10, 6 << 10, 8 << 10, 16 << 10, 32 << 10, 128 << 10} {
		r := firstRequest(t, "some-model", window, nil)
		schemas, prompt := fixedTokens(r)
		share := float64(schemas+prompt) / float64(window)
		t.Logf("%8d %8d %8d %7.1f%%", window, schemas, prompt, 100*share)
		if share > .12 {
			t.Errorf("window %d: prompt and schemas take %.1f %%", window, 100*share)
		}
		if window > 16<<10 {
			continue
		}
		if schemas > 600 || prompt > 250 || len(r.Tools) != 6 {
			t.Errorf("window %d: %d tools of %d tokens, a prompt of %d", window, len(r.Tools), schemas, prompt)
		}
		if last := r.Messages[len(r.Messages)-1].Text; !strings.Contains(last, "\n\nQuestion: What does Fit return?\n\n") {
			t.Errorf("window %d: the first request ends in %q", window, last)
		}
	}
}

// TestFlatSchemas checks that a small window sees neither nested objects nor references, and few optional fields.
func TestFlatSchemas(t *testing.T) {
	for _, tool := range firstRequest(t, "some-model", 8<<10, nil).Tools {
		var schema struct {
			Properties map[string]struct{ Type string }
			Required   []string
		}
		if err := json.Unmarshal(tool.Schema, &schema); err != nil {
			t.Fatal(err)
		}
		if optional := len(schema.Properties) - len(schema.Required); optional > 2 || strings.Contains(string(tool.Schema), "$") {
			t.Errorf("%s: %d optional fields: %s", tool.Name, optional, tool.Schema)
		}
		for name, p := range schema.Properties {
			if p.Type != "string" && p.Type != "integer" {
				t.Errorf("%s: %s is a %s", tool.Name, name, p.Type)
			}
		}
	}
}

func TestSizeOf(t *testing.T) {
	for _, c := range []struct {
		model  string
		window int
		budget int
		small  bool
	}{
		{"some-model", 16 << 10, 0, true},
		{"some-model", 17 << 10, 0, false},
		{"some-model", 128 << 10, 0, false},
		{"some-model", 128 << 10, 8_000, true},
		{"qwen2.5-coder:1.5b", 32 << 10, 0, true},
		{"Llama-3.2-3B-Instruct", 128 << 10, 0, true},
		{"qwen2.5-coder-7b-instruct", 32 << 10, 0, false},
		{"gpt-4.1", 128 << 10, 0, false},
	} {
		r := firstRequest(t, c.model, c.window, &RunOptions{Budget: c.budget})
		if small := r.System == smallPrompt; small != c.small {
			t.Errorf("%s, window %d, budget %d: small is %t", c.model, c.window, c.budget, small)
		}
	}
}

// TestAnswerTool ends a run with the text that the tool took.
func TestAnswerTool(t *testing.T) {
	m := sized{scripted.New(
		scripted.Calls(scripted.Call{Name: "find_symbol", Args: `{"name":"Fit"}`}),
		scripted.Calls(scripted.Call{Name: "answer", Args: `{"text":"It returns 1 [a.go:3]."}`}),
	), "some-model", 8 << 10}
	r, err := sizedTree().Run(t.Context(), m, "What does Fit return?", nil)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Found || r.Text != "It returns 1 [a.go:3]." || len(r.Relevant) != 1 || r.Run.Stop != agent.Answered {
		t.Errorf("%+v %s", r, r.Run.Stop)
	}
	if shown := r.Run.Transcript; !strings.Contains(toJSON(t, shown), "return 1 }") {
		t.Error("find_symbol shows no source")
	}
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
