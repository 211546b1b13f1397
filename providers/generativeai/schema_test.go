package generativeai

import (
	"encoding/json"
	"testing"

	library "github.com/google/generative-ai-go/genai"
	"github.com/google/go-cmp/cmp"
)

func TestSchemaOf(t *testing.T) {
	text := &library.Schema{Type: library.TypeString}
	for _, tt := range []struct {
		name, schema string
		want         *library.Schema // nil: an error
	}{
		{"a text", `{"type":"string","description":"d","pattern":"x","minLength":3}`, &library.Schema{Type: library.TypeString, Description: "d"}},
		{"a number with limits", `{"type":"integer","format":"int64","minimum":0}`, &library.Schema{Type: library.TypeInteger, Format: "int64"}},
		{"a format that the service refuses", `{"type":"string","format":"uri"}`, text},
		{"null allowed", `{"type":["null","number"]}`, &library.Schema{Type: library.TypeNumber, Nullable: true}},
		{"one of", `{"enum":["a","",null,1,"b"]}`, &library.Schema{Type: library.TypeString, Format: "enum", Enum: []string{"a", "b"}}},
		{"always the same", `{"const":"a"}`, &library.Schema{Type: library.TypeString, Format: "enum", Enum: []string{"a"}}},
		{"numbers in an enum", `{"type":"integer","enum":[1,2]}`, &library.Schema{Type: library.TypeInteger}},
		{"a list", `{"type":"array","items":{"type":"boolean"}}`, &library.Schema{Type: library.TypeArray, Items: &library.Schema{Type: library.TypeBoolean}}},
		{"a list of anything", `{"type":"array"}`, &library.Schema{Type: library.TypeArray, Items: text}},
		{"an object", `{"properties":{"a":true,"b":{"type":"object"}},"required":["b"],"additionalProperties":false}`,
			&library.Schema{Type: library.TypeObject, Required: []string{"b"}, Properties: map[string]*library.Schema{"a": text, "b": {Type: library.TypeObject}}}},
		{"a union", `{"description":"d","anyOf":[{"type":"null"},{"type":"string","description":"e"},{"type":"integer"}]}`,
			&library.Schema{Type: library.TypeString, Nullable: true, Description: "d"}},
		{"a reference", `{"$ref":"#/$defs/a","$defs":{"a":{"type":"array","items":{"$ref":"#/$defs/b"}},"b":{"type":"string"}}}`, &library.Schema{Type: library.TypeArray, Items: text}},
		{"an older reference", `{"oneOf":[{"$ref":"#/definitions/a"}],"definitions":{"a":{"type":"string"}}}`, text},
		{"nothing but null", `{"anyOf":[{"type":"null"}]}`, nil},
		{"a reference elsewhere", `{"$ref":"https://example.com/a"}`, nil},
		{"a loop", `{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"properties":{"b":{"$ref":"#/$defs/a"}}}}}`, nil},
		{"no schema", `[1]`, nil},
		{"no schema within", `{"properties":{"a":[1]}}`, nil},
		{"a type of another form", `{"type":7}`, text},
	} {
		got, err := schemaOf(json.RawMessage(tt.schema))
		if diff := cmp.Diff(tt.want, got); diff != "" || (err == nil) != (tt.want != nil) {
			t.Errorf("%s: error %v (-want +got):\n%s", tt.name, err, diff)
		}
	}
}

// FuzzSchemaOf looks for a schema that is translated without an end or into what the library cannot send.
func FuzzSchemaOf(f *testing.F) {
	f.Add([]byte(`{"anyOf":[{"type":["null","array"]},{"$ref":"#/$defs/a"}],"$defs":{"a":{"properties":{"b":true}}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := schemaOf(raw)
		if (s == nil) == (err == nil) {
			t.Errorf("schema %v, error %v", s, err)
		}
		if s != nil && s.Type == library.TypeUnspecified {
			t.Error("a schema without a type, which the service refuses")
		}
	})
}
