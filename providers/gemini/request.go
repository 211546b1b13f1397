package gemini

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
	"github.com/forayhq/foray/toollimit"
)

// skipSignature replaces a signature that Gemini 3 demands but the conversation lacks, because another model made the
// call or its message was edited. The value is documented at https://ai.google.dev/gemini-api/docs/thought-signatures
// and is valid base64.
const skipSignature = "skip_thought_signature_validator"

// A content is one content on the wire.
type content struct {
	Role  string            `json:"role,omitempty"`
	Parts []json.RawMessage `json:"parts"`
}

// encode returns the fields of req on the wire.
func (m *Model) encode(req *providers.Request) (map[string]any, error) {
	contents, err := m.contents(req)
	if err != nil {
		return nil, fmt.Errorf("encoding the messages: %w", err)
	}
	body := map[string]any{"contents": contents}
	if req.System != "" {
		body["systemInstruction"] = map[string]any{"parts": []map[string]string{{"text": req.System}}}
	}
	if len(req.Tools) > 0 {
		body["tools"] = toolsOf(req)
		if mode, ok := modes[req.Choice]; ok {
			body["toolConfig"] = map[string]any{"functionCallingConfig": map[string]string{"mode": mode}}
		}
	}
	config, err := m.generationConfig(req)
	if err != nil {
		return nil, err
	}
	if config != nil {
		body["generationConfig"] = config
	}
	if m.safety != nil {
		body["safetySettings"] = m.safety
	}
	return body, nil
}

// modes are the tool choices on the wire. Auto is the service's default.
var modes = map[providers.ToolChoice]string{providers.Required: "ANY", providers.None: "NONE"}

// A declaration is one tool on the wire. It carries the JSON schema unchanged. The older field with the service's own
// form of schemas would lose details, and the service refuses both at once.
type declaration struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parametersJsonSchema,omitempty"`
}

func toolsOf(req *providers.Request) any {
	all := make([]declaration, 0, len(req.Tools))
	for _, t := range req.Tools {
		all = append(all, declaration{t.Name, t.Description, t.Schema})
	}
	return []map[string]any{{"functionDeclarations": all}}
}

// sampling names the sampling fields in generationConfig.
var sampling = wire.SamplingNames{Temperature: "temperature", TopP: "topP", Stop: "stopSequences", Seed: "seed"}

// generationConfig returns generationConfig; nil if it would be empty.
func (m *Model) generationConfig(req *providers.Request) (json.RawMessage, error) {
	fields, err := sampling.Members(req)
	if err != nil {
		return nil, err
	}
	if thinking := m.thinking(req.ReasoningEffort); thinking != (Thinking{}) {
		fields["thinkingConfig"], err = line.JSON(struct {
			Show   bool   `json:"includeThoughts,omitempty"`
			Budget *int   `json:"thinkingBudget,omitempty"`
			Level  string `json:"thinkingLevel,omitempty"`
		}{thinking.Show, thinking.Budget, strings.ToUpper(thinking.Level)})
		if err != nil {
			return nil, fmt.Errorf("the thinking configuration: %w", err)
		}
	}
	if req.MaxOutput > 0 {
		fields["maxOutputTokens"] = strconv.AppendInt(nil, int64(req.MaxOutput), 10)
	}
	if req.Schema != nil {
		fields["responseMimeType"], fields["responseJsonSchema"] = json.RawMessage(`"application/json"`), req.Schema
	}
	members := wire.AppendMembers(nil, m.config.Generation, fields)
	if len(members) == 0 {
		return nil, nil
	}
	members[0] = '{' // in place of the first comma
	return append(members, '}'), nil
}

// budgets are the tokens to think with by effort, for models before Gemini 3, which have no levels. See
// ai.google.dev/gemini-api/docs/openai#thinking.
var budgets = map[string]int{"minimal": 1_024, "low": 1_024, "medium": 8_192, "high": 24_576}

// thinking returns how the model thinks at an effort, which overrides the level and budget of the configuration.
func (m *Model) thinking(effort string) Thinking {
	t := m.config.Thinking
	if effort == "" {
		return t
	}
	t.Level, t.Budget = effort, nil
	if budget, known := budgets[effort]; known && withBudgets.MatchString(m.name) {
		t.Level, t.Budget = "", &budget
	}
	return t
}

// withBudgets matches models that think by a budget.
var withBudgets = regexp.MustCompile(`^gemini-[12]\b`)

// contents returns the messages on the wire. Consecutive messages of one role become one content; empty ones are left
// out.
func (m *Model) contents(req *providers.Request) ([]content, error) {
	w := writer{model: m, out: []content{}, called: map[string]called{}}
	var brought []toollimit.Image // by results that nothing but results follows: the parts of these come first
	for i := range req.Messages {
		in := &req.Messages[i]
		text, images := wire.Pictures(in, m.Info().Vision)
		if in.Role != transcript.Tool {
			w.pictures(brought)
			brought = nil
		}
		switch in.Role {
		case transcript.User:
			w.pictures(images)
			if text != "" {
				w.put("user", plainPart{Text: text})
			}
		case transcript.Assistant:
			w.assistant(in)
		case transcript.Tool:
			w.result(in, text)
			brought = append(brought, images...)
		}
	}
	w.pictures(brought)
	return w.out, w.err
}

// An inlinePart is a picture on the wire.
type inlinePart struct {
	InlineData inlineData `json:"inlineData"`
}

type inlineData struct {
	MIMEType string `json:"mimeType"`
	Data     []byte `json:"data"` // in base64
}

func (w *writer) pictures(images []toollimit.Image) {
	for i := range images {
		w.put("user", inlinePart{inlineData{images[i].Type, images[i].Data}})
	}
}

// A writer builds contents from messages.
type writer struct {
	model  *Model
	out    []content
	called map[string]called // calls by the ids of their messages
	err    error
}

// A called is what a result repeats from its call.
type called struct{ id, name string }

// put adds a part to a content of role, the last one if it has that role.
func (w *writer) put(role string, part any) {
	raw, isRaw := part.(json.RawMessage)
	if !isRaw {
		var err error
		if raw, err = line.JSON(part); err != nil {
			w.err = err
			return
		}
	}
	if last := len(w.out) - 1; last >= 0 && w.out[last].Role == role {
		w.out[last].Parts = append(w.out[last].Parts, raw)
		return
	}
	w.out = append(w.out, content{role, []json.RawMessage{raw}})
}

// A callPart is a call on the wire.
type callPart struct {
	FunctionCall     functionCall `json:"functionCall"`
	ThoughtSignature string       `json:"thoughtSignature,omitempty"`
}

type functionCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// assistant writes a message of the model: its original parts, or else its text and calls.
func (w *writer) assistant(in *transcript.Message) {
	if parts, ids := w.model.restore(in); parts != nil {
		for _, raw := range parts {
			w.put("model", raw)
		}
		for i, id := range ids {
			w.called[in.Calls[i].ID] = called{id, in.Calls[i].Name}
		}
		return
	}
	if in.Text != "" {
		w.put("model", plainPart{Text: in.Text})
	}
	for i, c := range in.Calls {
		p := callPart{FunctionCall: functionCall{c.ID, c.Name, wire.Object(c.Args)}}
		if i == 0 && wantsSignature(w.model.name) {
			p.ThoughtSignature = skipSignature
		}
		w.put("model", p)
		w.called[c.ID] = called{c.ID, c.Name}
	}
}

// A resultPart is a result on the wire.
type resultPart struct {
	FunctionResponse functionResponse `json:"functionResponse"`
}

type functionResponse struct {
	ID       string            `json:"id,omitempty"`
	Name     string            `json:"name"`
	Response map[string]string `json:"response"`
}

// result writes a result with its text under the name and id of its call on the wire. It leaves out an empty text.
func (w *writer) result(in *transcript.Message, text string) {
	call, known := w.called[in.CallID]
	if !known {
		call = called{in.CallID, in.Name}
	}
	response := map[string]string{}
	switch {
	case in.Failed:
		response["error"] = text
	case text != "":
		response["output"] = text
	}
	w.put("user", resultPart{functionResponse{call.id, call.name, response}})
}

// wantsSignature reports whether a model refuses a call without a signature: Gemini 3 and later, and names that mean
// the latest model.
func wantsSignature(name string) bool {
	rest, ok := strings.CutPrefix(name, "gemini-")
	if !ok {
		return false
	}
	digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	if version, err := strconv.Atoi(digits); err == nil {
		return version >= 3
	}
	return strings.HasSuffix(name, "-latest")
}
