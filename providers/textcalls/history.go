package textcalls

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
)

// plain returns messages in which calls and results are text, in the form f.
func plain(messages []transcript.Message, f *form) []transcript.Message {
	call := func(c transcript.ToolCall) string {
		return strings.NewReplacer("NAME", c.Name, "ARGUMENTS", spaced(wire.Object(c.Args))).Replace(f.write)
	}
	return transcript.Texts(messages, call, func(m transcript.Message) string {
		return strings.NewReplacer("NAME", m.Name, "RESULT", cmp.Or(m.Text, wire.NoOutput)).Replace(f.result)
	})
}

// What a model reads about tools that its server does not describe.
const (
	describedTools = "You can call these tools:\n"
	textCalls      = "To call a tool, write nothing but a call in this form, and wait for its result:\n"
	textRequired   = "Call a tool now."
	schemaActions  = `Write one JSON object: {"tool": NAME, "arguments": {…}} calls a tool, `
	schemaAnswer   = `{"answer": TEXT} answers.`
	templateName   = "<function-name>" // as in the templates of Hermes 2 Pro and Qwen 2.5
	templateArgs   = "<args-json-object>"
	schemaNoAnswer = "and you must call one now."
)

// written returns req for a model that reads about its tools in the system prompt and writes its calls in the form f.
func written(req *providers.Request, f *form) *providers.Request {
	r := *req
	r.Messages, r.Tools, r.Choice = plain(req.Messages, f), nil, providers.Auto
	if len(req.Tools) == 0 || req.Choice == providers.None {
		return &r
	}
	how := textCalls + strings.NewReplacer(`"NAME"`, templateName, "ARGUMENTS", templateArgs).Replace(f.write)
	if req.Choice == providers.Required {
		how += "\n" + textRequired
	}
	r.System = join(req.System, describedTools+signatures(req.Tools), how)
	return &r
}

// acted returns req for a model that answers with one action, in a schema that the server enforces.
func acted(req *providers.Request) *providers.Request {
	r := *req
	r.Messages, r.Tools, r.Choice = plain(req.Messages, &action), nil, providers.Auto
	if len(req.Tools) == 0 || req.Choice == providers.None {
		return &r
	}
	how := schemaActions + schemaAnswer
	if req.Choice == providers.Required {
		how = schemaActions + schemaNoAnswer
	}
	r.System = join(req.System, describedTools+signatures(req.Tools), how)
	r.Schema, r.SchemaName = actions(req.Tools, req.Choice != providers.Required), "action"
	return &r
}

// action is the form of calls in a schema of actions.
var action = form{name: Schema, write: `{"tool": "NAME", "arguments": ARGUMENTS}`, result: plainResult}

// join joins the parts that are not empty as paragraphs.
func join(parts ...string) string {
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n\n")
}

// spaced writes JSON as models do, in one line with a space after each comma and colon.
func spaced(raw json.RawMessage) string {
	var line bytes.Buffer
	if json.Compact(&line, raw) != nil {
		return string(raw)
	}
	var out strings.Builder
	quoted, escaped := false, false
	for _, c := range line.Bytes() {
		out.WriteByte(c)
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ',' || c == ':'):
			out.WriteByte(' ')
		}
	}
	return out.String()
}
