package textcalls

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/toolcall"
	"github.com/forayhq/foray/providers/internal/wire"
)

// An offer is the tools of one request.
type offer struct {
	tools   []transcript.ToolSchema
	schemas *schemas
}

// find returns the tool that a model means by name, or nil.
func (o *offer) find(name string) *transcript.ToolSchema {
	i := slices.IndexFunc(o.tools, func(t transcript.ToolSchema) bool { return t.Name == name })
	if i < 0 && name != "" {
		names := make([]string, len(o.tools))
		for j, t := range o.tools {
			names[j] = t.Name
		}
		i = slices.Index(names, cmp.Or(toolcall.Name(name, names), name))
	}
	if i < 0 {
		return nil
	}
	return &o.tools[i]
}

func (o *offer) has(name string) bool { return o.find(name) != nil }

// exact reports whether name is a tool's own.
func (o *offer) exact(name string) bool { return o.has(name) && o.find(name).Name == name }

// fits reports whether the arguments of c follow the schema of its tool as they are meant.
func (o *offer) fits(c call) bool {
	raw := o.find(c.name).Schema
	schema := o.schemas.of(raw)
	meant, _ := toolcall.Args(raw, c.args)
	args, err := jsonschema.UnmarshalJSON(bytes.NewReader(meant))
	return err == nil && (schema == nil || schema.Validate(args) == nil)
}

// value returns an argument that was written as plain text in the JSON type that its tool's schema names.
func (o *offer) value(tool, key, text string) json.RawMessage {
	var schema struct {
		Properties map[string]struct{ Type any }
	}
	_ = json.Unmarshal(o.find(tool).Schema, &schema) // without properties, all are strings
	if kind := schema.Properties[key].Type; kind != nil && kind != "string" {
		if trimmed := strings.TrimSpace(text); json.Valid([]byte(trimmed)) {
			return json.RawMessage(trimmed)
		}
	}
	return wire.Quoted(text)
}

// maxSchemas bounds how many compiled schemas are kept: far more than a program has tools.
const maxSchemas = 256

// schemas compiles schemas once, and only when a call is found. It is safe for concurrent use.
type schemas struct {
	mu       sync.Mutex
	compiled map[string]*jsonschema.Schema // nil for one that does not compile
}

// of returns the compiled schema, nil if it does not compile: then the loop has to check the arguments.
func (s *schemas) of(raw json.RawMessage) *jsonschema.Schema {
	s.mu.Lock()
	defer s.mu.Unlock()
	schema, ok := s.compiled[string(raw)]
	if ok {
		return schema
	}
	if s.compiled == nil || len(s.compiled) >= maxSchemas {
		s.compiled = map[string]*jsonschema.Schema{}
	}
	schema, err := compile(raw)
	if err != nil {
		schema = nil
	}
	s.compiled[string(raw)] = schema
	return schema
}

func compile(raw json.RawMessage) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if err := c.AddResource(schemaURL, doc); err != nil {
		return nil, err
	}
	return c.Compile(schemaURL)
}

const schemaURL = "tool:///arguments"

// noLoader refuses references out of a schema, which could read files.
type noLoader struct{}

var errReference = errors.New("only references inside the schema are allowed")

func (noLoader) Load(string) (any, error) { return nil, errReference }
