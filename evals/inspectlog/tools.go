package inspectlog

import (
	"encoding/json"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// toolsOf describes the tools of a request. A run has few different lists of them, so each is made once.
func (w *eventWriter) toolsOf(all []transcript.ToolSchema) []object {
	key, err := json.Marshal(all)
	if err != nil {
		return []object{} // a schema always encodes
	}
	if made, ok := w.tools[string(key)]; ok {
		return made
	}
	described := []object{}
	for _, t := range all {
		var schema map[string]any
		if json.Unmarshal(t.Schema, &schema) != nil {
			schema = nil
		}
		parameters := known(schema)
		delete(parameters, "default")
		parameters["type"] = "object"
		if parameters["properties"] == nil {
			parameters["properties"] = object{}
		}
		if parameters["required"] == nil {
			parameters["required"] = []string{}
		}
		described = append(described, object{"name": t.Name, "description": t.Description, "parameters": parameters})
	}
	w.tools[string(key)] = described
	return described
}

// plainKeys are the parts of a JSON schema that Inspect knows and that hold no schemas.
var plainKeys = []string{"description", "default", "enum", "examples", "format", "maxLength", "maximum", "minLength",
	"minimum", "pattern", "required", "title"}

// types are those of JSON schemas.
var types = map[any]bool{"string": true, "integer": true, "number": true, "boolean": true, "array": true,
	"object": true, "null": true}

// known returns the parts of a JSON schema that Inspect knows.
func known(schema map[string]any) object {
	to := object{"default": nil} // Inspect's schema requires it
	for _, key := range plainKeys {
		if v, ok := schema[key]; ok {
			to[key] = v
		}
	}
	if name, ok := schema["type"].(string); ok && types[name] {
		to["type"] = name
	}
	if list, ok := schema["type"].([]any); ok { // several types are alternatives
		var any []object
		for _, name := range list {
			if s, ok := name.(string); ok && types[s] {
				any = append(any, object{"type": s})
			}
		}
		to["anyOf"] = any
	}
	if items, ok := schema["items"].(map[string]any); ok {
		to["items"] = known(items)
	}
	if properties, ok := schema["properties"].(map[string]any); ok {
		all := object{}
		for name, p := range properties {
			if m, ok := p.(map[string]any); ok {
				all[name] = known(m)
			}
		}
		to["properties"] = all
	}
	if b, ok := schema["additionalProperties"].(bool); ok {
		to["additionalProperties"] = b
	}
	return to
}
