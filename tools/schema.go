package tools

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/invopop/jsonschema"
)

// schemaOf is the JSON schema of the arguments struct t: inlined, closed, without identifiers, `required` sorted.
func schemaOf(t reflect.Type) (json.RawMessage, error) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("arguments of type %s: must be a struct", t)
	}
	if err := checkType(t, nil); err != nil {
		return nil, err
	}
	s := reflected(t)
	sortRequired(s)
	if s.Type != "object" {
		return nil, fmt.Errorf("arguments of type %s: encoded as %q, must be an object", t, s.Type)
	}
	return json.Marshal(s)
}

// reflected is the schema of a struct in the order of its fields.
func reflected(t reflect.Type) *jsonschema.Schema {
	r := jsonschema.Reflector{DoNotReference: true, ExpandedStruct: true, Anonymous: true}
	s := r.ReflectFromType(t)
	s.Version = ""
	return s
}

// sortRequired makes the bytes independent of the order of fields that are promoted from embedded structs.
func sortRequired(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	slices.Sort(s.Required)
	if s.Properties != nil {
		for p := s.Properties.Oldest(); p != nil; p = p.Next() {
			sortRequired(p.Value)
		}
	}
	sortRequired(s.Items)
	sortRequired(s.AdditionalProperties)
}

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// checkType refuses what cannot be decoded from JSON, and recursion, which an inlined schema cannot express. Types that
// decode themselves are leaves.
func checkType(t reflect.Type, above []reflect.Type) error {
	if p := reflect.PointerTo(t); p.Implements(jsonUnmarshaler) || p.Implements(textUnmarshaler) {
		return nil
	}
	if slices.Contains(above, t) {
		return fmt.Errorf("type %s contains itself", t)
	}
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer, reflect.Uintptr:
		return fmt.Errorf("type %s has no JSON form", t)
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return fmt.Errorf("interface %s cannot be decoded", t)
		}
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			return fmt.Errorf("map key of %s must be a string", t)
		}
		return checkType(t.Elem(), append(above, t))
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return checkType(t.Elem(), append(above, t))
	case reflect.Struct:
		for f := range t.Fields() {
			if (!f.IsExported() && !f.Anonymous) || f.Tag.Get("json") == "-" {
				continue
			}
			if err := checkType(f.Type, append(slices.Clone(above), t)); err != nil {
				return fmt.Errorf("field %s: %w", f.Name, err)
			}
		}
	}
	return nil
}
