package wire

import (
	"encoding/json"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
)

// NoOutput replaces an empty result: servers refuse a result without content, templates drop it, and models take it for
// a failure.
const NoOutput = "(no output)"

// Parameters returns the schema of a tool's arguments: that of an empty object for a tool without one.
func Parameters(schema json.RawMessage) json.RawMessage {
	if len(schema) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return schema
}

// Quoted returns text as a JSON string.
func Quoted(text string) json.RawMessage {
	raw, _ := line.JSON(text) // a string always encodes
	return raw
}

// Object returns the arguments of a call for a wire that demands an object. Arguments that did not parse become the
// member "unparsed_arguments" of one.
func Object(args json.RawMessage) json.RawMessage {
	if len(args) == 0 {
		return json.RawMessage("{}")
	}
	text, bad := providers.Unparsed(args)
	if !bad {
		return args
	}
	raw, err := line.JSON(map[string]string{"unparsed_arguments": text})
	if err != nil {
		return json.RawMessage("{}") // a string always encodes
	}
	return raw
}
