package textcalls

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
)

// A shape is what this package knows of a JSON schema: the keywords that every server with grammars enforces.
type shape struct {
	Const      any      `json:"const,omitempty"`
	Type       any      `json:"type,omitempty"`
	Enum       []any    `json:"enum,omitempty"`
	Properties fields   `json:"properties,omitempty"`
	Required   []string `json:"required,omitempty"`
	Items      *shape   `json:"items,omitempty"`
	Closed     any      `json:"additionalProperties,omitempty"` // false in objects with properties
	AnyOf      []shape  `json:"anyOf,omitempty"`
}

// fields are properties in the order of the schema, in which a grammar makes the model write them.
type fields []field

type field struct {
	name  string
	shape shape
}

// MarshalJSON writes an object.
func (f fields) MarshalJSON() ([]byte, error) {
	out := []byte("{")
	for i, one := range f {
		name, err := line.JSON(one.name)
		if err != nil {
			return nil, err
		}
		value, err := line.JSON(one.shape)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}

// UnmarshalJSON reads an object.
func (f *fields) UnmarshalJSON(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var one field
		one.name, _ = name.(string)
		if err := d.Decode(&one.shape); err != nil {
			return err
		}
		*f = append(*f, one)
	}
	return nil
}

// shapeOf reads the schema of a tool. What shapes do not know leaves a value free.
func shapeOf(t *transcript.ToolSchema) shape {
	var s shape
	if json.Unmarshal(t.Schema, &s) != nil {
		s = shape{}
	}
	return s.simple()
}

// simple drops alternatives, and closes objects with properties.
func (s shape) simple() shape {
	s.Closed, s.AnyOf = nil, nil
	if s.Items != nil {
		items := s.Items.simple()
		s.Items = &items
	}
	for i := range s.Properties {
		s.Properties[i].shape = s.Properties[i].shape.simple()
	}
	if len(s.Properties) > 0 {
		s.Closed = false
	}
	return s
}

// actions returns the schema of one action: a call of one of the tools or, if answer is set, an answer.
func actions(tools []transcript.ToolSchema, answer bool) json.RawMessage {
	object := func(properties ...field) shape {
		s := shape{Type: "object", Properties: properties, Closed: false}
		for _, p := range properties {
			s.Required = append(s.Required, p.name)
		}
		return s
	}
	var all shape
	for i := range tools {
		arguments := shapeOf(&tools[i])
		arguments.Type = "object"
		all.AnyOf = append(all.AnyOf, object(field{"tool", shape{Const: tools[i].Name}}, field{"arguments", arguments}))
	}
	if answer {
		all.AnyOf = append(all.AnyOf, object(field{"answer", shape{Type: "string"}}))
	}
	raw, _ := line.JSON(all) // shapes encode
	return raw
}

// signatures describes tools in a line each, as in "- search(query: string, limit?: integer): Searches."
func signatures(tools []transcript.ToolSchema) string {
	lines := make([]string, len(tools))
	for i := range tools {
		s := shapeOf(&tools[i])
		parts := make([]string, len(s.Properties))
		for j, p := range s.Properties {
			if parts[j] = p.name; !slices.Contains(s.Required, p.name) {
				parts[j] += "?"
			}
			if kind, ok := p.shape.Type.(string); ok {
				parts[j] += ": " + kind
			}
		}
		lines[i] = "- " + tools[i].Name + "(" + strings.Join(parts, ", ") + "): " + tools[i].Description
	}
	return strings.Join(lines, "\n")
}
