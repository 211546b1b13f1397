package textcalls

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
)

// offered are the tools of the corpus: those of foray, with names that are common words, and one that takes anything.
var offered = &offer{schemas: &schemas{}, tools: []transcript.ToolSchema{
	{Name: "answer", Schema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`)},
	{Name: "find_symbol", Schema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"},"path":{"type":"string"}},"required":["name"],"additionalProperties":false}`)},
	{Name: "get", Schema: json.RawMessage(`{"type":"object"}`)},
	{Name: "list_dir", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"additionalProperties":false}`)},
	{Name: "read_file", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"start_line":{"type":"integer"}},"required":["path"],"additionalProperties":false}`)},
	{Name: "search", Schema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"],"additionalProperties":false}`)},
}}

// TestCorpus reads texts that are no calls: the sections of the Markdown files of this module and of the modules that
// it needs, and answers about JSON, schemas and agents that are generated. None may become a call, and nothing of a text
// may be lost.
func TestCorpus(t *testing.T) {
	if ostest.RaceDetector {
		t.Skip("long, and all in one goroutine")
	}
	texts := sections(t, "../..", "README.md", "CONTRIBUTING.md", "docs")
	if out, err := exec.Command("go", "env", "GOMODCACHE").Output(); err == nil {
		texts = append(texts, sections(t, strings.TrimSpace(string(out)), "github.com", "golang.org", "go.uber.org")...)
	}
	real := len(texts)
	shown := 0
	for seed := range uint64(2_000) {
		texts = append(texts, generated(rand.New(rand.NewPCG(seed, 14))))
	}
	wrong := 0
	for i, text := range texts {
		r := newReader(offered, false)
		var got strings.Builder
		for rest := text; rest != ""; {
			n := min(7, len(rest))
			got.WriteString(r.add(rest[:n]))
			rest = rest[n:]
		}
		last, calls := r.end(false)
		got.WriteString(last)
		r.stop()
		if strings.Contains(text, `"name"`) {
			shown++
		}
		if len(calls) > 0 || got.String() != text {
			if wrong++; wrong <= 5 {
				t.Errorf("text %d became %d calls, the first of %s:\n%s", i, len(calls), first(calls), text)
			}
		}
	}
	t.Logf("%d texts, %d of files, %d with a \"name\": %d wrong", len(texts), real, shown, wrong)
	if len(texts) < 2_000 || shown < 1_000 {
		t.Errorf("only %d texts, %d with JSON", len(texts), shown)
	}
}

func first(calls []found) string {
	if len(calls) == 0 {
		return "nothing"
	}
	return calls[0].name + string(calls[0].args) + " as " + calls[0].form.name
}

// sections returns the Markdown files below some names in dir, split at headings.
func sections(t *testing.T, dir string, names ...string) []string {
	var texts []string
	for _, name := range names {
		filepath.WalkDir(filepath.Join(dir, name), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".md" || len(texts) > 20_000 {
				return nil
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				return nil
			}
			for _, section := range strings.SplitAfter(string(raw), "\n#") {
				if text := strings.ToValidUTF8(strings.TrimSuffix(section, "#"), ""); strings.TrimSpace(text) != "" {
					texts = append(texts, text)
				}
			}
			return nil
		})
	}
	return texts
}

// generated returns an answer about JSON, schemas or agents that shows calls, or something like them.
func generated(r *rand.Rand) string {
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	tool := pick("search", "read_file", "find_symbol", "list_dir", "get")
	args := map[string]string{"search": `{"query": "retry"}`, "read_file": `{"path": "go.mod"}`, "find_symbol": `{"name": "Window"}`,
		"list_dir": `{"path": "."}`, "get": `{"id": 3}`}[tool]
	object := fmt.Sprintf(pick(`{"name": %q, "arguments": %s}`, `{"name":%q,"parameters":%s}`, "{\n  \"name\": %q,\n  \"arguments\": %s\n}", `{"tool": %q, "args": %s}`), tool, args)
	schema := fmt.Sprintf(pick(`{"name": %q, "description": "Looks it up.", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}}`,
		`{"type": "function", "function": {"name": %q, "parameters": {"type": "object", "properties": {}}}}`,
		`{"name": %q, "input_schema": {"type": "object"}}`, `{"name": %q, "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}`), tool)
	other := pick(`{"name": "Ada", "age": 36}`, `{"name": "search-service", "version": "1.2.0", "private": true}`, `{"jsonrpc": "2.0", "method": "tools/call", "params": `+object+`}`,
		`{"role": "assistant", "tool_calls": [`+object+`]}`, `[{"name": "search", "count": 3}, {"name": "get", "count": 1}]`, `{"name": "deploy", "arguments": {"target": "prod"}}`,
		`{"name": "search"}`, `{"function": "search", "calls": 12}`, `{"arguments": {"query": "x"}, "tool_name": "google"}`, `{"answer": "In retry.go."}`)
	fence := func(text string) string { return pick("```json\n", "```\n", "```JSON\n") + text + "\n```\n" }
	tags := pick("<tool_call>\n", "<tools>") + object + pick("\n</tool_call>", "</tools>")
	intro := pick("A model calls a tool with a JSON object.", "To look something up, the agent sends this to the server:", "The difference is small.",
		"Jedes Werkzeug hat einen Namen und Argumente:", "Here is what happens.", "Sure! I'll explain how tools are called.", "")
	outro := pick("This asks for the places.", "The runtime then runs the tool and appends its result.", "Both fields are required.",
		"Das Ergebnis folgt in der nächsten Nachricht.", "Note that `arguments` must be an object.", "- `name`: the tool\n- `arguments`: its arguments", "Let me know if you need more!")
	announced := pick("For example:", "A call looks like this:", "The format is:", "A typical call:", "For instance, the model would write:", "A schema of such a tool, and a sample:")
	return pick(
		intro+"\n\n"+fence(object)+"\n"+outro,
		intro+"\n\n"+object+"\n\n"+outro,
		intro+"\n\n"+announced+"\n\n"+fence(object),
		announced+" "+object,
		intro+"\n\n"+fence(schema),
		schema,
		fence(other),
		other,
		intro+"\n"+fence(other)+outro,
		intro+" The model writes `"+strings.ReplaceAll(tags, "\n", " ")+"` and waits.",
		intro+"\n\n> "+strings.ReplaceAll(tags, "\n", "\n> "),
		"````markdown\n"+intro+"\n"+fence(object)+"````",
		"```text\nuser: where?\nassistant: "+tags+"\n```",
		"```python\ncall = "+object+"\nrun(call)\n```",
		intro+"\n\n| call | meaning |\n|---|---|\n| "+strings.ReplaceAll(object, "\n", " ")+" | "+outro+" |",
		"1. "+object+"\n2. "+object+"\n3. "+outro,
		intro+"\n\n    "+strings.ReplaceAll(object, "\n", "\n    "),
		"<tools>\n"+schema+"\n</tools>",
		"The prompt lists <tools> and </tools>, and a call is between <tool_call> and </tool_call>. "+outro,
		fence(schema)+"\n"+announced+"\n"+fence(object)+"\n"+outro,
		"```json\n["+schema+", "+schema+"]\n```",
	)
}
