package wire

import (
	"bytes"
	"encoding/json"

	"github.com/forayhq/foray/providers"
)

// Encode returns v as JSON without HTML escapes and without a line end, so that texts and provider data in it keep
// their bytes.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// NoOutput replaces an empty result: servers refuse a result without content, templates drop it, and models take it for
// a failure.
const NoOutput = "(no output)"

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
	raw, err := Encode(map[string]string{"unparsed_arguments": text})
	if err != nil {
		return json.RawMessage("{}") // a string always encodes
	}
	return raw
}
