package ollama

import (
	"cmp"
	"encoding/json"
	"strconv"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
)

type body struct {
	Model    string                     `json:"model"`
	Messages []message                  `json:"messages"`
	Tools    []tool                     `json:"tools,omitempty"`
	Format   json.RawMessage            `json:"format,omitempty"`
	Think    any                        `json:"think,omitempty"` // a level, or false
	Options  map[string]json.RawMessage `json:"options"`
	Stream   bool                       `json:"stream"`
	Truncate bool                       `json:"truncate"` // false: refuse what is longer than the window
	Shift    bool                       `json:"shift"`    // false: end an answer at the window
}

type message struct {
	Role     string   `json:"role"`
	Content  string   `json:"content"`
	Images   [][]byte `json:"images,omitempty"` // in base64
	Thinking string   `json:"thinking,omitempty"`
	Calls    []call   `json:"tool_calls,omitempty"`
	ToolName string   `json:"tool_name,omitempty"`
	CallID   string   `json:"tool_call_id,omitempty"`
}

type call struct {
	ID       string   `json:"id,omitempty"`
	Function function `json:"function"`
}

type function struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type tool struct {
	Type     string   `json:"type"`
	Function declared `json:"function"`
}

type declared struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// sampling names the sampling fields of the options.
var sampling = wire.SamplingNames{Temperature: "temperature", TopP: "top_p", Stop: "stop", Seed: "seed"}

// encode returns req for the wire.
func (m *Model) encode(req *providers.Request) ([]byte, error) {
	b := body{Model: m.config.Name, Messages: m.messages(req), Format: req.Schema, Stream: true}
	switch req.ReasoningEffort {
	case "":
	case "minimal":
		b.Think = false
	default:
		b.Think = req.ReasoningEffort
	}
	if req.Choice != providers.None {
		for _, t := range req.Tools {
			b.Tools = append(b.Tools, tool{"function", declared{t.Name, t.Description, wire.Parameters(t.Schema)}})
		}
	}
	var err error
	if b.Options, err = sampling.Members(req); err != nil {
		return nil, err
	}
	for name, n := range map[string]int{"num_ctx": m.config.Window, "num_predict": req.MaxOutput} {
		if n > 0 {
			b.Options[name] = json.RawMessage(strconv.Itoa(n))
		}
	}
	return line.JSON(b)
}

// messages returns the messages on the wire, without empty ones.
func (m *Model) messages(req *providers.Request) []message {
	out := make([]message, 0, len(req.Messages)+1)
	if req.System != "" {
		out = append(out, message{Role: "system", Content: req.System})
	}
	for i := range req.Messages {
		in := &req.Messages[i]
		text, images := wire.Pictures(in, m.config.Info.Vision)
		x := message{Role: string(in.Role), Content: text}
		for i := range images {
			x.Images = append(x.Images, images[i].Data)
		}
		switch in.Role {
		case transcript.Tool:
			x.Content, x.ToolName, x.CallID = cmp.Or(text, wire.NoOutput), in.Name, in.CallID
		case transcript.Assistant:
			for _, c := range in.Calls {
				x.Calls = append(x.Calls, call{c.ID, function{c.Name, wire.Object(c.Args)}})
			}
			x.Thinking = m.thinking(in.ProviderData)
		}
		if x.Content != "" || len(x.Calls) > 0 || len(x.Images) > 0 {
			out = append(out, x)
		}
	}
	return out
}
