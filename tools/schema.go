package tools

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/invopop/jsonschema"
)

// schemaOf returns the JSON schema of the arguments struct t: inlined, closed, without identifiers, required sorted.
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
	if err := checkTags(s, t); err != nil {
		return nil, err
	}
	sortRequired(s)
	if s.Type != "object" {
		return nil, fmt.Errorf("arguments of type %s: encoded as %q, must be an object", t, s.Type)
	}
	return json.Marshal(s)
}

// reflected returns the schema of a struct in the order of its fields.
func reflected(t reflect.Type) *jsonschema.Schema {
	r := jsonschema.Reflector{DoNotReference: true, ExpandedStruct: true, Anonymous: true, Mapper: leafSchema}
	s := r.ReflectFromType(t)
	s.Version = ""
	describe(s, t)
	return s
}

// describe sets the descriptions in the doc tags of t, which the reflector does not know.
func describe(s *jsonschema.Schema, t reflect.Type) {
	switch {
	case s == nil:
	case t.Kind() == reflect.Pointer:
		describe(s, t.Elem())
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Array:
		describe(s.Items, t.Elem())
	case t.Kind() == reflect.Struct && s.Properties != nil:
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if p, ok := s.Properties.Get(cmp.Or(name, f.Name)); ok {
				p.Description = cmp.Or(f.Tag.Get("doc"), p.Description)
				describe(p, f.Type)
			}
		}
	}
}

// sortRequired makes the bytes independent of the order in which fields are promoted from embedded structs.
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
	dateTime        = reflect.TypeFor[time.Time]()
	rawJSON         = reflect.TypeFor[json.RawMessage]()
	jsonNumber      = reflect.TypeFor[json.Number]()
)

// decodesItself reports whether t has a method that decodes it, so that its fields say nothing about its JSON form.
func decodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(jsonUnmarshaler) || p.Implements(textUnmarshaler)
}

// checkType refuses what cannot be decoded from JSON, and recursion, which an inlined schema cannot express.
func checkType(t reflect.Type, above []reflect.Type) error {
	if decodesItself(t) {
		return nil
	}
	if slices.Contains(above, t) {
		return fmt.Errorf("type %s contains itself", t)
	}
	above = append(slices.Clone(above), t)
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
		return checkType(t.Elem(), above)
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return checkType(t.Elem(), above)
	case reflect.Struct:
		for f := range t.Fields() {
			if (!f.IsExported() && !f.Anonymous) || f.Tag.Get("json") == "-" {
				continue
			}
			if err := checkType(f.Type, above); err != nil {
				return fmt.Errorf("field %s: %w", f.Name, err)
			}
		}
	}
	return nil
}

// leafSchema returns the schemas that the reflector gets wrong: of types that decode themselves, since it reads their
// fields, and of integers that are narrower than JSON's. nil leaves a type to the reflector.
func leafSchema(t reflect.Type) *jsonschema.Schema {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == dateTime, t == rawJSON:
		return nil
	case t == jsonNumber:
		return &jsonschema.Schema{Type: "number"}
	case decodesItself(t):
		return writtenSchema(t)
	}
	switch t.Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32:
		low, high := intRange(t)
		return &jsonschema.Schema{Type: "integer", Minimum: json.Number(low), Maximum: json.Number(high)}
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		_, high := intRange(t)
		return &jsonschema.Schema{Type: "integer", Minimum: "0", Maximum: json.Number(high)}
	case reflect.Uint, reflect.Uint64:
		return &jsonschema.Schema{Type: "integer", Minimum: "0"}
	}
	return nil
}

// writtenSchema returns the schema of a type that decodes itself: the JSON type that its zero value is written in. Text
// methods alone mean a string. Any value passes if the zero value is no plain one.
func writtenSchema(t reflect.Type) *jsonschema.Schema {
	if !reflect.PointerTo(t).Implements(jsonUnmarshaler) {
		return &jsonschema.Schema{Type: "string"}
	}
	zero := func() (data []byte) {
		defer func() { _ = recover() }() // a method may not expect a zero value
		data, _ = json.Marshal(reflect.New(t).Interface())
		return data
	}()
	var v any
	_ = json.Unmarshal(zero, &v) // nil if it could not be written
	switch v.(type) {
	case string:
		return &jsonschema.Schema{Type: "string"}
	case float64:
		return &jsonschema.Schema{Type: "number"}
	case bool:
		return &jsonschema.Schema{Type: "boolean"}
	}
	return jsonschema.TrueSchema
}

// intRange returns the least and the greatest value of an integer type.
func intRange(t reflect.Type) (low, high string) {
	bits := t.Bits()
	if k := t.Kind(); k >= reflect.Uint && k <= reflect.Uint64 {
		return "0", strconv.FormatUint(math.MaxUint64>>(64-bits), 10)
	}
	return strconv.FormatInt(math.MinInt64>>(64-bits), 10), strconv.FormatInt(math.MaxInt64>>(64-bits), 10)
}
