package toolcall

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Bounds of the arguments of a call. Decoded, they take up to a hundred times their bytes.
const (
	maxBytes  = 1 << 20
	maxValues = 20_000 // fields and elements, at all levels
	maxDepth  = 64
)

// Bounded returns an error for arguments that take too much to decode: more than 1 MiB, more than 20,000 fields and
// elements, or more than 64 levels. It reads them once and keeps nothing. Whether they are JSON is not checked.
func Bounded(args json.RawMessage) error {
	if len(args) > maxBytes {
		return fmt.Errorf("the arguments have %d bytes, at most %d are allowed%s", len(args), maxBytes, firstFields(args))
	}
	values, depth, inText := 0, 0, false
	for i := 0; i < len(args); i++ {
		switch c := args[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{', c == '[':
			values++
			depth++
		case c == ',':
			values++
		case c == '}', c == ']':
			depth--
		}
		switch {
		case values > maxValues:
			return fmt.Errorf("the arguments have more than %d fields and elements%s", maxValues, firstFields(args))
		case depth > maxDepth:
			return fmt.Errorf("the arguments are nested more than %d levels deep%s", maxDepth, firstFields(args))
		}
	}
	return nil
}

// shownFields is how many fields an error names.
const shownFields = 3

// firstFields names the first fields of arguments for an error, "" if they are no object.
func firstFields(args json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(args[:min(len(args), 64<<10)]))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return ""
	}
	var names []string
	for len(names) < shownFields && d.More() {
		name, err := d.Token()
		if err != nil {
			break
		}
		names = append(names, fmt.Sprintf("%.40q", name))
		var value json.RawMessage
		if d.Decode(&value) != nil {
			break
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; the first fields are " + strings.Join(names, ", ")
}
