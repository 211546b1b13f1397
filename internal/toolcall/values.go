package toolcall

import (
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var errMore = errors.New("text after the value")

// lineForm is a line or a range of lines: 12, L12, 12-40, L12-L40, 12:40, "12, 40".
var lineForm = regexp.MustCompile(`^[\s\[(]*L?(\d{1,9})(?:\s*(?:-|–|:|,|\.\.|to)\s*L?(\d{1,9}))?[\s\])]*$`)

// citationForm is a path with lines.
var citationForm = regexp.MustCompile(`^[\[(]?([^\[\]\n]+?)(?::L?|#L)(\d{1,9})(?:-L?(\d{1,9}))?[\])]?$`)

// toEnd is the last line of a range that goes to the end of the file.
const toEnd = "-1"

// pairOf returns the first and the last line of a range; last is "" for one line.
func pairOf(v any) (first, last string) {
	switch v := v.(type) {
	case string:
		if m := lineForm.FindStringSubmatch(v); m != nil {
			return m[1], m[2]
		}
	case []any:
		if len(v) == 2 {
			a, aok := asNumber(v[0])
			b, bok := asNumber(v[1])
			if aok && bok {
				return a.String(), b.String()
			}
		}
	}
	return "", ""
}

// hasLines reports whether a call can have a range of lines, and has none yet.
func hasLines(s *node, fields map[string]any) bool {
	return s.Properties["start_line"] != nil && s.Properties["end_line"] != nil && fields["end_line"] == nil
}

// setLines sets a range of lines. One line means the definition around it, where the tool can show that.
func setLines(s *node, fields map[string]any, first, last string) {
	switch {
	case last == toEnd:
		fields["start_line"] = json.Number(first)
	case last != "":
		fields["start_line"], fields["end_line"] = json.Number(first), json.Number(last)
	case s.Properties["around"] != nil && fields["around"] == nil:
		fields["around"] = json.Number(first)
	default:
		fields["start_line"] = json.Number(first)
	}
}

func linesText(first, last string) string {
	switch last {
	case "":
		return "line " + first
	case toEnd:
		return "lines from " + first
	}
	return "lines " + first + "-" + last
}

// ranges reads a pair of lines in one field as start_line and end_line.
func (r *reader) ranges(s *node, fields map[string]any) {
	if !hasLines(s, fields) {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		pair := slices.Contains(lineRanges, snake(name)) && s.Properties[name] == nil
		starts := name == "start_line" || s.Properties[name] == nil && s.meant(name) == "start_line"
		if !hasLines(s, fields) || !pair && !starts {
			continue
		}
		first, last := pairOf(fields[name])
		if first == "" || starts && last == "" {
			continue
		}
		if _, given := fields["start_line"]; given && name != "start_line" {
			continue
		}
		delete(fields, name)
		setLines(s, fields, first, last)
		r.note(name + " was read as " + linesText(first, last))
	}
}

// citation reads path:12-40 in a path as the path and its lines.
func (r *reader) citation(s *node, fields map[string]any) {
	text, ok := fields["path"].(string)
	if !ok || !hasLines(s, fields) || fields["start_line"] != nil || fields["around"] != nil {
		return
	}
	if m := citationForm.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
		fields["path"] = m[1]
		setLines(s, fields, m[2], m[3])
		r.note("path was read as a file and " + linesText(m[2], m[3]))
	}
}

// fields reads each field of an object in its type.
func (r *reader) fields(s *node, fields map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		p := s.Properties[name]
		if p == nil {
			continue
		}
		v := fields[name]
		optional := !slices.Contains(s.Required, name)
		switch {
		case v == nil && optional:
			delete(fields, name)
			r.changed = true
		case optional && p.unset(v):
			delete(fields, name)
			r.note(name + " was left out")
		case p.is("string") && s.Properties[name+"s"].is("array") && isList(v) && fields[name+"s"] == nil:
			delete(fields, name)
			fields[name+"s"] = r.value(s.Properties[name+"s"], v)
			r.note(name + " was read as " + name + "s")
		default:
			fields[name] = r.value(p, v)
		}
	}
}

// isList reports whether a value is a list of several.
func isList(v any) bool {
	list, ok := v.([]any)
	return ok && len(list) > 1
}

// unset reports whether a value means that an optional field has its default: an empty text where one of several is
// wanted, and 0 or -1 below the least number.
func (n *node) unset(v any) bool {
	if text, ok := v.(string); ok && strings.TrimSpace(text) == "" {
		return len(n.Enum) > 0 || n.is("integer") || n.is("boolean") || n.is("array")
	}
	number, ok := asNumber(v)
	if !ok || n.Minimum == nil || !n.is("integer") {
		return false
	}
	given, err := number.Int64()
	least, bad := n.Minimum.Int64()
	return err == nil && bad == nil && given < least && (given == 0 || given == -1)
}

// value reads a value in the type of a schema.
func (r *reader) value(s *node, v any) any {
	read := s.read(v)
	if !same(read, v) {
		r.changed = true
	}
	switch v := read.(type) {
	case map[string]any:
		if s != nil && len(s.Properties) > 0 {
			r.fields(s, v)
		}
	case []any:
		if s != nil && s.Items != nil {
			for i := range v {
				v[i] = r.value(s.Items, v[i])
			}
		}
	}
	return read
}

// same compares what [node.read] returns with what it was given: it never returns another list or object.
func same(a, b any) bool {
	switch a.(type) {
	case []any:
		_, ok := b.([]any)
		return ok
	case map[string]any:
		_, ok := b.(map[string]any)
		return ok
	}
	switch b.(type) {
	case []any, map[string]any:
		return false
	}
	return a == b
}

// read returns a value in the type of a schema, or as it is.
func (n *node) read(v any) any {
	text, isText := v.(string)
	switch {
	case n == nil:
	case n.is("integer") || n.is("number"):
		if number, ok := asNumber(v); ok {
			return number
		}
	case n.is("boolean"):
		if on, ok := asBool(v); ok {
			return on
		}
	case n.is("string"):
		return n.readText(v)
	case n.is("array"):
		return n.readList(v)
	case n.is("object") && isText:
		if object, err := parse([]byte(text)); err == nil {
			if _, ok := object.(map[string]any); ok {
				return object
			}
		}
		if len(n.Required) == 1 && n.Properties[n.Required[0]].is("string") {
			return map[string]any{n.Required[0]: text}
		}
	}
	return v
}

// readText reads a text: of a number, of a list of one, and a value of an enumeration in another case or word.
func (n *node) readText(v any) any {
	if list, ok := v.([]any); ok && len(list) == 1 {
		v = list[0]
	}
	switch given := v.(type) {
	case json.Number:
		v = given.String()
	case bool:
		v = strconv.FormatBool(given)
	}
	text, ok := v.(string)
	if !ok || len(n.Enum) == 0 || slices.Contains(n.Enum, any(text)) {
		return v
	}
	plain := strings.ToLower(strings.TrimSpace(text))
	for _, known := range []string{plain, values[plain]} {
		if slices.Contains(n.Enum, any(known)) {
			return known
		}
	}
	return v
}

// readList reads a list: in a text, or of a single value.
func (n *node) readList(v any) any {
	if _, ok := v.([]any); ok || v == nil {
		return v
	}
	if text, ok := v.(string); ok && strings.HasPrefix(strings.TrimSpace(text), "[") {
		if list, err := parse([]byte(text)); err == nil {
			if _, ok := list.([]any); ok {
				return list
			}
		}
	}
	return []any{v}
}

// numberForm is a number in a text.
var numberForm = regexp.MustCompile(`^-?(?:0|[1-9]\d{0,17})(?:\.\d{1,9})?$`)

func asNumber(v any) (json.Number, bool) {
	switch v := v.(type) {
	case json.Number:
		return v, true
	case string:
		if text := strings.TrimPrefix(strings.TrimSpace(v), "L"); numberForm.MatchString(text) {
			return json.Number(text), true
		}
	}
	return "", false
}

func asBool(v any) (on, ok bool) {
	switch v := v.(type) {
	case bool:
		return v, true
	case string:
		on, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(v)))
		return on, err == nil
	case json.Number:
		return v == "1", v == "0" || v == "1"
	}
	return false, false
}
