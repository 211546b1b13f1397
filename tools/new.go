package tools

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"reflect"
	"strings"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/toolcall"
)

// New makes a tool from a typed function. In must be a struct or a pointer to one. Its JSON fields are the arguments:
// required unless tagged omitempty or omitzero, described by a `doc:"..."` tag, limited by `jsonschema:"minimum=1"`
// and its like. A type that decodes itself from text, as [net/netip.Addr], is a string. The range of an integer type
// is part of the schema. Call refuses unknown fields with a [Problem]. fn must be safe for concurrent use: see [Tool].
//
// New panics on a programming mistake: a name that is longer than 64 or has other characters than letters, digits, "_"
// and "-"; a nil function; an In that is no struct, contains itself, or holds a channel, function or complex number; a
// jsonschema tag with an unknown keyword, a bad value, or a keyword without effect on the type of its field.
func New[In, Out any](name, description string, fn func(context.Context, In) (Out, error)) Tool {
	if err := checkName(name); err != nil {
		panic("tools.New: " + err.Error())
	}
	if fn == nil {
		panic("tools.New: " + name + ": nil function")
	}
	schema, err := schemaOf(reflect.TypeFor[In]())
	if err != nil {
		panic("tools.New: " + name + ": " + err.Error())
	}
	return Tool{
		Name:        name,
		Description: description,
		Schema:      schema,
		Decode:      decoder[Out](),
		Call: func(ctx context.Context, args json.RawMessage) (any, error) {
			var in In
			if err := decode(args, &in); err != nil {
				return nil, err
			}
			out, err := fn(ctx, in)
			if err != nil {
				return nil, err
			}
			return out, nil
		},
	}
}

// decoder returns the Decode of a tool. One that returns an interface has none: its type is unknown.
func decoder[Out any]() func(json.RawMessage) (any, error) {
	if reflect.TypeFor[Out]().Kind() == reflect.Interface {
		return nil
	}
	return func(raw json.RawMessage) (any, error) {
		var out Out
		err := json.Unmarshal(raw, &out)
		return out, err
	}
}

// maxName is the longest tool name that every large provider accepts, in bytes.
const maxName = 64

func checkName(name string) error {
	if name == "" || len(name) > maxName {
		return fmt.Errorf("tool name %.80q: must have 1 to %d characters", name, maxName)
	}
	for _, r := range name {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", r) {
			return fmt.Errorf("tool name %q: %q is not a letter, digit, \"_\" or \"-\"", name, r)
		}
	}
	return nil
}

// decode fills in from args. A schema's "integer" admits 3.0, which some providers send and encoding/json refuses. Such
// numbers are rewritten if the first attempt fails.
func decode(args json.RawMessage, in any) error {
	if err := toolcall.Bounded(args); err != nil {
		return argumentProblem(err)
	}
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	err := decodeStrict(args, in)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && strings.HasPrefix(wrong.Value, "number") {
		if plain, ok := plainIntegers(args); ok {
			reflect.ValueOf(in).Elem().SetZero()
			err = decodeStrict(plain, in)
		}
	}
	if err == nil {
		return nil
	}
	return argumentProblem(err)
}

func decodeStrict(args json.RawMessage, in any) error {
	d := json.NewDecoder(bytes.NewReader(args))
	d.DisallowUnknownFields()
	if err := d.Decode(in); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("text after the arguments object")
	}
	return nil
}

// plainIntegers writes whole numbers such as 3.0 and 1e2 as 3 and 100. Numbers of more than 18 digits stay as they are.
func plainIntegers(args json.RawMessage) (json.RawMessage, bool) {
	v, err := parseJSON(args)
	if err != nil {
		return nil, false
	}
	b, err := json.Marshal(mapNumbers(v))
	return b, err == nil
}

func mapNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = mapNumbers(e)
		}
	case []any:
		for i, e := range v {
			v[i] = mapNumbers(e)
		}
	case json.Number:
		f, err := v.Float64()
		if err != nil || f > 1e18 || f < -1e18 {
			return v
		}
		if r, ok := new(big.Rat).SetString(v.String()); ok && r.IsInt() {
			return json.Number(r.Num().String())
		}
	}
	return v
}

func argumentProblem(err error) *Problem {
	p := &Problem{
		Code: "bad_arguments", Message: strings.TrimPrefix(err.Error(), "json: "),
		Try: "one JSON object with the fields of the tool's schema",
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		field := cmp.Or(wrong.Field, "arguments")
		p.Message = fmt.Sprintf("%s: got %s, want %s", field, wrong.Value, jsonType(wrong.Type))
		if n, ok := strings.CutPrefix(wrong.Value, "number "); ok && jsonType(wrong.Type) == "integer" && isWhole(n) {
			low, high := intRange(wrong.Type)
			p.Message = fmt.Sprintf("%s: got %s, must be from %s to %s", field, line.Truncate(n, 40), low, high)
		}
	}
	return p
}

// isWhole reports whether a JSON number has no fraction. An exponent makes it whole or too long to look at.
func isWhole(n string) bool { return !strings.Contains(n, ".") || strings.ContainsAny(n, "eE") }

// jsonType names a Go type as a model knows it.
func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "integer"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.String:
		return "string"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.Pointer:
		return jsonType(t.Elem())
	default:
		return "object"
	}
}
