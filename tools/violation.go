package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/toolcall"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// An ArgumentError lists everything that is wrong with the arguments of a call, so that the next attempt can be right.
// Beyond 100 unknown fields of an object, it has their number.
type ArgumentError struct {
	Tool       string
	Violations []Violation // sorted by pointer, at least one
}

// A Violation is a rule that the arguments break.
type Violation struct {
	Pointer string // JSON pointer (RFC 6901) to the value; "" is the arguments object
	Rule    string // what is allowed, with the range or the values
}

// maxUnknown is how many unknown fields of one object are violations of their own.
const maxUnknown = 100

// maxShown is how many violations Error lists: more than a model fixes in one attempt.
const maxShown = 20

// Error lists the first 20 violations, one a line.
func (e *ArgumentError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "invalid arguments for %s:", e.Tool)
	for i, v := range e.Violations {
		if i == maxShown {
			fmt.Fprintf(&b, "\n- and %d more", len(e.Violations)-maxShown)
			break
		}
		b.WriteString("\n- ")
		if v.Pointer != "" {
			b.WriteString(v.Pointer + ": ")
		}
		b.WriteString(v.Rule)
	}
	return b.String()
}

func parseJSON(args json.RawMessage) (any, error) {
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		var syntax *json.SyntaxError
		switch {
		case errors.As(err, &syntax):
			return nil, fmt.Errorf("not valid JSON at byte %d: %s", syntax.Offset, syntax.Error())
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil, fmt.Errorf("not valid JSON: it ends too early, at byte %d", len(args))
		}
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("not valid JSON: text after the value at byte %d", d.InputOffset())
	}
	return v, nil
}

func violations(schema *jsonschema.Schema, args json.RawMessage) []Violation {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	if err := toolcall.Bounded(args); err != nil {
		return []Violation{{Rule: err.Error()}}
	}
	v, err := parseJSON(args)
	if err != nil {
		return []Violation{{Rule: "arguments are " + err.Error()}}
	}
	return violationsOf(schema, v)
}

func violationsOf(schema *jsonschema.Schema, v any) []Violation {
	if text, _ := v.(string); strings.HasPrefix(strings.TrimSpace(text), "{") { // what did not parse comes as a string
		if _, err := parseJSON(json.RawMessage(text)); err != nil {
			return []Violation{{Rule: "arguments must be one JSON object, but are " + err.Error()}}
		}
	}
	if _, ok := v.(map[string]any); !ok {
		return []Violation{{Rule: "arguments must be one JSON object, got " + jsonName(v)}}
	}
	err := schema.Validate(v)
	var invalid *jsonschema.ValidationError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &invalid):
		return []Violation{{Rule: err.Error()}}
	}
	vs := leaves(schema, invalid, nil)
	slices.SortFunc(vs, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Rule, b.Rule))
	})
	return slices.Compact(vs)
}

func jsonName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	default:
		return "object"
	}
}

// leaves appends the innermost causes of e to vs. The outer ones only say that something inside is wrong.
func leaves(root *jsonschema.Schema, e *jsonschema.ValidationError, vs []Violation) []Violation {
	if len(e.Causes) > 0 {
		for _, c := range e.Causes {
			vs = leaves(root, c, vs)
		}
		return vs
	}
	at := root
	for _, name := range e.InstanceLocation {
		at = property(at, name)
	}
	below := func(name string) string { return pointer(append(slices.Clone(e.InstanceLocation), name)) }
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		names := slices.Sorted(slices.Values(k.Properties))
		for _, name := range names[:min(len(names), maxUnknown)] {
			vs = append(vs, Violation{below(name), unknownField(at, name)})
		}
		if more := len(names) - maxUnknown; more > 0 {
			vs = append(vs, Violation{pointer(e.InstanceLocation), fmt.Sprintf("%d more unknown fields", more)})
		}
	case *kind.Required:
		for _, name := range k.Missing {
			vs = append(vs, Violation{below(name), "missing, but required" + about(property(at, name))})
		}
	default:
		vs = append(vs, Violation{pointer(e.InstanceLocation), rule(e) + about(at)})
	}
	return vs
}

func rule(e *jsonschema.ValidationError) string {
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		return fmt.Sprintf("got %s, want %s", k.Got, strings.Join(k.Want, " or "))
	case *kind.Minimum:
		return fmt.Sprintf("got %s, must be at least %s", number(k.Got), number(k.Want))
	case *kind.Maximum:
		return fmt.Sprintf("got %s, must be at most %s", number(k.Got), number(k.Want))
	case *kind.MinLength:
		return fmt.Sprintf("has %d characters, must have at least %d", k.Got, k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("has %d characters, must have at most %d", k.Got, k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("has %d items, must have at least %d", k.Got, k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("has %d items, must have at most %d", k.Got, k.Want)
	case *kind.Enum:
		want, _ := json.Marshal(k.Want)
		return "must be one of " + strings.Trim(string(want), "[]")
	}
	if out := e.BasicOutput(); out.Error != nil {
		return clip(out.Error.String())
	}
	return "does not fit the schema"
}

// number writes a bound in full if it is a short integer, else in floating point: 1e9999 has too many digits.
func number(r *big.Rat) string {
	if r.IsInt() && r.Num().BitLen() < 64 {
		return r.Num().String()
	}
	f, _ := r.Float64()
	return fmt.Sprint(f)
}

func unknownField(at *jsonschema.Schema, name string) string {
	var known []string
	if at != nil {
		known = slices.Sorted(maps.Keys(at.Properties))
	}
	near := line.Closest(name, known, 1)
	if len(near) == 0 {
		return "unknown field: no field is allowed here"
	}
	return fmt.Sprintf("unknown field; the nearest is %q, allowed are %s", near[0], strings.Join(known, ", "))
}

// about repeats the schema's description of a field, which names its range and default.
func about(at *jsonschema.Schema) string {
	if at == nil || at.Description == "" {
		return ""
	}
	return " (" + at.Description + ")"
}

func property(s *jsonschema.Schema, name string) *jsonschema.Schema {
	if s == nil {
		return nil
	}
	if p := s.Properties[name]; p != nil {
		return p
	}
	return s.Items2020
}

func pointer(path []string) string {
	var b strings.Builder
	for _, p := range path {
		b.WriteByte('/')
		b.WriteString(clip(strings.NewReplacer("~", "~0", "/", "~1").Replace(p)))
	}
	return b.String()
}

// clip shortens a name or message from a model so that it can be repeated.
func clip(s string) string { return line.Truncate(strings.ToValidUTF8(s, "\uFFFD"), 200) }
