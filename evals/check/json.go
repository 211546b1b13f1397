package check

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A value check looks at the JSON in the answer.
type value struct {
	head
	Path   string          `json:"path"` // a.b[0]; empty: the whole
	Equals json.RawMessage `json:"equals"`
	Schema json.RawMessage `json:"schema"`

	path   []any // names and indices
	equals any
	schema *jsonschema.Schema
}

// step finds one step of a path.
var step = regexp.MustCompile(`^(?:\.?([^.\[\]]+)|\[(\d{1,9})\])`)

func (c *value) prepare(*Options) (err error) {
	for rest := c.Path; rest != ""; {
		m := step.FindStringSubmatch(rest)
		switch {
		case m == nil:
			return fmt.Errorf("path is %q: it must be of the form a.b[0].c", c.Path)
		case m[2] != "":
			index, _ := strconv.Atoi(m[2]) // nine digits at most, by the pattern
			c.path = append(c.path, index)
		default:
			c.path = append(c.path, m[1])
		}
		rest = rest[len(m[0]):]
	}
	if len(c.Equals) > 0 {
		if c.equals, err = decode(c.Equals); err != nil {
			return fmt.Errorf("equals: %w", err)
		}
	}
	if len(c.Schema) > 0 {
		if c.schema, err = compileSchema(c.Schema); err != nil {
			return fmt.Errorf("schema: %w", err)
		}
	}
	return nil
}

// compileSchema compiles a schema that refers to no other.
func compileSchema(raw json.RawMessage) (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(jsonschema.SchemeURLLoader{}) // of no scheme: nothing is read from disk
	const name = "schema:check"
	if err := compiler.AddResource(name, document); err != nil {
		return nil, err
	}
	return compiler.Compile(name)
}

func (c *value) judge(_ context.Context, o *Outcome) (Verdict, error) {
	raw := jsonIn(o.Answer)
	if raw == nil {
		return no("no JSON in %s", shown(o.Answer)), nil
	}
	at, err := decode(raw)
	if err != nil {
		return no("the JSON of the answer has a value that cannot be compared: %v", err), nil // such as 1e400
	}
	for _, part := range c.path {
		next, ok := child(at, part)
		if !ok {
			return no("the JSON has no %s", c.Path), nil
		}
		at = next
	}
	if len(c.Equals) > 0 && !reflect.DeepEqual(at, c.equals) {
		got, _ := json.Marshal(at) // it was decoded from JSON
		return no("%s is %s, not %s", cmp.Or(c.Path, "the JSON"), shown(string(got)), shown(string(c.Equals))), nil
	}
	if c.schema != nil {
		if err := c.schema.Validate(at); err != nil {
			return no("%s breaks the schema: %s", cmp.Or(c.Path, "the JSON"), violation(err)), nil
		}
	}
	return yes(), nil
}

// decode decodes JSON with whole numbers as int64, if they have room there, and others as float64: as float64, an id of
// 19 digits equals its neighbours.
func decode(raw []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return plain(v)
}

// plain replaces the numbers in a decoded value, in place.
func plain(v any) (_ any, err error) {
	switch v := v.(type) {
	case json.Number:
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return n, nil
		}
		f, err := v.Float64()
		if f == math.Trunc(f) && math.Abs(f) < 1<<63 {
			return int64(f), err // 2.0 equals 2
		}
		return f, err
	case map[string]any:
		for name, value := range v {
			if v[name], err = plain(value); err != nil {
				return nil, err
			}
		}
	case []any:
		for i, value := range v {
			if v[i], err = plain(value); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// violation returns the first rule that a value breaks, on one line.
func violation(err error) string {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err.Error()
	}
	_, text, _ := strings.Cut(invalid.Error(), "\n")
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimPrefix(text, "- ")
}

func child(of, part any) (any, bool) {
	switch part := part.(type) {
	case string:
		object, ok := of.(map[string]any)
		next, has := object[part]
		return next, ok && has
	case int:
		if array, ok := of.([]any); ok && part < len(array) {
			return array[part], true
		}
	}
	return nil, false
}

// maxStarts is how many brackets of an answer are tried as the start of its JSON.
const maxStarts = 1_000

// jsonIn returns the JSON of an answer: all of it, or else the longest object or array in it; nil if it has none.
func jsonIn(answer string) (longest json.RawMessage) {
	if text := []byte(strings.TrimSpace(answer)); json.Valid(text) {
		return text
	}
	rest := answer
	for range maxStarts {
		at := strings.IndexAny(rest, "{[")
		if at < 0 {
			return longest
		}
		rest = rest[at:]
		var raw json.RawMessage
		if json.NewDecoder(strings.NewReader(rest)).Decode(&raw) != nil {
			raw = json.RawMessage(rest[:1])
		} else if len(raw) > len(longest) {
			longest = raw
		}
		rest = rest[len(raw):]
	}
	return longest
}
