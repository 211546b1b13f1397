package generativeai

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	library "github.com/google/generative-ai-go/genai"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
	"github.com/forayhq/foray/toollimit"
)

// request converts req for the library: the model with its settings, the messages before the last content, and the
// parts of the last content.
func (m *Model) request(req *providers.Request) (
	asked *library.GenerativeModel, history []*library.Content, last []library.Part, err error,
) {
	asked = m.client.GenerativeModel(m.config.Name)
	if req.System != "" {
		asked.SystemInstruction = &library.Content{Parts: []library.Part{text(req.System)}}
	}
	if req.MaxOutput > 0 {
		asked.SetMaxOutputTokens(int32(min(req.MaxOutput, math.MaxInt32)))
	}
	switch {
	case req.Seed != nil:
		return nil, nil, nil, errors.New("the library cannot send Request.Seed: use gemini/" + m.config.Name)
	case req.ReasoningEffort != "":
		return nil, nil, nil, errors.New("the library cannot send Request.ReasoningEffort: use gemini/" + m.config.Name)
	}
	if req.Temperature != nil {
		asked.SetTemperature(float32(*req.Temperature))
	}
	if req.TopP != nil {
		asked.SetTopP(float32(*req.TopP))
	}
	asked.StopSequences = req.Stop
	if req.Schema != nil {
		asked.ResponseMIMEType = "application/json"
		if asked.ResponseSchema, err = schemaOf(req.Schema); err != nil {
			return nil, nil, nil, fmt.Errorf("the schema of the answer: %w", err)
		}
	}
	if asked.Tools, err = toolsOf(req); err != nil {
		return nil, nil, nil, err
	}
	if mode, ok := modes[req.Choice]; ok && asked.Tools != nil {
		asked.ToolConfig = &library.ToolConfig{FunctionCallingConfig: &library.FunctionCallingConfig{Mode: mode}}
	}
	contents, err := m.contentsOf(req)
	if err != nil {
		return nil, nil, nil, err
	}
	if len(contents) == 0 || contents[len(contents)-1].Role != "user" {
		return nil, nil, nil, errors.New("the last message is the model's: nothing to answer")
	}
	return asked, contents[:len(contents)-1], contents[len(contents)-1].Parts, nil
}

// modes are the tool choices. Auto is the service's default.
var modes = map[providers.ToolChoice]library.FunctionCallingMode{
	providers.Required: library.FunctionCallingAny, providers.None: library.FunctionCallingNone,
}

func toolsOf(req *providers.Request) ([]*library.Tool, error) {
	if len(req.Tools) == 0 {
		return nil, nil
	}
	all := &library.Tool{}
	for _, t := range req.Tools {
		schema, err := parametersOf(t.Schema)
		if err != nil {
			return nil, fmt.Errorf("the schema of the tool %s: %w", t.Name, err)
		}
		tool := &library.FunctionDeclaration{Name: t.Name, Description: t.Description, Parameters: schema}
		all.FunctionDeclarations = append(all.FunctionDeclarations, tool)
	}
	return []*library.Tool{all}, nil
}

// contentsOf converts messages. Consecutive messages of one role become one content. Results follow their calls by
// position, because the library has no ids.
func (m *Model) contentsOf(req *providers.Request) ([]*library.Content, error) {
	var out []*library.Content
	put := func(role string, part library.Part) {
		if last := len(out) - 1; last >= 0 && out[last].Role == role {
			out[last].Parts = append(out[last].Parts, part)
			return
		}
		out = append(out, &library.Content{Role: role, Parts: []library.Part{part}})
	}
	var brought []toollimit.Image // by results that nothing but results follows
	show := func(images []toollimit.Image) {
		for i := range images {
			put("user", library.Blob{MIMEType: images[i].Type, Data: images[i].Data})
		}
	}
	names := map[string]string{}
	for i := range req.Messages {
		in := &req.Messages[i]
		said, images := wire.Pictures(in, m.Info().Vision)
		role := "user"
		if in.Role == transcript.Assistant {
			role = "model"
		}
		if in.Role == transcript.Tool {
			put(role, result(in, said, names))
			brought = append(brought, images...)
			continue
		}
		show(brought)
		brought = nil
		show(images)
		if said != "" {
			put(role, text(said))
		}
		for _, c := range in.Calls {
			args, err := object(c.Args)
			if err != nil {
				return nil, fmt.Errorf("the arguments of call %s: %w", c.ID, err)
			}
			names[c.ID] = c.Name
			put(role, library.FunctionCall{Name: c.Name, Args: args})
		}
	}
	show(brought)
	return out, nil
}

// result returns a result with its text under the name of its call. It leaves out an empty text.
func result(in *transcript.Message, said string, names map[string]string) library.FunctionResponse {
	name, known := names[in.CallID]
	if !known {
		name = in.Name
	}
	response := map[string]any{}
	switch {
	case in.Failed:
		response["error"] = string(text(said))
	case said != "":
		response["output"] = string(text(said))
	}
	return library.FunctionResponse{Name: name, Response: response}
}

// text returns s as UTF-8, which the protos demand.
func text(s string) library.Text { return library.Text(strings.ToValidUTF8(s, "\uFFFD")) }

// object returns args as a map.
func object(args json.RawMessage) (map[string]any, error) {
	var out map[string]any
	err := json.Unmarshal(wire.Object(args), &out)
	return out, err
}
