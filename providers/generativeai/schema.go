package generativeai

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	library "github.com/google/generative-ai-go/genai"
)

// A jsonSchema holds the parts of a JSON schema that the service's own form can express.
type jsonSchema struct {
	Type        json.RawMessage // a name, or a list of names
	Description string
	Format      string
	Enum        []json.RawMessage
	Const       json.RawMessage
	Items       json.RawMessage
	Properties  map[string]json.RawMessage
	Required    []string
	Ref         string `json:"$ref"`
	AnyOf       []json.RawMessage
	OneOf       []json.RawMessage
	Defs        map[string]json.RawMessage `json:"$defs"`
	Definitions map[string]json.RawMessage
}

// kinds are the types of JSON schema.
var kinds = map[string]library.Type{
	"string": library.TypeString, "number": library.TypeNumber, "integer": library.TypeInteger,
	"boolean": library.TypeBoolean, "array": library.TypeArray, "object": library.TypeObject,
}

// formats are the formats that the service knows.
var formats = []string{"float", "double", "int32", "int64", "enum"}

// maxDepth bounds the depth of a schema, which would otherwise be infinite if it refers to itself.
const maxDepth = 32

// parametersOf returns the schema of a tool's arguments, or nil for a tool without arguments: the service refuses an
// object without properties.
func parametersOf(raw json.RawMessage) (*library.Schema, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	s, err := schemaOf(raw)
	if err != nil || s.Type == library.TypeObject && len(s.Properties) == 0 {
		return nil, err
	}
	return s, nil
}

// schemaOf translates a JSON schema. It resolves references and takes the first alternative of a union besides null. It
// drops limits of numbers, lengths and patterns, and additionalProperties; whoever receives the arguments validates
// them.
func schemaOf(raw json.RawMessage) (*library.Schema, error) {
	var root jsonSchema
	if err := json.Unmarshal(raw, &root); err != nil {
		return nil, fmt.Errorf("reading it: %w", err)
	}
	return (&translation{root}).schema(raw, 0)
}

// A translation is a schema in progress.
type translation struct{ root jsonSchema }

func (t *translation) schema(raw json.RawMessage, depth int) (*library.Schema, error) {
	if depth > maxDepth {
		return nil, errors.New("it is nested too deep, or refers to itself")
	}
	var s jsonSchema
	if string(raw) == "true" { // anything
		raw = json.RawMessage("{}")
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("reading it: %w", err)
	}
	if s.Ref != "" {
		target, err := t.resolve(s.Ref)
		if err != nil {
			return nil, err
		}
		return t.schema(target, depth+1)
	}
	if union := append(s.AnyOf, s.OneOf...); len(union) > 0 {
		return t.union(&s, union, depth)
	}
	return t.plain(&s, depth)
}

func (t *translation) resolve(ref string) (json.RawMessage, error) {
	for prefix, defs := range map[string]map[string]json.RawMessage{
		"#/$defs/": t.root.Defs, "#/definitions/": t.root.Definitions,
	} {
		if name, ok := strings.CutPrefix(ref, prefix); ok && defs[name] != nil {
			return defs[name], nil
		}
	}
	return nil, fmt.Errorf("it refers to %q, which is not in it", ref)
}

// union returns the first alternative other than null.
func (t *translation) union(s *jsonSchema, union []json.RawMessage, depth int) (*library.Schema, error) {
	var first *library.Schema
	nullable := false
	for _, raw := range union {
		var alternative jsonSchema
		if json.Unmarshal(raw, &alternative) == nil && string(alternative.Type) == `"null"` {
			nullable = true
			continue
		}
		if first != nil {
			continue
		}
		var err error
		if first, err = t.schema(raw, depth+1); err != nil {
			return nil, err
		}
	}
	if first == nil {
		return nil, errors.New("it allows nothing but null")
	}
	first.Nullable = first.Nullable || nullable
	first.Description = cmp.Or(s.Description, first.Description)
	return first, nil
}

// plain returns a schema of one type.
func (t *translation) plain(s *jsonSchema, depth int) (*library.Schema, error) {
	out := &library.Schema{Description: s.Description, Required: s.Required}
	out.Type, out.Nullable = typeOf(s)
	if slices.Contains(formats, s.Format) {
		out.Format = s.Format
	}
	if s.Const != nil {
		s.Enum = []json.RawMessage{s.Const}
	}
	if out.Type == library.TypeString {
		for _, raw := range s.Enum {
			var value string
			if json.Unmarshal(raw, &value) == nil && value != "" && string(raw) != "null" { // the service refuses empty ones
				out.Enum, out.Format = append(out.Enum, value), "enum"
			}
		}
	}
	for name, raw := range s.Properties {
		property, err := t.schema(raw, depth+1)
		if err != nil {
			return nil, fmt.Errorf("property %q: %w", name, err)
		}
		if out.Properties == nil {
			out.Properties = make(map[string]*library.Schema, len(s.Properties))
		}
		out.Properties[name] = property
	}
	if out.Type != library.TypeArray {
		return out, nil
	}
	if s.Items == nil {
		s.Items = json.RawMessage("{}") // the service demands a type; text is the least restrictive
	}
	var err error
	if out.Items, err = t.schema(s.Items, depth+1); err != nil {
		return nil, fmt.Errorf("items: %w", err)
	}
	return out, nil
}

// typeOf returns the type of s, guessed from its fields if it has none, and whether null is allowed.
func typeOf(s *jsonSchema) (kind library.Type, nullable bool) {
	all := []string{""}
	if json.Unmarshal(s.Type, &all[0]) != nil && json.Unmarshal(s.Type, &all) != nil {
		all = nil
	}
	for _, name := range all {
		kind = cmp.Or(kind, kinds[name])
		nullable = nullable || name == "null"
	}
	switch {
	case kind != library.TypeUnspecified:
	case s.Properties != nil:
		kind = library.TypeObject
	case s.Items != nil:
		kind = library.TypeArray
	default:
		kind = library.TypeString
	}
	return kind, nullable
}
