package tools

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/toolcall"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A Set is the tools of an agent, sorted by name, with compiled schemas. It is immutable and safe for concurrent use.
type Set struct {
	tools   []Tool
	schemas []*jsonschema.Schema // same order
	names   []toolcall.Schema    // same order
}

// NewSet returns a set of ts. The error joins all faults: two tools of one name, an invalid name, a nil Call, a schema
// that does not compile, refers to something outside itself, or does not describe an object.
func NewSet(ts ...Tool) (*Set, error) {
	s := &Set{tools: slices.Clone(ts)}
	slices.SortStableFunc(s.tools, func(a, b Tool) int { return cmp.Compare(a.Name, b.Name) })
	var errs []error
	for i, t := range s.tools {
		if i > 0 && s.tools[i-1].Name == t.Name {
			errs = append(errs, fmt.Errorf("tool %q: given twice", t.Name))
		}
		schema, err := check(t)
		if err != nil {
			errs = append(errs, err)
		}
		s.schemas, s.names = append(s.schemas, schema), append(s.names, toolcall.ParseSchema(t.Schema))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return s, nil
}

func check(t Tool) (*jsonschema.Schema, error) {
	if err := checkName(t.Name); err != nil {
		return nil, err
	}
	if t.Call == nil {
		return nil, fmt.Errorf("tool %q: no function to call", t.Name)
	}
	schema, err := compile(t.Name, t.Schema)
	if err != nil || t.Brief.Schema == nil {
		return schema, err
	}
	brief, err := compile(t.Name, t.Brief.Schema)
	if err != nil {
		return nil, fmt.Errorf("short form: %w", err)
	}
	for name := range brief.Properties {
		if schema.Properties[name] == nil {
			return nil, fmt.Errorf("tool %q: short form: the schema has no field %q", t.Name, name)
		}
	}
	return schema, nil
}

func compile(tool string, raw json.RawMessage) (*jsonschema.Schema, error) {
	doc, err := parseJSON(raw)
	if err != nil {
		return nil, fmt.Errorf("tool %q: schema: %w", tool, err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	url := "tool:///" + tool
	if err := c.AddResource(url, doc); err != nil {
		return nil, fmt.Errorf("tool %q: schema: %w", tool, err)
	}
	schema, err := c.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("tool %q: schema: %w", tool, err)
	}
	if schema.Types == nil || !slices.Equal(schema.Types.ToStrings(), []string{"object"}) {
		return nil, fmt.Errorf("tool %q: schema: type must be \"object\"", tool)
	}
	return schema, nil
}

// noLoader refuses references out of a schema, which could read files.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("reference to %s: only references inside the schema are allowed", url)
}

// All returns the tools, sorted by name. The slice is the caller's.
func (s *Set) All() []Tool { return slices.Clone(s.tools) }

// Lookup returns the tool of that name.
func (s *Set) Lookup(name string) (Tool, bool) {
	i, ok := s.find(name)
	if !ok {
		return Tool{}, false
	}
	return s.tools[i], true
}

func (s *Set) find(name string) (int, bool) {
	return slices.BinarySearchFunc(s.tools, name, func(t Tool, n string) int { return cmp.Compare(t.Name, n) })
}

// Nearest returns the name in the set that is closest to name by edit distance; empty for an empty set.
func (s *Set) Nearest(name string) string {
	names := make([]string, len(s.tools))
	for i, t := range s.tools {
		names[i] = t.Name
	}
	if near := line.Closest(name, names, 1); len(near) > 0 {
		return near[0]
	}
	return ""
}

// Validate checks args against the schema of the tool of that name. Empty args mean {}. The error is an
// [*ArgumentError] with every violation, or says that the tool is unknown. Arguments of more than 1 MiB, more than
// 20,000 fields and elements or more than 64 levels are one violation, and are not decoded.
func (s *Set) Validate(name string, args json.RawMessage) error {
	i, ok := s.find(name)
	if !ok {
		return fmt.Errorf("no tool %q; the nearest is %q", clip(name), s.Nearest(name))
	}
	return argumentError(name, violations(s.schemas[i], args))
}

// Understand returns arguments under the names and types of the schema of the tool of that name, which models know from
// other agents, and checks them as [Set.Validate] does. Notes say what was read under another name or left out.
func (s *Set) Understand(name string, args json.RawMessage) (read json.RawMessage, notes []string, err error) {
	i, ok := s.find(name)
	if !ok {
		return args, nil, s.Validate(name, args)
	}
	read, value, notes := s.names[i].Args(args)
	if value == nil {
		return read, notes, s.Validate(name, read)
	}
	return read, notes, argumentError(name, violationsOf(s.schemas[i], value))
}

func argumentError(tool string, vs []Violation) error {
	if len(vs) == 0 {
		return nil
	}
	return &ArgumentError{Tool: tool, Violations: vs}
}
