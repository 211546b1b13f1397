package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/forayhq/foray/internal/toolcall"
	"github.com/invopop/jsonschema"
)

// An Answer is the form of an answer that is one JSON object of type T: its schema for a model, and the check of what
// the model wrote. It is safe for concurrent use.
type Answer[T any] struct {
	Schema json.RawMessage // as [New] derives it from a type of arguments

	// Strict is the schema in the form that services enforce: every field is required, an optional one may be null, and
	// rules that only some services know are dropped. It is nil if T holds a map or a value of any type.
	Strict json.RawMessage

	tool *Set // of one tool, whose arguments are the answer
	root map[string]any
}

// AnswerOf returns the form of an answer of type T, a struct or a pointer to one, under the rules of [New].
func AnswerOf[T any]() (*Answer[T], error) {
	schema, err := schemaOf(reflect.TypeFor[T]())
	if err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	a := &Answer[T]{Schema: schema, Strict: strictOf(reflect.TypeFor[T]())}
	pass := func(context.Context, json.RawMessage) (any, error) { return nil, nil }
	if a.tool, err = NewSet(Tool{Name: answerName, Schema: schema, Call: pass}); err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	if err := json.Unmarshal(schema, &a.root); err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	return a, nil
}

// answerName is how an ArgumentError calls an answer.
const answerName = "answer"

// Parse decodes an answer. Null means that an optional field is absent. The error may be an [*ArgumentError].
func (a *Answer[T]) Parse(raw json.RawMessage) (T, error) {
	var answer T
	if toolcall.Bounded(raw) != nil {
		return answer, a.tool.Validate(answerName, raw)
	}
	if v, err := parseJSON(raw); err == nil && dropNulls(a.root, v) {
		if raw, err = json.Marshal(v); err != nil {
			return answer, err
		}
	}
	if err := a.tool.Validate(answerName, raw); err != nil {
		return answer, err
	}
	if err := decode(raw, &answer); err != nil {
		return answer, err
	}
	return answer, nil
}

// dropNulls removes the optional fields of v that are null, and reports whether it found any.
func dropNulls(schema map[string]any, v any) bool {
	dropped := false
	switch v := v.(type) {
	case map[string]any:
		fields, _ := schema["properties"].(map[string]any)
		required, _ := schema["required"].([]any)
		for name, field := range v {
			inner, known := fields[name].(map[string]any)
			if known && field == nil && !slices.Contains(required, any(name)) {
				delete(v, name)
				dropped = true
			}
			dropped = dropNulls(inner, field) || dropped
		}
	case []any:
		items, _ := schema["items"].(map[string]any)
		for _, item := range v {
			dropped = dropNulls(items, item) || dropped
		}
	}
	return dropped
}

// strictOf returns the strict schema of a type that schemaOf accepts, or nil.
func strictOf(t reflect.Type) json.RawMessage {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s, ok := strict(reflected(t))
	if !ok {
		return nil
	}
	raw, _ := json.Marshal(s) // nil with an error
	return raw
}

// strictFormats are the string formats that all services know.
var strictFormats = []string{"date-time", "date", "time"}

// strict returns the strict form of a schema, limited to what both OpenAI's strict schemas and Gemini's
// responseJsonSchema know. It reports false if there is none.
func strict(s *jsonschema.Schema) (*jsonschema.Schema, bool) {
	out := &jsonschema.Schema{
		Type: s.Type, Title: s.Title, Description: s.Description, Enum: s.Enum,
		Minimum: s.Minimum, Maximum: s.Maximum, MinItems: s.MinItems, MaxItems: s.MaxItems,
	}
	if s.Const != nil {
		out.Enum = []any{s.Const}
	}
	if slices.Contains(strictFormats, s.Format) {
		out.Format = s.Format
	}
	switch s.Type {
	case "string", "boolean", "integer", "number":
		return out, true
	case "array":
		if s.Items == nil {
			return nil, false
		}
		items, ok := strict(s.Items)
		out.Items = items
		return out, ok
	case "object":
		return out, strictFields(s, out)
	}
	return nil, false // a value of any type, or of one of several
}

// strictFields adds the fields of s to out, in their order; an optional one may be null.
func strictFields(s, out *jsonschema.Schema) bool {
	if s.Properties == nil || len(s.PatternProperties) > 0 {
		return false
	}
	closed, err := json.Marshal(s.AdditionalProperties)
	if err != nil || !bytes.Equal(closed, []byte("false")) {
		return false
	}
	out.Properties, out.AdditionalProperties = jsonschema.NewProperties(), jsonschema.FalseSchema
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		field, ok := strict(p.Value)
		if !ok {
			return false
		}
		if !slices.Contains(s.Required, p.Key) {
			field.Extras = map[string]any{"type": []string{field.Type, "null"}}
			if field.Type = ""; field.Enum != nil {
				field.Enum = append(slices.Clone(field.Enum), nil)
			}
		}
		out.Properties.Set(p.Key, field)
		out.Required = append(out.Required, p.Key)
	}
	return true
}
