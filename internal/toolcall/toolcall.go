package toolcall

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/forayhq/foray/internal/line"
)

// Name returns the one of the offered tools that a model means by a name: itself, in another spelling, or the tool that
// does the same in another agent. It returns "" if no tool fits.
func Name(name string, offered []string) string {
	if slices.Contains(offered, name) {
		return name
	}
	plain := name[strings.LastIndexAny(name, ".:/")+1:]
	if i := strings.LastIndex(plain, "__"); i >= 0 {
		plain = plain[i+2:] // of a server: mcp__files__read
	}
	plain = strings.TrimSuffix(snake(plain), "_tool")
	for _, o := range offered {
		if snake(o) == plain {
			return o
		}
	}
	for _, row := range toolNames {
		if slices.Contains(row, plain) && slices.Contains(offered, row[0]) {
			return row[0]
		}
	}
	return ""
}

// A Schema is what [Schema.Args] needs of the JSON schema of a tool's arguments. It is immutable.
type Schema struct{ root *node }

// ParseSchema reads a schema. With one that is not JSON or names no fields, arguments
// stay as they are.
func ParseSchema(raw json.RawMessage) Schema {
	s := new(node)
	if json.Unmarshal(raw, s) != nil || len(s.Properties) == 0 {
		return Schema{}
	}
	return Schema{s}
}

// Args is [Schema.Args] without the value.
func Args(schema, args json.RawMessage) (read json.RawMessage, notes []string) {
	read, _, notes = ParseSchema(schema).Args(args)
	return read, notes
}

// Args returns arguments under the names and types of a schema. Notes say what was read under another name or left out,
// each as "file_path was read as path"; a value in another JSON type, as "12" for 12, is not noted. Arguments that are
// no JSON object or exceed [Bounded], and what no rule places, stay as they are. The value is that of read, with
// numbers as [json.Number]; nil if read was not parsed.
func (s Schema) Args(args json.RawMessage) (read json.RawMessage, value any, notes []string) {
	if s.root == nil || len(bytes.TrimSpace(args)) == 0 {
		return args, nil, nil
	}
	v, err := parse(args)
	if err != nil {
		return args, nil, nil
	}
	r := reader{}
	fields := r.unwrap(s.root, v)
	if fields == nil {
		return args, v, nil
	}
	r.ranges(s.root, fields)
	r.rename(s.root, fields)
	r.citation(s.root, fields)
	r.fields(s.root, fields)
	if !r.changed {
		return args, v, nil
	}
	fixed, err := line.JSON(fields)
	if err != nil {
		return args, nil, nil
	}
	return fixed, nil, r.notes
}

func parse(raw []byte) (v any, err error) {
	if err := Bounded(raw); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errMore
	}
	return v, nil
}

// A node is what a schema says of a value. Rules that it does not know mean nothing here.
type node struct {
	Type       any
	Properties map[string]*node
	Items      *node
	Required   []string
	Enum       []any
	Minimum    *json.Number
}

// is reports whether a value has a type.
func (n *node) is(kind string) bool {
	if n == nil {
		return false
	}
	if several, ok := n.Type.([]any); ok {
		return slices.Contains(several, any(kind))
	}
	return n.Type == kind
}

// A reader reads the arguments of one call.
type reader struct {
	changed bool
	notes   []string
}

func (r *reader) note(text string) {
	r.changed = true
	r.notes = append(r.notes, text)
}

// unwrap returns the fields of arguments: of an object, also in a string, in a list of one, or in a wrapper. It returns
// nil for anything else.
func (r *reader) unwrap(s *node, v any) map[string]any {
	switch inner := v.(type) {
	case string:
		if object, err := parse([]byte(inner)); err == nil {
			if fields, ok := object.(map[string]any); ok {
				r.changed = true
				return r.unwrap(s, fields)
			}
		}
	case []any:
		if len(inner) == 1 {
			if fields, ok := inner[0].(map[string]any); ok {
				r.changed = true
				return r.unwrap(s, fields)
			}
		}
	case map[string]any:
		for _, w := range wrappers {
			if fields, ok := inner[w].(map[string]any); ok && len(inner) == 1 && s.Properties[w] == nil {
				r.changed = true
				return r.unwrap(s, fields)
			}
		}
		return inner
	}
	return nil
}

// rename gives fields that the schema does not know the names of those that they mean.
func (r *reader) rename(s *node, fields map[string]any) {
	var unknown []string
	for name := range fields {
		if s.Properties[name] == nil {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	for _, name := range unknown {
		if target := s.meant(name); target != "" {
			r.move(fields, name, target, fields[name])
			continue
		}
		r.flag(s, fields, name)
	}
}

// meant returns the field of a schema that another name means, or "".
func (n *node) meant(name string) string {
	plain := snake(name)
	if n.Properties[plain] != nil {
		return plain
	}
	for _, row := range concepts {
		if !slices.Contains(row, name) && !slices.Contains(row, plain) {
			continue
		}
		for _, other := range row {
			if n.Properties[other] != nil {
				return other
			}
		}
	}
	return ""
}

// move gives a field another name, unless the other one is given with another value.
func (r *reader) move(fields map[string]any, name, target string, v any) {
	if _, given := fields[target]; given {
		return
	}
	delete(fields, name)
	fields[target] = v
	r.note(name + " was read as " + target)
}

// flag replaces a switch of another agent, and drops remarks.
func (r *reader) flag(s *node, fields map[string]any, name string) {
	plain := snake(name)
	if slices.Contains(remarks, name) || slices.Contains(remarks, plain) {
		delete(fields, name)
		r.changed = true
		return
	}
	for _, f := range flags {
		on, ok := asBool(fields[name])
		if !ok || s.Properties[f.field] == nil || !slices.Contains(f.names, name) && !slices.Contains(f.names, plain) {
			continue
		}
		value := f.no
		if on {
			value = f.yes
		}
		_, given := fields[f.field]
		switch {
		case value == nil:
			delete(fields, name)
			r.note(name + " was left out")
		case !given:
			r.move(fields, name, f.field, value)
		}
		return
	}
}

// snake writes filePath, FilePath and file-path as file_path.
func snake(name string) string {
	var b strings.Builder
	runes := []rune(strings.TrimSpace(name))
	for i, c := range runes {
		switch {
		case c == '-' || c == ' ' || c == '.':
			c = '_'
		case unicode.IsUpper(c):
			if i > 0 && (unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1])) {
				b.WriteByte('_')
			}
			c = unicode.ToLower(c)
		}
		b.WriteRune(c)
	}
	return b.String()
}
