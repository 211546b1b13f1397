// Package strict decodes JSON that people write: unknown fields are errors, and errors say where they are, in the words
// of JSON.
//
// Start with [Decode].
package strict

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/internal/line"
)

// An Error is what is wrong with a text, and where.
type Error struct {
	Column int // of the byte, from 1; of a value of the wrong type, its last
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("byte %d: %s", e.Column, e.Reason) }

// maxDistance is how many letters a name may differ from the one that an error suggests.
const maxDistance = 3

// Decode parses one JSON value into a pointer to a struct, and refuses fields that the struct lacks and text after the
// value. The error is an [*Error]; an unknown field comes with the closest known name, or with all of them.
func Decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return Explain(text, err, into)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return &Error{max(int(d.InputOffset()), 1), "text after the JSON value"}
	}
	return nil
}

// Explain returns what an error of [json.Unmarshal] says, and where. Its text and the pointer are those of the call.
func Explain(text []byte, err error, into any) *Error {
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch name, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); {
	case unknown:
		plain, _ := strconv.Unquote(name) // encoding/json quotes it
		at := bytes.Index(text, []byte(name)) + 1
		reason := "unknown field " + name
		known := fields(reflect.TypeOf(into), nil)
		near := line.Closest(plain, known, 1)
		if len(near) > 0 && line.Distance(plain, near[0]) <= min(maxDistance, len(plain)/2) {
			reason += fmt.Sprintf("; did you mean %q?", near[0])
		} else {
			reason += "; known are " + strings.Join(known, ", ")
		}
		return &Error{max(at, 1), reason}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{len(text) + 1, "the JSON ends too early"}
	case errors.As(err, &syntax):
		return &Error{max(int(syntax.Offset), 1), "not valid JSON: " + syntax.Error()}
	case errors.As(err, &wrong) && wrong.Field != "":
		name, noun := field(wrong.Field, into), cmp.Or(nouns[wrong.Type.Kind()], "a number")
		return &Error{max(int(wrong.Offset), 1), fmt.Sprintf("%s must be %s, not %s", name, noun, wrong.Value)}
	case wrong != nil:
		return &Error{1, fmt.Sprintf("must be an object, not %s", wrong.Value)}
	}
	return &Error{1, err.Error()}
}

// field returns the path of a field without the name of the embedded struct that it is in.
func field(path string, into any) string {
	for f := range reflect.TypeOf(into).Elem().Fields() {
		if f.Anonymous {
			path = strings.TrimPrefix(path, f.Name+".")
		}
	}
	return path
}

// nouns are what JSON the kinds of types take, if that is not a number.
var nouns = map[reflect.Kind]string{reflect.String: "a string", reflect.Bool: "true or false",
	reflect.Slice: "an array", reflect.Struct: "an object", reflect.Map: "an object", reflect.Int: "a whole number"}

// fields returns the names of the fields of a struct and of the structs in it, but for those that decode themselves.
func fields(t reflect.Type, names []string) []string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return names
	}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
		names = fields(f.Type, names)
	}
	return names
}
