package inspectlog

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Every part of a log is valid by the schema that Inspect publishes for its viewer; testdata/schema.json says which.
func TestSchema(t *testing.T) {
	raw, err := os.ReadFile("testdata/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("inspect.json", schema); err != nil {
		t.Fatal(err)
	}
	valid := func(name, kind string, text []byte) {
		s, err := c.Compile("inspect.json#/components/schemas/" + kind)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(name, err)
		}
		if err := s.Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	samples := 0
	for name, text := range parts(t, written(t)) {
		switch {
		case name == "header.json":
			valid(name, "EvalLog", text)
		case strings.HasPrefix(name, "samples/"):
			samples++
			valid(name, "EvalSample", text)
		case name == "summaries.json":
			var all []json.RawMessage
			if err := json.Unmarshal(text, &all); err != nil {
				t.Fatal(err)
			}
			for _, one := range all {
				valid(name, "EvalSampleSummary", one)
			}
		}
	}
	if samples != 4 {
		t.Errorf("%d samples", samples)
	}
}
